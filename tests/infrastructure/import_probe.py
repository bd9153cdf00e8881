"""Import modules, watched, and print as JSON what each of them did besides being imported.

Run as a program of its own: an audit hook cannot be taken away again, and modules that are loaded already do nothing.

    python import_probe.py MODULE…
"""

import importlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from datetime import datetime
from pathlib import Path
from typing import Any

# What the interpreter itself does to import something.
OF_IMPORTS = (".py", ".pyc", ".so", ".pth", ".zip")
WATCHED = {
    "open",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.system",
    "os.putenv",
    "os.unsetenv",
    "os.posix_spawn",
    "os.fork",
    "shutil.rmtree",
    "socket.__new__",
    "socket.connect",
    "socket.getaddrinfo",
    "sqlite3.connect",
    "subprocess.Popen",
}


class Watch:
    """Notes what is done while a module is being imported."""

    def __init__(self) -> None:
        self.module = ""
        self.deeds: list[tuple[str, str]] = []

    def note(self, deed: str) -> None:
        if self.module:
            self.deeds.append((self.module, deed))

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Be the interpreter's audit hook (PEP 578)."""
        if event not in WATCHED:
            return
        subject = str(arguments[0]) if arguments else ""
        if event == "open" and subject.endswith(OF_IMPORTS):
            return
        self.note(f"{event} {Path(subject).name}" if event == "open" else event)


class WatchedEnvironment(MutableMapping[str, str]):
    """Stands in for ``os.environ`` and notes every look at it."""

    def __init__(self, watch: Watch, real: MutableMapping[str, str]) -> None:
        self._watch = watch
        self._real = real

    def __getitem__(self, name: str) -> str:
        self._watch.note(f"environ {name}")
        return self._real[name]

    def __setitem__(self, name: str, value: str) -> None:
        self._watch.note(f"environ {name}")
        self._real[name] = value

    def __delitem__(self, name: str) -> None:
        self._watch.note(f"environ {name}")
        del self._real[name]

    def __iter__(self) -> Iterator[str]:
        self._watch.note("environ")
        return iter(self._real)

    def __len__(self) -> int:
        self._watch.note("environ")
        return len(self._real)


def main(names: list[str], foreign: list[str]) -> None:
    # Other people's packages may do as they like; they are loaded before anybody looks.
    for name in foreign:
        importlib.import_module(name)
    if "pydantic" in foreign:
        # The first model of a process looks for pydantic's plugins; that is not the doing of whoever defines it.
        importlib.import_module("pydantic").create_model("First", at=(datetime, ...))
    watch = Watch()
    _trap_makers(watch)
    # The name itself, so that `os.getenv` and `from os import environ` are watched too.
    vars(os)["environ"] = WatchedEnvironment(watch, os.environ)
    sys.addaudithook(watch.hear)
    for name in names:
        watch.module = name
        importlib.import_module(name)
        watch.module = ""
    sys.stdout.write(json.dumps(watch.deeds))


def _trap_makers(watch: Watch) -> None:
    """Put in the place of what makes clients and threads something that only notes it."""

    def noting(deed: str) -> Callable[..., None]:
        return lambda *_, **__: watch.note(deed)

    session = importlib.import_module("boto3.session").Session
    session.client = session.resource = noting("client")
    # The interpreter announces new threads to audit hooks from 3.12 on only.
    vars(threading)["Thread"] = type("Thread", (threading.Thread,), {"start": noting("thread")})


if __name__ == "__main__":
    request = json.loads(sys.stdin.read())
    main(request["names"], request["foreign"])
