"""The stores that the contract suites run over: the fake, and the adapter over two engines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count

from palimpsest.domain.erasures import OpenErasures
from palimpsest.ports.api_keys import ApiKeyRepository
from palimpsest.ports.atoms import AtomDirectory
from palimpsest.ports.entities import EntityDirectory
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.idempotency import IdempotencyRecords

from local.dynoxide import Engine
from tests.dynamodb import Tables, dynoxide_tables, moto_tables
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.atoms import FakeAtomDirectory
from tests.fakes.entity_ids import FakeEntityIds
from tests.fakes.facts import FakeFactRepository
from tests.fakes.idempotency import FakeIdempotencyRecords

KINDS = ["fake", "moto", "dynoxide"]

# Each test mints ids of its own: DynamoDB remembers a transaction's token for ten minutes, so that the same write in two tests
# would be done in the first one only.
SERIES = count()


@dataclass(frozen=True)
class Store:
    """One empty store behind its ports."""

    facts: FactRepository
    api_keys: ApiKeyRepository
    idempotency: IdempotencyRecords
    atoms: AtomDirectory
    entities: EntityDirectory
    entity_ids: FakeEntityIds
    put_open_erasures: Callable[[str, OpenErasures], None]


# Gives an empty store each time that it is asked.
Stores = Callable[[], Store]


@contextmanager
def stores_of(kind: str, start_dynoxide: Callable[[], Engine]) -> Iterator[Stores]:
    """Return a source of empty stores of a kind; the one before may be gone by then."""
    if kind == "fake":
        yield _fake_store
    elif kind == "moto":
        with moto_tables() as tables:
            yield partial(_emptied, tables)
    else:
        with dynoxide_tables(start_dynoxide()) as tables:
            yield partial(_emptied, tables)


def _fake_store() -> Store:
    facts = FakeFactRepository()
    return Store(
        facts,
        FakeApiKeyRepository(),
        FakeIdempotencyRecords(),
        FakeAtomDirectory(facts),
        facts.entities,
        facts.entities.ids,
        facts.open_erasures.__setitem__,
    )


def _emptied(tables: Tables) -> Store:
    tables.clear()
    entity_ids = FakeEntityIds()
    return Store(
        tables.fact_repository(planners=tables.planners(entity_ids)),
        tables.api_key_repository(),
        tables.idempotency_records(),
        tables.atom_directory(),
        tables.entity_directory(),
        entity_ids,
        tables.put_open_erasures,
    )
