"""What kind of collection the gate pretends to be."""

from dataclasses import dataclass
from enum import Enum

# Classic vector collections refresh every 60 s, NextGen every 10 s (developer guide, vector search).
CLASSIC_DELAY_SECONDS = 60.0
NEXTGEN_DELAY_SECONDS = 10.0


class Generation(Enum):
    """OpenSearch Serverless has two; they want different mappings."""

    CLASSIC = "classic"
    NEXTGEN = "nextgen"


@dataclass(frozen=True)
class Rules:
    """One kind of vector collection.

    Attributes:
        generation: Decides on the mapping of vectors.
        supports_document_ids: Whether a client may choose ids. Classic vector collections refuse that; for NextGen
            the sources disagree, so both are tested.
        delay_seconds: Until a write can be searched.
    """

    generation: Generation
    supports_document_ids: bool
    delay_seconds: float


CLASSIC = Rules(
    Generation.CLASSIC, supports_document_ids=False, delay_seconds=CLASSIC_DELAY_SECONDS
)
NEXTGEN = Rules(Generation.NEXTGEN, supports_document_ids=True, delay_seconds=NEXTGEN_DELAY_SECONDS)
NEXTGEN_WITHOUT_IDS = Rules(
    Generation.NEXTGEN, supports_document_ids=False, delay_seconds=NEXTGEN_DELAY_SECONDS
)
