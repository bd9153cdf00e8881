"""One read over fakes: what comes, in which order, from which source, and what it costs. Its stages have tests of their own."""

from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import (
    BadInputError,
    SearchUnavailableError,
    SearchUnsupportedError,
    SemanticUnavailableError,
    StoreUnavailableError,
)
from palimpsest.domain.metadata_filters import MetadataFilter, MetadataOperator
from palimpsest.domain.read_filters import ReadFilter
from palimpsest.domain.recall import OrderBy, Source
from palimpsest.domain.strategies import Said, Strategy
from palimpsest.ports.index import Hit, Search

from tests.builders import TENANT, build_caller, build_scope
from tests.fakes.clock import NOON
from tests.fakes.index import FakeFactIndex
from tests.memories import ANAS, BEN, BENS, Memory

TODAY = timedelta(0)


@pytest.fixture
def memory() -> Memory:
    return Memory()


def sources(memory: Memory, query: str, **request) -> dict[str, Source]:
    return {item.atom.text: item.source for item in memory.read(query, **request).items}


# What comes.


def test_the_atoms_that_answer_come_best_first_with_both_their_numbers(memory: Memory):
    memory.write("Ana plays chess in Berlin")
    memory.write("Ana drinks tea")
    memory.write("Rain falls")

    answer = memory.read("Where does Ana play chess?", said=Said(min_relevance=0.1))

    assert [item.atom.text for item in answer.items] == [
        "Ana plays chess in Berlin",
        "Ana drinks tea",
    ]
    best = answer.items[0]
    assert 0 < best.similarity < best.relevance <= 1
    assert (answer.episodic_hit, answer.query_concepts) == (
        False,
        ("ana", "play", "chess", "ana play", "play chess"),
    )


def test_nothing_above_the_floor_is_an_empty_answer_and_never_padded(memory: Memory):
    for n in range(5):
        memory.write(f"Ana plays chess on board {n}")

    assert memory.texts("xyzzy plugh") == []
    assert (
        memory.texts("chess and quantum field theory of solids", said=Said(min_relevance=0.9)) == []
    )


def test_the_same_text_is_relevant_in_full_and_first_however_old(memory: Memory):
    memory.write("Ana plays chess", age=timedelta(days=90))
    for n in range(20):
        memory.write(f"Ana plays chess {n}", age=TODAY)

    best = memory.read("ana plays  CHESS", top_k=3).items[0]

    assert (best.atom.text, best.relevance) == ("Ana plays chess", 1.0)


def test_what_only_the_words_find_comes_with_its_own_cosine(memory: Memory):
    """The index knows that zyxes are more than one zyx; this model does not."""
    for n in range(60):
        memory.write(f"tea {n} {n + 100} {n + 200}")
    memory.write("zyxes drink tea far away")

    first, second = memory.read("zyx tea", top_k=2).items

    assert (first.atom.text, first.source) == ("zyxes drink tea far away", Source.KEYWORD)
    assert 0 < first.similarity < second.similarity


def test_only_atoms_come_and_only_of_the_domains_that_are_asked_for(memory: Memory):
    memory.write("tea at home", domain="home")
    memory.write("tea at work", domain="work")
    memory.write("tea abroad", domain="travel")

    assert set(memory.texts("tea")) == {"tea at home", "tea at work", "tea abroad"}
    assert set(memory.texts("tea", domains=("home",))) == {"tea at home"}
    assert set(memory.texts("tea", domains=("home", "work"))) == {"tea at home", "tea at work"}
    assert memory.texts("tea", domains=("nowhere",)) == []
    assert memory.texts("tea", domains=()) == []


def test_metadata_narrow_what_is_found(memory: Memory):
    memory.write("tea one", metadata={"cups": 1})
    memory.write("tea two", metadata={"cups": 2})
    two = MetadataFilter(key="cups", operator=MetadataOperator.EQ, value=2.0)

    assert memory.texts("tea", metadata=(two,)) == ["tea two"]


def test_top_k_cuts_and_a_larger_one_goes_deeper(memory: Memory):
    for n in range(80):
        memory.write(f"tea {n}")

    assert len(memory.texts("tea", top_k=3)) == 3
    assert len(memory.texts("tea", top_k=70)) == 70


# Who sees what.


def test_nobody_reads_what_they_may_not_see(memory: Memory):
    memory.write("Ana's tea", concepts=("tea",))
    memory.write("Ben's tea", scope=BENS, by=BEN, concepts=("tea",))
    memory.write("Everybody's tea", scope=build_scope(projectId="p"))
    reader = build_caller("ana", reads=("p",))

    assert memory.texts("tea") == ["Ana's tea"]
    assert set(memory.texts("tea", caller=reader)) == {"Ana's tea", "Everybody's tea"}


