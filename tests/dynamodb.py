"""The template's tables in an engine, under names of their own, so that no two users of one engine see each other's items."""

import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from moto import mock_aws
from palimpsest.adapters.dynamodb.api_keys import DynamoDBApiKeyRepository
from palimpsest.adapters.dynamodb.associations import DynamoDBAssociations
from palimpsest.adapters.dynamodb.atom_companions import AtomCompanions
from palimpsest.adapters.dynamodb.atoms import DynamoDBAtomDirectory
from palimpsest.adapters.dynamodb.clients import dynamodb_client
from palimpsest.adapters.dynamodb.companions import CompanionPlanner
from palimpsest.adapters.dynamodb.entities import DynamoDBEntityDirectory
from palimpsest.adapters.dynamodb.entity_companions import EntityCompanions
from palimpsest.adapters.dynamodb.facts import DynamoDBFactRepository
from palimpsest.adapters.dynamodb.idempotency import DynamoDBIdempotencyRecords
from palimpsest.adapters.dynamodb.items import open_erasures_to_item
from palimpsest.adapters.dynamodb.keys import ShardCounts
from palimpsest.adapters.dynamodb.reads import Reads
from palimpsest.domain.erasures import OpenErasures
from palimpsest.ports.entity_ids import EntityIds

from local.dynoxide import FAKE_CREDENTIAL, REGION, Engine
from local.tables import create_tables
from local.template import Template
from tests.fakes.entity_ids import FakeEntityIds
from tests.fakes.pauses import FakePauses

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FAKE_ACCOUNT = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": FAKE_CREDENTIAL,
    "AWS_SECRET_ACCESS_KEY": FAKE_CREDENTIAL,
}
TEMPLATE = Path(__file__).parents[1] / "template.yaml"


@dataclass(frozen=True)
class Tables:
    """Empty tables, and a client for them."""

    client: "DynamoDBClient"
    facts: str
    state: str
    concepts: str

    def fact_repository(self, **changes: Any) -> DynamoDBFactRepository:
        """Return the repository over these tables."""
        fields = {
            "reader": self.client,
            "facts_table": self.facts,
            "state_table": self.state,
            "pauses": FakePauses(),
            "shards": ShardCounts(container=1, tenant=2),
            "planners": self.planners(),
            **changes,
        }
        return DynamoDBFactRepository(self.client, **fields)

    def planners(self, entity_ids: EntityIds | None = None) -> tuple[CompanionPlanner, ...]:
        """Return what plans for facts that bring something along."""
        ids = entity_ids or FakeEntityIds()
        reads = Reads(client=self.client, pauses=FakePauses())
        return (
            AtomCompanions(table=self.concepts),
            EntityCompanions(table=self.concepts, reads=reads, ids=ids),
        )

    def api_key_repository(self) -> DynamoDBApiKeyRepository:
        """Return the repository over these tables."""
        return DynamoDBApiKeyRepository(self.client, state_table=self.state)

    def idempotency_records(self) -> DynamoDBIdempotencyRecords:
        """Return the records of requests over these tables."""
        return DynamoDBIdempotencyRecords(self.client, state_table=self.state)

    def associations(self) -> DynamoDBAssociations:
        """Return the edges between concepts over these tables."""
        return DynamoDBAssociations(self.client, concepts_table=self.concepts, pauses=FakePauses())

    def atom_directory(self) -> DynamoDBAtomDirectory:
        """Return the directory of atoms over these tables."""
        return DynamoDBAtomDirectory(self.client, concepts_table=self.concepts, pauses=FakePauses())

    def entity_directory(self) -> DynamoDBEntityDirectory:
        """Return the directory of entities over these tables."""
        return DynamoDBEntityDirectory(
            client=self.client, concepts_table=self.concepts, pauses=FakePauses()
        )

    def put_open_erasures(self, tenant_id: str, erasures: OpenErasures) -> None:
        """Write the item that another function's work will write."""
        item: Any = open_erasures_to_item(tenant_id, erasures)
        self.client.put_item(TableName=self.state, Item=item)

    def items(self, table: str) -> list[dict[str, Any]]:
        """Return everything that lies in a table."""
        pages = self.client.get_paginator("scan").paginate(TableName=table)
        return [dict(item) for page in pages for item in page["Items"]]

    def clear(self) -> None:
        """Delete every item."""
        for table in (self.facts, self.state, self.concepts):
            for item in self.items(table):
                self.client.delete_item(TableName=table, Key={k: item[k] for k in ("pk", "sk")})


@contextmanager
def dynoxide_tables(engine: Engine) -> Iterator[Tables]:
    """Make tables in a running dynoxide, and drop them in the end."""
    with _made({"AWS_ENDPOINT_URL_DYNAMODB": engine.endpoint}) as tables:
        yield tables


@contextmanager
def moto_tables() -> Iterator[Tables]:
    """Make tables in moto, which lives in this process, and is asked by one thread at a time.

    moto looks at a condition and writes the item in two steps with nothing around them, so that two
    of twenty threads can both find nothing there. DynamoDB and dynoxide serialise writes of one item:
    what a race comes to is asked of them, and here only that the calls are the right ones.
    """
    with (
        mock_aws(),
        _made({}) as tables,
        patch.object(tables.client, "_make_api_call", _one_at_a_time(tables.client)),
    ):
        yield tables


def _one_at_a_time(client: "DynamoDBClient") -> Callable[..., Any]:
    call, lock = client._make_api_call, RLock()  # type: ignore[attr-defined]

    def make_api_call(*arguments: Any, **named: Any) -> Any:
        with lock:
            return call(*arguments, **named)

    return make_api_call


@contextmanager
def _made(environ: Mapping[str, str]) -> Iterator[Tables]:
    with patch.dict(os.environ, {**FAKE_ACCOUNT, **environ}):
        client = dynamodb_client(attempts=1)
    suffix = uuid.uuid4().hex[:8]
    described = [
        replace(
            table,
            logical_id=f"{table.logical_id}-{suffix}",
            arguments={**table.arguments, "TableName": f"{table.logical_id}-{suffix}"},
        )
        for table in Template.read(TEMPLATE).tables()
    ]
    names = create_tables(client, described)
    yield Tables(client, *names)
    for name in names:
        client.delete_table(TableName=name)
