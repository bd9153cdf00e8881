"""The way of one request through the gate: refuse, fail, translate, forward, translate back."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import httpx
from botocore.credentials import Credentials

from tests.gate import bulks
from tests.gate.exchange import Answer, RefusedError, Request, refuse
from tests.gate.faults import KINDS, Fault, Faults, Loss, answer_for
from tests.gate.mappings import (
    Fields,
    check_mapping,
    check_settings,
    flatten,
    from_lucene,
    to_lucene,
    vector_fields,
)
from tests.gate.routes import check_route
from tests.gate.rules import Rules
from tests.gate.signatures import Signature, check_signature
from tests.gate.visibility import Visibility

REGION = "eu-central-1"
FORWARD_TIMEOUT_SECONDS = 30.0

SEARCHES = frozenset({"_search", "_count", "_mget", "_explain"})
# A get would see a write at once on the server behind the gate; nobody promises that for Serverless.
REAL_TIME_READS = frozenset({"_doc", "_source", "_mget"})
NO_IDS = "Document ID is not supported in create/index operation request"


class ConnectionLostError(Exception):
    """The client gets no answer: its connection is closed."""


@dataclass(frozen=True)
class Passed:
    """A request that was well signed, as the gate remembers it."""

    method: str
    path: str
    signature: Signature


class Gate:
    """One collection in front of one server.

    Attributes:
        credentials: The only ones that are let in; a test may change them, as when a role's expire.
        faults: What goes wrong next.
        passed: Every well-signed request so far.
    """

    def __init__(self, upstream: str, rules: Rules, clock: Callable[[], float]) -> None:
        self.credentials = Credentials("AKIDGATE", "gate-secret", "gate-session-token")
        self.faults = Faults()
        self.passed: list[Passed] = []
        self._rules = rules
        self._server = httpx.Client(base_url=upstream, timeout=FORWARD_TIMEOUT_SECONDS)
        self._visibility = Visibility(clock, rules.delay_seconds)
        self._originals: dict[str, dict[str, Fields]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let go of held requests and of the server."""
        self.faults.release()
        self._server.close()

    def handle(self, request: Request) -> Answer:
        """Return what the client gets.

        Raises:
            ConnectionLostError: if a test wants the connection to break.
        """
        try:
            signature = check_signature(request, self.credentials, REGION)
            with self._lock:
                self.passed.append(Passed(request.method, request.path, signature))
            fault = self.faults.take(request) or Fault()
            self.faults.hold(fault.hold_seconds)
            if fault.loss is Loss.OF_THE_REQUEST:
                raise ConnectionLostError
            if fault.status is not None:
                return answer_for(fault.status)
            answer = self._serve(request)
        except RefusedError as refused:
            return refused.answer
        if fault.loss is Loss.OF_THE_ANSWER:
            raise ConnectionLostError
        return answer

    def _serve(self, request: Request) -> Answer:
        check_route(request)
        for index in self._visibility.take_due():
            self._server.post(f"/{index}/_refresh")
        last = request.parts[-1]
        if last == "_bulk":
            return self._bulk(request)
        if request.method == "PUT" and len(request.parts) == 1:
            return self._create_index(request)
        if request.method == "PUT" and last in {"_mapping", "_mappings"}:
            return self._put_mapping(request)
        if request.method == "PUT" and last in {"_setting", "_settings"}:
            check_settings(request.document())
        if request.method == "GET" and _describes(request):
            return self._describe(request)
        if request.parts[-1] == "_search":
            _check_search(request.document())
        return self._read(request) if _is_read(request) else self._write(request)

    def _create_index(self, request: Request) -> Answer:
        body = request.document()
        settings, mapping = body.get("settings", {}), body.get("mappings", {})
        check_settings(settings)
        check_mapping(mapping, self._rules.generation)
        fields = dict(vector_fields(mapping.get("properties", {})))
        knn = {name.removeprefix("index."): value for name, value in flatten(settings).items()}
        if fields and str(knn.get("knn")).lower() != "true":
            raise refuse(400, "illegal_argument_exception", "vectors need the setting index.knn")
        own = {**flatten(settings), "index.refresh_interval": "-1"}
        inner = {**body, "settings": own, "mappings": to_lucene(mapping)}
        answer = self._forward(replace(request, body=json.dumps(inner).encode()))
        if answer.status == 200:
            with self._lock:
                self._originals[request.parts[0]] = fields
        return answer

    def _put_mapping(self, request: Request) -> Answer:
        mapping = request.document()
        check_mapping(mapping, self._rules.generation)
        if dict(vector_fields(mapping.get("properties", {}))):
            # The service can. The server here cannot leave a later one out of `_source`, so that a
            # test would see what nobody sees there.
            raise refuse(400, "gate_limit", "here a vector field comes with its index, or never")
        return self._forward(request)

    def _describe(self, request: Request) -> Answer:
        answer = self._forward(request)
        if answer.status != 200:
            return answer
        document = answer.document()
        for index, told in document.items():
            told.get("settings", {}).get("index", {}).pop("refresh_interval", None)
            if "mappings" in told:
                told["mappings"] = from_lucene(told["mappings"], self._originals.get(index, {}))
        return Answer.of(200, document)

    def _read(self, request: Request) -> Answer:
        if REAL_TIME_READS & set(request.parts):
            query = urlencode({**request.query, "realtime": "false"})
            request = replace(request, target=f"{request.path}?{query}")
        return self._forward(request)

    def _write(self, request: Request) -> Answer:
        if not self._rules.supports_document_ids and request.method != "DELETE":
            chooses_id = {"_doc", "_create", "_update"} & set(request.parts[1:2])
            if chooses_id and len(request.parts) > 2:
                raise refuse(400, "illegal_argument_exception", NO_IDS)
        answer = self._forward(request)
        if answer.status < 300 and answer.body and "_index" in (told := answer.document()):
            self._visibility.wrote([told["_index"]])
        return answer

    def _bulk(self, request: Request) -> Answer:
        if len(request.body) > bulks.MAX_BYTES:
            raise refuse(413, "illegal_argument_exception", "the body is larger than 10 MiB")
        items = bulks.parse(request.body)
        told = [
            self._refused_item(item, status)
            for item, status in zip(items, self.faults.take_items(len(items)), strict=True)
        ]
        passing = [item for item, refusal in zip(items, told, strict=True) if refusal is None]
        done = self._forward_items(request, passing)
        if isinstance(done, Answer):
            return done
        results = [next(done) if refusal is None else refusal for refusal in told]
        errors = any("error" in result for item in results for result in item.values())
        return Answer.of(200, {"took": 1, "errors": errors, "items": results})

    def _refused_item(self, item: bulks.Item, status: int | None) -> dict[str, Any] | None:
        if status is not None:
            return bulks.failed(item, status, *KINDS[status])
        chooses_id = item.operation == "update" or "_id" in item.target
        if chooses_id and item.operation != "delete" and not self._rules.supports_document_ids:
            return bulks.failed(item, 400, "illegal_argument_exception", NO_IDS)
        return None

    def _forward_items(self, request: Request, items: list[bulks.Item]) -> Any:
        """Return an iterator over the items' results, or the answer to a bulk that failed whole."""
        if not items:
            return iter(())
        answer = self._forward(replace(request, body=bulks.write(items)))
        if answer.status != 200:
            return answer
        results = answer.document()["items"]
        written = [result for item in results for result in item.values() if "error" not in result]
        self._visibility.wrote({result["_index"] for result in written})
        return iter(results)

    def _forward(self, request: Request) -> Answer:
        kind = request.headers.get("content-type", "application/json")
        answer = self._server.request(
            request.method,
            request.target,
            content=request.body or None,
            headers={"content-type": kind} if request.body else {},
        )
        kept = {"content-type": answer.headers.get("content-type", "application/json")}
        return Answer(answer.status_code, answer.content, kept)


def _describes(request: Request) -> bool:
    return len(request.parts) == 1 or request.parts[-1].startswith(("_mapping", "_setting"))


def _is_read(request: Request) -> bool:
    if SEARCHES & set(request.parts):
        return request.method != "DELETE"
    return request.method in {"GET", "HEAD"}


def _check_search(body: Any) -> None:
    """Refuse what a search on Serverless may not hold, at any depth.

    Raises:
        RefusedError: 400.
    """
    if isinstance(body, list):
        for part in body:
            _check_search(part)
    if not isinstance(body, dict):
        return
    for name, part in body.items():
        if name in {"script", "script_score", "script_fields"}:
            raise refuse(400, "illegal_argument_exception", "scripts are not supported")
        if name == "knn" and isinstance(part, dict):
            _check_radius(part)
        _check_search(part)


def _check_radius(clause: dict[str, Any]) -> None:
    """A compressed index answers no radial search (developer guide, vector search)."""
    for field in clause.values():
        if isinstance(field, dict) and field.keys() & {"min_score", "max_distance"}:
            raise refuse(400, "illegal_argument_exception", "radial search is not supported")
