"""Lambda handlers that are built at the first event, so that importing one does nothing."""

import logging
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

Handler = Callable[[Mapping[str, Any], Any], Any]


def built_on_first_event(build: Callable[[Mapping[str, str]], Handler]) -> Handler:
    """Return a handler that builds the real one from the environment when the first event comes, and keeps it.

    Args:
        build: Reads the environment and makes clients.

    Returns:
        A function of event and context. If building fails, that event fails, and the next one tries again.
    """
    built: list[Handler] = []
    lock = threading.Lock()

    def handle(event: Mapping[str, Any], context: Any) -> Any:
        with lock:
            if not built:
                _hush_libraries()
                built.append(build(os.environ))
        return built[0](event, context)

    return handle


def _hush_libraries() -> None:
    """Keep out of the log what libraries say below a warning, whatever LogLevel is; Powertools' logger has a level of its own.

    Lambda gives LogLevel to the root logger, and at DEBUG botocore writes whole requests and answers: texts, tokens, keys.
    """
    root = logging.getLogger()
    root.setLevel(max(root.level, logging.WARNING))
