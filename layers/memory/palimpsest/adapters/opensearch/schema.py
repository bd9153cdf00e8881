"""Making indexes and pointing an alias at them: for whoever sets a deployment up or fills an index anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from palimpsest.adapters.opensearch.capabilities import Collection
from palimpsest.adapters.opensearch.errors import index_errors
from palimpsest.adapters.opensearch.mappings import Shape, index_body, is_of_shape
from palimpsest.domain.errors import StoreFailedError

EXISTS = "resource_already_exists_exception"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSearchSchema:
    """The indexes of one server. Every method may raise what ``errors.index_errors`` names.

    Attributes:
        client: See ``clients``.
        collection: What the server can do.
    """

    client: OpenSearch
    collection: Collection

    def create_index(self, name: str, shape: Shape) -> None:
        """Make an index, or make sure that the one of this name is of this shape.

        Our own request may have come through before, with its answer lost; so an index that is there is no mistake.

        Raises:
            StoreFailedError: If one stands that was made for other vectors or by another layout.
        """
        with index_errors():
            try:
                self._send("PUT", f"/{name}", index_body(self.collection, shape))
            except RequestError as error:
                if error.error != EXISTS:
                    raise
        self.check_index(name, shape)

    def check_index(self, name: str, shape: Shape) -> None:
        """Make sure that the index, or each behind the alias, is of this shape.

        Raises:
            StoreFailedError: If it is not: another model, another length of vectors, another layout.
        """
        with index_errors():
            told: Mapping[str, Any] = self._send("GET", f"/{name}/_mapping")
        if not all(is_of_shape(index["mappings"], shape) for index in told.values()):
            raise StoreFailedError(
                "The index was built for another embedding model, vector length or layout: fill a new one and swap."
            )

    def point_alias(self, alias: str, name: str) -> None:
        """Let an alias mean this index and no other, in one step: no search sees none or both."""
        actions = [{"remove": {"index": old, "alias": alias}} for old in self.find_indexes(alias)]
        added = {"add": {"index": name, "alias": alias}}
        with index_errors():
            self._send("POST", "/_aliases", {"actions": [*actions, added]})

    def drop_alias(self, alias: str) -> None:
        """Let an alias mean nothing any more; again changes nothing."""
        actions = [{"remove": {"index": old, "alias": alias}} for old in self.find_indexes(alias)]
        if actions:
            with index_errors():
                self._send("POST", "/_aliases", {"actions": actions})

    def find_indexes(self, alias: str) -> list[str]:
        """Return the indexes that an alias means; none if there is no such alias."""
        with index_errors():
            try:
                return sorted(self._send("GET", f"/_alias/{alias}"))
            except NotFoundError:
                return []

    def delete_index(self, name: str) -> None:
        """Delete an index; one that is not there is success."""
        with index_errors():
            try:
                self._send("DELETE", f"/{name}")
            except NotFoundError:
                return

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        # No parameters: Serverless answers 400 to time-outs that other servers take (opensearch-spark#634).
        return self.client.transport.perform_request(method, path, body=body)
