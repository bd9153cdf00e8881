"""Threads: what waits on a socket lets the others go on."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

Result = TypeVar("Result")


class ThreadParallel:
    """Runs each task in a thread of its own. See ``palimpsest.ports.parallel.Parallel``.

    The threads are not kept: a task that hangs must not take a place from the next request's. Starting them costs about 0.1 ms.
    """

    def run(self, tasks: Sequence[Callable[[], Result]], *, seconds: float) -> list[Result]:
        """See ``Parallel.run``."""
        if not tasks:
            return []
        executor = ThreadPoolExecutor(max_workers=len(tasks), thread_name_prefix="side-by-side")
        try:
            futures = [executor.submit(task) for task in tasks]
            done, late = wait(futures, timeout=seconds, return_when=FIRST_EXCEPTION)
            for future in futures:
                if future in done and (error := future.exception()) is not None:
                    raise error
            if late:
                raise TimeoutError(f"{len(late)} of {len(tasks)} tasks took too long")
            return [future.result() for future in futures]
        finally:
            executor.shutdown(wait=False)
