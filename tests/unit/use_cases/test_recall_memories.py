from datetime import timedelta

import pytest
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import (
    BadInputError,
    PermissionDeniedError,
    SearchUnsupportedError,
    SemanticUnavailableError,
)
from palimpsest.domain.observations import Observation, ObservationSource
from palimpsest.domain.revisions import delete
from palimpsest.ports.index import FactIndex
from palimpsest.use_cases.fact_documents import Draft
from palimpsest.use_cases.recall_memories import (
    MAX_MEMORIES,
    Memory,
    RecallMemories,
    RecallMode,
    RecallRequest,
)
from palimpsest.use_cases.remember_observation import RememberRequest
from palimpsest.use_cases.retrieve_facts import RetrieveFacts

from tests.builders import TENANT, build_act, build_caller, build_fact, build_scope
from tests.entity_tools import build_tools
from tests.fakes.embeddings import FakeEmbeddings
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.parallel import FakeParallel

ANA = build_caller("ana", writes=("apollo",))
SCOPE = build_scope(userId="ana")
PERSON, PROJECT = EntityType.PERSON, EntityType.PROJECT
SECOND = timedelta(seconds=1)


class World:
    """One store with an index that knows at once what is told."""

    def __init__(self) -> None:
        self.ids = FakeIds()
        self.facts = FakeFactRepository()
        self.index: FactIndex | None = FakeFactIndex()
        self.embeddings = FakeEmbeddings()
        self.tools = build_tools(self.facts, self.ids)

    def tell(self, text: str, name: str = "Jeff", kind=PERSON, scope=SCOPE, **fields) -> str:
        self.ids.clock.advance(SECOND)
        request = RememberRequest(entity_name=name, entity_type=kind, observation=text, **fields)
        return self.index_fact(self.tools.remember(ANA, scope, request).fact_id)

    def index_fact(self, fact_id: str) -> str:
        fact = self.facts.load(TENANT, fact_id).fact
        assert fact is not None
        assert self.index is not None
        draft = Draft.of(fact.revision, is_newest=True)
        (vector,) = self.embeddings.embed_texts([draft.text])
        self.index.put([draft.document(vector)])
        return fact_id

    def recall(self, query: str, caller=ANA, scope=SCOPE, **fields):
        retrieve = RetrieveFacts(
            facts=self.facts,
            index=self.index,
            embeddings=self.embeddings,
            parallel=FakeParallel(),
            clock=self.ids.clock,
            measure=lambda _: 1,
            time_budget=5 * SECOND,
        )
        recall = RecallMemories(retrieve=retrieve, clock=self.ids.clock)
        return recall(caller, scope, RecallRequest(query=query, **fields))


@pytest.fixture
def world():
    return World()


def texts(recalled) -> list[tuple[str, list[str]]]:
    return [(r.entity.name, [m.observation.text for m in r.memories]) for r in recalled]


def test_memories_come_by_entity_in_the_order_of_each_ones_best(world):
    world.tell("drinks coffee")
    world.tell("brews coffee beans at home", name="Ana")
    world.tell("buys coffee beans and coffee filters")

    recalled = world.recall("coffee beans filters buys")

    assert texts(recalled) == [
        ("Jeff", ["buys coffee beans and coffee filters", "drinks coffee"]),
        ("Ana", ["brews coffee beans at home"]),
    ]
    scores = [memory.score for entity in recalled for memory in entity.memories]
    assert scores[0] == max(scores) > 0


def test_a_memory_says_where_it_is_from(world):
    fact_id = world.tell("sings", source=ObservationSource.NOTE)

    (recalled,) = world.recall("sings", mode=RecallMode.SEMANTIC)

    entity = EntityName("Jeff", PERSON)
    score = recalled.memories[0].score
    assert (recalled.entity, 0 < score <= 1) == (entity, True)
    assert recalled.memories == [
        Memory(
            fact_id=fact_id,
            observation=Observation(entity=entity, text="sings", source=ObservationSource.NOTE),
            at=world.ids.clock.now(),
            score=score,
        )
    ]


def test_a_hybrid_search_fuses_words_and_meaning(world):
    world.tell("sings")

    (recalled,) = world.recall("sings", mode=RecallMode.HYBRID)

    assert recalled.memories[0].score == pytest.approx(2 / 61)


