"""Observations: what is remembered of one entity, each a fact of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.entities import EntityName, entity_name_in
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import JsonValue, parse_json

OBSERVATION_TYPE = "memory.observation"

# spec/entities.md, the table of tools.
MAX_OBSERVATION_CHARACTERS = 2000


class ObservationSource(StrEnum):
    """Where an agent has it from."""

    CONVERSATION = "conversation"
    NOTE = "note"
    DOCUMENT = "document"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing that is remembered of an entity.

    Attributes:
        entity: Whom or what it is about.
        text: What is remembered; never blank.
        source: Where it comes from; None where nobody said.
    """

    entity: EntityName
    text: str
    source: ObservationSource | None = None


def content_of(observation: Observation) -> Mapping[str, JsonValue]:
    """Return the content of the fact that keeps an observation."""
    source = {} if observation.source is None else {"source": observation.source.value}
    return {
        "entity": observation.entity.name,
        "entityType": observation.entity.type.value,
        "observation": observation.text,
        **source,
    }


def observation_of(revision: Revision) -> Observation | None:
    """Read an observation from its fact, whatever the facts door has put there.

    Returns:
        None if the fact is no observation, or names no entity or says nothing of it.
    """
    content = parse_json(revision.content) if revision.type == OBSERVATION_TYPE else None
    if not isinstance(content, Mapping):
        return None
    entity = entity_name_in(content.get("entity"), content.get("entityType"))
    text = content.get("observation")
    if entity is None or not isinstance(text, str) or not text.strip():
        return None
    known = {source.value: source for source in ObservationSource}
    source = content.get("source")
    return Observation(
        entity=entity,
        text=text,
        source=known.get(source) if isinstance(source, str) else None,
    )
