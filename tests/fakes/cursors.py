"""Cursors that are not secret, but as choosy as the real ones."""

from dataclasses import dataclass, field

from palimpsest.domain.errors import InvalidCursorError


@dataclass
class FakeCursors:
    """See ``palimpsest.ports.cursors.Cursors``. Cursors do not age here; ``expire_all`` ages them."""

    _sealed: dict[str, tuple[str, str]] = field(default_factory=dict)
    _expired: set[str] = field(default_factory=set)

    def seal(self, position: str, *, binding: str) -> str:
        cursor = f"cursor-{len(self._sealed) + 1}"
        self._sealed[cursor] = (position, binding)
        return cursor

    def open(self, cursor: str, *, binding: str) -> str:
        if cursor not in self._sealed:
            raise InvalidCursorError("This cursor was not made under a known key.", field="cursor")
        position, bound = self._sealed[cursor]
        if bound != binding:
            raise InvalidCursorError(
                "This cursor is not from this list and caller.", field="cursor"
            )
        if cursor in self._expired:
            raise InvalidCursorError("This cursor has expired.", field="cursor")
        return position

    def expire_all(self) -> None:
        """Make every cursor of so far a day too old."""
        self._expired.update(self._sealed)