def test_an_observation_is_found_by_the_name_that_its_text_does_not_say(world):
    world.tell("likes tea", name="Jeff")
    world.tell("likes tea", name="Ana")

    assert texts(world.recall("Ana"))[0] == ("Ana", ["likes tea"])


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (set(), {"Jeff", "Apollo", "Lyon"}),
        ({PERSON}, {"Jeff"}),
        ({PERSON, PROJECT}, {"Jeff", "Apollo"}),
        ({EntityType.FACT}, set()),
    ],
)
@pytest.mark.parametrize("mode", RecallMode)
def test_types_are_a_union_and_none_is_all(world, types, expected, mode):
    world.tell("is blue", name="Jeff", kind=PERSON)
    world.tell("is blue", name="Apollo", kind=PROJECT)
    world.tell("is blue", name="Lyon", kind=EntityType.LOCATION)

    recalled = world.recall("blue", types=frozenset(types), mode=mode)

    assert {one.entity.name for one in recalled} == expected


def test_a_limit_counts_memories_of_all_entities_together(world):
    for number in range(6):
        world.tell(f"sings song {number}", name=f"Jeff {number % 2}")

    recalled = world.recall("sings song", limit=4)

    assert sum(len(one.memories) for one in recalled) == 4


@pytest.mark.parametrize("mode", RecallMode)
def test_only_observations_of_exactly_that_scope_are_recalled(world, mode):
    world.tell("sings")
    world.tell("sings", scope=build_scope(userId="ana", projectId="apollo"))
    note = build_fact(ids=world.ids, scope=SCOPE, content="Jeff sings")
    world.facts.add(note)
    world.index_fact(note.id)

    assert texts(world.recall("sings", mode=mode)) == [("Jeff", ["sings"])]
    assert texts(world.recall("sings", scope=build_scope(projectId="apollo"), mode=mode)) == []


def test_what_was_deleted_is_not_recalled_though_the_index_knows_it(world):
    fact = world.facts.load(TENANT, world.tell("sings")).fact
    world.facts.close(fact, delete(fact, build_act(ids=world.ids)))

    assert world.recall("sings") == []


def test_what_does_not_hold_any_more_makes_room_for_what_does(world):
    until = world.ids.clock.now() + 9 * SECOND
    for number in range(3):
        world.tell(f"sings song {number}", valid_until=until)
    world.tell("once sang")
    world.ids.clock.advance(9 * SECOND)

    assert texts(world.recall("Jeff sings song", limit=1)) == [("Jeff", ["once sang"])]


def test_what_is_being_erased_is_not_recalled(world):
    fact_id = world.tell("sings")
    world.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=fact_id),)

    assert world.recall("sings") == []


def test_where_the_caller_may_not_read_nothing_is_searched(world):
    world.tell("sings")

    with pytest.raises(PermissionDeniedError):
        world.recall("sings", caller=build_caller("ben"))


@pytest.mark.parametrize("query", ["entityType:project sings", '" OR 1=1 sings', "#home:x sings"])
def test_words_that_imitate_a_filter_are_words(world, query):
    world.tell("sings")
    world.tell("sings", scope=build_scope(userId="ana", projectId="apollo"))

    assert texts(world.recall(query, types=frozenset({PERSON}))) == [("Jeff", ["sings"])]


def test_without_an_index_or_embeddings_the_search_says_so(world):
    world.tell("sings")
    world.embeddings.is_down = True
    with pytest.raises(SemanticUnavailableError):
        world.recall("sings")

    world.index = None
    with pytest.raises(SearchUnsupportedError):
        world.recall("sings")


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"query": ""}, "query", "query must have 1 to 1000 characters."),
        ({"query": " \n"}, "query", "query must have 1 to 1000 characters."),
        ({"query": "x" * 1001}, "query", "query must have 1 to 1000 characters."),
        ({"limit": 0}, "limit", "limit must be 1 to 50."),
        ({"limit": MAX_MEMORIES + 1}, "limit", "limit must be 1 to 50."),
    ],
)
def test_what_is_unfit_names_its_field(fields, field, words):
    with pytest.raises(BadInputError, match=words) as refused:
        RecallRequest(**{"query": "sings", **fields})

    assert refused.value.field == field
