"""Relations: how two entities stand to each other, each a fact of its own. A relation has a direction."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.domain.entities import EntityName, entity_name_in, fit_text
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import JsonValue, parse_json

RELATION_TYPE = "memory.relation"

# spec/entities.md, the table of tools.
MAX_RELATION_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How one entity stands to another.

    Attributes:
        source: From which entity.
        name: Such as ``works_at``; see ``relation_name``.
        target: To which.
    """

    source: EntityName
    name: str
    target: EntityName

    @property
    def sentence(self) -> str:
        """What is searched: "Jeff works at Acme Corp"."""
        return f"{self.source.name} {self.name.replace('_', ' ')} {self.target.name}"


def relation_name(text: str) -> str:
    """Return a relation in the one form that it has: NFKC, lower case, each run of blanks one ``_``.

    Returns:
        ``Works at`` → ``works_at``; empty for a text of blanks.
    """
    return "_".join(unicodedata.normalize("NFKC", text).lower().split())


def fit_relation_name(text: str, *, field: str) -> str:
    """Return the name of a relation as a caller gives it.

    Raises:
        BadInputError: If it is blank or too long.
    """
    return relation_name(fit_text(text, MAX_RELATION_CHARACTERS, field=field))


def check_not_to_itself(relation: Relation, *, field: str) -> None:
    """Let pass a relation between two entities.

    Raises:
        BadInputError: If it is one of an entity to itself.
    """
    if relation.source.key == relation.target.key:
        raise BadInputError(f"{field} must be another entity: none relates to itself.", field=field)


def content_of(relation: Relation) -> Mapping[str, JsonValue]:
    """Return the content of the fact that keeps a relation."""
    return {
        "from": relation.source.name,
        "fromType": relation.source.type.value,
        "relation": relation.name,
        "to": relation.target.name,
        "toType": relation.target.type.value,
    }


def relation_of(revision: Revision) -> Relation | None:
    """Read a relation from its fact, whatever the facts door has put there.

    Returns:
        Its name in the one form, cut to ``MAX_RELATION_CHARACTERS``; None if the fact is no relation, or an end or the name
        is missing.
    """
    content = parse_json(revision.content) if revision.type == RELATION_TYPE else None
    if not isinstance(content, Mapping):
        return None
    source = entity_name_in(content.get("from"), content.get("fromType"))
    target = entity_name_in(content.get("to"), content.get("toType"))
    written = content.get("relation")
    name = relation_name(written)[:MAX_RELATION_CHARACTERS] if isinstance(written, str) else ""
    if source is None or target is None or not name:
        return None
    return Relation(source=source, name=name, target=target)
