"""What searches find, made up: for tests of the stages behind them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from palimpsest.domain.atoms import ATOM_TYPE, Atom, atom_of, content_of
from palimpsest.domain.recall import Candidate, ReadItem, Source, scored

from tests.builders import build_fact
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

IDS = FakeIds()


def build_candidate(
    text: str = "Ana plays chess.",
    *,
    similarity: float = 0.5,
    words: float = 0.0,
    source: Source = Source.SEMANTIC,
    age: timedelta = timedelta(days=3650),
    valence: float | None = None,
    **atom: Any,
) -> Candidate:
    content = content_of(Atom(text=text, **atom))
    fact = build_fact(ids=IDS, type=ATOM_TYPE, content=content, now=NOON - age)
    return Candidate(
        fact=replace(fact, valence=valence),
        revision=fact.revision,
        atom=atom_of(fact.revision),
        source=source,
        similarity=similarity,
        words=words,
    )


def build_item(likeness: float = 0.5, **candidate: Any) -> ReadItem:
    (item,) = scored([build_candidate(**candidate)], "a query", noise=0.0)
    return replace(item, likeness=likeness, relevance=likeness)
