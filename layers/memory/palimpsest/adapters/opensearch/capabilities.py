"""What kind of OpenSearch stands behind an endpoint, and how an index has to be made for it."""

from dataclasses import dataclass
from enum import StrEnum


class VectorEngine(StrEnum):
    """Who searches the vectors. All three walk an HNSW graph and take the filter inside the search.

    Attributes:
        LUCENE: A server of one's own; it needs no native library.
        FAISS: Classic OpenSearch Serverless. It must be named there: the default cannot filter.
        MANAGED: NextGen OpenSearch Serverless, which refuses to be told (graphrag-toolkit#359).
    """

    LUCENE = "lucene"
    FAISS = "faiss"
    MANAGED = "managed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What one kind of server can do.

    Attributes:
        engine: See ``VectorEngine``.
        supports_document_ids: Whether a client may choose the id of a document. Classic vector collections of Serverless
            answer 400; for NextGen AWS's own pages disagree, so this is a setting.
    """

    engine: VectorEngine
    supports_document_ids: bool


SELF_HOSTED = Collection(engine=VectorEngine.LUCENE, supports_document_ids=True)
CLASSIC = Collection(engine=VectorEngine.FAISS, supports_document_ids=False)
NEXTGEN = Collection(engine=VectorEngine.MANAGED, supports_document_ids=True)
