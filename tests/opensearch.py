"""The real OpenSearch for tests: started once for a run (and worker), when the first test asks."""

import os
from collections.abc import Iterator

import pytest

from local.opensearch.server import QUICK_START, ServerOptions, given_or_running


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that is empty, or of the one that `OPENSEARCH_URL` names.

    A machine that cannot start one fails these tests: the message says what is missing.
    """
    data = tmp_path_factory.mktemp("opensearch")
    options = ServerOptions(data=data, java_options=QUICK_START)
    with given_or_running(options, os.environ) as server:
        yield server.url
