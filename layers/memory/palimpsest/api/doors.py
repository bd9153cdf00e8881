"""Doors: families of paths, each with its own way to find a token and to tell a refusal.

A door is known by the path and not by the function: a path that nothing serves, and a request that cannot be read, are
refused in the manner of the door that was knocked at.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from palimpsest.api import schemas
from palimpsest.api.enveloped_problems import envelope
from palimpsest.api.flat_problems import flat
from palimpsest.api.problems import Refusal
from palimpsest.api.requests import Answer, Request
from palimpsest.domain.errors import TokenMissingError
from palimpsest.domain.token_faults import TokenFault

_BEARER = "bearer "
_NO_TOKEN = "No valid token: send one as 'Authorization: Bearer <token>'."  # noqa: S105 - a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """How one family of paths is spoken with.

    Attributes:
        find_token: From a request to its token's text; raises ``TokenMissingError``.
        refuse: From a refusal and the request's id to the answer.
        problem: The shape of that answer's body.
        security: Names of the ways to send a token, in the OpenAPI document; any one of them will do.
    """

    find_token: Callable[[Request], str]
    refuse: Callable[[Refusal, str], Answer]
    problem: type[BaseModel]
    security: tuple[str, ...]


def bearer_token(request: Request) -> str:
    """Return the token of ``Authorization: Bearer``.

    Raises:
        TokenMissingError: If there is none.
    """
    token = _bearer(request)
    if not token:
        is_sent = bool(request.headers.get("authorization", "").strip())
        fault = TokenFault.MALFORMED if is_sent else TokenFault.MISSING
        raise TokenMissingError(_NO_TOKEN, fault=fault)
    return token


def bearer_or_key(request: Request) -> str:
    """Return the token of ``Authorization: Bearer`` or ``X-Api-Key``.

    Raises:
        TokenMissingError: If there is none, or the two differ: it is not for us to choose who asks.
    """
    key = request.headers.get("x-api-key", "").strip()
    if not key:
        return bearer_token(request)
    bearer = _bearer(request)
    if bearer and bearer != key:
        raise TokenMissingError(
            "Authorization and X-Api-Key hold different tokens.", fault=TokenFault.MALFORMED
        )
    return key


def _bearer(request: Request) -> str:
    header = request.headers.get("authorization", "")
    return header[len(_BEARER) :].strip() if header[: len(_BEARER)].lower() == _BEARER else ""


FACTS_DOOR = Door(
    find_token=bearer_token,
    refuse=envelope,
    problem=schemas.ProblemEnvelope,
    security=("bearerAuth",),
)
MEMORY_DOOR = Door(
    find_token=bearer_or_key,
    refuse=flat,
    problem=schemas.MemoryProblem,
    security=("bearerAuth", "apiKeyAuth"),
)

_MEMORY_ROOT = "/api/v1"


def door_at(path: str) -> Door:
    """Return the door of a path as it came; whatever is no other's is the facts door's."""
    is_memory = path == _MEMORY_ROOT or path.startswith(f"{_MEMORY_ROOT}/")
    return MEMORY_DOOR if is_memory else FACTS_DOOR
