"""Labels: what a revision is filed under beside its scope and type, so that a search can ask for exactly that.

A label narrows a search inside the index and is asked again at the table (``palimpsest.domain.filters``). It follows from the
revision alone: an index that holds other labels than these is stale, and is told apart from one that is not by its tokens.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.atoms import ATOM_TYPE, atom_of
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.facts import Revision
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import entities_of


class LabelKind(StrEnum):
    """What a label says.

    Attributes:
        HOME: The exact scope, by its hash: unlike a filter by keys, nothing more may be named.
        DOMAIN: The domain of an atom, as written.
        CONCEPT: A concept of an atom, in its canonical form.
        ENTITY: An entity that an observation or a relation is about, by its canonical name.
        ENTITY_TYPE: The type of such an entity.
    """

    HOME = "home"
    DOMAIN = "domain"
    CONCEPT = "concept"
    ENTITY = "entity"
    ENTITY_TYPE = "entityType"


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """One label.

    Attributes:
        kind: What it says.
        value: Any text; compared as it is.
    """

    kind: LabelKind
    value: str


# spec/read-memory.md §1. An atom that came by another door may name more, and is found by the first of them.
MAX_CONCEPTS = 256

# In conjunctive form: at least one label of each group. A group without labels is met by nothing.
LabelGroups = tuple[frozenset[Label], ...]


def labels_of(revision: Revision) -> frozenset[Label]:
    """Return every label of a revision: its home always, and what its type adds."""
    labels = {home_label(revision.scope)}
    if revision.type == ATOM_TYPE:
        atom = atom_of(revision)
        labels.add(Label(LabelKind.DOMAIN, atom.domain))
        concepts = map(canonical_concept, atom.concepts[:MAX_CONCEPTS])
        labels |= {Label(LabelKind.CONCEPT, concept) for concept in concepts}
    for entity in entities_of(revision):
        labels.add(Label(LabelKind.ENTITY, entity.key.name))
        labels.add(Label(LabelKind.ENTITY_TYPE, entity.type.value))
    return frozenset(labels)


def home_label(scope: Scope) -> Label:
    """Return the label of everything that has exactly this scope."""
    return Label(LabelKind.HOME, scope_hash(scope))


def meets(carried: frozenset[Label], groups: Iterable[frozenset[Label]]) -> bool:
    """Tell whether labels hold at least one of each group; no groups ask for nothing."""
    return all(not carried.isdisjoint(group) for group in groups)
