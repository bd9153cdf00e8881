"""A Bedrock on loopback: it records what it is asked and answers as it is told."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import boto3
from botocore.config import Config
from palimpsest.adapters.bedrock import strategies
from palimpsest.adapters.bedrock.embeddings import BedrockEmbeddings, client_config
from palimpsest.adapters.bedrock.strategies import BedrockStrategies
from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.ports.pauses import Pauses

from tests.fakes.pauses import FakePauses


@dataclass(frozen=True)
class Answer:
    """What the endpoint sends; an error where it names a code."""

    body: Any
    status: int = 200
    code: str | None = None


@dataclass(frozen=True)
class Asked:
    """One request."""

    model_id: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]


def refuse(code: str, *, status: int, message: str = "No.") -> Answer:
    return Answer({"message": message}, status, code)


def answer_as_a_model(asked: Asked) -> Answer:
    """Answer in the shape of the model that is asked, with vectors of known words and of length 3."""
    body = asked.body
    texts = [body["inputText"]] if "inputText" in body else body["texts"]
    dimension = body.get("dimensions") or body.get("output_dimension") or 1024
    words = HashingEmbeddings(dimension)
    vectors = [[3 * number for number in vector] for vector in words.embed_texts(texts)]
    if "inputText" in body:
        return Answer({"embedding": vectors[0], "inputTextTokenCount": 3})
    if "output_dimension" in body:
        return Answer({"embeddings": {"float": vectors}, "response_type": "embeddings_by_type"})
    return Answer({"embeddings": vectors, "response_type": "embeddings_floats"})


def say(text: str) -> Callable[[Asked], Answer]:
    """Return an answer of Converse with this text."""
    content = {"role": "assistant", "content": [{"text": text}]}
    return lambda _: Answer({"output": {"message": content}, "stopReason": "end_turn"})


@dataclass
class Bedrock:
    """The endpoint.

    Attributes:
        url: Where it listens.
        answer: Answers each request, also from several threads at once.
        asked: Every request, in the order of their coming.
    """

    url: str = ""
    answer: Callable[[Asked], Answer] = answer_as_a_model
    asked: list[Asked] = field(default_factory=list)

    def embeddings(
        self, model_id: str, *, dimension: int, pauses: Pauses | None = None, **config: Any
    ) -> BedrockEmbeddings:
        """Return embeddings whose real client speaks to this endpoint; ``config`` overrides its settings."""
        return BedrockEmbeddings(
            self._client(client_config(), config),
            model_id,
            dimension=dimension,
            pauses=pauses or FakePauses(),
            parallel=ThreadParallel(),
        )

    def strategies(self, model_id: str, **config: Any) -> BedrockStrategies:
        """Return a chooser whose real client speaks to this endpoint; ``config`` overrides its settings."""
        return BedrockStrategies(self._client(strategies.client_config(), config), model_id)

    def _client(self, settings: Config, overrides: Mapping[str, Any]) -> Any:
        for name, value in overrides.items():
            setattr(settings, name, value)
        return boto3.client(
            "bedrock-runtime",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=settings,
        )


@contextmanager
def running_bedrock() -> Iterator[Bedrock]:
    """Yield an endpoint that listens on loopback until the block ends."""
    bedrock = Bedrock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model_id = unquote(self.path.split("/")[2])
            asked = Asked(model_id, body, dict(self.headers))
            bedrock.asked.append(asked)
            answer = bedrock.answer(asked)
            sent = json.dumps(answer.body).encode()
            # A client that has given up no longer listens.
            with suppress(ConnectionError):
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                if answer.code is not None:
                    self.send_header("x-amzn-ErrorType", answer.code)
                self.end_headers()
                self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    bedrock.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield bedrock
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
