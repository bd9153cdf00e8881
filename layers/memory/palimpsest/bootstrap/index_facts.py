"""Builds the function ``index_facts``."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from palimpsest.adapters.dynamodb.streams import notice_from
from palimpsest.adapters.sqs.rechecks import notices_from
from palimpsest.api.batches import BatchApplication, Source
from palimpsest.bootstrap.parts import build_followed_facts, build_logger
from palimpsest.bootstrap.projection import build_projection
from palimpsest.bootstrap.queues import QUEUE, message_id
from palimpsest.bootstrap.search import build_rechecks
from palimpsest.bootstrap.settings import IndexFactsSettings, read_settings
from palimpsest.domain.projection import Notice


def build(environ: Mapping[str, str]) -> BatchApplication[Notice]:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(IndexFactsSettings, environ)
    index_facts = build_projection(
        settings, build_followed_facts(settings), build_rechecks(settings.rechecks_uri)
    )
    return BatchApplication(
        sources={
            "aws:dynamodb": Source(
                identify=_sequence_number,
                read=_from_stream,
                work=index_facts,
                said={"is_recheck": False},
            ),
            QUEUE: Source(
                identify=message_id,
                read=notices_from,
                work=partial(index_facts, is_recheck=True),
                said={"is_recheck": True},
            ),
        },
        key_of=lambda notice: notice.key,
        logger=build_logger(),
        line="batch_projected",
        things="facts",
    )


def _from_stream(record: Mapping[str, Any]) -> Sequence[Notice]:
    notice = notice_from(record)
    return [notice] if notice is not None else []


def _sequence_number(record: Mapping[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])
