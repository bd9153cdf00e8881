"""Facts as lines of a file: one JSON object a line, as ``export`` writes them and ``import`` reads them."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from palimpsest.domain.errors import BadInputError
from palimpsest.domain.json_text import JsonValue, parse_json, write_json

from palimpsest_cli.failures import LineError

# What the server says of a fact, whatever its sender does (spec/facts.md §6).
SET_BY_SERVER = frozenset(
    {
        "attributedTo",
        "contentHash",
        "createdAt",
        "embeddingModel",
        "expiresAt",
        "generatedBy",
        "id",
        "invalidatedAt",
        "invalidatedBy",
        "invalidationReason",
        "review",
        "revisionId",
        "size",
        "supersedes",
        "trust",
        "updatedAt",
        "verifiedAt",
        "verifiedBy",
        "version",
    }
)
_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLine:
    """One line, ready to be written.

    Attributes:
        number: Counted from 1, blank lines too.
        body: The JSON that is sent.
        dropped: Which fields of the line the server sets.
    """

    number: int
    body: str
    dropped: frozenset[str]


def read_lines(path: Path, tenant_id: str) -> Iterator[FactLine]:
    """Yield a file's facts; blank lines are none.

    Args:
        path: Of a file in UTF-8.
        tenant_id: Put into scopes that name no tenant.

    Raises:
        LineError: If a line is no JSON object, or names another tenant.
        OSError: If the file cannot be read.
    """
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if raw.strip():
                yield _read(raw, number, tenant_id)


def digest_of(path: Path) -> str:
    """Return what names a file by its content, wherever it lies: SHA-256 in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def key_of(digest: str, number: int) -> str:
    """Return the ``Idempotency-Key`` of a line: the same for the same line of the same file, and for no other."""
    return "import-" + hashlib.sha256(f"{digest}:{number}".encode()).hexdigest()


def _read(raw: bytes, number: int, tenant_id: str) -> FactLine:
    try:
        fact = parse_json(raw.decode("utf-8-sig" if number == 1 else "utf-8"), field="it")
    except UnicodeDecodeError as error:
        raise LineError(number, "it is not UTF-8") from error
    except BadInputError as error:
        raise LineError(number, str(error).rstrip(".")) from error
    if not isinstance(fact, Mapping):
        raise LineError(number, "it is no JSON object")
    kept = {name: value for name, value in fact.items() if name not in SET_BY_SERVER}
    kept["scope"] = _scope(fact.get("scope", {}), number, tenant_id)
    return FactLine(
        number=number,
        body=write_json(kept),
        dropped=frozenset(fact.keys() & SET_BY_SERVER),
    )


def _scope(scope: JsonValue, number: int, tenant_id: str) -> JsonValue:
    if not isinstance(scope, Mapping):
        raise LineError(number, "its scope is no JSON object")
    if scope.get("tenantId", tenant_id) != tenant_id:
        raise LineError(number, "it is of another tenant than the token")
    return {**scope, "tenantId": tenant_id}
