"""Pauses that really wait."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

# A transaction takes a few milliseconds, so racers are apart after about one such pause.
BASE_SECONDS = 0.02
# Five attempts stay far below a function's time-out, however unlucky.
CAP_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class JitteredPauses:
    """Waits anything between nothing and a bound that doubles with each attempt. See ``palimpsest.ports.pauses.Pauses``.

    Attributes:
        sleep: Waits so many seconds.

    Source:
        "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: "full jitter" ends races with the fewest calls.
    """

    sleep: Callable[[float], None] = time.sleep

    def pause(self, attempt: int) -> None:
        """See ``Pauses.pause``."""
        bound = min(CAP_SECONDS, BASE_SECONDS * 2 ** (attempt - 1))
        self.sleep(random.uniform(0, bound))
