"""LoCoMo's observations as atoms of the read-memory door, with concepts by a simple rule."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from palimpsest.domain.atoms import ATOM_TYPE, Atom, content_of
from palimpsest.domain.callers import Caller, CallerKind, ProjectAccess, ProjectGrant
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.fact_text import text_of
from palimpsest.domain.revisions import Act, Draft, first_revision
from palimpsest.domain.words import STOP_WORDS

from benchmarks.locomo_data import Observation
from benchmarks.locomo_facts import TENANT, LocomoFact, locomo_facts

MAX_CONCEPTS = 10
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
# What stands before a noun more often than before anything else.
_BEFORE_NOUNS = frozenset(
    "a about an and at for from her his in its my new of on our some that the their these this those to with your".split()  # noqa: SIM905
)
_SHORTEST = 3


def concepts_of(speaker: str, text: str) -> tuple[str, ...]:
    """Return the speaker, names and nouns: capitals inside the sentence, and what stands behind an article or the like."""
    words = _WORD.findall(text)
    found = [speaker]
    for before, word in itertools.pairwise(words):
        low = word.lower()
        is_name = word[0].isupper()
        is_noun = before.lower() in _BEFORE_NOUNS and not low.endswith("ing")
        if (is_name or is_noun) and low not in STOP_WORDS and len(word) >= _SHORTEST:
            found.append(word)
    return tuple(dict.fromkeys(map(canonical_concept, found)))[:MAX_CONCEPTS]


def reader_of(conversation: str) -> Caller:
    """Return a user whose token is limited to one conversation's project: that is their home."""
    grant = ProjectGrant(project_id=conversation, access=ProjectAccess.WRITE)
    return Caller(
        tenant_id=TENANT,
        kind=CallerKind.USER,
        id="benchmark",
        projects={conversation: grant},
        project_limit=conversation,
    )


def locomo_atoms(observed: Sequence[Observation]) -> list[LocomoFact]:
    """Return the atoms in the order of the observations: the sentence with name and day, written on the day of its session."""
    facts = locomo_facts(observed)
    return [_atom(fact, one) for fact, one in zip(facts, observed, strict=True)]


def _atom(fact: LocomoFact, observed: Observation) -> LocomoFact:
    atom = Atom(text=text_of(fact.revision), concepts=concepts_of(observed.speaker, observed.text))
    draft = Draft(type=ATOM_TYPE, scope=fact.revision.scope, content=content_of(atom))
    act = Act(
        caller=reader_of(observed.conversation),
        now=observed.observed_at,
        operation_id=fact.id,
        new_id=fact.id,
    )
    return replace(fact, revision=first_revision(draft, act).revision)
