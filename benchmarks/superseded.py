"""How many hits are stale when every fact was superseded once: by the index alone, and behind the table's check.

    python -m benchmarks.superseded PATH/TO/locomo10.json         # --engine sqlite

Made from LoCoMo's facts: each says the contrary since. Its questions are asked of an index that has heard of all supersedes, of
half of them, of none. Stale is a hit whose revision is not the current one. The table is the tests' fake; texts are
embedded by hashed words, since what is stale does not hang on the model.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.revisions import Act, Change, Step, supersede
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.index import FactIndex, Search
from palimpsest.use_cases.retrieve_facts import Mode, RetrieveFacts, RetrieveRequest

from benchmarks.locomo_data import Question, observations, questions
from benchmarks.locomo_facts import TENANT, LocomoFact, documents, locomo_facts
from benchmarks.search_engines import ENGINES, Engine
from tests.fakes.facts import FakeFactRepository

CALLER = Caller(tenant_id=TENANT, kind=CallerKind.USER, id="benchmark", is_tenant_admin=True)
STALE = 1  # the version that every fact had before
LIMIT = 10
PUT_SIZE = 200
TIME_BUDGET = timedelta(seconds=30)
MODES = (Mode.KEYWORD, Mode.SEMANTIC, Mode.BOTH)
# What the index has heard of: every fact whose number leaves no rest.
HEARD: Mapping[str, int | None] = {"none": None, "half": 2, "all": 1}


@dataclass(frozen=True, slots=True)
class World:
    """Everything that a question is asked of."""

    index: FactIndex
    embeddings: Embeddings
    table: FakeFactRepository

    def by_index(self, mode: Mode, question: Question) -> list[int]:
        """Return the versions of what the index proposes, nothing checked."""
        wanted = search_filter(CALLER, _wanted(question))
        search = Search(filter=wanted, limit=LIMIT, now=SystemClock().now())
        if mode is Mode.KEYWORD:
            hits = self.index.keyword_search(question.text, search)
        else:
            vector = self.embeddings.embed_query(question.text)
            hits = self.index.vector_search(vector, search)
        return [hit.version for hit in hits]

    def by_service(self, mode: Mode, question: Question) -> list[int]:
        """Return the versions of what retrieve answers."""
        retrieve = RetrieveFacts(
            facts=self.table,
            index=self.index,
            embeddings=self.embeddings,
            parallel=ThreadParallel(),
            clock=SystemClock(),
            measure=lambda _revision: 0,
            time_budget=TIME_BUDGET,
        )
        request = RetrieveRequest(
            mode=mode, query=question.text, wanted=_wanted(question), limit=LIMIT
        )
        return [one.revision.version for one in retrieve(CALLER, request).results]


def main() -> int:
    """Run the command."""
    arguments = _arguments()
    facts = locomo_facts(list(observations(arguments.locomo)))
    asked = list(questions(arguments.locomo))[:: arguments.every]
    steps = [_superseded(fact) for fact in facts]
    embeddings = HashingEmbeddings()
    print(f"{len(facts)} facts, each superseded once; {len(asked)} questions; {arguments.engine}\n")
    print(
        "| index has heard of | mode | hits | stale by the index alone | results | stale results |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    stale = 0
    with ENGINES[arguments.engine](embeddings.dimension) as engine:
        world = World(engine.index, embeddings, _table(steps))
        _put(engine, [step.closed for step in steps], embeddings)
        for name, heard in HEARD.items():
            _hear(engine, steps[::heard] if heard else [], embeddings)
            for mode in MODES:
                results = _ask(world.by_service, mode, asked)
                # The index itself knows no fusion.
                hits = None if mode is Mode.BOTH else _ask(world.by_index, mode, asked)
                proposed = "- | -" if hits is None else f"{len(hits)} | {hits.count(STALE)}"
                told = f"{len(results)} | {results.count(STALE)}"
                print(f"| {name} | {mode} | {proposed} | {told} |")
                stale += results.count(STALE)
    return 1 if stale else 0


def _ask(
    search: Callable[[Mode, Question], list[int]], mode: Mode, asked: Sequence[Question]
) -> list[int]:
    return [version for question in asked for version in search(mode, question)]


def _superseded(fact: LocomoFact) -> Step:
    first = Fact(revision=fact.revision, first_written_at=fact.revision.created_at)
    change = Change(content={"text": f"Not any more: {fact.text}"})
    act = Act(
        caller=CALLER,
        now=first.first_written_at + timedelta(days=1),
        operation_id=f"{fact.id}-2",
        new_id=f"{fact.id}-2",
    )
    return supersede(first, change, act)


def _table(steps: Sequence[Step]) -> FakeFactRepository:
    table = FakeFactRepository()
    for step in steps:
        open_revision = replace(step.closed, closing=None)
        before = replace(step.fact, revision=open_revision)
        table.add(before)
        table.replace(before, step.closed, step.fact)
    return table


def _put(engine: Engine, revisions: Sequence[Revision], embeddings: Embeddings) -> None:
    for start in range(0, len(revisions), PUT_SIZE):
        engine.index.put(documents(revisions[start : start + PUT_SIZE], embeddings))
    engine.settle()


def _hear(engine: Engine, steps: Sequence[Step], embeddings: Embeddings) -> None:
    _put(engine, [step.fact.revision for step in steps], embeddings)
    for start in range(0, len(steps), PUT_SIZE):
        closed = [step.closed for step in steps[start : start + PUT_SIZE]]
        engine.index.retire(documents(closed, embeddings))
    engine.settle()


def _wanted(question: Question) -> FactFilter:
    return FactFilter(scope={"projectId": question.conversation})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("locomo", type=Path, help="locomo10.json")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="sqlite")
    parser.add_argument("--every", type=int, default=5, help="ask every n-th question")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
