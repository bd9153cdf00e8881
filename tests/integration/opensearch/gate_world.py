"""What the tests of the gate share: a gate, a client that signs, an index."""

import json
from dataclasses import dataclass
from typing import Any

import httpx

from tests.gate.rules import Generation
from tests.gate.server import OpenGate
from tests.gate.signing import SigningClient


def vector_field(generation: Generation, **fields: Any) -> dict[str, Any]:
    """Return a vector field as this generation wants it."""
    engine = {"engine": "faiss"} if generation is Generation.CLASSIC else {}
    method = {"name": "hnsw", "space_type": "cosinesimil", **engine}
    return {"type": "knn_vector", "dimension": 2, "method": method, **fields}


@dataclass
class GateWorld:
    """One open gate and an index name of this test's own."""

    open_gate: OpenGate
    client: SigningClient
    index: str

    def send(self, method: str, target: str, document: Any = None) -> httpx.Response:
        body = "" if document is None else json.dumps(document)
        return self.client.request(method, target.replace("INDEX", self.index), body)

    def create_index(self, **fields: Any) -> dict[str, Any]:
        vector = vector_field(self.open_gate.rules.generation)
        properties = {"owner": {"type": "keyword"}, "vector": vector, **fields}
        body = {"settings": {"index": {"knn": True}}, "mappings": {"properties": properties}}
        self.send("PUT", "/INDEX", body).raise_for_status()
        return properties

    def add(self, **document: Any) -> str:
        return str(self.send("POST", "/INDEX/_doc", document).raise_for_status().json()["_id"])

    def bulk(self, *lines: Any) -> list[dict[str, Any]]:
        body = "".join(json.dumps(line) + "\n" for line in lines)
        answer = self.client.request("POST", f"/{self.index}/_bulk", body).raise_for_status().json()
        items = [item for told in answer["items"] for item in told.values()]
        assert answer["errors"] == any("error" in item for item in items)
        return items

    def count(self) -> int:
        return int(self.send("GET", "/INDEX/_count").raise_for_status().json()["count"])


def refused_because(answer: httpx.Response) -> tuple[int, str]:
    """Return status and type of an error."""
    return answer.status_code, answer.json()["error"]["type"]
