"""What each embedding model on Bedrock is asked and answers. Pure: no call is made here.

Sources: Amazon Bedrock user guide, "Amazon Titan Text Embeddings models" and "Cohere Embed models"; aws-samples
amazon-bedrock-workshop#136 (characters), bedrock-access-gateway#41 (Cohere's maximal length).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class BedrockModel(ABC):
    """How one family of models is spoken to.

    Attributes:
        dimension: Length of the vectors that are asked for.
        texts_a_call: At most so many texts in one request.
        max_characters: A text is cut to so many before it is sent.
        noise: See ``palimpsest.ports.embeddings.Embeddings.noise``. Read in what others measured, since nothing here has an
            account; whoever has one measures it by ``python -m benchmarks.noise``.
    """

    dimension: int
    texts_a_call: int
    max_characters: int
    noise: float

    @abstractmethod
    def body(self, texts: Sequence[str], *, is_query: bool) -> Mapping[str, object]:
        """Return the request's body."""

    @abstractmethod
    def vectors(self, answer: Mapping[str, Any]) -> list[list[float]]:
        """Return the vectors that stand in an answer; raises LookupError or TypeError where they do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitanV2(BedrockModel):
    """Titan Text Embeddings V2: one text a call, 8,192 tokens or 50,000 characters, and no option that cuts."""

    texts_a_call: int = 1
    max_characters: int = 50_000
    # A. Furmanov, "Chunk size and embedding similarity": questions about something else .015, words at random .05, questions
    # about the article .38.
    noise: float = 0.05

    def body(self, texts: Sequence[str], *, is_query: bool) -> Mapping[str, object]:  # noqa: ARG002 - questions are texts like others here
        """See ``BedrockModel.body``."""
        (text,) = texts
        return {"inputText": text, "dimensions": self.dimension, "normalize": True}

    def vectors(self, answer: Mapping[str, Any]) -> list[list[float]]:
        """See ``BedrockModel.vectors``."""
        return [answer["embedding"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohereV3(BedrockModel):
    """Cohere Embed v3, English or multilingual: 96 texts of 2,048 characters, always 1,024 numbers."""

    texts_a_call: int = 96
    max_characters: int = 2_048
    # Cohere's documentation, "Embeddings": "i love soup" against "london is far away" .3.
    noise: float = 0.3

    def body(self, texts: Sequence[str], *, is_query: bool) -> Mapping[str, object]:
        """See ``BedrockModel.body``."""
        return {"texts": list(texts), "input_type": _input_type(is_query), "truncate": "END"}

    def vectors(self, answer: Mapping[str, Any]) -> list[list[float]]:
        """See ``BedrockModel.vectors``."""
        return list(answer["embeddings"])


@dataclass(frozen=True, slots=True, kw_only=True)
class CohereV4(BedrockModel):
    """Cohere Embed v4: 96 texts, some 128,000 tokens."""

    texts_a_call: int = 96
    max_characters: int = 50_000
    # Nobody has published one: half of v3's. Too low a number lets noise through the floor, too high a one drops matches.
    noise: float = 0.15

    def body(self, texts: Sequence[str], *, is_query: bool) -> Mapping[str, object]:
        """See ``BedrockModel.body``."""
        return {
            "texts": list(texts),
            "input_type": _input_type(is_query),
            "truncate": "RIGHT",
            "output_dimension": self.dimension,
            "embedding_types": ["float"],
        }

    def vectors(self, answer: Mapping[str, Any]) -> list[list[float]]:
        """See ``BedrockModel.vectors``."""
        return list(answer["embeddings"]["float"])


# By what a model id holds (an inference profile puts a region's name in front), with the dimensions that can be asked for.
_FAMILIES: Mapping[str, tuple[type[BedrockModel], frozenset[int]]] = {
    "amazon.titan-embed-text-v2": (TitanV2, frozenset({256, 512, 1024})),
    "cohere.embed-english-v3": (CohereV3, frozenset({1024})),
    "cohere.embed-multilingual-v3": (CohereV3, frozenset({1024})),
    "cohere.embed-v4": (CohereV4, frozenset({256, 512, 1024, 1536})),
}


def bedrock_model(model_id: str, *, dimension: int) -> BedrockModel:
    """Return how a model is spoken to.

    Raises:
        ValueError: If the id is of no family that is known here, or has no vectors of that length.
    """
    for name, (family, dimensions) in _FAMILIES.items():
        if name in model_id:
            if dimension not in dimensions:
                raise ValueError(f"{name} has vectors of {sorted(dimensions)} numbers only")
            # Each family has its own defaults for the two others.
            return family(dimension=dimension)  # type: ignore[call-arg]
    raise ValueError(f"not an embedding model that is known here: one of {sorted(_FAMILIES)}")


def _input_type(is_query: bool) -> str:
    return "search_query" if is_query else "search_document"
