"""Refusals of the memory door: ``{code, message, requestId, retryable, details?}`` (spec/read-memory.md §1)."""

from collections.abc import Mapping

from palimpsest.api.problems import Refusal
from palimpsest.api.requests import Answer
from palimpsest.domain.errors import BadInputError, NotAuthenticatedError
from palimpsest.domain.json_text import write_json
from palimpsest.domain.token_faults import TokenFault

# The official clients send these again by themselves, and no other: any other 5xx only if we did not say false.
RETRYABLE = frozenset({429, 503})

# The clients show a message to a person or a model. "API key" is the word that they look for, to say what to do about it.
_TOKEN_MESSAGES: Mapping[TokenFault, str] = {
    TokenFault.MISSING: "Missing API key. Send one as X-Api-Key, or as Authorization: Bearer.",
    TokenFault.MALFORMED: "This is not written as an API key is. Check that the whole key was copied, and nothing else.",
    TokenFault.INVALID: "This API key is not known here. Check that the whole key was copied.",
    TokenFault.REVOKED: "This API key was revoked. Ask for a new one.",
    TokenFault.EXPIRED: "This API key has expired. Ask for a new one.",
}


def flat(refusal: Refusal, request_id: str) -> Answer:
    """Return the answer that tells of a refusal."""
    told: dict[str, object] = {
        "code": refusal.code,
        "message": _message(refusal),
        "requestId": request_id,
        "retryable": refusal.status in RETRYABLE,
    }
    details = _details(refusal)
    if details:
        told["details"] = details
    return Answer(status=refusal.status, body=write_json(told), headers=refusal.headers)


def _message(refusal: Refusal) -> str:
    if isinstance(refusal.error, NotAuthenticatedError):
        return _TOKEN_MESSAGES[refusal.error.fault]
    return refusal.message


def _details(refusal: Refusal) -> dict[str, object]:
    error = refusal.error
    if isinstance(error, NotAuthenticatedError):
        return {"reason": error.fault}
    if isinstance(error, BadInputError):
        return {"errors": [_field_error(error)]}
    return dict(refusal.details)


def _field_error(error: BadInputError) -> dict[str, object]:
    """Return where the fault is and what it is, as the clients put the two together again: ``field: msg``."""
    said = str(error).removesuffix(".")
    if not error.field:
        return {"loc": [error.place], "msg": said}
    return {"loc": [error.place, error.field], "msg": said.removeprefix(f"{error.field}: ")}
