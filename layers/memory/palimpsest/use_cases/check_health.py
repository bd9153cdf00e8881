"""Check whether the store answers."""

from dataclasses import dataclass

from palimpsest.domain.errors import StoreError
from palimpsest.ports.facts import FactRepository

# What no tenant and no fact is called: the read finds nothing, and costs the least that a read can.
_NOBODY = "health"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckHealth:
    """Asks the tables, and nothing else: a probe must not wake a sleeping index."""

    facts: FactRepository

    def __call__(self) -> bool:
        """Tell whether facts and state can be read. One read."""
        try:
            self.facts.load(_NOBODY, _NOBODY)
        except StoreError:
            return False
        return True
