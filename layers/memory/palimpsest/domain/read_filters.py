"""What an answer is narrowed to after it was made: by author and by time. A page may be short of what was asked for."""

from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.provenance import provenance_of
from palimpsest.domain.recall import ReadItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFilter:
    """Everything that is given must hold; nothing given lets all pass. See ``Provenance`` for the authors.

    Attributes:
        exclude_author: Not written by this principal.
        author_principal: Written by this one.
        author_agent: Written by the agent of this id.
        author_client_env: Written with this kind of program.
        author_is_external: Written for an app's end user, or not.
        since: Written then or later; aware UTC.
        until: Written then or earlier; aware UTC.
    """

    exclude_author: str | None = None
    author_principal: str | None = None
    author_agent: str | None = None
    author_client_env: str | None = None
    author_is_external: bool | None = None
    since: datetime | None = None
    until: datetime | None = None

    def takes(self, item: ReadItem) -> bool:
        """Tell whether an item stays in the answer."""
        return self._takes_time(item.created_at) and self._takes_author(item)

    def _takes_time(self, created_at: datetime) -> bool:
        return (self.since is None or created_at >= self.since) and (
            self.until is None or created_at <= self.until
        )

    def _takes_author(self, item: ReadItem) -> bool:
        author = provenance_of(item.revision, item.atom)
        asked = (
            (self.author_principal, author.principal),
            (self.author_agent, author.agent),
            (self.author_client_env, author.client_env),
            (self.author_is_external, author.is_external),
        )
        return author.principal != self.exclude_author and all(
            wanted is None or wanted == found for wanted, found in asked
        )
