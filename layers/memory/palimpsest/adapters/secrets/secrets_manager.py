"""Key lists in AWS Secrets Manager."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from palimpsest.adapters.secrets.kept import KeptKeyLists
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError
from palimpsest.ports.clock import Clock

if TYPE_CHECKING:  # the stubs are a development tool and not in the layer
    from mypy_boto3_secretsmanager import SecretsManagerClient

# GetSecretValue's own errors and IAM's that asking again does not cure (Secrets Manager API reference, GetSecretValue and
# Common Errors). All others, throttling and 5xx above all, may pass.
_LASTING = frozenset(
    {
        "AccessDeniedException",
        "DecryptionFailure",
        "InvalidParameterException",
        "InvalidRequestException",
        "ResourceNotFoundException",
        "UnrecognizedClientException",
        "ValidationException",
    }
)


# Secrets Manager answers in some 50 ms. botocore's own 60 s would outlive the function, and the caller.
CONNECT_SECONDS = 1
READ_SECONDS = 3
ATTEMPTS = 3


def client_config() -> Config:
    """Return a client's settings for this adapter: a function has time left to say that it cannot read the list."""
    return Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
    )


class SecretsManagerKeyLists(KeptKeyLists):
    """Reads a key list from a secret's current version. See ``palimpsest.ports.key_lists.KeyLists``.

    Args:
        client: A Secrets Manager client, made with ``client_config``; its time-outs bound how long a first request can wait.
        secret_id: The secret's ARN or name.
        clock: Tells when to read again.
    """

    def __init__(self, client: "SecretsManagerClient", secret_id: str, clock: Clock) -> None:
        super().__init__(lambda: _read(client, secret_id), clock)


def _read(client: "SecretsManagerClient", secret_id: str) -> str:
    with _store_errors():
        answer = client.get_secret_value(SecretId=secret_id)
    try:
        return answer["SecretString"]
    except KeyError as error:
        raise StoreFailedError("A secret with a key list holds bytes instead of text.") from error


@contextmanager
def _store_errors() -> Iterator[None]:
    """Turn the vendor's errors into the domain's."""
    try:
        yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in _LASTING:
            raise StoreFailedError("A secret with a key list may not be read.") from error
        raise StoreUnavailableError("A secret with a key list cannot be read now.") from error
    except BotoCoreError as error:
        raise StoreUnavailableError("A secret with a key list cannot be reached.") from error
