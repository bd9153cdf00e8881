"""What answers of the memory door's write side look like, for the OpenAPI document.

They are written by ``palimpsest.api.atom_answers``; tests hold every answer to these.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from palimpsest.api.schemas import TextOrNull
from palimpsest.use_cases.atom_facts import Reason

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class _Answer(BaseModel):
    """What all objects in an answer of this door share: snake_case, every field there, no others."""

    # Nothing is validated against these at run time, so they are built when the document first is.
    model_config = ConfigDict(extra="forbid", defer_build=True)


class WrittenAtom(_Answer):
    """What became of one atom."""

    stored: Annotated[
        bool, Field(description="False only where the very same content stood already.")
    ]
    atom_id: Annotated[str, Field(description="Of the new atom, or of the one that stood already.")]
    importance: Annotated[
        Share,
        Field(
            description="Its novelty: 1 - the highest cosine to an atom of its domain. It never decides."
        ),
    ]
    reason: Annotated[Reason, Field(description="Empty when there is nothing to say.")]
    superseded: Annotated[list[str], Field(description="Ids of the atoms that it replaced.")]


class WrittenItem(_Answer):
    """What became of one item of a batch."""

    index: Annotated[Count, Field(description="Its place in the request.")]
    stored: bool
    atom_id: TextOrNull
    importance: Share
    reason: Reason
    error: TextOrNull


class WrittenAtoms(_Answer):
    """What became of a batch."""

    total_count: Count
    stored_count: Count
    results: list[WrittenItem]


class RatedAtoms(_Answer):
    """What came of a rating."""

    updated_count: Count
    avg_valence: Annotated[
        float, Field(ge=-1, le=1, description="Of those updated; 0 without any.")
    ]
    coactivation_edges: Annotated[Count, Field(description="Pairs of concepts that it teaches.")]
    feedback_time_ms: Annotated[float, Field(ge=0)]


class DeletedAtoms(_Answer):
    """How many atoms a delete ended."""

    deleted: Annotated[int, Field(ge=0, le=1)]
