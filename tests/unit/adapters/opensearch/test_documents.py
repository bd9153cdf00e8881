import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from palimpsest.adapters.opensearch.documents import (
    Standing,
    fact_key,
    fold,
    history_place,
    newest,
    to_cosine,
    to_document,
    to_indexed_as,
)
from palimpsest.domain.fact_text import text_hash
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.ports.index import IndexedFact

from tests.builders import build_scope
from tests.fakes.clock import NOON

FACT = IndexedFact(
    fact_id="f1",
    version=2,
    scope=build_scope("t", projectId="p"),
    type="note",
    text="Ana plays 绿茶.",
    text_hash=text_hash("Ana plays 绿茶."),
    vector=(0.6, 0.8),
    created_at=NOON,
    expires_at=NOON + timedelta(days=1),
)


def standing(fact_id: str, version: int, score: float) -> Standing:
    source = {"fact_id": fact_id, "version": version}
    return Standing(index="i", id=f"{fact_id}-{version}", score=score, source=source)


def test_a_document_holds_what_is_searched_and_no_scope() -> None:
    source = to_document(FACT, is_current=True).source

    assert source["words"] == "ana plays 绿 茶 绿茶"
    assert source["expires_at"] == int((NOON + timedelta(days=1)).timestamp() * 1000)
    assert source["vector"] == [0.6, 0.8]
    assert set(source) == {
        "fact",
        "fact_id",
        "version",
        "place",
        "tokens",
        "words",
        "text_hash",
        "expires_at",
        "vector",
        "digest",
    }


def test_what_a_fact_has_not_its_document_has_not() -> None:
    source = to_document(replace(FACT, vector=None, expires_at=None), is_current=True).source

    assert not {"vector", "expires_at"} & source.keys()


def test_a_fact_has_one_place_among_the_current_and_each_revision_its_own_in_history() -> None:
    later = replace(FACT, version=3)

    current = {to_document(f, is_current=True).place for f in (FACT, later)}
    history = {to_document(f, is_current=False).place for f in (FACT, later)}

    assert current == {fact_key("t", "f1")}
    assert history == {history_place(fact_key("t", "f1"), version) for version in (2, 3)}
    assert len(history - current) == 2


def test_a_document_that_is_found_tells_by_what() -> None:
    source = to_document(FACT, is_current=False).source

    assert to_indexed_as(Standing(index="i", id="1", score=0.0, source=source)) == FACT.indexed_as


def test_two_tenants_facts_of_the_same_id_have_different_places() -> None:
    assert fact_key("t", "f1") != fact_key("u", "f1")


def test_a_place_is_safe_in_a_url() -> None:
    assert re.fullmatch("[0-9a-f]{32}", fact_key("t/ :+", "f\ud800"))


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"text": "Bob"},
        {"type": "other"},
        {"scope": build_scope("t", projectId="q")},
        {"vector": (0.8, 0.6)},
        {"vector": None},
        {"expires_at": None},
        {"labels": frozenset({Label(LabelKind.CONCEPT, "chess")})},
    ],
)
def test_whatever_is_written_differently_has_another_digest(change: dict[str, Any]) -> None:
    other = replace(FACT, **change)

    digests = {to_document(f, is_current=True).digest for f in (FACT, FACT, other)}

    assert len(digests) == 2


def test_of_one_batch_the_highest_version_is_written_and_of_equals_the_last() -> None:
    facts = [replace(FACT, version=v, text=t) for v, t in ((2, "b"), (1, "a"), (2, "c"))]

    kept = newest(to_document(fact, is_current=True) for fact in facts)

    assert [(document.version, document.source["words"]) for document in kept] == [(2, "c")]


def test_duplicates_are_folded_into_the_highest_version() -> None:
    found = [standing("a", 1, 9.0), standing("b", 1, 8.0), standing("a", 2, 7.0)]

    folded = fold(found, with_history=False)

    assert [one.id for one in folded] == ["b-1", "a-2"]


def test_with_history_each_revision_stays_once() -> None:
    found = [standing("a", 2, 9.0), standing("a", 1, 8.0), standing("a", 1, 8.0)]

    folded = fold(found, with_history=True)

    assert [one.id for one in folded] == ["a-2", "a-1"]


@pytest.mark.parametrize(
    ("score", "cosine"), [(1.0, 1.0), (0.5, 0.0), (0.0, -1.0), (1.0000001, 1.0)]
)
def test_a_score_is_a_cosine_moved_into_zero_to_one(score: float, cosine: float) -> None:
    assert to_cosine(score) == cosine
