"""Atoms: what the read-memory door keeps, each a fact of one type (spec/read-memory.md §2).

An atom's content is a JSON object with its text and what its writer said of it. The facts door writes into the same store and
may put anything there, so reading is lenient: what is no atom's field, or unfit, is as if it was not said.
"""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import cast

from palimpsest.domain.content_texts import said_in
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import JsonValue, parse_json

ATOM_TYPE = "memory.atom"

# spec/read-memory.md §1, in characters. What is longer came by another door and is as if it was not said.
MAX_DOMAIN_CHARACTERS = 100
MAX_FINGERPRINT_CHARACTERS = 512
MAX_EXTERNAL_REF_CHARACTERS = 255

DEFAULT_DOMAIN = "general"
UNKNOWN_ENV = "unknown"
# Of an atom whose novelty nobody worked out.
FULL_IMPORTANCE = 1.0

# Importance and valence are kept to a millionth. Sums of them are kept by adding and subtracting: of doubles, rests would stay
# behind for ever; decimals of a fixed length come back to zero, and no reader can tell a millionth.
DECIMAL_PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """One memory, as its writer put it.

    Attributes:
        text: What it says, as it came; empty where another door wrote a content without any text.
        domain: Which of the scope's collections it stands in; 1 to ``MAX_DOMAIN_CHARACTERS`` characters.
        concepts: What it is about, as written, in the order that came.
        metadata: The writer's own; kept and given back.
        fingerprint: By which the same episode is found again; None for none.
        external_ref: The writer's own id of it; None for none.
        importance: Its novelty when it was written, 0 to 1.
        client_env: What program wrote it, such as ``cursor`` or ``api``.
        agent_name: As the writer calls itself; None where it does not.
    """

    text: str
    domain: str = DEFAULT_DOMAIN
    concepts: tuple[str, ...] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    fingerprint: str | None = None
    external_ref: str | None = None
    importance: float = FULL_IMPORTANCE
    client_env: str = UNKNOWN_ENV
    agent_name: str | None = None


def content_of(atom: Atom) -> JsonValue:
    """Return the content of an atom's fact; what is empty is left out."""
    said: dict[str, JsonValue] = {
        "text": atom.text,
        "domain": atom.domain,
        "concepts": list(atom.concepts) or None,
        "metadata": dict(atom.metadata) or None,
        "fingerprint": atom.fingerprint,
        "externalRef": atom.external_ref,
        "importance": rounded(atom.importance),
        "clientEnv": atom.client_env,
        "agentName": atom.agent_name,
    }
    return {name: value for name, value in said.items() if value is not None}


def atom_of(revision: Revision) -> Atom:
    """Return the atom that a revision of that type holds. Never fails: see the module's own words."""
    content = parse_json(revision.content)
    if not isinstance(content, Mapping):
        return Atom(text=content if isinstance(content, str) else said_in(content))
    text = content.get("text")
    return Atom(
        text=text if isinstance(text, str) and text.strip() else said_in(content),
        domain=_text_in(content, "domain", MAX_DOMAIN_CHARACTERS) or DEFAULT_DOMAIN,
        concepts=_concepts_in(content),
        metadata=_metadata_in(content),
        fingerprint=_text_in(content, "fingerprint", MAX_FINGERPRINT_CHARACTERS),
        external_ref=_text_in(content, "externalRef", MAX_EXTERNAL_REF_CHARACTERS),
        importance=_importance_in(content),
        client_env=_text_in(content, "clientEnv") or UNKNOWN_ENV,
        agent_name=_text_in(content, "agentName"),
    )


def text_key(text: str) -> str:
    """Return the hash that the very same texts share: hex SHA-256 of the text in Unicode's composed form (NFC)."""
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()


def rounded(value: float) -> float:
    """Return an importance or a valence as it is kept, to ``DECIMAL_PLACES``."""
    # Adding zero makes 0 of a negative zero, which not every store keeps apart from it.
    return round(value, DECIMAL_PLACES) + 0.0


def decimal_of(value: float) -> Decimal:
    """Return an importance or a valence as it is added up."""
    return Decimal(f"{rounded(value):.{DECIMAL_PLACES}f}")


def _text_in(
    content: Mapping[str, JsonValue], name: str, max_characters: int | None = None
) -> str | None:
    value = content.get(name)
    if not isinstance(value, str) or not value.strip():
        return None
    return value if max_characters is None or len(value) <= max_characters else None


def _concepts_in(content: Mapping[str, JsonValue]) -> tuple[str, ...]:
    concepts = content.get("concepts")
    if not isinstance(concepts, list):
        return ()
    return tuple(concept for concept in concepts if isinstance(concept, str) and concept.strip())


def _metadata_in(content: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    metadata = content.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _importance_in(content: Mapping[str, JsonValue]) -> float:
    value = content.get("importance")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= cast("float", value) <= 1:
        return FULL_IMPORTANCE
    return rounded(float(cast("float", value)))
