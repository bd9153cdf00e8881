"""Operations of entities over REST, and of the tools."""

from palimpsest.api import entity_schemas, tool_bodies
from palimpsest.api.described import JsonSchema, Operation, Parameter

_ID: JsonSchema = {"type": "string", "minLength": 1, "maxLength": 256}
# As palimpsest.api.tool_scopes reads them.
_SCOPE = tuple(
    Parameter(
        name=f"X-Palimpsest-{container}",
        place="header",
        schema=_ID,
        about=f"Only in this {container.lower()}, inside the scope of the token.",
    )
    for container in ("Project", "Thread", "Participant")
)
_TYPES = Parameter(
    name="types",
    schema={
        "type": "string",
        "pattern": "^(({0})(,({0}))*)?$".format(
            "person|concept|project|preference|fact|location|organization"
        ),
    },
    about="Only of these types, with commas between; none means all.",
)

MCP = Operation(
    method="POST",
    path="/mcp",
    function="serve_tools",
    id="mcp.exchange",
    summary="Speak the Model Context Protocol",
    about="Streamable HTTP without sessions: one JSON-RPC message in, one JSON answer out; `202` for a notification.",
    answer=None,
    refusals=(400, 403, 406, 413, 421),
    body=tool_bodies.Message,
    parameters=_SCOPE,
)
LIST_ENTITIES = Operation(
    method="GET",
    path="/api/memory/entities",
    function="serve_tools",
    id="entities.list",
    summary="List entities",
    about="Latest update first. More follow while `offset + returned < total`.",
    answer=entity_schemas.EntityList,
    refusals=(400, 403, 404),
    parameters=(
        Parameter(
            name="limit",
            schema={"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
            about="At most so many.",
        ),
        Parameter(
            name="offset",
            schema={"type": "integer", "minimum": 0, "default": 0},
            about="So many are skipped.",
        ),
        _TYPES,
        *_SCOPE,
    ),
)
GET_ENTITY = Operation(
    method="GET",
    path="/api/memory/entities/{name}",
    function="serve_tools",
    id="entities.get",
    summary="Get what is known of an entity",
    answer=entity_schemas.EntityContext,
    refusals=(400, 403, 404),
    parameters=(
        Parameter(
            name="maxObs",
            schema={"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            about="At most so many observations, newest first.",
        ),
        Parameter(
            name="includeRelated",
            schema={"type": "boolean", "default": True},
            about="Whether relations come too.",
        ),
        *_SCOPE,
    ),
)
ENTITY_GRAPH = Operation(
    method="GET",
    path="/api/memory/graph",
    function="serve_tools",
    id="entities.graph",
    summary="Get relations as a graph",
    about="The newest relations, and the entities that they join.",
    answer=entity_schemas.EntityGraph,
    refusals=(400, 403, 404),
    parameters=(
        Parameter(
            name="limit",
            schema={"type": "integer", "minimum": 1, "maximum": 500, "default": 100},
            about="At most so many relations.",
        ),
        *_SCOPE,
    ),
)
SEARCH_MEMORIES = Operation(
    method="GET",
    path="/api/memory/search",
    function="serve_tools",
    id="entities.search",
    summary="Search observations",
    about="By words and by meaning, or by meaning alone; grouped by entity.",
    answer=entity_schemas.Recalled,
    refusals=(400, 403, 404, 422, 501),
    parameters=(
        Parameter(
            name="query",
            schema={"type": "string", "minLength": 1, "maxLength": 1000},
            about="What to look for, in plain words.",
            is_required=True,
        ),
        Parameter(
            name="limit",
            schema={"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            about="At most so many memories.",
        ),
        Parameter(
            name="searchMode",
            schema={"type": "string", "enum": ["hybrid", "semantic"], "default": "hybrid"},
            about="How they are found.",
        ),
        _TYPES,
        *_SCOPE,
    ),
)
MEMORY_STATS = Operation(
    method="GET",
    path="/api/memory/stats",
    function="serve_tools",
    id="entities.stats",
    summary="Count what is remembered",
    answer=entity_schemas.MemoryStats,
    refusals=(400, 403, 404),
    parameters=_SCOPE,
)

ENTITY_OPERATIONS = (
    LIST_ENTITIES,
    GET_ENTITY,
    ENTITY_GRAPH,
    SEARCH_MEMORIES,
    MEMORY_STATS,
    MCP,
)
