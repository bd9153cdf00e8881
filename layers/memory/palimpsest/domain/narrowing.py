"""Narrowing: working in a part of one's home, and never outside it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from palimpsest.domain.errors import BadInputError, PermissionDeniedError
from palimpsest.domain.outer_ids import check_not_blank
from palimpsest.domain.scopes import WIRE_NAMES, Scope

# What lies inside a home: a project, a conversation, an app's end user. Whose home it is, no request says.
NARROWING_KEYS = frozenset({"projectId", "threadId", "participantId"})


def narrowed(home: Scope, asked: Mapping[str, str]) -> Scope:
    """Return the part of a home that a request asks for. Whether its caller may write there is another question.

    Args:
        home: The exact scope in which the caller works.
        asked: By name on the wire; empty for the home itself.

    Raises:
        BadInputError: If a value is blank or too long, or a participant is named beside no project.
        PermissionDeniedError: If a key is not one of ``NARROWING_KEYS``, or the home names another value for it.
    """
    inside: dict[str, Any] = {}
    for key, value in asked.items():
        if key not in NARROWING_KEYS:
            raise PermissionDeniedError(f"{key} cannot be narrowed: it is the token's.")
        check_not_blank(value, field=key)
        attribute = WIRE_NAMES[key]
        if getattr(home, attribute) not in (None, value):
            raise PermissionDeniedError(f"{key} lies outside the scope of this token.")
        inside[attribute] = value
    scope = replace(home, **inside)
    if scope.participant_id is not None and scope.project_id is None:
        raise BadInputError("participantId needs a projectId beside it.", field="participantId")
    return scope
