"""The engines of one service: started, written down, and cleaned up after a `kill -9`."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from local.data_folder import DataFolder, write_json
from local.dynoxide import running_dynoxide
from local.dynoxide_binary import Say, find_binary
from local.processes import ProcessMark

ENDPOINT_VARIABLE = "DYNAMODB_ENDPOINT"


@contextmanager
def running_database(folder: DataFolder, environ: Mapping[str, str], *, say: Say) -> Iterator[str]:
    """Give the endpoint of a DynamoDB while the block runs.

    A `DYNAMODB_ENDPOINT` that is given is used, and neither started nor ended.

    Args:
        folder: Locked by this process.
        environ: `DYNAMODB_ENDPOINT`, and what `find_binary` looks at.
        say: Told what is done.

    Raises:
        DynoxideMissingError, DynoxideFailedError: if there is no engine to be had.
        DataFolderError: if an engine that cannot be told to be ours runs over the folder.
    """
    if given := environ.get(ENDPOINT_VARIABLE):
        say(f"DynamoDB: {given} ({ENDPOINT_VARIABLE})")
        yield given
        return
    with folder.engines_locked() as descriptor:
        binary = find_binary(environ, say=say)
        with running_dynoxide(folder.path, binary=binary, keep_open=[descriptor]) as engine:
            document = {
                "dynamodb": {
                    "pid": engine.mark.pid,
                    "started": engine.mark.started,
                    "endpoint": engine.endpoint,
                    "data": str(engine.database),
                }
            }
            write_json(folder.engines_path, document)
            say(f"DynamoDB: dynoxide at {engine.endpoint}, data in {engine.database}")
            try:
                yield engine.endpoint
            finally:
                folder.engines_path.unlink(missing_ok=True)


def clean_up(folder: DataFolder, *, say: Say) -> None:
    """End what a killed service left behind, and forget it.

    A process is ended only if its number, its start time and the data on its command line are
    those that were written down: a number alone may be anybody's by now.

    Args:
        folder: Locked by this process, so that nobody else's service is meant.
        say: Told what is ended.
    """
    folder.run_path.unlink(missing_ok=True)
    for name, mark, data in _left_behind(folder):
        if mark.runs_with(data):
            say(f"Ending {name} (process {mark.pid}), left behind by a service that was killed")
            mark.end()
    folder.engines_path.unlink(missing_ok=True)


def _left_behind(folder: DataFolder) -> list[tuple[str, ProcessMark, str]]:
    try:
        document = json.loads(folder.engines_path.read_text(encoding="utf-8"))
        return [
            (name, ProcessMark(int(engine["pid"]), str(engine["started"])), str(engine["data"]))
            for name, engine in document.items()
        ]
    except FileNotFoundError:
        return []
    # Not as we write it: then nothing in it says surely what to end. The engines' lock still does.
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
