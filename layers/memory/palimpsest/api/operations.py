"""Every operation that is served over HTTP: the table that routes, ``Allow`` headers and documents are made from.

The template's routes are held to it by a test.
"""

import re

from palimpsest.api import fact_bodies, memory_operations, retrieval_bodies, schemas
from palimpsest.api.described import IDEMPOTENCY_KEY, JsonSchema, Operation, Parameter
from palimpsest.api.entity_operations import ENTITY_OPERATIONS
from palimpsest.api.memory_read_operations import MEMORY_READS

_TEXT: JsonSchema = {"type": "string"}
_TIME: JsonSchema = {"type": "string", "format": "date-time"}
_VERSION: JsonSchema = {"type": "integer", "minimum": 1}


_EXPECT_VERSION = Parameter(
    name="expectVersion",
    schema=_VERSION,
    about="Only if this is the current version; else `409 fact-changed`.",
)
_AS_OF = Parameter(
    name="asOf", schema=_TIME, about="Memory as it stood at this time (ISO 8601 with a zone)."
)
_FILTERS = (
    Parameter(name="type", schema=_TEXT, about="Exactly this type."),
    Parameter(
        name="scope",
        schema=_TEXT,
        about="A JSON object; every key given must be named by the fact with exactly this value.",
    ),
    Parameter(
        name="scopeKind",
        schema={"type": "string", "enum": ["tenant", "org", "project"]},
        about="With `scopeId`: facts of that project, or of that org and its projects.",
    ),
    Parameter(name="scopeId", schema={"type": "string", "minLength": 1}, about="See `scopeKind`."),
    Parameter(name="inherit", schema={"type": "boolean"}, about="Changes nothing for facts."),
    _AS_OF,
)

WRITE = Operation(
    method="POST",
    path="/v1/memory/facts",
    function="write_facts",
    id="memory.writeFact",
    summary="Write a fact",
    about="The fact can be read back by its id as soon as this is answered.",
    success=201,
    answer=schemas.Fact,
    refusals=(400, 403, 409, 413),
    body=fact_bodies.WriteFactBody,
    parameters=(IDEMPOTENCY_KEY,),
)
SUPERSEDE = Operation(
    method="POST",
    path="/v1/memory/facts/{factId}/supersede",
    function="write_facts",
    id="memory.supersedeFact",
    summary="Supersede a fact",
    about="Closes the current revision and opens the next. Absent fields keep their value; type and scope never change.",
    answer=schemas.Fact,
    refusals=(400, 403, 404, 409, 413),
    body=fact_bodies.SupersedeFactBody,
    parameters=(IDEMPOTENCY_KEY,),
)
VERIFY = Operation(
    method="POST",
    path="/v1/memory/facts/{factId}/verify",
    function="write_facts",
    id="memory.verifyFact",
    summary="Verify a fact",
    about="Confirms the current content: a new revision with `trust: verified`. Agents may not.",
    answer=schemas.Fact,
    refusals=(400, 403, 404, 409, 413),
    body=fact_bodies.VerifyFactBody,
    is_body_required=False,
    parameters=(IDEMPOTENCY_KEY,),
)
DELETE = Operation(
    method="DELETE",
    path="/v1/memory/facts/{factId}",
    function="write_facts",
    id="memory.deleteFact",
    summary="Delete a fact",
    about="Closes the current revision and answers it. The history stays readable.",
    answer=schemas.Fact,
    refusals=(400, 403, 404, 409),
    parameters=(_EXPECT_VERSION, IDEMPOTENCY_KEY),
)
GET = Operation(
    method="GET",
    path="/v1/memory/facts/{factId}",
    function="get_fact",
    id="memory.getFact",
    summary="Get a fact",
    about="The current revision, or the one at a version, or the one that was current at a time.",
    answer=schemas.Fact,
    refusals=(400, 404),
    parameters=(
        Parameter(name="version", schema=_VERSION, about="This revision; wins over `asOf`."),
        _AS_OF,
    ),
)
REVISIONS = Operation(
    method="GET",
    path="/v1/memory/facts/{factId}/revisions",
    function="get_fact",
    id="memory.listFactRevisions",
    summary="List a fact's revisions",
    about="Newest first, closed ones included, those of a deleted fact too.",
    answer=schemas.FactRevisions,
    refusals=(400, 404),
)
LIST = Operation(
    method="GET",
    path="/v1/memory/facts",
    function="list_facts",
    id="memory.listFacts",
    summary="List facts",
    about="The current revision of each fact that the caller may see, newest fact first. Only `hasMore: false` is the end.",
    answer=schemas.FactPage,
    refusals=(400, 403),
    parameters=(
        Parameter(
            name="limit",
            schema={"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
            about="Clamped, never refused.",
        ),
        Parameter(name="cursor", schema=_TEXT, about="The `nextCursor` of the page before."),
        *_FILTERS,
    ),
)
RETRIEVE = Operation(
    method="POST",
    path="/v1/memory/retrieve",
    function="retrieve_facts",
    id="memory.retrieve",
    summary="Retrieve facts",
    about="Current facts that the caller may see: the newest, or the best by words, by meaning, or by both.",
    answer=schemas.RetrieveMemoryResult,
    refusals=(400, 403, 409, 413, 422, 501),
    body=retrieval_bodies.RetrieveBody,
    parameters=(IDEMPOTENCY_KEY,),
)
WHOAMI = Operation(
    method="GET",
    path="/v1/identity/whoami",
    function="describe_service",
    id="identity.whoami",
    summary="Say whom the token speaks for",
    answer=schemas.Whoami,
)
HEALTH = Operation(
    method="GET",
    path="/health",
    function="describe_service",
    id="service.health",
    summary="Say that the service answers",
    about="It asks no store: a probe must not cost, and must not wake a sleeping index.",
    answer=schemas.Health,
    refusals=(),
    is_public=True,
)
OPENAPI = Operation(
    method="GET",
    path="/v1/openapi.json",
    function="describe_service",
    id="service.openapi",
    summary="This document",
    answer=None,
    refusals=(),
    is_public=True,
)
DOCS = Operation(
    method="GET",
    path="/v1/docs",
    function="describe_service",
    id="service.docs",
    summary="This document, to read",
    answer=None,
    refusals=(),
    is_public=True,
    media_type="text/html",
)

OPERATIONS = (
    WRITE,
    SUPERSEDE,
    VERIFY,
    DELETE,
    GET,
    REVISIONS,
    LIST,
    RETRIEVE,
    *ENTITY_OPERATIONS,
    *MEMORY_READS,
    *memory_operations.OPERATIONS,
    WHOAMI,
    HEALTH,
    OPENAPI,
    DOCS,
)


def methods_at(path: str) -> list[str]:
    """Return the methods that are served at a path as it came, sorted; none when nothing is served there.

    A path that is served as it is written is no value of another path's parameter.
    """
    written = {o.method for o in OPERATIONS if o.path == path}
    return sorted(written or {o.method for o in OPERATIONS if _pattern(o.path).fullmatch(path)})


def _pattern(path: str) -> re.Pattern[str]:
    parts = ("[^/]+" if part.startswith("{") else re.escape(part) for part in path.split("/"))
    return re.compile("/".join(parts))
