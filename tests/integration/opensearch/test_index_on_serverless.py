"""The adapter where Serverless fails, delays and duplicates; what it finds is the contract suite's business."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from botocore.credentials import Credentials
from palimpsest.adapters.opensearch.capabilities import NEXTGEN, Collection
from palimpsest.adapters.opensearch.clients import serverless_client
from palimpsest.adapters.opensearch.index import OpenSearchFactIndex
from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError

from tests.fakes.pauses import FakePauses
from tests.gate import rules
from tests.gate.faults import Fault, Faults, Loss
from tests.gate.gate import REGION
from tests.gate.server import OpenGate, open_gate
from tests.index_world import World, ids, numbered, unit
from tests.indexes import IndexUnderTest
from tests.opensearch import made_index

ATTEMPTS = 3
IMPATIENT_SECONDS = 0.3
WITHOUT_IDS = replace(NEXTGEN, supports_document_ids=False)


@dataclass
class Deployment:
    """An index behind a gate, and a test's own tenant in it."""

    opened: OpenGate
    index: OpenSearchFactIndex
    world: World

    @property
    def faults(self) -> Faults:
        return self.opened.gate.faults

    @property
    def paused(self) -> list[int]:
        pauses = self.index.requests.pauses
        assert isinstance(pauses, FakePauses)
        return pauses.attempts

    def requests(self, path_part: str) -> int:
        return sum(path_part in passed.path for passed in self.opened.gate.passed)

    def documents(self) -> int:
        client = self.index.requests.client
        return int(client.count(index=f"{self.index.current},{self.index.history}")["count"])

    def patience(self, seconds: float) -> OpenSearchFactIndex:
        """The same index, seen by a client that waits so long for an answer."""
        client = serverless_client(
            self.opened.url, self.opened.gate.credentials, REGION, timeout_seconds=seconds
        )
        requests = replace(self.index.requests, client=client, attempts=1)
        return replace(self.index, requests=requests)


def deployed(url: str, collection: Collection, kind: rules.Rules) -> Iterator[Deployment]:
    with open_gate(url, kind) as opened:
        client = serverless_client(opened.url, opened.gate.credentials, REGION, timeout_seconds=30)
        with made_index(client, collection, attempts=ATTEMPTS) as index:
            yield Deployment(opened, index, World(IndexUnderTest(index, opened.settle)))


@pytest.fixture
def nextgen_index(opensearch_url: str) -> Iterator[Deployment]:
    yield from deployed(opensearch_url, NEXTGEN, rules.NEXTGEN)


@pytest.fixture
def index_without_ids(opensearch_url: str) -> Iterator[Deployment]:
    yield from deployed(opensearch_url, WITHOUT_IDS, rules.NEXTGEN_WITHOUT_IDS)