def test_what_ben_learnt_and_named_is_nothing_to_ana(memory: Memory):
    memory.write("Ana's tea", concepts=("tea",))
    memory.write("Ben's secret", scope=BENS, by=BEN, concepts=("secret",), fingerprint="f")
    memory.teach("tea", "secret", scope=BENS)

    answer = memory.read("tea", fingerprint="f")

    assert [item.atom.text for item in answer.items] == ["Ana's tea"]
    assert (answer.episodic_hit, answer.expanded_concepts) == (False, ())


def test_what_is_being_erased_is_hidden_from_every_way_of_finding_it(memory: Memory):
    fact = memory.write("Ana's tea", concepts=("tea",), fingerprint="f")
    memory.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=fact.id),)

    assert memory.texts("tea", fingerprint="f") == []


def test_a_service_without_a_place_of_its_own_reads_what_is_shared(memory: Memory):
    memory.write("Shared tea", scope=build_scope(projectId="p"), fingerprint="f", concepts=("tea",))
    service = build_caller("robot", kind=CallerKind.SERVICE, reads=("p",))

    answer = memory.read("tea", caller=service, fingerprint="f")

    assert [item.source for item in answer.items] == [Source.SEMANTIC]
    assert not answer.episodic_hit
    assert memory.lessons.taught == []


# The pin.


def test_a_fingerprint_pins_its_atom_first_whatever_it_says_and_wherever_it_stands(memory: Memory):
    memory.write("tea in the morning", domain="home")
    memory.write("nothing of the kind", domain="other", fingerprint="f")

    answer = memory.read("tea in the morning", fingerprint="f", domains=("home",))

    assert [(i.atom.text, i.source) for i in answer.items] == [
        ("nothing of the kind", Source.EPISODIC),
        ("tea in the morning", Source.SEMANTIC),
    ]
    assert answer.items[0].relevance == 1.0
    assert answer.episodic_hit


def test_a_pin_takes_a_place_of_its_own_once(memory: Memory):
    memory.write("tea", fingerprint="f", concepts=("tea",))
    memory.write("tea too")

    assert memory.texts("tea", fingerprint="f", top_k=1) == ["tea"]
    assert memory.texts("tea", fingerprint="f", top_k=2) == ["tea", "tea too"]


def test_a_pin_whose_metadata_are_not_as_wanted_is_no_part_of_the_answer(memory: Memory):
    memory.write("tea", fingerprint="f-1", metadata={"cups": 1})
    two = MetadataFilter(key="cups", operator=MetadataOperator.EQ, value=2)

    answer = memory.read("tea", fingerprint="f-1", metadata=(two,))

    assert (answer.items, answer.episodic_hit) == ([], True)


def test_an_unknown_fingerprint_pins_nothing(memory: Memory):
    memory.write("tea", fingerprint="f")

    answer = memory.read("tea", fingerprint="g")

    assert not answer.episodic_hit
    assert [item.source for item in answer.items] == [Source.SEMANTIC]


def test_with_a_replaced_atom_comes_what_stands_in_its_place_in_whatever_domain(memory: Memory):
    first = memory.write("tea without sugar", fingerprint="f", domain="home")
    second = memory.write("tea with sugar", domain="work")
    third = memory.write("no more tea", domain="travel")
    memory.replace_by(first, second)
    memory.replace_by(second, third)

    answer = memory.read("tea", fingerprint="f", domains=("home",), top_k=1)

    assert [(i.atom.text, i.source) for i in answer.items] == [
        ("tea without sugar", Source.EPISODIC),
        ("no more tea", Source.EPISODIC),
    ]


def test_with_a_replaced_revision_comes_the_one_that_stands(memory: Memory):
    fact = memory.write("tea without sugar", fingerprint="f")
    memory.write_again(fact, "tea with sugar")

    answer = memory.read("tea", fingerprint="f")

    assert [i.atom.text for i in answer.items] == ["tea without sugar", "tea with sugar"]


# Associations.


def test_learned_neighbours_of_the_querys_concepts_have_slots_of_their_own(memory: Memory):
    memory.write("Ana drinks coffee", concepts=("coffee",))
    memory.write("The grinder is broken", concepts=("Grinder",))
    memory.write("Nothing at all", concepts=("other",))
    memory.teach("coffee", "grinder")

    answer = memory.read("coffee")

    assert {item.atom.text: item.source for item in answer.items} == {
        "Ana drinks coffee": Source.SEMANTIC,
        "The grinder is broken": Source.HEBBIAN_RETRIEVAL,
    }
    assert answer.expanded_concepts == ("grinder",)


