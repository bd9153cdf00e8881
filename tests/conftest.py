import os
from collections.abc import Iterator

import pytest

from local.dynoxide import Engine, running_dynoxide
from local.dynoxide_binary import find_binary


@pytest.fixture(scope="session")
def dynoxide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One DynamoDB for the whole run, without tables; see `local.tables.create_tables`."""
    folder = tmp_path_factory.mktemp("dynoxide")
    with running_dynoxide(folder, binary=find_binary(os.environ, say=print)) as engine:
        yield engine
