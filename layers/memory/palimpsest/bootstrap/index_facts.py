"""Builds the function ``index_facts``."""

from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.adapters.dynamodb.clients import dynamodb_client
from palimpsest.adapters.dynamodb.streams import notice_from
from palimpsest.adapters.dynamodb.vectors import DynamoDBVectors
from palimpsest.adapters.sqs.rechecks import notices_from
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.api.batches import BatchApplication, Source
from palimpsest.bootstrap.parts import CLOCK, READ_ATTEMPTS, build_facts, build_logger
from palimpsest.bootstrap.search import (
    build_embeddings,
    build_followed_index,
    build_rechecks,
)
from palimpsest.bootstrap.settings import IndexFactsSettings, SettingsError, read_settings
from palimpsest.domain.projection import Notice
from palimpsest.use_cases.fact_documents import FactDocuments
from palimpsest.use_cases.index_facts import IndexFacts


def build(environ: Mapping[str, str]) -> BatchApplication:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(IndexFactsSettings, environ)
    embeddings = build_embeddings(settings.embeddings_uri)
    index = build_followed_index(settings.index_uri, embeddings)
    if index is None:
        raise SettingsError("INDEX_URI: there is no index to bring to where the table is.")
    # What it writes is written again without harm, so that the client may do so by itself.
    vectors = DynamoDBVectors(
        dynamodb_client(attempts=READ_ATTEMPTS), settings.facts_table_name, JitteredPauses()
    )
    index_facts = IndexFacts(
        facts=build_facts(settings),
        index=index,
        documents=FactDocuments(vectors=vectors, embeddings=embeddings),
        rechecks=build_rechecks(settings.rechecks_uri),
        clock=CLOCK,
    )
    return BatchApplication(
        sources={
            "aws:dynamodb": Source(identify=_sequence_number, read=_from_stream),
            "aws:sqs": Source(identify=_message_id, read=notices_from, is_recheck=True),
        },
        index_facts=lambda notices, is_recheck: index_facts(notices, is_recheck=is_recheck),
        logger=build_logger(),
    )


def _from_stream(record: Mapping[str, Any]) -> Sequence[Notice]:
    notice = notice_from(record)
    return [notice] if notice is not None else []


def _sequence_number(record: Mapping[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])


def _message_id(record: Mapping[str, Any]) -> str:
    return str(record["messageId"])