def test_what_no_atom_carries_any_more_is_not_named(memory: Memory):
    memory.write("Ana drinks coffee", concepts=("coffee",))
    memory.teach("coffee", "secret")

    assert memory.read("coffee").expanded_concepts == ()


def test_an_atom_that_carries_a_concept_of_the_query_comes_without_a_word_in_common(memory: Memory):
    memory.write("La Marzocco, two groups", concepts=("espresso",))

    assert sources(memory, "espresso") == {"La Marzocco, two groups": Source.CONCEPT_SCOPED}


def test_slots_stand_beside_top_k_and_can_be_left_out(memory: Memory):
    for n in range(9):
        memory.write(f"coffee {n}")
        memory.write(f"grinder {n}", concepts=("grinder",))
    memory.teach("coffee", "grinder")

    assert len(memory.texts("coffee", top_k=4)) == 6
    assert len(memory.texts("coffee", top_k=4, said=Said(include_associations=False))) == 4


def test_concepts_of_the_request_take_the_place_of_the_querys(memory: Memory):
    memory.write("La Marzocco", concepts=("espresso",))

    answer = memory.read("something else", concepts=(" ESPRESSO ", "", "espresso"))

    assert answer.query_concepts == ("espresso",)
    assert [item.atom.text for item in answer.items] == ["La Marzocco"]


def test_the_floor_holds_for_what_is_associated_too(memory: Memory):
    memory.write("La Marzocco", concepts=("espresso",))

    assert memory.texts("espresso", said=Said(min_relevance=0.6)) == []


def test_two_steps_lead_further_than_one(memory: Memory):
    memory.write("beans from Kenya", concepts=("kenya",))
    memory.teach("coffee", "grinder")
    memory.teach("grinder", "kenya")
    low = Said(min_relevance=0.2)

    assert memory.texts("coffee", said=low) == []
    assert memory.texts("coffee", said=low, strategy=Strategy.MULTI_HOP) == ["beans from Kenya"]


# What was learnt from outcomes.


def test_what_failed_comes_after_its_rival(memory: Memory):
    memory.write("Ana plays chess badly", valence=-0.97)
    memory.write("Ana plays chess with a rival of hers")

    assert memory.texts("Ana plays chess badly with a friend")[0].endswith("of hers")


# Passes and strategies.


def test_a_second_pass_finds_what_the_first_ones_concepts_lead_to(memory: Memory):
    memory.write("Ana keeps bees", concepts=("honey", "hive"))
    memory.write("The hive needs honey frames")
    memory.write("Rain falls on Ana")
    low = Said(min_relevance=0.15, include_associations=False)

    one = memory.read("Ana keeps", said=low)
    two = memory.read("Ana keeps", said=replace(low, two_pass=True))

    assert "The hive needs honey frames" not in [i.atom.text for i in one.items]
    assert "The hive needs honey frames" in [i.atom.text for i in two.items]
    assert (one.expanded_concepts, two.expanded_concepts) == ((), ("hive", "honey"))


def test_the_deployment_says_how_many_passes_there_are_where_nobody_else_does(memory: Memory):
    memory.write("Ana keeps bees", concepts=("honey",))
    memory.write("Rain falls on Ana")
    memory.fields = {"is_two_pass": True}

    memory.read("Ana keeps", said=Said(min_relevance=0.1))
    memory.read("Ana keeps", said=Said(min_relevance=0.1, two_pass=False))

    assert memory.embeddings.queries == ["Ana keeps", "Ana keeps honey", "Ana keeps"]


def test_precise_wants_more_and_brings_no_associations(memory: Memory):
    memory.write("La Marzocco", concepts=("espresso",))
    memory.write("espresso for Ana and Ben in the garden behind their small house")

    assert len(memory.texts("espresso machine")) == 2
    assert memory.texts("espresso machine", strategy=Strategy.PRECISE) == []


def test_exhaustive_has_no_floor_and_goes_as_deep_as_an_answer(memory: Memory):
    for n in range(120):
        memory.write(f"tea {n}")
    memory.write("Rain falls")

    texts = memory.texts("tea", strategy=Strategy.EXHAUSTIVE, top_k=500)

    assert len(texts) == 121


