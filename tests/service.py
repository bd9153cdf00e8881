"""The whole HTTP service over fakes: real events in, real responses out, nothing outside this process."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from io import StringIO
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from aws_lambda_powertools import Logger
from palimpsest.api.application import Application
from palimpsest.api.fact_answers import sent_bytes
from palimpsest.api.facts import GetApi, ListApi, WriteApi
from palimpsest.api.operations import OPERATIONS
from palimpsest.api.service import ServiceApi
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import TokenMissingError
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.answer_once import AnswerOnce
from palimpsest.use_cases.changes import FactChanges
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.list_facts import ListFacts
from palimpsest.use_cases.list_revisions import ListRevisions
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact

from local.events import Request, build_event, decode_path
from local.routes import find_route
from local.template import Route
from tests.builders import TENANT, build_admin, build_caller
from tests.fakes.associations import FakeAssociations
from tests.fakes.atoms import FakeAtomDirectory
from tests.fakes.clock import FakeClock
from tests.fakes.cursors import FakeCursors
from tests.fakes.facts import FakeFactRepository
from tests.fakes.idempotency import FakeIdempotencyRecords
from tests.fakes.ids import FakeIds
from tests.fakes.lessons import FakeLessons
from tests.fakes.pauses import FakePauses
from tests.fakes.pseudonyms import FakePseudonyms
from tests.memories import Memory
from tests.memory_reads import atom_read_api, memory_health_api, memory_read_api
from tests.memory_writes import atom_write_api

REQUEST_ID = "JKJaXmPLvHcESHA="


@dataclass(frozen=True)
class Response:
    """An answer as its caller reads it."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        return str(self.body.get("error", self.body)["code"])


@dataclass
class FakeService:
    """Every function of the service in one application, over fakes.

    Attributes:
        callers: By token; ``admin`` and the user ``ana`` are there from the start.
        novelty: Of whatever is written to the memory door; None for not known.
        unverified_window: Of the deployment.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    records: FakeIdempotencyRecords = field(default_factory=FakeIdempotencyRecords)
    pauses: FakePauses = field(default_factory=FakePauses)
    cursors: FakeCursors = field(default_factory=FakeCursors)
    pseudonyms: FakePseudonyms = field(default_factory=FakePseudonyms)
    associations: FakeAssociations = field(default_factory=FakeAssociations)
    lessons: FakeLessons = field(default_factory=FakeLessons)
    novelty: float | None = 1.0
    callers: dict[str, Caller] = field(
        default_factory=lambda: {"admin": build_admin(), "ana": build_caller("ana")}
    )
    unverified_window: timedelta | None = None
    log: StringIO = field(default_factory=StringIO)

    @cached_property
    def ids(self) -> FakeIds:
        return FakeIds(clock=self.clock)

    @cached_property
    def atoms(self) -> FakeAtomDirectory:
        return FakeAtomDirectory(facts=self.facts)

    @cached_property
    def memory(self) -> Memory:
        memory = Memory(clock=self.clock, facts=self.facts, associations=self.associations)
        memory.ids = self.ids
        return memory

    @cached_property
    def logger(self) -> Logger:
        # Powertools keeps one handler for each service name; a name of its own gives each service its own log.
        return Logger(service=f"test-{uuid4()}", stream=self.log)

    @cached_property
    def application(self) -> Application:
        acts = Acts(clock=self.clock, ids=self.ids, unverified_window=self.unverified_window)
        changes = FactChanges(facts=self.facts, pseudonyms=self.pseudonyms, pauses=self.pauses)
        service = ServiceApi(version="0.0.0")
        apis = (
            WriteApi(
                acts=acts,
                write_fact=WriteFact(
                    facts=self.facts, pseudonyms=self.pseudonyms, pauses=self.pauses
                ),
                supersede_fact=SupersedeFact(changes=changes),
                verify_fact=VerifyFact(changes=changes),
                delete_fact=DeleteFact(changes=changes),
            ),
            GetApi(
                get_fact=GetFact(facts=self.facts, clock=self.clock),
                list_revisions=ListRevisions(
                    facts=self.facts, clock=self.clock, measure=sent_bytes
                ),
            ),
            ListApi(
                list_facts=ListFacts(
                    facts=self.facts, cursors=self.cursors, clock=self.clock, measure=sent_bytes
                )
            ),
            atom_read_api(self),
            atom_write_api(self, acts),
            memory_read_api(self),
            service,
        )
        endpoints = {key: answer for api in apis for key, answer in api.endpoints().items()}
        return Application(
            authenticate=self._authenticate,
            logger=self.logger,
            endpoints=endpoints,
            public_endpoints={
                **memory_health_api(self).public_endpoints(),
                **service.public_endpoints(),
            },
            answer_once=AnswerOnce(
                records=self.records, facts=self.facts, clock=self.clock, ids=self.ids
            ),
        )

    def ask(  # a request has these parts, and most tests need three of them
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = "admin",
        query: Mapping[str, str] | str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send a request. A body that is ``bytes`` goes as it is, another one as JSON; ``None`` is no body."""
        raw = body if isinstance(body, bytes) else b"" if body is None else _json(body)
        given = {"host": "localhost", "content-type": "application/json", **(headers or {})}
        if token is not None:
            given["authorization"] = f"Bearer {token}"
        request = Request(
            method=method,
            raw_path=path,
            raw_query=query if isinstance(query, str) else urlencode(query, quote_via=quote),
            headers=list(given.items()),
            body=raw,
            source_ip="127.0.0.1",
            protocol="HTTP/1.1",
            request_id=REQUEST_ID,
        )
        match = find_route(_ROUTES, method, decode_path(path))
        assert match is not None
        event = json.loads(json.dumps(build_event(request, match, datetime.now(UTC))))
        answer = self.application(event, None)
        return Response(answer["statusCode"], answer["headers"], answer["body"])

    def write(self, content: object = "Ana plays chess.", **fields: Any) -> Any:
        """Write a fact as the admin (or ``token=``) and return it."""
        token = fields.pop("token", "admin")
        scope = {"tenantId": TENANT, **fields.pop("scope", {})}
        body = {"type": "note", "scope": scope, "content": content, **fields}
        answer = self.ask("POST", "/v1/memory/facts", body, token=token)
        assert answer.status == 201, answer.text
        return answer.body

    def write_atom(self, content: str = "Ana plays chess.", **fields: Any) -> Any:
        """Write an atom as Ana (or ``token=``) and return what is answered."""
        token = fields.pop("token", "ana")
        answer = self.ask(
            "POST", "/api/v1/memory/write", {"content": content, **fields}, token=token
        )
        assert answer.status == 200, answer.text
        return answer.body

    def _authenticate(self, token: str) -> Caller:
        if token not in self.callers:
            raise TokenMissingError("No valid token.")
        return self.callers[token]


@contextmanager
def dying_after(port: object, method: str) -> Iterator[None]:
    """Let the process end as soon as a method of a fake has done its work, as a function that is out of time or memory ends."""
    inner = getattr(port, method)

    def do_and_die(*given: object, **named: object) -> None:
        inner(*given, **named)
        raise SystemExit

    setattr(port, method, do_and_die)
    try:
        yield
    except SystemExit:
        pass
    else:
        raise AssertionError(f"{method} was not called.")
    finally:
        setattr(port, method, inner)


def _json(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


_ROUTES = [
    *(Route(method=o.method, path=o.path, function=o.function) for o in OPERATIONS),
    Route(method="ANY", path="$default", function="describe_service"),
]
