"""Associations between concepts: where they are kept, who grows them, and where lessons go."""

from aws_lambda_powertools import Logger

from palimpsest.adapters.dynamodb.associations import DynamoDBAssociations
from palimpsest.adapters.dynamodb.clients import dynamodb_client
from palimpsest.adapters.memory.lessons import BackgroundLessons
from palimpsest.adapters.sqs.lessons import QueueLessons, queue_client
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.bootstrap.parts import READ_ATTEMPTS
from palimpsest.bootstrap.settings import ConceptsSettings, LessonSettings, SettingsError
from palimpsest.ports.lessons import Lessons
from palimpsest.use_cases.grow_associations import GrowAssociations


def build_associations(settings: ConceptsSettings) -> DynamoDBAssociations:
    """Return the edges between concepts."""
    # What it writes has a token of its own, so that the client may send it again by itself.
    return DynamoDBAssociations(
        dynamodb_client(attempts=READ_ATTEMPTS),
        concepts_table=settings.concepts_table_name,
        pauses=JitteredPauses(),
    )


def build_grow_associations(settings: ConceptsSettings) -> GrowAssociations:
    """Return what learns lessons."""
    return GrowAssociations(associations=build_associations(settings), pauses=JitteredPauses())


def build_lessons(settings: LessonSettings, logger: Logger) -> Lessons:
    """Return where lessons go.

    Args:
        settings: Their address, and the table for those that are learnt here.
        logger: One line where lessons were lost: how many.

    Raises:
        SettingsError: If the address names nothing.
    """

    def report(lost: int) -> None:
        logger.warning("lessons_lost", extra={"lessons": lost})

    scheme, _, place = settings.lessons_uri.partition(":")
    if settings.lessons_uri == "inline":
        return BackgroundLessons(learn=build_grow_associations(settings), report=report)
    if scheme == "sqs" and place:
        return QueueLessons(queue_client(), place, report)
    raise SettingsError("Lessons are named by sqs:<address> or inline.")
