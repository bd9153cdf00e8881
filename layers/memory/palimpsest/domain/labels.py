"""Labels: what a revision is filed under beside its scope and type, so that a search can ask for exactly that.

A label narrows a search inside the index and is asked again at the table (``palimpsest.domain.filters``). It follows from the
revision alone: an index that holds other labels than these is stale, and is told apart from one that is not by its tokens.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import canonical_json, parse_json
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


# In conjunctive form: at least one label of each group. A group without labels is met by nothing.
LabelGroups = tuple[frozenset[Label], ...]


def labels_of(revision: Revision) -> frozenset[Label]:
    """Return every label of a revision: its home always, and what its type adds."""
    labels = {home_label(revision.scope)}
    if revision.type == _ATOM_TYPE:
        domain, concepts = _atom_of(revision)
        labels.add(Label(LabelKind.DOMAIN, domain))
        labels |= {Label(LabelKind.CONCEPT, _canonical_concept(concept)) for concept in concepts}
    for entity in entities_of(revision):
        labels.add(Label(LabelKind.ENTITY, entity.key.name))
        labels.add(Label(LabelKind.ENTITY_TYPE, entity.type.value))
    return frozenset(labels)


def home_label(scope: Scope) -> Label:
    """Return the label of everything that has exactly this scope."""
    return Label(LabelKind.HOME, _scope_hash(scope))


def meets(carried: frozenset[Label], groups: Iterable[frozenset[Label]]) -> bool:
    """Tell whether labels hold at least one of each group; no groups ask for nothing."""
    return all(not carried.isdisjoint(group) for group in groups)


_ATOM_TYPE = "memory.atom"
_DEFAULT_DOMAIN = "general"


def _scope_hash(scope: Scope) -> str:
    return hashlib.sha256(canonical_json(dict(scope.items())).encode()).hexdigest()


def _canonical_concept(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())[:200]


def _atom_of(revision: Revision) -> tuple[str, tuple[str, ...]]:
    content = parse_json(revision.content)
    if not isinstance(content, Mapping):
        return _DEFAULT_DOMAIN, ()
    domain, concepts = content.get("domain"), content.get("concepts")
    named = concepts if isinstance(concepts, list) else []
    return (
        domain if isinstance(domain, str) else _DEFAULT_DOMAIN,
        tuple(concept for concept in named if isinstance(concept, str)),
    )
