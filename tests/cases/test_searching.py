"""What a search finds, how it ranks it, and what it says when it cannot: T30, T55, T58, T59."""

import pytest

from tests.atoms import MEMORY, ask_memory, tool_result
from tests.laptop import running_laptop
from tests.tenants import (
    FACTS,
    RETRIEVE,
    connection_to,
    new_tenant,
    retrieve,
    retrieved_ids,
    wait_until_indexed,
)

K = 60
SEARCHES = ("keyword", "semantic", "both")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("用户喜欢绿茶", "会议改到周五"), ("绿茶", "周五")),
        (("用戶喜歡綠茶", "會議改到週五"), ("綠茶", "週五")),
        (("彼女は緑茶が好きです", "会議は金曜日に変わりました"), ("緑茶", "金曜日")),
        (("カオリはコーヒーをのむ", "ミーティングはキンヨウビ"), ("コーヒー", "キンヨウビ")),
        (("그녀는 녹차를 좋아한다", "회의는 금요일로 바뀌었다"), ("녹차", "금요일")),
        (("ヽ絵文字🦜のオウム", "ただの猫"), ("オウム", "猫")),
    ],
)
def test_t30_a_language_without_spaces_is_found_by_its_words(tenant, texts, words):
    facts = [tenant.write(text) for text in texts]
    wait_until_indexed(tenant, *facts)

    for fact, word in zip(facts, words, strict=True):
        assert retrieved_ids(tenant.admin, "keyword", word) == [fact["id"]]
    assert retrieved_ids(tenant.admin, "keyword", "咖啡 팩스") == []


@pytest.mark.parametrize(
    "query", ["", " ", "\t\n", "!!! ???", "the of and", "。、", "\u200b", "*", "🦜"]
)
@pytest.mark.parametrize("mode", SEARCHES)
def test_t30_a_query_without_words_finds_nothing(tenant, mode, query):
    fact = tenant.write("The dog sleeps in the kennel.")
    wait_until_indexed(tenant, fact)

    assert retrieve(tenant.admin, mode, query) == []


@pytest.mark.parametrize("limit", [5, 50])
def test_t55_both_is_the_fusion_of_its_legs_to_the_digit(tenant, limit):
    tenant.write("Kennel licence forms are kept in the green folder.")
    facts = [tenant.write(f"Dog number {n} barks at cat number {n % 7}.") for n in range(60)]
    wait_until_indexed(tenant, *facts)
    query = "Which dog lives in a kennel, and barks at cat 3?"
    expected: dict[str, float] = {}

    for leg in ("keyword", "semantic"):
        found = retrieved_ids(tenant.admin, leg, query, limit=50)
        for rank, fact_id in enumerate(found, start=1):
            expected[fact_id] = expected.get(fact_id, 0) + 1 / (K + rank)
    results = retrieve(tenant.admin, "both", query, limit=limit)

    # Python's sort is stable, so that equal scores keep the order of their first appearance.
    best = sorted(expected.items(), key=lambda pair: -pair[1])[:limit]
    assert [(one["fact"]["id"], one["score"]) for one in results] == [
        (fact_id, pytest.approx(score, abs=1e-15)) for fact_id, score in best
    ]
    assert retrieve(tenant.admin, "both", query, limit=limit) == results


def test_t58_nonsense_is_found_by_no_word(tenant):
    """A floor for meaning is read memory's; here the words of a query must at least stand there."""
    facts = [tenant.write(text) for text in ("The dog sleeps.", "Rates rose.", "Cleo sings.")]
    wait_until_indexed(tenant, *facts)

    assert retrieve(tenant.admin, "keyword", "xqzvbn wrrgl") == []
    by_meaning = retrieve(tenant.admin, "semantic", "xqzvbn wrrgl")
    both = retrieve(tenant.admin, "both", "xqzvbn wrrgl")
    assert [one["fact"] for one in both] == [one["fact"] for one in by_meaning]
    # Nothing is presented as found by both legs: each score is one leg's share.
    assert [one["score"] for one in both] == [
        pytest.approx(1 / (K + rank)) for rank in range(1, len(both) + 1)
    ]


def test_t59_an_index_that_is_broken_is_said_to_be_and_never_an_empty_answer(tmp_path):
    data = tmp_path / "data"
    with running_laptop(data) as laptop, connection_to(laptop) as connection:
        tenant = new_tenant(laptop, connection)
        wait_until_indexed(tenant, tenant.write("The dog sleeps in the kennel."))
        laptop.stop()
    for path in data.glob("index.sqlite*"):
        path.unlink()
    (data / "index.sqlite").mkdir()

    with running_laptop(data) as laptop, connection_to(laptop) as connection:
        tenant = new_tenant(laptop, connection)
        fact = tenant.write("kept")
        answers = [
            tenant.admin.ask("POST", RETRIEVE, {"mode": mode, "query": "dog"}) for mode in SEARCHES
        ]
        reads = [
            tenant.admin.ask("POST", f"{MEMORY}/{operation}", {"query": "dog"})
            for operation in ("read", "query")
        ]
        batch = {"items": [{"query": "dog"}]}
        (batched,) = ask_memory(tenant.admin, "read-batch", batch)["results"]
        recalled = tool_result(tenant.admin, "recall_memories", query="dog")
        # What needs no index goes on; how new an atom is nobody can say then.
        written = ask_memory(tenant.admin, "write", {"content": "The dog sleeps."})
        recent = ask_memory(tenant.admin, "recent", {})["items"]
        listed = retrieve(tenant.admin, "list", type="note")
        got = tenant.admin.ask("GET", f"{FACTS}/{fact['id']}")
        laptop.stop()

    for answer in answers:
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "search-unavailable")
        assert int(answer.headers["retry-after"]) >= 1
    for answer in reads:
        refused = answer.json()
        assert (answer.status_code, refused["code"]) == (503, "search-unavailable")
        assert refused["retryable"]
        assert int(answer.headers["retry-after"]) >= 1
    assert batched == {"index": 0, "result": None, "error": reads[0].json()["message"]}
    assert recalled["isError"]
    assert (written["stored"], written["reason"]) == (True, "novelty-unknown")
    assert [item["atom_id"] for item in recent] == [written["atom_id"]]
    assert listed == [{"fact": fact}]
    assert got.json() == fact
