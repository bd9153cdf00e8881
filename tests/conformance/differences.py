"""Where we answer otherwise than the official service, each by choice and with its reason.

The table in docs/conformance.md is made from these; ``test_differences.py`` shows each that can be asked for here.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request and what comes of it.

    Attributes:
        method: Upper case.
        path: Under ``/v1``; ``{fact}`` stands for a fact that the admin can see.
        query: Its parameters.
        body: Of a POST; ``tenantId`` is put into its scope.
        status: That we answer.
        code: That we answer; None for an answer that is good.
    """

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    status: int = 400
    code: str | None = "bad-input"


@dataclass(frozen=True)
class Difference:
    """One choice.

    Attributes:
        theirs: What the official document, or its description, says.
        ours: What we do.
        reason: Why.
        asked: A request that shows it; None where no request to the laptop can.
    """

    theirs: str
    ours: str
    reason: str
    asked: Asked | None = None


LIST = "/memory/facts"
NOTE: dict[str, Any] = {"type": "note", "content": "Tea."}

DIFFERENCES = (
    Difference(
        "A query parameter that an operation does not know is passed over.",
        "`400 bad-input` that names it; so is one that is given twice.",
        "A filter with a typing error would silently find more than was meant.",
        Asked("GET", LIST, {"scpoe": "{}"}),
    ),
    Difference(
        "A revision is asked for by any text; a list of revisions has no 400.",
        "`GET …/revisions?x=` is `400 bad-input`, in the shape of every error.",
        "As above.",
        Asked("GET", "/memory/facts/{fact}/revisions", {"x": ""}),
    ),
    Difference(
        "Times are `date-time`; what of ISO 8601 is taken is not said.",
        "The basic form (`20260501T093000Z`), week dates and ordinal dates are `400 bad-input`; so is a date without a"
        " time, or a time without a zone.",
        "RFC 3339 and its common spellings are what people write; the others are read differently by different programs, and a"
        " time that is read wrongly is worse than one that is refused.",
        Asked("GET", LIST, {"asOf": "20260501T093000Z"}),
    ),
    Difference(
        "Sight by session is not described.",
        "`sessionId` narrows filters and retrievals; it hides nothing from who has every other container.",
        "A session is no container: the official list of what a caller sees knows none.",
        Asked("POST", LIST, body={**NOTE, "scope": {"sessionId": "s-1"}}, status=201, code=None),
    ),
    Difference(
        "`inherit` chooses whether narrower scopes are met.",
        "It is checked and does nothing.",
        "The official document says the same of content; it is listed because a caller may expect otherwise.",
        Asked("GET", LIST, {"inherit": "false"}, status=200, code=None),
    ),
    Difference(
        "Texts in scope, `type` and `subjects[].id` have no greatest length.",
        "256 characters, 512 bytes of UTF-8; more is `400 bad-input`.",
        "They are parts of DynamoDB keys and of keyed hashes.",
        Asked("POST", LIST, body={**NOTE, "type": "x" * 257}),
    ),
    Difference(
        "The body's limit is the deployment's.",
        "A fact with all its fields is at most 256 KB; `413 request-too-large` says so in `details.maxBytes`.",
        "A DynamoDB item holds 400 KB, and the fields that close a fact must always fit.",
        Asked(
            "POST",
            LIST,
            body={**NOTE, "content": "x" * 300_000},
            status=413,
            code="request-too-large",
        ),
    ),
    Difference(
        "Unknown keys of a scope are accepted, their sight is not described.",
        "They are kept as they came, and only a tenant admin sees or writes such a fact.",
        "A container that we do not know must not open what its writer meant to close.",
        Asked("POST", LIST, body={**NOTE, "scope": {"team": "red"}}, status=201, code=None),
    ),
    Difference(
        "`source`, `contentRef` and `causedByLogId` are fields of answers only.",
        "They can be written.",
        "The seed page of the API lists them in the body; the official clients never send them.",
        Asked("POST", LIST, body={**NOTE, "contentRef": "blob://a/b/c"}, status=201, code=None),
    ),
    Difference(
        "`retrieve.limit` is an integer.",
        "Any finite number of at least 1, floored, served up to 100.",
        "So the seed page has it.",
        Asked(
            "POST", "/memory/retrieve", body={"mode": "list", "limit": 2.5}, status=200, code=None
        ),
    ),
    Difference(
        "An `Idempotency-Key` has no greatest length, and is not listed for DELETE.",
        "256 characters; it is taken on DELETE too.",
        "Room for any UUID or digest, and a bound on what is hashed; a delete sent again must not fail on its own success.",
        None,
    ),
    Difference(
        "An answer is as large as it is.",
        "Over 5 MB a page is short; a list of revisions, and a retrieval, is cut from its end and says `truncated: true`, a"
        " field that the official document does not have.",
        "Lambda answers at most 6 MB. The official clients pass the field over.",
        None,
    ),
    Difference(
        "A page is full, or the last.",
        "A page may be short, even empty, before the end: `hasMore` alone tells. The official clients follow it.",
        "A request reads a bounded number of pages of the table, so that no filter makes it time out.",
        None,
    ),
    Difference(
        "Every error has the envelope.",
        "What API Gateway answers by itself has its own body: over 10 MB (413), over 6 MB in an event (500), throttled"
        " (429), a function that timed out (503). The official clients read such an answer by its status.",
        "No function of ours sees these requests.",
        None,
    ),
    Difference(
        "`tenantId` in a scope is any text.",
        "Tenant ids are UUIDs, and only the token's own is taken: else `400 scope-mismatch`.",
        "The tenant comes from the token alone.",
        Asked("POST", LIST, body={**NOTE, "scope": {"tenantId": "x"}}, code="scope-mismatch"),
    ),
    Difference(
        "`whoami` may hold the user's record, the principal and the served environment.",
        "It holds the tenant, the scopes, the user or none, the key, its role and its limit.",
        "There is no directory of users here; all that is left out is optional in the official document.",
        Asked("GET", "/identity/whoami", status=200, code=None),
    ),
    Difference(
        "405 and its `Allow` are not described.",
        "A known path with another method is `405 method-not-allowed` with `Allow`.",
        "RFC 9110 asks for it.",
        Asked("PUT", LIST, status=405, code="method-not-allowed"),
    ),
)
