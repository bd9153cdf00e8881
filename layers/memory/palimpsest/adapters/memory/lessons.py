"""Lessons that are learnt in this very process, in a thread beside the requests: for a machine that stays awake.

Never in Lambda, which stops a process between two requests.
"""

import atexit
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Full, Queue

from palimpsest.domain.associations import Lesson

# Ten of the largest batches of writes. A lesson takes a few hundred bytes, and some ten milliseconds to be learnt; one of ten
# concepts takes 12 KB at most and some sixty.
MAX_WAITING = 5_000
# A laptop that is closed gives up what has not been learnt by then.
DRAIN_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class BackgroundLessons:
    """See ``palimpsest.ports.lessons.Lessons``. What waits when the process ends is learnt first, as far as that is quick.

    Attributes:
        learn: Learns lessons; returns those that it could not. Called in one thread only.
        report: Told how many lessons were lost, where some were; in any thread.
    """

    learn: Callable[[Sequence[Lesson]], Collection[object]]
    report: Callable[[int], None]
    # None ends the thread.
    _waiting: Queue[Lesson | None] = field(
        default_factory=lambda: Queue(MAX_WAITING), init=False, repr=False
    )
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def teach(self, lessons: Sequence[Lesson]) -> None:
        """See ``Lessons.teach``. What does not fit into the queue is lost."""
        if not lessons:
            return
        self._start()
        lost = sum(not self._put(lesson) for lesson in lessons)
        if lost:
            self.report(lost)

    def close(self, seconds: float = DRAIN_SECONDS) -> None:
        """Learn what waits, for about so long at most, and count the rest as lost; what is taught afterwards starts anew."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        with suppress(Full):
            self._waiting.put(None, timeout=seconds)
            thread.join(seconds)
        if thread.is_alive():
            # With the sign to end in place of the one that is being learnt.
            self.report(self._waiting.qsize())

    def _start(self) -> None:
        # At the first lesson and not when it is built: a process that teaches nothing has no thread.
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lessons", daemon=True)
                self._thread.start()
                atexit.register(self.close)

    def _put(self, lesson: Lesson) -> bool:
        try:
            self._waiting.put_nowait(lesson)
        except Full:
            return False
        return True

    def _run(self) -> None:
        while (lesson := self._waiting.get()) is not None:
            self._learn(lesson)

    def _learn(self, lesson: Lesson) -> None:
        try:
            failed = bool(self.learn([lesson]))
        # Whatever ends a lesson must not end the thread, and there is nobody to raise it to.
        except Exception:  # noqa: BLE001
            failed = True
        if failed:
            self.report(1)
