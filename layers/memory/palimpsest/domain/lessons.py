"""What a request teaches: which concepts belong together, and where that is learnt.

One rule holds for all of them: only concepts of atoms are learnt, and only in the scope of those atoms. What a caller asked or
named chooses among these and is never learnt itself, or others of the same scope could read in its graph what was asked there.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from palimpsest.domain.associations import (
    ANSWERED_A_QUERY,
    MAX_CONCEPTS,
    SERVED,
    STOOD_IN_ONE_ATOM,
    Lesson,
)
from palimpsest.domain.atoms import Atom
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.facts import Review, Revision
from palimpsest.domain.scopes import Scope

Kept = tuple[Revision, Atom]
"""An atom as it stands in the store, and what its content says."""

# Of an answer's atoms, so many teach: the first are what it was about, and each costs a transaction.
MAX_TEACHING = 5


def lessons_of_write(revision: Revision, atom: Atom) -> tuple[Lesson, ...]:
    """Return what a new atom teaches: its concepts stand together.

    Its event is the fact, so that a write that is repeated counts once.

    Returns:
        One lesson; none where there are not two concepts, or where a person must approve the atom first.
    """
    if not _may_teach(revision):
        return ()
    lesson = Lesson(
        event_id=f"write:{revision.fact_id}",
        scope=revision.scope,
        concepts=_concepts_of(atom)[:MAX_CONCEPTS],
        amount=STOOD_IN_ONE_ATOM,
        at=revision.created_at,
    )
    return _worth_learning(lesson)


def lessons_of_answer(
    items: Sequence[Kept],
    *,
    home: Scope,
    query_concepts: Sequence[str],
    request_id: str,
    at: datetime,
) -> tuple[Lesson, ...]:
    """Return what an answer teaches: of each atom, its own concepts belong together, those first that the query named.

    Args:
        items: The atoms that answer, best first.
        home: The caller's. Atoms outside it teach nothing: who may only read them must not change what others find.
        query_concepts: What the query is about; chooses and is not learnt.
        request_id: Of the read; the same one counts once.
        at: When.

    Returns:
        A lesson for each of the first ``MAX_TEACHING`` atoms that have something to teach.
    """
    named = _canonical(query_concepts)
    lessons = [
        Lesson(
            event_id=f"read:{request_id}:{revision.fact_id}",
            scope=home,
            concepts=_named_first(_concepts_of(atom), named),
            amount=ANSWERED_A_QUERY,
            at=at,
        )
        for revision, atom in items
        if revision.scope == home and _may_teach(revision)
    ]
    return _worth_learning(*lessons)[:MAX_TEACHING]


def lessons_of_feedback(
    items: Sequence[Kept],
    *,
    home: Scope,
    named_concepts: Sequence[str],
    outcome: float,
    operation_id: str,
    at: datetime,
) -> tuple[Lesson, ...]:
    """Return what feedback teaches: the concepts of atoms that served together, or did not, by as much as it says.

    Args:
        items: The atoms that it is about, in their order.
        home: The caller's. Atoms outside it teach nothing.
        named_concepts: What the feedback says it was about; chooses and is not learnt.
        outcome: How well they served, from -1 to 1.
        operation_id: Of the request; the same one counts once.
        at: When.

    Returns:
        One lesson over all the atoms; none where they have not two concepts.
    """
    concepts = dict.fromkeys(
        concept
        for revision, atom in items
        if revision.scope == home and _may_teach(revision)
        for concept in _concepts_of(atom)
    )
    lesson = Lesson(
        event_id=f"feedback:{operation_id}",
        scope=home,
        concepts=_named_first(tuple(concepts), _canonical(named_concepts)),
        amount=SERVED,
        outcome=outcome,
        at=at,
    )
    return _worth_learning(lesson)


def _may_teach(revision: Revision) -> bool:
    """Tell whether an atom stands: what is replaced, deleted or not approved yet teaches nothing."""
    return revision.closing is None and revision.review is not Review.PENDING


def _concepts_of(atom: Atom) -> tuple[str, ...]:
    return _canonical(atom.concepts)


def _canonical(concepts: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, dict.fromkeys(map(canonical_concept, concepts))))


def _named_first(concepts: tuple[str, ...], named: tuple[str, ...]) -> tuple[str, ...]:
    """Return at most ``MAX_CONCEPTS`` of the concepts, those that were named in front and each part in its order."""
    return tuple(sorted(concepts, key=lambda concept: concept not in named))[:MAX_CONCEPTS]


def _worth_learning(*lessons: Lesson) -> tuple[Lesson, ...]:
    return tuple(lesson for lesson in lessons if lesson.pairs)
