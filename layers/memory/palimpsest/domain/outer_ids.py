"""Ids that others give to their things: projects, orgs, users, conversations. Any text within limits."""

from palimpsest.domain.errors import BadInputError

# spec/facts.md §7.
MAX_ID_CHARACTERS = 256
MAX_ID_BYTES = 512


def check_outer_id(text: str, *, field: str) -> None:
    """Let pass a text that can be an id.

    Raises:
        BadInputError: If it is empty, over a limit, or holds a lone surrogate, which no store and no answer can carry.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise BadInputError(f"{field} must be text that UTF-8 can carry.", field=field) from error
    if not text or len(text) > MAX_ID_CHARACTERS or size > MAX_ID_BYTES:
        raise BadInputError(
            f"{field} must have 1 to {MAX_ID_CHARACTERS} characters"
            f" and at most {MAX_ID_BYTES} bytes of UTF-8.",
            field=field,
        )


def check_not_blank(text: str, *, field: str) -> None:
    """Let pass an id that shows: what grants or limits access must not be white space, which reads as nothing.

    Raises:
        BadInputError: If ``check_outer_id`` refuses it, or it is blank.
    """
    check_outer_id(text, field=field)
    if not text.strip():
        raise BadInputError(f"{field} must not be blank.", field=field)
