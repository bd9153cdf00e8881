"""The search engine of the laptop: a SQLite file, or the real OpenSearch."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from palimpsest.bootstrap.opensearch import set_up_opensearch
from palimpsest.bootstrap.search import build_embeddings

from local.data_folder import DataFolder, write_file
from local.dynoxide_binary import Say
from local.environment import search_environment
from local.opensearch.server import ServerOptions, given_or_running

SQLITE = "sqlite"
OPENSEARCH = "opensearch"
ENGINES = (SQLITE, OPENSEARCH)
SET_UP_SECONDS = 60.0


@contextmanager
def running_search(
    engine: str, folder: DataFolder, environ: Mapping[str, str], *, say: Say
) -> Iterator[Mapping[str, str]]:
    """Give the functions' variables about search while the block runs.

    Args:
        engine: One of `ENGINES`. OpenSearch is started, or taken from `OPENSEARCH_URL`; its data lies beside the folder,
            since it does not run as root and so could not enter a folder of root's.
        folder: Locked by this process; remembers which index is meant, for the commands.
        environ: `OPENSEARCH_URL`, and what starting a server looks at.
        say: Told what is done.

    Raises:
        ServerNotStartedError: if there is no OpenSearch to be had.
        StoreFailedError, SearchUnavailableError: if it does not take the indexes.
    """
    folder.index_uri_path.unlink(missing_ok=True)
    variables = search_environment(folder)
    if engine == SQLITE:
        yield variables
        return
    data = folder.path.with_name(f"{folder.path.name}-opensearch")
    say("Starting OpenSearch (about 10 s)")
    with given_or_running(ServerOptions(data=data), environ) as server:
        uri = f"opensearch:{server.url}"
        embeddings = build_embeddings(variables["EMBEDDINGS_URI"])
        name = set_up_opensearch(uri, embeddings, seconds=SET_UP_SECONDS)
        say(f"Search: OpenSearch at {server.url}, index {name}")
        write_file(folder.index_uri_path, uri)
        try:
            yield {**variables, "INDEX_URI": uri}
        finally:
            folder.index_uri_path.unlink(missing_ok=True)
