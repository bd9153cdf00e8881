"""How long an engine searches among 100,000 generated facts with a filter, beside bare queries without one.

    python -m benchmarks.engine_timings                     # --engine sqlite, --facts 100000, --searches 200

The bare queries run in the same process over the same texts and vectors: FTS5 alone with the same words, and one product of all
vectors with the question's. They know no tenant, filter, version or expiry. Compare within one run only.
"""

import argparse
import random
import sqlite3
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import numpy as np
import numpy.typing as npt
from palimpsest.domain.audiences import Audience, Root
from palimpsest.domain.fact_text import text_hash
from palimpsest.domain.scopes import Scope
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.ports.index import FactIndex, IndexedFact, Search

from benchmarks.search_engines import ENGINES, Engine

DIMENSION = 384
LIMIT = 10
PUT_SIZE = 1000
PROJECTS = 100
WORDS_A_FACT = 15
WORDS_A_QUESTION = 4
STOP_WORDS = 80
TENANT = "01890a5d-ac96-774b-bcce-b302099a8057"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEED = 20260101

Floats = npt.NDArray[np.float32]
Searches = Mapping[str, Callable[[int], object]]
_SYLLABLES = [f"{a}{b}" for a in "aeiou" for b in "lmnrstvz"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Generated facts and questions: words as frequent as in a language (Zipf), vectors in random directions."""

    texts: Sequence[str]
    vectors: Floats
    questions: Sequence[str]
    asked: Floats


def main() -> int:
    """Run the command."""
    arguments = _arguments()
    corpus = _generate(arguments.facts, arguments.searches)
    with ENGINES[arguments.engine](DIMENSION) as engine:
        seconds = _load(engine, corpus)
        print(
            f"{arguments.facts} facts of {DIMENSION} numbers put in {seconds:.0f} s, {PUT_SIZE} a batch\n"
        )
        print("| query | p50 ms | p95 ms |\n| --- | --- | --- |")
        for name, search in {**_bare(corpus), **_filtered(engine.index, corpus)}.items():
            print(_row(name, search, arguments.searches))
    return 0


def _generate(count: int, searches: int) -> Corpus:
    chance = random.Random(SEED)
    vocabulary = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in _SYLLABLES for c in _SYLLABLES]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    texts = [" ".join(chance.choices(vocabulary, weights, k=WORDS_A_FACT)) for _ in range(count)]
    # The most frequent words of a language are those that a search drops.
    rest, their_weights = vocabulary[STOP_WORDS:], weights[STOP_WORDS:]
    questions = [
        " ".join(chance.choices(rest, their_weights, k=WORDS_A_QUESTION)) for _ in range(searches)
    ]
    generator = np.random.default_rng(SEED)
    return Corpus(texts, _units(generator, count), questions, _units(generator, searches))


def _units(generator: np.random.Generator, count: int) -> Floats:
    vectors = generator.standard_normal((count, DIMENSION), np.float32)
    units: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units


def _load(engine: Engine, corpus: Corpus) -> float:
    start = time.monotonic()
    batch: list[IndexedFact] = []
    for number, text in enumerate(corpus.texts):
        batch.append(_fact(number, text, corpus.vectors[number]))
        if len(batch) == PUT_SIZE or number == len(corpus.texts) - 1:
            engine.index.put(batch)
            batch = []
    engine.settle()
    return time.monotonic() - start


def _fact(number: int, text: str, vector: Floats) -> IndexedFact:
    # A hundred projects, half of their facts a user's own.
    return IndexedFact(
        fact_id=str(uuid.UUID(int=number)),
        version=1,
        scope=Scope(
            tenant_id=TENANT,
            project_id=f"project-{number % PROJECTS}",
            user_id=f"user-{number % 7}" if number % 2 else None,
        ),
        type="note",
        text=text,
        text_hash=text_hash(text),
        vector=vector.tolist(),
        created_at=NOW,
    )


def _filtered(index: FactIndex, corpus: Corpus) -> Searches:
    mine = tuple(
        Audience(root=Root.PROJECT, root_id=f"project-{number}", user_id=user)
        for number in range(5)
        for user in (None, "user-1")
    )
    project = (("projectId", "project-0"),)
    filters = {
        "one project, by a member": SearchFilter(
            tenant_id=TENANT, audiences=mine[:2], named=project
        ),
        "one project, by an admin": SearchFilter(tenant_id=TENANT, audiences=None, named=project),
        "all of a member of five projects": SearchFilter(tenant_id=TENANT, audiences=mine),
        "whole tenant, by an admin": SearchFilter(tenant_id=TENANT, audiences=None),
    }
    searches: dict[str, Callable[[int], object]] = {}
    for name, wanted in filters.items():
        search = Search(filter=wanted, limit=LIMIT, now=NOW)
        searches[f"keyword, {name}"] = partial(_by_words, index, corpus, search)
        searches[f"vector, {name}"] = partial(_by_meaning, index, corpus, search)
    return searches


def _by_words(index: FactIndex, corpus: Corpus, search: Search, number: int) -> object:
    return index.keyword_search(corpus.questions[number], search)


def _by_meaning(index: FactIndex, corpus: Corpus, search: Search, number: int) -> object:
    return index.vector_search(corpus.asked[number].tolist(), search)


def _bare(corpus: Corpus) -> Searches:
    file = sqlite3.connect(":memory:")
    file.execute("CREATE VIRTUAL TABLE facts USING fts5 (words, tokenize='porter unicode61')")
    file.executemany("INSERT INTO facts VALUES (?)", ((text,) for text in corpus.texts))

    def by_words(number: int) -> object:
        match = " OR ".join(corpus.questions[number].split())
        statement = "SELECT rowid, rank FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT ?"
        return file.execute(statement, (match, LIMIT)).fetchall()

    def by_meaning(number: int) -> object:
        cosines = corpus.vectors @ corpus.asked[number]
        return np.argpartition(-cosines, LIMIT)[:LIMIT]

    return {"bare FTS5, no filter": by_words, "bare numpy product, no filter": by_meaning}


def _row(name: str, search: Callable[[int], object], searches: int) -> str:
    search(0)  # what is loaded at the first search is loaded once
    took = []
    for number in range(searches):
        start = time.perf_counter()
        search(number)
        took.append((time.perf_counter() - start) * 1000)
    p50, p95 = statistics.median(took), statistics.quantiles(took, n=20)[-1]
    return f"| {name} | {p50:.2f} | {p95:.2f} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--engine", choices=sorted(ENGINES), default="sqlite")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
