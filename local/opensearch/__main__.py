"""`make opensearch`: start the real OpenSearch and keep it until Ctrl-C."""

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from local.opensearch.distribution import AssemblyError, cache_folder, get_distribution
from local.opensearch.java import JavaNotFoundError, find_java
from local.opensearch.leftovers import FolderInUseError
from local.opensearch.server import (
    QUICK_START,
    ServerNotStartedError,
    ServerOptions,
    given_or_running,
)


def main(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m local.opensearch", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(".palimpsest-opensearch"))
    parser.add_argument("--port", type=int, default=9200, help="0 takes a free one")
    parser.add_argument("--heap-mb", type=int, default=512)
    parser.add_argument("--quick", action="store_true", help="start faster, search slower")
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="fetch what it needs, print the folder, start nothing",
    )
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _leave)
    try:
        if chosen.prepare:
            find_java(os.environ)
            print(get_distribution(cache_folder(os.environ), os.environ))
            return 0
        _serve(
            ServerOptions(
                data=chosen.data,
                port=chosen.port,
                heap_mb=chosen.heap_mb,
                java_options=QUICK_START if chosen.quick else (),
            )
        )
    except (AssemblyError, FolderInUseError, JavaNotFoundError, ServerNotStartedError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped", flush=True)
    return 0


def _serve(options: ServerOptions) -> None:
    print(f"Starting OpenSearch on {options.data} (some 10 s)", flush=True)
    with given_or_running(options, os.environ) as server:
        print(f"OpenSearch is ready: OPENSEARCH_URL={server.url}", flush=True)
        print("It has no password and listens on this machine only. Ctrl-C stops it.", flush=True)
        while True:
            signal.pause()


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    """Turn SIGTERM into the way out that Ctrl-C takes, so that the server is stopped too."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
