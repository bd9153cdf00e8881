"""The DynamoDB client, with limits that leave a function time to answer."""

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# DynamoDB answers in milliseconds. botocore's own 60 s would outlive the function, and the caller.
CONNECT_TIMEOUT_SECONDS = 1
READ_TIMEOUT_SECONDS = 3
# A list reads its partitions side by side; fewer connections than threads would queue them.
SIDE_BY_SIDE = 16


def dynamodb_client(*, attempts: int) -> "DynamoDBClient":
    """Return a client for the account, region and endpoint of the environment.

    Args:
        attempts: How often one call is sent in all. 1 for writes: a use case reads again before it writes again. 3 for
            reads, whose repetition changes nothing.
    """
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=READ_TIMEOUT_SECONDS,
        retries={"total_max_attempts": attempts, "mode": "standard"},
        max_pool_connections=SIDE_BY_SIDE + 1,
        # A warm function keeps its connections; a silent one may have been dropped by the network in between.
        tcp_keepalive=True,
    )
    return boto3.client("dynamodb", config=config)
