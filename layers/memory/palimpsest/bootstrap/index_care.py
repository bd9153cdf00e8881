"""The commands that look after the index, wired: for the command line, under the rights of who runs it."""

from collections.abc import Mapping

from palimpsest.adapters.dynamodb.census import DynamoDBCensus
from palimpsest.adapters.dynamodb.clients import dynamodb_client
from palimpsest.adapters.memory.rechecks import NoRechecks
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.bootstrap.parts import CLOCK, READ_ATTEMPTS, build_facts
from palimpsest.bootstrap.projection import build_projection
from palimpsest.bootstrap.search import build_embeddings, build_rebuilds
from palimpsest.bootstrap.settings import IndexCareSettings, read_settings
from palimpsest.use_cases.index_facts import IndexFacts
from palimpsest.use_cases.reconcile_index import ReconcileIndex
from palimpsest.use_cases.reindex_facts import ReindexFacts


def build_index_facts(environ: Mapping[str, str]) -> IndexFacts:
    """Return what brings the index to where the table is, for facts that are named.

    boto3 takes account, region and endpoint from this process's own environment.

    Raises:
        SettingsError: If a variable is missing or unfit.
    """
    settings = read_settings(IndexCareSettings, environ)
    return build_projection(settings, build_facts(settings), NoRechecks())


def build_reindex_facts(environ: Mapping[str, str]) -> ReindexFacts:
    """Return what builds the index anew; see ``build_index_facts``."""
    settings = read_settings(IndexCareSettings, environ)
    embeddings = build_embeddings(settings.embeddings_uri)
    return ReindexFacts(
        census=_census(settings),
        facts=build_facts(settings),
        rebuilds=build_rebuilds(settings.index_uri, embeddings),
        index_facts=build_index_facts(environ),
        pauses=JitteredPauses(),
    )


def build_reconcile_index(environ: Mapping[str, str]) -> ReconcileIndex:
    """Return what compares the index with the table; see ``build_index_facts``."""
    settings = read_settings(IndexCareSettings, environ)
    index_facts = build_index_facts(environ)
    return ReconcileIndex(
        census=_census(settings),
        facts=index_facts.facts,
        index=index_facts.index,
        clock=CLOCK,
    )


def _census(settings: IndexCareSettings) -> DynamoDBCensus:
    return DynamoDBCensus(dynamodb_client(attempts=READ_ATTEMPTS), settings.facts_table_name)
