"""The read side of the memory door, ``/api/v1/memory``, as it is served over HTTP."""

from palimpsest.api import memory_bodies as bodies
from palimpsest.api import memory_read_bodies as read_bodies
from palimpsest.api import memory_schemas as schemas
from palimpsest.api.described import JsonSchema, Operation, Parameter

FUNCTION = "read_memory"
_ROOT = "/api/v1"
_MEMORY = f"{_ROOT}/memory"

_TEXT: JsonSchema = {"type": "string"}
_FLAG: JsonSchema = {"type": "boolean", "default": False}

READ = Operation(
    method="POST",
    path=f"{_MEMORY}/read",
    function=FUNCTION,
    id="atoms.read",
    summary="Read memory",
    about="The atoms that answer a query best, of all that the caller may see. Unknown fields are ignored.",
    answer=schemas.ReadAnswer,
    refusals=(400, 403, 413, 422, 501),
    body=read_bodies.ReadBody,
)
READ_BATCH = Operation(
    method="POST",
    path=f"{_MEMORY}/read-batch",
    function=FUNCTION,
    id="atoms.readBatch",
    summary="Read memory several times",
    about="Each item is a body of `read` and is answered, or fails, on its own.",
    answer=schemas.ReadBatchAnswer,
    refusals=(400, 403, 413),
    body=read_bodies.ReadBatchBody,
)
QUERY = Operation(
    method="POST",
    path=f"{_MEMORY}/query",
    function=FUNCTION,
    id="atoms.query",
    summary="Read memory over several domains",
    about="As `read`, over `domains` in place of one, and only atoms whose metadata meets every filter.",
    answer=schemas.ReadAnswer,
    refusals=(400, 403, 413, 422, 501),
    body=read_bodies.QueryBody,
)
RECENT = Operation(
    method="POST",
    path=f"{_MEMORY}/recent",
    function=FUNCTION,
    id="atoms.recent",
    summary="List the newest atoms",
    about="Complete for whoever follows the cursors, while others write too. Only `next_cursor: null` is the end.",
    answer=schemas.RecentAnswer,
    refusals=(400, 403, 413, 422),
    body=bodies.RecentBody,
)
GRAPH = Operation(
    method="POST",
    path=f"{_MEMORY}/graph",
    function=FUNCTION,
    id="atoms.graph",
    summary="Follow the associations of concepts",
    about="Of the caller's own scope. At depth 2 and 3 without `min_weight`, edges below 0.05 are left out.",
    answer=schemas.GraphAnswer,
    refusals=(400, 403, 413),
    body=bodies.GraphBody,
)
STATS = Operation(
    method="GET",
    path=f"{_MEMORY}/stats",
    function=FUNCTION,
    id="atoms.stats",
    summary="Describe the memory in numbers",
    about="Of all atoms that the caller may see and that nothing replaced; edges are those of the caller's own scope.",
    answer=schemas.Stats,
    refusals=(400, 403),
)
DOMAINS = Operation(
    method="GET",
    path=f"{_MEMORY}/domains",
    function=FUNCTION,
    id="atoms.domains",
    summary="List the domains",
    about="The same as `stats`: `domains` holds every one that an atom stands in which the caller may see.",
    answer=schemas.Stats,
    refusals=(400, 403),
)
ATOM = Operation(
    method="GET",
    path=f"{_MEMORY}/atoms/{{atom_id}}",
    function=FUNCTION,
    id="atoms.get",
    summary="Get an atom",
    about="One that another replaced too; it names its successor.",
    answer=schemas.Atom,
    refusals=(400, 403, 404),
)
CHAIN = Operation(
    method="GET",
    path=f"{_MEMORY}/atoms/{{atom_id}}/chain",
    function=FUNCTION,
    id="atoms.chain",
    summary="Get what an atom replaced and what replaced it",
    about="At most 64 look-ups, the nearest first. A predecessor never stands after its successor.",
    answer=schemas.Chain,
    refusals=(400, 403, 404),
)
BY_EXTERNAL_REF = Operation(
    method="POST",
    path=f"{_MEMORY}/atoms/by-external-ref",
    function=FUNCTION,
    id="atoms.byExternalRef",
    summary="Find atoms by their writer's own id",
    about="Of the caller's own scope, newest first.",
    answer=schemas.AtomList,
    refusals=(400, 403, 413),
    body=bodies.RefBody,
)
EXPORT = Operation(
    method="GET",
    path=f"{_MEMORY}/export",
    function=FUNCTION,
    id="atoms.export",
    summary="Export all atoms that the caller may see",
    about="One JSON object a line, newest first. `X-Next-Cursor` names the next page; without it, this was the last.",
    answer=None,
    refusals=(400, 403),
    parameters=(
        Parameter(name="cursor", schema=_TEXT, about="The `X-Next-Cursor` of the page before."),
        Parameter(name="domain", schema={**_TEXT, "minLength": 1}, about="Only this domain."),
        Parameter(name="include_history", schema=_FLAG, about="Atoms that another replaced, too."),
    ),
    media_type="application/x-ndjson",
)
ROOMS = Operation(
    method="GET",
    path=f"{_MEMORY}/rooms",
    function=FUNCTION,
    id="atoms.rooms",
    summary="List shared rooms",
    about="There are none: rooms are not offered here.",
    answer=schemas.Rooms,
    refusals=(400,),
)
SECRETS = Operation(
    method="GET",
    path=f"{_ROOT}/vault/secrets",
    function=FUNCTION,
    id="atoms.secrets",
    summary="List secrets",
    about="There are none: secrets are not offered here.",
    answer=schemas.Secrets,
    refusals=(400,),
)
HEALTH = Operation(
    method="GET",
    path=f"{_ROOT}/health",
    function=FUNCTION,
    id="atoms.health",
    summary="Say whether the store answers",
    about="It reads the tables once and asks no index: a probe must not wake one that sleeps.",
    answer=schemas.MemoryHealth,
    refusals=(503,),
    is_public=True,
    other_answers={503: schemas.UnhealthyMemory},
)
READY = Operation(
    method="GET",
    path=f"{_ROOT}/health/ready",
    function=FUNCTION,
    id="atoms.ready",
    summary="Say whether the store answers",
    about="The same as `health`.",
    answer=schemas.MemoryHealth,
    refusals=(503,),
    is_public=True,
    other_answers={503: schemas.UnhealthyMemory},
)

MEMORY_READS = (
    READ,
    READ_BATCH,
    QUERY,
    RECENT,
    GRAPH,
    STATS,
    DOMAINS,
    ATOM,
    CHAIN,
    BY_EXTERNAL_REF,
    EXPORT,
    ROOMS,
    SECRETS,
    HEALTH,
    READY,
)
