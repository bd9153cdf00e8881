"""`make run`: the whole service on this machine, without Docker and without an account."""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from local.data_folder import DataFolder, DataFolderError
from local.dynoxide import DynoxideFailedError
from local.dynoxide_binary import DynoxideMissingError
from local.first_token import ensure_first_token
from local.opensearch.server import ServerNotStartedError
from local.search import ENGINES, SQLITE
from local.service import PortInUseError, Settings, run_service
from local.tables import TableMismatchError

TEMPLATE = Path(__file__).parents[1] / "template.yaml"
MAX_PORT = 65_535
FOR_A_PERSON = (
    DataFolderError,
    DynoxideFailedError,
    DynoxideMissingError,
    PortInUseError,
    ServerNotStartedError,
    TableMismatchError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the service until it is stopped.

    Returns:
        The exit code: 0 when it was stopped, 1 with a message when it cannot run.
    """
    parser = argparse.ArgumentParser(prog="python -m local.run", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(".palimpsest"), help="the data folder")
    parser.add_argument("--port", type=_port, default=8787, help="on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--index", choices=ENGINES, default=SQLITE, help="the search engine")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    settings = Settings(DataFolder.at(options.data), options.port, TEMPLATE, options.index)
    try:
        run_service(settings, ensure_token=ensure_first_token, say=_say)
    except FOR_A_PERSON as error:
        print(f"palimpsest: {error}", file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    print(text, flush=True)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= MAX_PORT:
        raise argparse.ArgumentTypeError(f"{port} is no port")
    return port


if __name__ == "__main__":
    sys.exit(main())
