"""OpenSearch, wired: imported only where it is searched, since its client takes 139 ms to import."""

import time
from dataclasses import dataclass

import boto3
from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.capabilities import (
    CLASSIC,
    NEXTGEN,
    SELF_HOSTED,
    Collection,
)
from palimpsest.adapters.opensearch.clients import plain_client, serverless_client
from palimpsest.adapters.opensearch.index import OpenSearchFactIndex
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.names import IndexNames, set_up_indexes
from palimpsest.adapters.opensearch.rebuilds import AliasRebuilds
from palimpsest.adapters.opensearch.requests import Requests
from palimpsest.adapters.opensearch.schema import OpenSearchSchema
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.bootstrap.settings import SettingsError
from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError
from palimpsest.ports.embeddings import Embeddings

COLLECTIONS = {
    "opensearch": SELF_HOSTED,
    "aoss-nextgen": NEXTGEN,
    "aoss-classic": CLASSIC,
}
# A collection that slept takes up to 30 seconds to answer; the searches' own budget is often shorter.
TIMEOUT_SECONDS = 30.0
ATTEMPTS = 3
# New access policies take up to five minutes to hold (generative-ai-cdk-constructs#322).
SECONDS_BETWEEN_LOOKS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Server:
    client: OpenSearch
    collection: Collection


def build_opensearch_index(uri: str, embeddings: Embeddings | None) -> OpenSearchFactIndex:
    """Return the index at an address; see ``set_up_opensearch`` for who makes it.

    Args:
        uri: ``opensearch:<url>``, ``aoss-nextgen:<url>`` or ``aoss-classic:<url>``.
        embeddings: What its vectors are made with.

    Raises:
        SettingsError: If there are no credentials to sign with.
    """
    server, shape = _server(uri), _shape(embeddings)
    names = IndexNames.of(shape)
    return OpenSearchFactIndex(
        requests=Requests(client=server.client, pauses=JitteredPauses(), attempts=ATTEMPTS),
        collection=server.collection,
        current=names.current,
        history=names.history,
        dimension=shape.dimension,
    )


def build_opensearch_rebuilds(uri: str, embeddings: Embeddings | None) -> AliasRebuilds:
    """Return what builds the index at an address anew; see ``build_opensearch_index``."""
    server = _server(uri)
    return AliasRebuilds(
        schema=OpenSearchSchema(client=server.client, collection=server.collection),
        index=build_opensearch_index(uri, embeddings),
        shape=_shape(embeddings),
    )


def set_up_opensearch(uri: str, embeddings: Embeddings | None, *, seconds: float) -> str:
    """Make the indexes at an address where they are missing; again changes nothing.

    Args:
        uri: As ``build_opensearch_index``.
        embeddings: What the vectors are made with.
        seconds: So long a server is asked again that refuses or does not answer: a new collection does both at first.

    Returns:
        The name of the index of current facts.

    Raises:
        StoreFailedError, SearchUnavailableError: What the server last said.
    """
    server, shape = _server(uri), _shape(embeddings)
    schema = OpenSearchSchema(client=server.client, collection=server.collection)
    deadline = time.monotonic() + seconds
    while True:
        try:
            return set_up_indexes(schema, shape).current
        except (StoreFailedError, SearchUnavailableError):
            if time.monotonic() + SECONDS_BETWEEN_LOOKS >= deadline:
                raise
        time.sleep(SECONDS_BETWEEN_LOOKS)


def _server(uri: str) -> _Server:
    scheme, _, url = uri.partition(":")
    collection = COLLECTIONS[scheme]
    if collection is SELF_HOSTED:
        return _Server(
            client=plain_client(url, timeout_seconds=TIMEOUT_SECONDS), collection=collection
        )
    session = boto3.Session()
    credentials = session.get_credentials()
    if credentials is None or session.region_name is None:
        raise SettingsError("INDEX_URI: there are no credentials or no region to sign with.")
    client = serverless_client(
        url, credentials, session.region_name, timeout_seconds=TIMEOUT_SECONDS
    )
    return _Server(client=client, collection=collection)


def _shape(embeddings: Embeddings | None) -> Shape:
    if embeddings is None:
        return Shape(dimension=None, model_id=None)
    return Shape(dimension=embeddings.dimension, model_id=embeddings.model_id)
