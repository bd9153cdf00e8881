"""What answers of the memory door's reads look like, for the OpenAPI document.

Answers themselves are written by ``palimpsest.api.memory_answers``; tests hold every answer to these.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from palimpsest.api.schemas import MemoryProblem, Time

_Share = Annotated[float, Field(ge=0, le=1)]
_Signed = Annotated[float, Field(ge=-1, le=1)]
_Count = Annotated[int, Field(ge=0)]


class _MemoryAnswer(BaseModel):
    """What all objects in an answer share: snake_case, no other fields."""

    # Nothing is validated against these at run time, so they are built when the document first is.
    model_config = ConfigDict(extra="forbid", defer_build=True)


class Provenance(_MemoryAnswer):
    """Who wrote an atom, as the server knows it."""

    principal: Annotated[str, Field(description="`kind:id`, such as `user:ana`.")]
    agent: Annotated[str | None, Field(description="Id of an agent, where one wrote it.")] = None
    agent_name: Annotated[str | None, Field(description="As that agent calls itself.")] = None
    client_env: Literal["cursor", "claude", "chatgpt", "chat", "api", "unknown"]
    is_external: Annotated[bool, Field(description="Written for an app's end user.")]


class Atom(_MemoryAnswer):
    """One memory. Every number is always there, whatever found it."""

    atom_id: str
    content: str
    relevance: Annotated[
        float,
        Field(
            description="0 for noise, 1 for the same text, moved by valence and age; 1 where nothing was searched for."
        ),
    ]
    similarity: Annotated[float, Field(description="The raw cosine of the embedding model.")]
    valence: Annotated[_Signed, Field(description="How well it served; 0 before anybody said.")]
    importance: Annotated[_Share, Field(description="Its novelty when it was written.")]
    source: Literal["semantic", "concept_scoped", "hebbian_retrieval", "episodic", "keyword"]
    concepts: list[str]
    domain: str
    metadata: dict[str, Any]
    supersedes: Annotated[list[str], Field(description="Ids of the atoms that it replaced.")]
    provenance: Provenance | None = None
    created_at: Time | None = None
    superseded_by: Annotated[
        str | None, Field(description="Id of the atom that replaced it: what has this is history.")
    ] = None


class ReadAnswer(_MemoryAnswer):
    """What a read found."""

    items: list[Atom]
    episodic_hit: Annotated[bool, Field(description="An exact match by fingerprint was found.")]
    query_concepts: list[str]
    expanded_concepts: list[str]
    search_time_ms: Annotated[float, Field(ge=0)]
    timings: Annotated[
        dict[str, float] | None,
        Field(
            description=(
                "Phases in ms, and counts of what was asked of the model, the index and the store. What runs side by side"
                " is added up; one question to a store may be several requests. A skipped phase has no key."
            )
        ),
    ] = None
    truncated: Annotated[
        Literal[True] | None, Field(description="The last items were cut off: 5 MB.")
    ] = None


class ReadBatchResult(_MemoryAnswer):
    """What one of several reads found, or why it failed."""

    index: _Count
    result: ReadAnswer | None
    error: str | None


class ReadBatchAnswer(_MemoryAnswer):
    """One result for each item, in their order."""

    results: list[ReadBatchResult]


class AtomList(_MemoryAnswer):
    """Atoms, newest first."""

    items: list[Atom]


class RecentAnswer(_MemoryAnswer):
    """A page of atoms, newest first."""

    items: list[Atom]
    next_cursor: Annotated[str | None, Field(description="Null at the end, and only there.")]


class GraphNode(_MemoryAnswer):
    """One concept."""

    concept: str
    degree: Annotated[_Count, Field(description="Edges of this answer that end in it.")]


class GraphEdge(_MemoryAnswer):
    """Two concepts that belong together; `source` is the lesser text."""

    source: str
    target: str
    weight: _Share
    valence: _Signed
    count: _Count
    updated_at: Time


class GraphAnswer(_MemoryAnswer):
    """A neighbourhood of concepts."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool
    min_weight_applied: Annotated[float, Field(ge=0)]


class Stats(_MemoryAnswer):
    """A memory in numbers."""

    total_atoms: _Count
    episodes: Annotated[_Count, Field(description="Atoms as they were told: all of them.")]
    prototypes: Annotated[
        _Count, Field(description="Atoms made of several others: none, this service melts nothing.")
    ]
    singletons: Annotated[_Count, Field(description="Atoms in no prototype: all of them.")]
    hebbian_edges: _Count
    episodic_fingerprints: Annotated[_Count, Field(description="Atoms that have a fingerprint.")]
    domains: list[str]
    avg_valence: _Signed
    avg_importance: _Share


class Chain(_MemoryAnswer):
    """What an atom replaced and what replaced it."""

    atom_id: str
    revisions: Annotated[list[Atom], Field(description="A predecessor never after its successor.")]
    dangling: Annotated[
        list[str],
        Field(description="Ids that one of them names and that are not there to be seen."),
    ]
    truncated: Annotated[bool, Field(description="There may be more.")]


class Rooms(RootModel[list[str]]):
    """Shared rooms: none."""

    root: Annotated[list[str], Field(max_length=0)]


class Secrets(_MemoryAnswer):
    """Secrets: none."""

    secrets: Annotated[list[str], Field(max_length=0)]


class MemoryHealth(_MemoryAnswer):
    """The store answers."""

    status: Literal["ok"]
    database: Literal[True]
    version: str


class UnhealthyMemory(MemoryProblem):
    """The store does not answer."""

    status: Literal["unavailable"]
    database: Literal[False]
    version: str
