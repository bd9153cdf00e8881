"""Rebuilding behind aliases: ``facts-1f0c22ab`` serves ``facts-1f0c22ab-1`` while ``facts-1f0c22ab-next`` names ``…-2``."""

from dataclasses import dataclass, replace

from palimpsest.adapters.opensearch.index import OpenSearchFactIndex
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.schema import OpenSearchSchema

_NEXT = "-next"


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRebuilds:
    """See ``palimpsest.ports.rebuilds.Rebuilds``.

    Attributes:
        schema: Makes indexes and moves aliases.
        index: The one that serves, by its aliases.
        shape: Of its vectors.
    """

    schema: OpenSearchSchema
    index: OpenSearchFactIndex
    shape: Shape

    def begin(self) -> OpenSearchFactIndex:
        """See ``Rebuilds.begin``. Aliases come last, so that whoever finds one finds a whole index behind it."""
        for alias in self._aliases:
            if not self.schema.find_indexes(alias + _NEXT):
                name = f"{alias}-{self._next_number(alias)}"
                self.schema.create_index(name, self.shape)
                self.schema.point_alias(alias + _NEXT, name)
        return self._next

    def find_next(self) -> OpenSearchFactIndex | None:
        """Return the index that is being filled, if one is: for whoever follows the stream."""
        begun = all(self.schema.find_indexes(alias + _NEXT) for alias in self._aliases)
        return self._next if begun else None

    def finish(self) -> None:
        """See ``Rebuilds.finish``."""
        for alias in self._aliases:
            filled = self.schema.find_indexes(alias + _NEXT)
            if not filled:
                continue
            old = self.schema.find_indexes(alias)
            self.schema.point_alias(alias, filled[0])
            self.schema.drop_alias(alias + _NEXT)
            for name in set(old) - set(filled):
                self.schema.delete_index(name)

    @property
    def _aliases(self) -> tuple[str, str]:
        # The history first: until both have changed places, current facts are searched where they are.
        return (self.index.history, self.index.current)

    @property
    def _next(self) -> OpenSearchFactIndex:
        return replace(
            self.index, current=self.index.current + _NEXT, history=self.index.history + _NEXT
        )

    def _next_number(self, alias: str) -> int:
        numbers = [int(name.rpartition("-")[2]) for name in self.schema.find_indexes(alias)]
        return max(numbers, default=0) + 1
