"""What the service says of itself: who asks, whether it lives, and what is not there."""

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.api import operations
from palimpsest.api.doors import door_at
from palimpsest.api.openapi import document
from palimpsest.api.pages import reading_page
from palimpsest.api.problems import Refusal
from palimpsest.api.requests import Answer, Endpoint, PublicEndpoint, Request
from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.json_text import write_json


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceApi:
    """Routes of the function ``describe_service``.

    Attributes:
        version: Of the software.
    """

    version: str

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers callers, by route key."""
        return {operations.WHOAMI.route_key: self.whoami}

    def public_endpoints(self) -> Mapping[str, PublicEndpoint]:
        """Return what answers anybody, by route key."""
        return {
            operations.HEALTH.route_key: self.health,
            operations.OPENAPI.route_key: self.openapi,
            operations.DOCS.route_key: self.docs,
            "$default": self.nothing_here,
        }

    def whoami(self, request: Request, caller: Caller) -> Answer:
        """Return whom the token speaks for."""
        request.parameters(frozenset())
        known: dict[str, object] = {
            "tenantId": caller.tenant_id,
            "scopes": scopes_of(caller),
            "role": "admin" if caller.is_tenant_admin else "member",
            "tenantAdmin": caller.is_tenant_admin,
        }
        if caller.kind is CallerKind.USER:
            known["userId"] = caller.id
        if caller.token_id is not None:
            known["tokenId"] = caller.token_id
        if caller.project_limit is not None:
            known["projectId"] = caller.project_limit
        return Answer(status=200, body=write_json(known))

    def health(self, _request: Request) -> Answer:
        """Say that the service answers. It asks no store: a probe must not cost, and must not wake a sleeping index."""
        return Answer(status=200, body=write_json({"status": "ok", "version": self.version}))

    def openapi(self, _request: Request) -> Answer:
        """Return the OpenAPI document of everything that is served."""
        return Answer(status=200, body=write_json(document(self.version)))

    def docs(self, _request: Request) -> Answer:
        """Return a page that shows the document and lets a person try it; it loads nothing from elsewhere."""
        return Answer(
            status=200,
            body=reading_page(write_json(document(self.version))),
            headers={"Content-Type": "text/html; charset=utf-8"},
        )

    def nothing_here(self, request: Request) -> Answer:
        """Answer what no route is for: 405 where the path is served by other methods, else 404."""
        allowed = operations.methods_at(request.path)
        refusal = _wrong_method(allowed) if allowed else _NOTHING_HERE
        return door_at(request.path).refuse(refusal, request.request_id)


_NOTHING_HERE = Refusal(status=404, code="not-found", message="There is nothing at this path.")


def _wrong_method(allowed: list[str]) -> Refusal:
    allow = ", ".join(allowed)
    return Refusal(
        status=405,
        code="method-not-allowed",
        message=f"This path takes {allow}.",
        headers={"Allow": allow},
    )


def scopes_of(caller: Caller) -> list[str]:
    """Return a caller's grants as sorted texts, such as ``project:apollo:write``."""
    return sorted(
        [
            *(["tenant:admin"] if caller.is_tenant_admin else []),
            *(f"project:{p.project_id}:{p.access}" for p in caller.projects.values()),
            *(f"org:{o.org_id}:{o.access}" for o in caller.orgs.values()),
            *(f"conversation:{thread}:write" for thread in caller.conversations),
            *(f"tool:{tool}" for tool in caller.tools),
        ]
    )
