"""``Idempotency-Key``: the same request sent again has the same answer, byte for byte (spec/facts.md §12)."""

import hashlib

from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError, Place
from palimpsest.domain.idempotency import (
    MAX_KEPT_BYTES,
    KeptAnswer,
    Minted,
    Repeatable,
    identity_of,
)
from palimpsest.use_cases.answer_once import AnswerOnce

REPEATABLE_METHODS = frozenset({"POST", "DELETE"})

# As ids (spec/facts.md §7): room for any UUID or digest, and a bound on what is hashed.
MAX_KEY_CHARACTERS = 256

_HEADER = "Idempotency-Key"


def answer_repeatable(
    request: Request, caller: Caller, endpoint: Endpoint, answer_once: AnswerOnce
) -> Answer:
    """Answer a request that may carry a key: without one as ever, with one only once.

    Raises:
        BadInputError: If the key is blank or too long.
        ConflictError: As ``AnswerOnce``.
    """
    key = request.headers.get(_HEADER.lower())
    if key is None:
        return endpoint(request, caller)
    if not key.strip() or len(key) > MAX_KEY_CHARACTERS:
        raise BadInputError(
            f"{_HEADER} must be 1 to {MAX_KEY_CHARACTERS} characters.",
            field=_HEADER,
            place=Place.HEADER,
        )
    repeatable = Repeatable(
        identity=identity_of(caller, (request.method, request.path), request.query, key),
        body_hash=hashlib.sha256(request.body).hexdigest(),
    )
    first: list[Answer] = []

    def run(minted: Minted) -> KeptAnswer:
        first.append(endpoint(request.under(minted), caller))
        return _kept(first[0], answer_once)

    kept, is_replay = answer_once(caller, repeatable, run)
    if not is_replay:
        return first[0]
    return Answer(status=kept.status, body=kept.body or "", headers={"X-Idempotent-Replay": "true"})


def _kept(answer: Answer, answer_once: AnswerOnce) -> KeptAnswer:
    ends = [r.expires_at for r in answer.revisions if r.expires_at is not None]
    return KeptAnswer(
        status=answer.status,
        body=answer.body if len(answer.body.encode()) <= MAX_KEPT_BYTES else None,
        fact_ids=tuple(sorted({revision.fact_id for revision in answer.revisions})),
        readable_until=min(ends, default=None),
        at=answer_once.clock.now(),
    )
