import json
from dataclasses import dataclass, field

import pytest
from click.testing import CliRunner, Result
from palimpsest.use_cases.create_key import CreateKey
from palimpsest.use_cases.fact_documents import FactDocuments
from palimpsest.use_cases.index_facts import IndexFacts
from palimpsest.use_cases.list_keys import ListKeys
from palimpsest.use_cases.reconcile_index import ReconcileIndex
from palimpsest.use_cases.reindex_facts import ReindexFacts
from palimpsest.use_cases.revoke_key import RevokeKey
from palimpsest_cli.commands import cli
from palimpsest_cli.connection import Connection, IndexCare
from palimpsest_cli.targets import Choice

from tests.builders import TENANT, build_fact
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.census import FakeCensus
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.pauses import FakePauses
from tests.fakes.rebuilds import FakeRebuilds
from tests.fakes.rechecks import FakeRechecks
from tests.fakes.vectors import FakeVectors


@dataclass
class Terminal:
    """Runs commands over a table and an index in memory; nothing follows the table but the commands."""

    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    rebuilds: FakeRebuilds = field(default_factory=FakeRebuilds)
    ids: FakeIds = field(default_factory=FakeIds)

    def __call__(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, arguments, obj=self.connect)

    def write(self, count: int = 1) -> list[str]:
        added = [build_fact(ids=self.ids) for _ in range(count)]
        for fact in added:
            self.facts.add(fact)
        return [fact.id for fact in added]

    @property
    def index(self) -> FakeFactIndex:
        index = self.rebuilds.serving
        assert isinstance(index, FakeFactIndex)
        return index

    def connect(self, choice: Choice) -> Connection:
        clock, api_keys = FakeClock(), FakeApiKeyRepository()
        return Connection(
            create_key=CreateKey(api_keys=api_keys, clock=clock, ids=FakeIds()),
            list_keys=ListKeys(api_keys=api_keys),
            revoke_key=RevokeKey(api_keys=api_keys, clock=clock),
            tenant_id=TENANT,
            index_care=self._care,
        )

    def _care(self) -> IndexCare:
        census, clock = FakeCensus(self.facts), FakeClock()
        index_facts = IndexFacts(
            facts=self.facts,
            index=self.index,
            documents=FactDocuments(vectors=FakeVectors(), embeddings=None),
            rechecks=FakeRechecks(),
            clock=clock,
        )
        return IndexCare(
            index_facts=index_facts,
            reindex_facts=ReindexFacts(
                census=census,
                facts=self.facts,
                rebuilds=self.rebuilds,
                index_facts=index_facts,
                pauses=FakePauses(),
            ),
            reconcile_index=ReconcileIndex(
                census=census, facts=self.facts, index=self.index, clock=clock
            ),
        )


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def test_reindexing_fills_an_index_and_lets_it_serve(terminal):
    fact_ids = terminal.write(7)

    result = terminal("reindex")

    assert result.exit_code == 0, result.output
    assert "Indexed anew: 7 facts." in result.stderr
    assert terminal.index.find_indexed(TENANT, fact_ids).keys() == set(fact_ids)


def test_reindexing_that_fails_says_so_and_keeps_the_old_index(terminal):
    (fact_id,) = terminal.write()
    terminal.rebuilds.filling = FakeFactIndex(refused={fact_id})
    before = terminal.index

    result = terminal("reindex")

    assert result.exit_code != 0
    assert "could not be indexed" in result.stderr
    assert terminal.index is before


def test_an_index_that_is_right_shows_nothing(terminal):
    terminal.write(3)
    terminal("reindex")

    result = terminal("reconcile")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "Differences: none." in result.stderr


def test_differences_are_printed_a_fact_a_line(terminal):
    first, second = terminal.write(2)

    result = terminal("reconcile")

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [f"{TENANT}\t{i}\tmissing" for i in (first, second)]
    assert "Differences: 2 missing." in result.stderr


def test_differences_are_printed_as_json(terminal):
    (fact_id,) = terminal.write()

    result = terminal("reconcile", "--json")

    assert json.loads(result.stdout) == {"tenantId": TENANT, "factId": fact_id, "fault": "missing"}


def test_repairing_brings_the_index_right(terminal):
    terminal.write(150)

    result = terminal("reconcile", "--repair")

    assert result.exit_code == 0, result.output
    assert "Repaired: 150 of 150." in result.stderr
    assert terminal("reconcile").exit_code == 0


def test_what_cannot_be_repaired_is_told(terminal):
    (fact_id, _) = terminal.write(2)
    terminal.index.refused.add(fact_id)

    result = terminal("reconcile", "--repair")

    assert result.exit_code == 1
    assert "Repaired: 1 of 2." in result.stderr
