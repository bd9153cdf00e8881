"""The memory door's reads with a query: what each route reads from its request, asks of a use case, and answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aws_lambda_powertools import Logger

from palimpsest.api import memory_read_operations as operations
from palimpsest.api.atom_reads import at_home
from palimpsest.api.bodies import read_body
from palimpsest.api.memory_answers import Match, atom_json, sent_bytes, with_list
from palimpsest.api.memory_read_bodies import QueryBody, ReadBatchBody, ReadBody
from palimpsest.api.problems import refusal_of
from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError, PalimpsestError
from palimpsest.domain.json_text import JsonValue, write_json
from palimpsest.domain.recall import ReadItem
from palimpsest.use_cases.budgets import count_fitting
from palimpsest.use_cases.read_batch import Outcome
from palimpsest.use_cases.read_requests import ReadAnswer, ReadRequest

_NO_ROOM = "There was no room for this one in the answer: ask for it alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryReadApi:
    """Routes of the function ``read_memory`` that look for something.

    Attributes:
        read_memory: Makes one read.
        read_batch: Makes several.
        logger: One line for each read: counts and durations, never content.
    """

    read_memory: Callable[[Caller, ReadRequest], ReadAnswer]
    read_batch: Callable[[Caller, Sequence[ReadRequest]], list[Outcome]]
    logger: Logger

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {
            operations.READ.route_key: at_home(self.read),
            operations.READ_BATCH.route_key: at_home(self.batch),
            operations.QUERY.route_key: at_home(self.query),
        }

    def read(self, request: Request, caller: Caller) -> Answer:
        """Return the atoms that answer a query best."""
        request.parameters(frozenset())
        body = read_body(ReadBody, request.json_body())
        return Answer(status=200, body=self._told(request, body, self._read(caller, body)))

    def query(self, request: Request, caller: Caller) -> Answer:
        """Return the same over several domains, narrowed by metadata."""
        request.parameters(frozenset())
        body = read_body(QueryBody, request.json_body())
        return Answer(status=200, body=self._told(request, body, self._read(caller, body)))

    def batch(self, request: Request, caller: Caller) -> Answer:
        """Return an answer, or an error, for each of several reads."""
        request.parameters(frozenset())
        items = read_body(ReadBatchBody, request.json_body()).items
        bodies = [_body_or_error(item) for item in items]
        fit = [body.to_domain() for body in bodies if isinstance(body, ReadBody)]
        outcomes = iter(self.read_batch(caller, fit))
        results = [
            _failed(index, body)
            if isinstance(body, PalimpsestError)
            else self._result(request, index, body, next(outcomes))
            for index, body in enumerate(bodies)
        ]
        return Answer(status=200, body=_batch_json(results))

    def _read(self, caller: Caller, body: ReadBody | QueryBody) -> ReadAnswer:
        return self.read_memory(caller, body.to_domain())

    def _result(self, request: Request, index: int, body: ReadBody, outcome: Outcome) -> str:
        if isinstance(outcome, PalimpsestError):
            return _failed(index, outcome)
        told = self._told(request, body, outcome)
        return f'{{"index":{index},"result":{told},"error":null}}'

    def _told(self, request: Request, body: ReadBody | QueryBody, answer: ReadAnswer) -> str:
        counts = {"request_id": request.request_id, "items": len(answer.items)}
        times = {"search_time_ms": answer.search_time_ms, **answer.timings}
        self.logger.info("read_completed", extra={**counts, **times})
        return _read_json(answer, with_timings=body.include_timings)


def _read_json(answer: ReadAnswer, *, with_timings: bool) -> str:
    """Return the answer of a read. What does not fit into one answer is cut from its end, and ``truncated`` says so."""
    atoms = list(map(_item_json, answer.items))
    shown = atoms[: count_fitting(map(sent_bytes, atoms))]
    rest: dict[str, object] = {
        "episodic_hit": answer.episodic_hit,
        "query_concepts": list(answer.query_concepts),
        "expanded_concepts": list(answer.expanded_concepts),
        "search_time_ms": answer.search_time_ms,
    }
    if with_timings:
        rest["timings"] = dict(answer.timings)
    if len(shown) < len(atoms):
        rest["truncated"] = True
    return with_list("items", shown, rest)


def _item_json(item: ReadItem) -> str:
    match = Match(relevance=item.relevance, similarity=item.similarity, source=str(item.source))
    return atom_json(item.fact, item.revision, match)


def _body_or_error(item: JsonValue) -> ReadBody | BadInputError:
    try:
        return read_body(ReadBody, item)
    except BadInputError as error:
        return error


def _failed(index: int, error: PalimpsestError) -> str:
    return write_json({"index": index, "result": None, "error": refusal_of(error).message})


def _batch_json(results: Sequence[str]) -> str:
    fitting = count_fitting(map(sent_bytes, results))
    cut = [
        write_json({"index": index, "result": None, "error": _NO_ROOM})
        for index in range(fitting, len(results))
    ]
    return f'{{"results":[{",".join([*results[:fitting], *cut])}]}}'
