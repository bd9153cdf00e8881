"""Embeddings from Amazon Bedrock."""

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from palimpsest.adapters.bedrock.models import BedrockModel, bedrock_model
from palimpsest.domain.errors import BadInputError, EmbeddingUnavailableError
from palimpsest.ports.parallel import Parallel
from palimpsest.ports.pauses import Pauses

if TYPE_CHECKING:  # the stubs are a development tool and not in the layer
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

# InvokeModel's errors that may pass (Bedrock API reference); all others are answered the same when they are asked again.
_TRANSIENT = frozenset(
    {
        "InternalServerException",
        "ModelErrorException",
        "ModelNotReadyException",
        "ModelTimeoutException",
        "ServiceUnavailableException",
        "ThrottlingException",
    }
)
MAX_ATTEMPTS = 4

# The only sign of a text over the model's tokens is this in a ValidationException's message. Chinese may have a token a
# character, so 50,000 of them need three cuts to get under 8,192.
_TOO_LONG = "Too many input tokens"
MAX_CUTS = 4

# Below the quota of a small account (Titan V2: some thousands a minute), and as many sockets as botocore keeps open (10).
CALLS_SIDE_BY_SIDE = 8

# A call takes 0.1 s, a text of 8,192 tokens 1 s. Connecting is refused at once or never answered.
CONNECT_SECONDS = 2
READ_SECONDS = 5


def client_config() -> Config:
    """Return a client's settings for this adapter: its time-outs, and no retries beside the adapter's own."""
    return Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": 1},
        max_pool_connections=CALLS_SIDE_BY_SIDE,
    )


class BedrockEmbeddings:
    """See ``palimpsest.ports.embeddings.Embeddings``.

    Args:
        client: A Bedrock runtime client, made with ``client_config``.
        model_id: Of Titan Text Embeddings V2, or Cohere Embed v3 or v4; an inference profile's id, too.
        dimension: One that the model has.
        pauses: Waits between attempts.
        parallel: Makes several calls at once where many texts are embedded.

    Raises:
        ValueError: See ``bedrock_model``.
    """

    def __init__(
        self,
        client: "BedrockRuntimeClient",
        model_id: str,
        *,
        dimension: int,
        pauses: Pauses,
        parallel: Parallel,
    ) -> None:
        self._client = client
        self._bedrock_id = model_id
        self._model: BedrockModel = bedrock_model(model_id, dimension=dimension)
        self._pauses = pauses
        self._parallel = parallel

    @property
    def model_id(self) -> str:
        """See ``Embeddings.model_id``."""
        return f"{self._bedrock_id}/{self._model.dimension}"

    @property
    def dimension(self) -> int:
        """See ``Embeddings.dimension``."""
        return self._model.dimension

    @property
    def noise(self) -> float:
        """See ``Embeddings.noise``."""
        return self._model.noise

    def embed_query(self, text: str) -> Sequence[float]:
        """See ``Embeddings.embed_query``: one call, tried at most ``MAX_ATTEMPTS`` times."""
        (cut,) = self._fit([text])
        return self._embed([cut], is_query=True)[0]

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """See ``Embeddings.embed_texts``: as few calls as the model allows, some at a time."""
        cut, size = self._fit(texts), self._model.texts_a_call
        calls: list[Callable[[], list[Sequence[float]]]] = [
            partial(self._embed, cut[start : start + size], is_query=False)
            for start in range(0, len(cut), size)
        ]
        made: list[Sequence[float]] = []
        for start in range(0, len(calls), CALLS_SIDE_BY_SIDE):
            for vectors in self._side_by_side(calls[start : start + CALLS_SIDE_BY_SIDE]):
                made += vectors
        return made

    def _side_by_side(
        self, calls: Sequence[Callable[[], list[Sequence[float]]]]
    ) -> list[list[Sequence[float]]]:
        try:
            return self._parallel.run(calls, seconds=MAX_ATTEMPTS * READ_SECONDS)
        except TimeoutError as error:
            raise EmbeddingUnavailableError("The embedding model takes too long.") from error

    def _fit(self, texts: Sequence[str]) -> list[str]:
        if not all(text.strip() for text in texts):
            raise BadInputError("A text without a character has no meaning to embed.")
        # A lone surrogate has no bytes in UTF-8, and no meaning. Nor have blanks in front: a cut could leave only those.
        return [
            text.lstrip()[: self._model.max_characters].encode("utf-8", "replace").decode("utf-8")
            for text in texts
        ]

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> list[Sequence[float]]:
        cut = list(texts)
        for _ in range(MAX_CUTS):
            try:
                return self._invoke_patiently(cut, is_query=is_query)
            except _TooLongError:
                cut = [text[: (len(text) + 1) // 2] for text in cut]
        raise EmbeddingUnavailableError("The embedding model finds a text too long.")

    def _invoke_patiently(self, texts: Sequence[str], *, is_query: bool) -> list[Sequence[float]]:
        attempt = 1
        while True:
            try:
                return self._invoke(texts, is_query=is_query)
            except _BusyError as error:
                if attempt == MAX_ATTEMPTS:
                    raise EmbeddingUnavailableError(str(error)) from error
                self._pauses.pause(attempt)
                attempt += 1

    def _invoke(self, texts: Sequence[str], *, is_query: bool) -> list[Sequence[float]]:
        try:
            answer = self._client.invoke_model(
                modelId=self._bedrock_id,
                body=json.dumps(self._model.body(texts, is_query=is_query)),
                contentType="application/json",
                accept="application/json",
            )
            return self._read(json.loads(answer["body"].read()), count=len(texts))
        except ClientError as error:
            # Not chained: the vendor's message may quote the text.
            raise _refusal(error) from None
        except ReadTimeoutError as error:
            # Another try would keep the caller waiting as long again.
            raise EmbeddingUnavailableError("The embedding model does not answer.") from error
        except BotoCoreError as error:
            raise _BusyError("The embedding model cannot be reached.") from error

    def _read(self, answer: dict[str, Any], *, count: int) -> list[Sequence[float]]:
        try:
            vectors: list[Sequence[float]] = [_unit(v) for v in self._model.vectors(answer)]
        except (LookupError, TypeError, ZeroDivisionError) as error:
            raise EmbeddingUnavailableError("The embedding model answers oddly.") from error
        if len(vectors) != count or any(len(v) != self.dimension for v in vectors):
            raise EmbeddingUnavailableError("The embedding model answers oddly.")
        return vectors


class _BusyError(Exception):
    """It may work at the next try."""


class _TooLongError(Exception):
    """It works with a shorter text."""


def _refusal(error: ClientError) -> Exception:
    told = error.response.get("Error", {})
    code = told.get("Code", "")
    if code in _TRANSIENT:
        return _BusyError("The embedding model is busy.")
    if code == "ValidationException" and _TOO_LONG in told.get("Message", ""):
        return _TooLongError("A text is too long for the embedding model.")
    return EmbeddingUnavailableError(f"The embedding model refuses: {code or 'unknown'}.")


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [number / length for number in vector]
