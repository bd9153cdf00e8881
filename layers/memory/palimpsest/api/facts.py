"""The facts API: what each route reads from its request, asks of a use case, and answers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from palimpsest.api import operations
from palimpsest.api.bodies import read_body
from palimpsest.api.fact_answers import fact_json, facts_json
from palimpsest.api.fact_bodies import (
    SupersedeFactBody,
    VerifyFactBody,
    WriteFactBody,
)
from palimpsest.api.fact_filters import FILTER_PARAMETERS, as_of_from, filter_from
from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.facts import Revision, RunStep
from palimpsest.domain.json_text import write_json
from palimpsest.domain.outer_ids import MAX_ID_CHARACTERS
from palimpsest.domain.revisions import Act, Change, Draft
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.changes import Target
from palimpsest.use_cases.list_facts import ListRequest, Page
from palimpsest.use_cases.list_revisions import Revisions

# spec/facts.md §9: a limit is clamped and never refused.
DEFAULT_LIMIT = 25
MAX_LIMIT = 100

_VERSION = re.compile(r"0*([1-9][0-9]*)", re.ASCII)
# No fact has so many revisions: a number with more digits is read as this one, which nothing has either.
_MAX_VERSION = 10**18 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteApi:
    """Routes of the function ``write_facts``."""

    acts: Acts
    write_fact: Callable[[Act, Draft], Revision]
    supersede_fact: Callable[[Act, Target, Change], Revision]
    verify_fact: Callable[[Act, Target], Revision]
    delete_fact: Callable[[Act, Target], Revision]

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {
            operations.WRITE.route_key: self.write,
            operations.SUPERSEDE.route_key: self.supersede,
            operations.VERIFY.route_key: self.verify,
            operations.DELETE.route_key: self.delete,
        }

    def write(self, request: Request, caller: Caller) -> Answer:
        """Write a fact."""
        request.parameters(frozenset())
        body = read_body(WriteFactBody, request.json_body())
        revision = self.write_fact(self._begin(request, caller), body.to_domain())
        return _shown(201, revision)

    def supersede(self, request: Request, caller: Caller) -> Answer:
        """Open the next revision of a fact."""
        request.parameters(frozenset())
        body = read_body(SupersedeFactBody, request.json_body())
        target = Target(fact_id=_fact_id(request), expected_version=body.expect_version)
        act = self._begin(request, caller)
        return _shown(200, self.supersede_fact(act, target, body.to_domain()))

    def verify(self, request: Request, caller: Caller) -> Answer:
        """Confirm a fact as it stands. No body is the same as ``{}``."""
        request.parameters(frozenset())
        body = read_body(VerifyFactBody, request.json_body() if request.body else {})
        target = Target(fact_id=_fact_id(request), expected_version=body.expect_version)
        return _shown(200, self.verify_fact(self._begin(request, caller), target))

    def delete(self, request: Request, caller: Caller) -> Answer:
        """Close a fact's current revision."""
        parameters = request.parameters(frozenset({"expectVersion"}))
        version = _version(parameters.get("expectVersion"), "expectVersion")
        target = Target(fact_id=_fact_id(request), expected_version=version)
        return _shown(200, self.delete_fact(self._begin(request, caller), target))

    def _begin(self, request: Request, caller: Caller) -> Act:
        return self.acts.begin(caller, step=run_step_of(request, caller), minted=request.minted)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetApi:
    """Routes of the function ``get_fact``."""

    get_fact: Callable[[Caller, str, int | None, datetime | None], Revision]
    list_revisions: Callable[[Caller, str], Revisions]

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {
            operations.GET.route_key: self.get,
            operations.REVISIONS.route_key: self.revisions,
        }

    def get(self, request: Request, caller: Caller) -> Answer:
        """Return a fact as it stands, at a version, or as of an instant."""
        parameters = request.parameters(frozenset({"version", "asOf"}))
        version = _version(parameters.get("version"), "version")
        return _shown(
            200, self.get_fact(caller, _fact_id(request), version, as_of_from(parameters))
        )

    def revisions(self, request: Request, caller: Caller) -> Answer:
        """Return a fact's history."""
        request.parameters(frozenset())
        found = self.list_revisions(caller, _fact_id(request))
        rest = ',"truncated":true}' if found.is_truncated else "}"
        return Answer(status=200, body='{"data":' + facts_json(found.revisions) + rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListApi:
    """Routes of the function ``list_facts``."""

    list_facts: Callable[[Caller, ListRequest], Page]

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {operations.LIST.route_key: self.list}

    def list(self, request: Request, caller: Caller) -> Answer:
        """Return a page of the facts that the caller may see."""
        limits = [value for name, value in request.query if name == "limit"]
        parameters = request.without("limit").parameters(FILTER_PARAMETERS | {"cursor"})
        cursor = parameters.pop("cursor", "") or None
        page = self.list_facts(
            caller,
            ListRequest(
                wanted=filter_from(parameters),
                limit=_limit(limits),
                as_of=as_of_from(parameters),
                cursor=cursor,
                list_name=write_json([request.route_key, sorted(parameters.items())]),
            ),
        )
        end: dict[str, object] = {"hasMore": page.next_cursor is not None}
        if page.next_cursor is not None:
            end["nextCursor"] = page.next_cursor
        body = '{"data":' + facts_json(page.revisions) + "," + write_json(end)[1:]
        return Answer(status=200, body=body)


def _shown(status: int, revision: Revision) -> Answer:
    return Answer(status=status, body=fact_json(revision), revisions=(revision,))


def _fact_id(request: Request) -> str:
    return request.path_parameters["factId"]


def _version(text: str | None, field: str) -> int | None:
    if text is None:
        return None
    match = _VERSION.fullmatch(text)
    if match is None:
        raise BadInputError(f"{field} must be an integer of at least 1.", field=field)
    digits = match[1]
    return _MAX_VERSION if len(digits) > len(str(_MAX_VERSION)) else int(digits)


def _limit(given: list[str]) -> int:
    text = given[0] if len(given) == 1 else ""
    if not (text.isascii() and text.isdigit()) or not text.strip("0"):
        return DEFAULT_LIMIT
    significant = text.lstrip("0")
    return MAX_LIMIT if len(significant) > len(str(MAX_LIMIT)) else min(int(text), MAX_LIMIT)


def run_step_of(request: Request, caller: Caller) -> RunStep | None:
    """Return the run step that an agent names in its headers; other callers' headers mean nothing."""
    if caller.kind is not CallerKind.AGENT:
        return None
    run_id = _header(request, "X-Run-Id")
    if run_id is None:
        return None
    return RunStep(
        run_id=run_id,
        step_id=_header(request, "X-Step-Id"),
        tool_call_id=_header(request, "X-Tool-Call-Id"),
    )


def _header(request: Request, name: str) -> str | None:
    value = request.headers.get(name.lower(), "")
    if len(value) > MAX_ID_CHARACTERS:
        raise BadInputError(f"{name} must be at most {MAX_ID_CHARACTERS} characters.", field=name)
    return value or None
