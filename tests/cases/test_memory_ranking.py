"""What of many candidates a read shows: near-copies, and noise: T56, T58."""

import pytest

from tests.atoms import (
    ALL,
    ask_memory,
    call_tool,
    items_of,
    read,
    read_ids,
    remember,
    wait_until_read,
    write_atoms,
)

ENGLISH = (
    [f"The meeting about the budget is on Friday at {hour} o'clock." for hour in (1, 2, 3, 4, 5)],
    [
        "The budget for next year grows by five percent.",
        "Friday's meeting room is on the third floor.",
        "Ben takes the minutes of every meeting.",
    ],
    "When is the budget meeting on Friday?",
)
CHINESE = (
    [f"预算会议在星期五下午{hour}点举行。" for hour in "一二三四五"],
    ["明年的预算增加百分之五。", "星期五的会议室在三楼。", "小王负责每次会议的记录。"],
    "星期五的预算会议是什么时候?",
)
SLOTS = 4


@pytest.mark.parametrize(("copies", "distinct", "query"), [ENGLISH, CHINESE], ids=["en", "zh"])
def test_t56_more_diversity_never_shows_more_copies(tenant, copies, distinct, query):
    ana = tenant.caller()
    atoms = write_atoms(ana, [{"content": text} for text in (*copies, *distinct)])
    wait_until_read(tenant, *atoms)
    near = set(atoms[: len(copies)])
    asked = {"min_relevance": 0, "include_associations": False, "top_k": SLOTS}

    plain = read(ana, query, **asked)["items"]
    answers = [read(ana, query, diversity=d / 10, **asked)["items"] for d in (0, 1, 3, 5, 7, 9, 10)]

    shown = [[item["atom_id"] for item in items] for items in answers]
    counts = [len(near & set(ids)) for ids in shown]
    assert shown[0] == [item["atom_id"] for item in plain]
    assert counts == sorted(counts, reverse=True)
    # Each of the others has the place that a second copy had.
    assert counts[0] == SLOTS
    assert counts[3] < SLOTS
    assert counts[-1] == 1
    assert {ids[0] for ids in shown} == {shown[0][0]}
    assert {len(ids) for ids in shown} == {SLOTS}
    relevances = {item["atom_id"]: item["relevance"] for item in plain}
    for item in (item for items in answers for item in items):
        # Scores are what they were; only age moves them, and tests are quick.
        assert item["relevance"] == pytest.approx(
            relevances.get(item["atom_id"], item["relevance"]), abs=1e-3
        )


@pytest.mark.parametrize("query", ["xqzvbn wrrgl", "flurbish 🜚🜛", "qqq qqq qqq", "ᚠᚢᚦᚨᚱᚲ"])
def test_t58_nonsense_is_answered_by_nothing_above_the_floor(tenant, query):
    ana = tenant.caller()
    texts = ("The dog sleeps in the kennel.", "Rates rose in spring.", "Cleo sings on Sundays.")
    atoms = write_atoms(ana, [{"content": text, "concepts": ["life"]} for text in texts])
    wait_until_read(tenant, *atoms)

    default, strict = read(ana, query), read(ana, query, min_relevance=0.9, concepts=["nothing"])
    everything = read(ana, query, **ALL)
    batched = ask_memory(ana, "query", {"query": query, "domains": ["general", "other"]})

    for answer in (default, strict, batched):
        assert (answer["items"], answer["episodic_hit"]) == ([], False)
    # Without a floor they come, and none is presented as relevant.
    assert set(items_of(everything)) == set(atoms)
    assert {item["source"] for item in everything["items"]} == {"semantic"}
    assert max(item["relevance"] for item in everything["items"]) < 0.5
    assert max(item["similarity"] for item in everything["items"]) < 1


def test_t58_a_page_is_not_filled_up_with_noise(tenant):
    ana = tenant.caller()
    match = "The violin lesson starts at four."
    noise = [f"Invoice {n} was paid by bank transfer." for n in range(20)]
    atoms = write_atoms(ana, [{"content": text} for text in (match, *noise)])
    told = remember(ana, "Cleo", match)
    wait_until_read(tenant, *atoms, told)

    found = read_ids(ana, "When does the violin lesson start?", top_k=10)
    recalled = call_tool(ana, "recall_memories", query="When does the violin lesson start?")

    assert found == atoms[:1]
    assert [each["name"] for each in recalled["entities"]] == ["Cleo"]