class TestSignatures:
    def test_only_the_host_and_what_amazon_names_is_signed(self, nextgen_index: Deployment):
        nextgen_index.world.put(nextgen_index.world.fact(1))
        nextgen_index.world.by_both(with_history=True)

        signed = {passed.signature.headers for passed in nextgen_index.opened.gate.passed}

        names = {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"}
        assert signed == {frozenset(names)}

    def test_credentials_that_are_not_let_in_are_refused_for_good(self, nextgen_index: Deployment):
        own = nextgen_index.opened.gate.credentials
        nextgen_index.opened.gate.credentials = Credentials("AKIDNEXT", "next", "next-token")

        with pytest.raises(StoreFailedError):
            nextgen_index.world.by_words("chess")

        assert nextgen_index.paused == []
        nextgen_index.opened.gate.credentials = own

    def test_credentials_that_were_renewed_sign_the_next_request(self, nextgen_index: Deployment):
        world, own = nextgen_index.world, nextgen_index.opened.gate.credentials
        world.put(world.fact(1))

        own.access_key, own.secret_key, own.token = "AKIDNEXT", "next", "next-token"

        assert world.by_both() == [numbered(1)] * 2
        assert {p.signature.key for p in nextgen_index.opened.gate.passed} == {
            "AKIDGATE",
            "AKIDNEXT",
        }


class TestFaults:
    @pytest.mark.parametrize("status", [402, 429, 500, 502, 503])
    def test_a_busy_collection_is_asked_again(self, nextgen_index: Deployment, status: int):
        world = nextgen_index.world
        nextgen_index.faults.answer_next(status, status, path_part="_bulk")
        world.put(world.fact(1))
        nextgen_index.faults.answer_next(status, path_part="_search")

        hits = world.by_words("chess")

        assert ids(hits) == numbered(1)
        assert nextgen_index.paused == [1, 2, 1]

    def test_a_collection_that_stays_busy_is_unavailable(self, nextgen_index: Deployment):
        nextgen_index.faults.answer_next(*[429] * ATTEMPTS, path_part="_search")

        with pytest.raises(SearchUnavailableError):
            nextgen_index.world.by_words("chess")

        assert nextgen_index.requests("_search") == ATTEMPTS

    def test_a_collection_that_wakes_up_slowly_is_unavailable_and_never_empty(
        self, nextgen_index: Deployment
    ):
        nextgen_index.faults.add(Fault(hold_seconds=30, path_part="_search"))
        world = nextgen_index.world

        with pytest.raises(SearchUnavailableError):
            nextgen_index.patience(IMPATIENT_SECONDS).keyword_search("chess", world.search())

    def test_an_index_that_is_not_there_yet_is_unavailable(self, nextgen_index: Deployment):
        elsewhere = replace(nextgen_index.index, current="not-yet")

        with pytest.raises(SearchUnavailableError):
            elsewhere.keyword_search("chess", nextgen_index.world.search())

    def test_items_that_fail_for_a_moment_are_sent_again_and_only_they(
        self, nextgen_index: Deployment
    ):
        world = nextgen_index.world
        nextgen_index.faults.fail_next_items(None, 429, None)

        world.put(*(world.fact(n) for n in (1, 2, 3)))

        assert ids(world.by_words("chess")) == numbered(3, 2, 1)
        assert nextgen_index.paused == [1]

    def test_items_that_keep_failing_are_told_and_the_others_are_done(
        self, nextgen_index: Deployment
    ):
        world = nextgen_index.world
        nextgen_index.faults.fail_next_items(None, 402, 400, 402, 402)

        failed = nextgen_index.index.put([world.fact(n) for n in (1, 2, 3)])
        nextgen_index.opened.settle()

        assert failed == frozenset(numbered(2, 3))
        assert ids(world.by_words("chess")) == numbered(1)

    @pytest.mark.parametrize("loss", list(Loss))
    @pytest.mark.parametrize("fixture", ["nextgen_index", "index_without_ids"])
    def test_a_write_whose_connection_breaks_is_found_once(
        self, request: pytest.FixtureRequest, fixture: str, loss: Loss
    ):
        deployment: Deployment = request.getfixturevalue(fixture)
        deployment.faults.add(Fault(loss=loss, path_part="_bulk"))

        deployment.world.put(deployment.world.fact(1))

        assert deployment.world.by_both() == [numbered(1)] * 2

    def test_a_vector_of_another_length_is_refused_before_it_is_sent(
        self, nextgen_index: Deployment
    ):
        world = nextgen_index.world

        with pytest.raises(StoreFailedError):
            nextgen_index.index.put([world.fact(1, vector=[1.0])])
        with pytest.raises(StoreFailedError):
            world.by_meaning([1.0])

        assert nextgen_index.requests("_bulk") == 0


class TestLateness:
    @pytest.mark.parametrize("fixture", ["nextgen_index", "index_without_ids"])
    def test_a_put_that_shows_after_the_removal_goes_with_the_next_one(
        self, request: pytest.FixtureRequest, fixture: str
    ):
        deployment: Deployment = request.getfixturevalue(fixture)
        world = deployment.world
        deployment.index.put([world.fact(1)])

        world.remove(1)
        after_the_first = world.by_both()
        world.remove(1)

        assert after_the_first == [numbered(1)] * 2
        assert world.by_both() == [[], []]

    def test_a_put_that_shows_after_the_archiving_goes_with_the_next_one(
        self, index_without_ids: Deployment
    ):
        world = index_without_ids.world
        index_without_ids.index.put([world.fact(1)])

        world.archive(world.fact(1))
        after_the_first = world.by_both()
        world.archive(world.fact(1))

        assert after_the_first == [numbered(1)] * 2
        assert world.by_both() == [[], []]
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    def test_with_ids_a_put_that_does_not_show_yet_is_archived_at_once(
        self, nextgen_index: Deployment
    ):
        world = nextgen_index.world
        nextgen_index.index.put([world.fact(1)])

        world.archive(world.fact(1))

        assert world.by_both() == [[], []]
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    @pytest.mark.parametrize("fixture", ["nextgen_index", "index_without_ids"])
    def test_a_put_that_comes_before_the_archiving_shows_goes_with_the_next_one(
        self, request: pytest.FixtureRequest, fixture: str
    ):
        deployment: Deployment = request.getfixturevalue(fixture)
        world = deployment.world
        world.put(world.fact(1))
        deployment.index.archive([world.fact(1)])

        world.put(world.fact(1))
        world.archive(world.fact(1))

        assert world.by_both() == [[], []]
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    def test_the_next_version_is_not_locked_out_by_removals(self, nextgen_index: Deployment):
        world = nextgen_index.world
        world.put(world.fact(1))
        world.remove(1)
        world.remove(1)

        world.put(world.fact(1, version=2))

        assert [hit.version for hit in world.by_words("chess")] == [2]


class TestDuplicates:
    def twice_unseen(self, deployment: Deployment) -> None:
        """Put two versions before either can be seen, so that both stand."""
        world = deployment.world
        deployment.index.put([world.fact(1, "Ana plays go", version=1, vector=unit(0, 1))])
        deployment.index.put([world.fact(1, version=2)])
        deployment.opened.settle()

    def test_a_search_tells_of_the_newest_only(self, index_without_ids: Deployment):
        self.twice_unseen(index_without_ids)

        world = index_without_ids.world
        found = [(hit.fact_id, hit.version) for hit in world.by_words("ana")]
        versions = world.under_test.index.find_indexed(world.tenant_id, numbered(1))

        assert index_without_ids.documents() == 2
        assert [version for _, version in found] == [2]
        assert [told.version for told in versions.values()] == [2]

    def test_the_same_put_once_more_takes_the_older_away_and_writes_nothing(
        self, index_without_ids: Deployment
    ):
        self.twice_unseen(index_without_ids)
        world = index_without_ids.world

        world.put(world.fact(1, version=2))

        assert index_without_ids.documents() == 1
        assert world.by_words("go") == []

    def test_duplicates_leave_no_fewer_hits_than_were_asked_for(
        self, index_without_ids: Deployment
    ):
        world = index_without_ids.world
        for _ in range(2):
            index_without_ids.index.put([world.fact(n) for n in range(120)])
        index_without_ids.opened.settle()

        legs = world.by_both(limit=110)

        assert index_without_ids.documents() == 240
        assert legs == [numbered(*range(10, 120))] * 2

    def test_a_document_is_taken_away_only_when_its_successor_stands(
        self, index_without_ids: Deployment
    ):
        world = index_without_ids.world
        world.put(world.fact(1, "Ana plays go"))
        index_without_ids.faults.fail_next_items(*[429] * ATTEMPTS)

        failed = index_without_ids.index.put([world.fact(1, version=2)])
        index_without_ids.opened.settle()

        assert failed == frozenset(numbered(1))
        assert [hit.version for hit in world.by_words("ana")] == [1]

    def test_archiving_takes_every_duplicate_out_of_the_current_ones(
        self, index_without_ids: Deployment
    ):
        self.twice_unseen(index_without_ids)
        world = index_without_ids.world

        world.archive(world.fact(1, version=2))

        assert index_without_ids.documents() == 1
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    def test_what_could_not_be_kept_in_the_history_stays_current(
        self, index_without_ids: Deployment
    ):
        world = index_without_ids.world
        world.put(world.fact(1))
        index_without_ids.faults.fail_next_items(*[429] * ATTEMPTS)

        failed = index_without_ids.index.archive([world.fact(1)])
        index_without_ids.opened.settle()

        assert failed == frozenset(numbered(1))
        assert world.by_both() == [numbered(1)] * 2

    @pytest.mark.parametrize("fixture", ["nextgen_index", "index_without_ids"])
    def test_what_could_not_be_taken_out_is_in_both_until_it_is_archived_again(
        self, request: pytest.FixtureRequest, fixture: str
    ):
        deployment: Deployment = request.getfixturevalue(fixture)
        world = deployment.world
        world.put(world.fact(1))
        deployment.faults.fail_next_items(None, 400)

        failed = deployment.index.archive([world.fact(1)])
        deployment.opened.settle()
        in_between = [world.by_both(), world.by_both(with_history=True)]
        world.archive(world.fact(1))

        assert failed == frozenset(numbered(1))
        assert in_between == [[numbered(1)] * 2] * 2
        assert world.by_both() == [[], []]
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    @pytest.mark.parametrize("make", [World.put, World.retire])
    def test_removing_takes_every_duplicate_away(
        self, index_without_ids: Deployment, make: Callable[..., None]
    ):
        self.twice_unseen(index_without_ids)
        world = index_without_ids.world
        make(world, world.fact(1, version=3))

        world.remove(1)

        assert index_without_ids.documents() == 0
