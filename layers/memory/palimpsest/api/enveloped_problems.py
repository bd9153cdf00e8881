"""Refusals of the facts door: an envelope with the error in it (spec/facts.md §2)."""

from palimpsest.api.problems import Refusal
from palimpsest.api.requests import Answer
from palimpsest.domain.json_text import write_json


def envelope(refusal: Refusal, request_id: str) -> Answer:
    """Return the answer that tells of a refusal: ``{"error": {code, message, details?, requestId}}``."""
    error: dict[str, object] = {"code": refusal.code, "message": refusal.message}
    if refusal.details:
        error["details"] = dict(refusal.details)
    error["requestId"] = request_id
    return Answer(status=refusal.status, body=write_json({"error": error}), headers=refusal.headers)
