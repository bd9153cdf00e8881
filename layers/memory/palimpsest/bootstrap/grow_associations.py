"""Builds the function ``grow_associations``."""

from collections.abc import Mapping

from palimpsest.adapters.sqs.lessons import lessons_from
from palimpsest.api.batches import BatchApplication, Source
from palimpsest.bootstrap.associations import build_grow_associations
from palimpsest.bootstrap.parts import build_logger
from palimpsest.bootstrap.queues import QUEUE, message_id
from palimpsest.bootstrap.settings import GrowAssociationsSettings, read_settings
from palimpsest.domain.associations import Lesson


def build(environ: Mapping[str, str]) -> BatchApplication[Lesson]:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(GrowAssociationsSettings, environ)
    return BatchApplication(
        sources={
            QUEUE: Source(
                identify=message_id, read=lessons_from, work=build_grow_associations(settings)
            )
        },
        key_of=lambda lesson: lesson.event_id,
        logger=build_logger(),
        line="lessons_learnt",
        things="lessons",
    )
