"""What a read costs: how long its phases take, and how often models, indexes and stores are asked. Counted, never estimated."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from palimpsest.ports.clock import Clock

Port = TypeVar("Port")

_MILLISECOND = timedelta(milliseconds=1)


class Told(NamedTuple):
    """Under which names the calls of a method are told: their time in all, and their number."""

    phase: str
    counter: str


EMBEDDING = {
    "embed_query": Told("embed_query_ms", "n_embed_calls"),
    "embed_texts": Told("embed_texts_ms", "n_embed_calls"),
}
SEARCHING = {
    "vector_search": Told("vector_search_ms", "n_vector_searches"),
    "keyword_search": Told("keyword_search_ms", "n_keyword_searches"),
}
# Whatever method of a store is called is a call of it.
ANY = ""
STORING = {ANY: Told("db_touch_ms", "n_db_roundtrips")}

# spec/read-memory.md §3. These are told even when nothing was asked; a phase that was skipped has no key.
ALWAYS_TOLD = ("n_embed_calls", "n_vector_searches", "n_db_roundtrips")


@dataclass
class Meter:
    """Adds up what one read costs; safe to be used by what runs side by side.

    Attributes:
        clock: What phases are measured by; to the millisecond, as it tells the time.
    """

    clock: Clock
    _taken: dict[str, timedelta] = field(default_factory=dict)
    _counted: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time that the block takes to a phase; a clock that steps back adds nothing."""
        begun = self.clock.now()
        try:
            yield
        finally:
            taken = max(self.clock.now() - begun, timedelta(0))
            with self._lock:
                self._taken[name] = self._taken.get(name, timedelta(0)) + taken

    def milliseconds_since(self, begun: datetime) -> float:
        """Return how long ago that was; 0 where the clock stepped back."""
        return max(self.clock.now() - begun, timedelta(0)) / _MILLISECOND

    def watch(self, port: Port, told: Mapping[str, Told]) -> Port:
        """Return the port with its calls measured and counted.

        Args:
            port: Any port.
            told: By name of a method; ``ANY`` stands for all that are not named. Other methods are passed on as they are.
        """
        return cast("Port", _Watched(port, told, self))

    @property
    def costs(self) -> Mapping[str, float | int]:
        """What was added up so far: milliseconds by phase, and counts. What ran side by side is added up, too."""
        with self._lock:
            phases = {name: taken / _MILLISECOND for name, taken in self._taken.items()}
            return {**phases, **dict.fromkeys(ALWAYS_TOLD, 0), **self._counted}

    def count(self, name: str) -> None:
        """Count one call."""
        with self._lock:
            self._counted[name] += 1


class _Watched:
    """A port whose methods are measured."""

    def __init__(self, port: object, told: Mapping[str, Told], meter: Meter) -> None:
        self._port = port
        self._told = told
        self._meter = meter

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._port, name)
        told = self._told.get(name) or self._told.get(ANY)
        if told is None or not callable(value):
            return value
        return partial(self._call, value, told)

    def _call(self, method: Any, told: Told, *args: Any, **named: Any) -> Any:
        self._meter.count(told.counter)
        with self._meter.phase(told.phase):
            answer = method(*args, **named)
        return self._steps(answer, told) if isinstance(answer, Iterator) else answer

    def _steps(self, answer: Iterator[Any], told: Told) -> Iterator[Any]:
        """Pass on what comes bit by bit: the store is asked while it is taken, and not when the walk is begun."""
        while True:
            with self._meter.phase(told.phase):
                try:
                    step = next(answer)
                except StopIteration:
                    return
            yield step