def test_temporal_lifts_what_was_written_then_and_orders_by_time(memory: Memory):
    memory.write("Ana painted a lake", age=timedelta(days=1))
    memory.write("Ana painted a sea", age=timedelta(days=40))

    plain = memory.read("what Ana painted yesterday")
    temporal = memory.read("what Ana painted yesterday", strategy=Strategy.TEMPORAL)

    assert [i.atom.text for i in temporal.items] == ["Ana painted a lake", "Ana painted a sea"]
    assert temporal.items[0].likeness > plain.items[0].likeness
    assert temporal.items[1].likeness == plain.items[-1].likeness


def test_auto_reads_as_the_model_says(memory: Memory):
    memory.write("Rain falls")
    memory.strategies.chosen = Strategy.EXHAUSTIVE

    assert memory.texts("tea", strategy=Strategy.AUTO) == ["Rain falls"]
    assert memory.strategies.queries == ["tea"]


@pytest.mark.parametrize("trouble", ["absent", "silent", "late"])
def test_auto_goes_by_the_rules_where_no_model_answers(memory: Memory, trouble: str):
    memory.write("Rain falls")
    if trouble == "absent":
        memory.fields = {"strategies": None}
    if trouble == "late":
        memory.fields = {"strategies": _Late()}

    assert memory.texts("everything", strategy=Strategy.AUTO) == ["Rain falls"]
    assert memory.texts("tea", strategy=Strategy.AUTO) == []


class _Late:
    def choose(self, query: str) -> Strategy | None:
        raise TimeoutError  # as `Parallel` tells of a task that takes too long


def test_no_model_is_asked_where_the_request_says_how_to_read(memory: Memory):
    memory.read("tea", strategy=Strategy.PRECISE)
    memory.read("tea")

    assert memory.strategies.queries == []


# History, filters, order, diversity.


def test_history_lets_replaced_revisions_and_atoms_compete(memory: Memory):
    old = memory.write("tea without sugar")
    memory.write_again(old, "tea with sugar")
    gone = memory.write("tea from a can")
    memory.replace_by(gone, memory.write("coffee instead"))

    assert set(memory.texts("tea")) == {"tea with sugar"}
    assert set(memory.texts("tea", include_history=True)) == {
        "tea with sugar",
        "tea without sugar",
        "tea from a can",
    }


def test_what_holds_no_more_or_not_yet_comes_only_with_history(memory: Memory):
    """An interval is half open, so an empty one holds at no time."""
    later = NOON + timedelta(days=1)
    memory.write("tea holds", holds=(NOON, later), concepts=("tea",))
    memory.write("tea is over", holds=(None, NOON), concepts=("tea",))
    memory.write("tea is to come", holds=(later, None), concepts=("tea",))
    memory.write("tea at no time", holds=(NOON, NOON), concepts=("tea",))

    assert memory.texts("tea") == ["tea holds"]
    assert len(memory.texts("tea", include_history=True)) == 4


def test_authors_and_times_narrow_what_came_and_nothing_fills_the_gaps(memory: Memory):
    memory.write("tea old", age=timedelta(days=9))
    memory.write("tea new", age=timedelta(days=1))
    memory.write("tea of another", scope=build_scope(projectId="p"), by=BEN, age=timedelta(days=1))
    reader = build_caller("ana", reads=("p",))
    since = NOON - timedelta(days=1)

    def narrowed(**fields) -> set[str]:
        return set(memory.texts("tea", caller=reader, narrowed=ReadFilter(**fields)))

    assert narrowed(since=since) == {"tea new", "tea of another"}
    assert narrowed(until=NOON - timedelta(days=9)) == {"tea old"}
    assert narrowed(since=since, exclude_author="user:ana") == {"tea of another"}
    assert narrowed(author_principal="user:ana") == {"tea old", "tea new"}


def test_by_recency_the_same_atoms_come_newest_first(memory: Memory):
    memory.write("tea tea tea", age=timedelta(days=9))
    memory.write("tea with many other words in it", age=timedelta(days=1))
    request = {"said": Said(min_relevance=0.1, order_by=OrderBy.RECENCY)}

    assert memory.texts("tea", **request) == ["tea with many other words in it", "tea tea tea"]


def test_diversity_shows_one_of_near_copies(memory: Memory):
    for n in range(5):
        memory.write(f"Ana drinks green tea in the morning v{n}")
    for n, text in enumerate(("Ana likes jasmine", "Ana owns a kettle", "Ana met Ben")):
        memory.write(f"{text} {n}")
    low = Said(min_relevance=0.0)

    def copies(diversity: float) -> list[str]:
        texts = memory.texts("Ana drinks tea", top_k=4, said=low, diversity=diversity)
        return [text for text in texts if "green tea" in text]

    assert [len(copies(diversity)) for diversity in (0.0, 0.5, 1.0)] == [4, 1, 1]
    assert copies(0.0)[0] == copies(0.5)[0] == copies(1.0)[0]


