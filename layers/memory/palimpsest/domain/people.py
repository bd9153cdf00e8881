"""People and conversations that a fact names: whom access and erasure requests find."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.scopes import Scope


class PersonKind(StrEnum):
    """What an erasure selector can name."""

    PARTICIPANT = "participant"
    USER = "user"
    EXTERNAL = "external"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or a conversation, that a fact names. Kind and id always compare together."""

    kind: PersonKind
    id: str


def people_named(scope: Scope, subjects: Iterable[Person]) -> frozenset[Person]:
    """Return everybody whom a revision names: its subjects, its participant and its thread.

    The ``userId`` of a scope is a container and no subject: only a subject makes a fact one about a user.
    """
    named = set(subjects)
    if scope.participant_id is not None:
        named.add(Person(PersonKind.PARTICIPANT, scope.participant_id))
    if scope.thread_id is not None:
        named.add(Person(PersonKind.CONVERSATION, scope.thread_id))
    return frozenset(named)
