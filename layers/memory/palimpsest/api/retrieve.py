"""Retrieval: what its route reads from a request, asks of the use case, and answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.api import operations
from palimpsest.api.bodies import read_body
from palimpsest.api.fact_answers import fact_json, sent_bytes
from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.api.retrieval_bodies import RetrieveBody
from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import write_json
from palimpsest.use_cases.retrieve_facts import Found, Retrieved, RetrieveRequest

# `{"fact":`, `,"score":` with 24 digits at most, `},`, and a backslash for each quotation mark.
_ENVELOPE_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveApi:
    """Routes of the function ``retrieve_facts``."""

    retrieve_facts: Callable[[Caller, RetrieveRequest], Retrieved]

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {operations.RETRIEVE.route_key: self.retrieve}

    def retrieve(self, request: Request, caller: Caller) -> Answer:
        """Return the facts that answer a query best."""
        request.parameters(frozenset())
        body = read_body(RetrieveBody, request.json_body())
        retrieved = self.retrieve_facts(caller, body.to_domain())
        results = ",".join(map(_found_json, retrieved.results))
        rest = ',"truncated":true}' if retrieved.is_truncated else "}"
        return Answer(
            status=200,
            body=f'{{"results":[{results}]{rest}',
            revisions=tuple(found.revision for found in retrieved.results),
        )


def found_bytes(revision: Revision) -> int:
    """Return how many bytes a revision takes in the answer as it is sent, with what stands around it."""
    return sent_bytes(revision) + _ENVELOPE_BYTES


def _found_json(found: Found) -> str:
    score = "" if found.score is None else f',"score":{write_json(float(found.score))}'
    return f'{{"fact":{fact_json(found.revision)}{score}}}'