# What it costs.


def test_a_plain_read_asks_each_store_once_and_embeds_its_query_once(memory: Memory):
    memory.write("Ana drinks coffee", concepts=("coffee",))
    memory.write("The grinder is broken", concepts=("grinder",))
    memory.teach("coffee", "grinder")

    timings = memory.read("coffee").timings

    # The neighbours of its concepts; then the facts of three vector searches and one by words, made side by side.
    assert {name: n for name, n in timings.items() if name.startswith("n_")} == {
        "n_embed_calls": 1,
        "n_vector_searches": 3,
        "n_keyword_searches": 1,
        "n_db_roundtrips": 2,
    }
    assert memory.embeddings.queries == ["coffee"]
    assert memory.embeddings.texts == []


def test_a_phase_that_was_skipped_is_not_told(memory: Memory):
    memory.write("Ana drinks coffee", fingerprint="f", concepts=("coffee", "bean"))
    memory.write("Ana met Ben")
    skipped = {"classify_ms", "episodic_ms", "associations_ms", "second_pass_ms", "diversity_ms"}

    plain = memory.read("Ana drinks", said=Said(include_associations=False)).timings
    full = memory.read(
        "Ana drinks",
        fingerprint="f",
        diversity=0.5,
        strategy=Strategy.AUTO,
        said=Said(two_pass=True),
    ).timings

    assert plain.keys() & skipped == set()
    assert skipped <= full.keys()
    assert {"embed_query_ms", "vector_search_ms", "db_touch_ms", "rank_ms"} <= plain.keys()


def test_times_are_what_the_clock_says(memory: Memory):
    memory.write("tea")
    embed = memory.embeddings.embed_query

    def slowly(text: str):
        memory.clock.advance(timedelta(milliseconds=30))
        return embed(text)

    memory.embeddings.embed_query = slowly
    answer = memory.read("tea")

    assert answer.search_time_ms == 30.0
    assert answer.timings["embed_query_ms"] == 30.0
    assert answer.timings["rank_ms"] == 0.0


# What it teaches.


def test_an_answer_teaches_the_concepts_of_its_own_atoms_in_the_callers_home(memory: Memory):
    memory.write("tea with lemon", concepts=("Tea", "lemon"))

    memory.read("tea and my secret question")

    (lesson,) = memory.lessons.taught
    assert lesson.scope == ANAS
    assert lesson.concepts == ("tea", "lemon")


def test_a_key_that_only_reads_its_project_teaches_nothing_there(memory: Memory):
    apollo = build_scope(projectId="apollo")
    memory.write("tea with lemon", concepts=("tea", "lemon"), scope=apollo)
    reader = build_caller("bot", kind=CallerKind.AGENT, reads=("apollo",), project_limit="apollo")
    writer = build_caller("bot", kind=CallerKind.AGENT, writes=("apollo",), project_limit="apollo")

    assert memory.read("tea", caller=reader).items
    assert memory.lessons.taught == []
    memory.read("tea", caller=writer)
    assert [lesson.scope for lesson in memory.lessons.taught] == [apollo]


# What goes wrong.


def test_blanks_are_no_query(memory: Memory):
    with pytest.raises(BadInputError, match="query"):
        memory.read(" \n")


def test_without_an_index_or_embeddings_nothing_is_read():
    with pytest.raises(SearchUnsupportedError):
        Memory(has_index=False).read("tea")
    with pytest.raises(SemanticUnavailableError):
        Memory(has_embeddings=False).read("tea")


def test_what_is_down_is_told_and_never_an_empty_answer(memory: Memory):
    memory.write("tea")

    memory.embeddings.is_down = True
    with pytest.raises(SemanticUnavailableError):
        memory.read("tea")
    memory.embeddings.is_down = False
    memory.fields = {"index": _Down()}
    with pytest.raises(SearchUnavailableError):
        memory.read("tea")
    memory.fields = {}
    memory.parallel.is_late = True
    with pytest.raises(SearchUnavailableError):
        memory.read("tea")


class _Down(FakeFactIndex):
    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        raise SearchUnavailableError("Down.")


def test_a_store_that_does_not_answer_is_told(memory: Memory):
    memory.write("tea")
    memory.associations.faults.fail_next(StoreUnavailableError("Down."))

    with pytest.raises(StoreUnavailableError):
        memory.read("tea")
