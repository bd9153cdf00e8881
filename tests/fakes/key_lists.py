"""Key lists in memory."""

from dataclasses import dataclass

from palimpsest.domain.errors import StoreError
from palimpsest.domain.sealing_keys import SealingKey, sealing_key

FIRST_SECRET = "the first invented secret of the tests"
SECOND_SECRET = "the second invented secret of the tests"


@dataclass
class FakeKeyLists:
    """See ``palimpsest.ports.key_lists.KeyLists``. Its list changes at once, or cannot be read while ``fault`` is set."""

    secrets: tuple[str, ...] = (FIRST_SECRET,)
    fault: StoreError | None = None
    _known: tuple[SealingKey, ...] = ()

    def list_keys(self) -> tuple[SealingKey, ...]:
        if self.fault is None:
            self._known = tuple(map(sealing_key, self.secrets))
        elif not self._known:
            raise self.fault
        return self._known
