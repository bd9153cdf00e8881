import os
from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings

from local.dynoxide import Engine, running_dynoxide
from local.dynoxide_binary import find_binary
from tests.opensearch import opensearch_indexes, opensearch_url
from tests.tenants import connection, laptop, tenant

# Repeatable everywhere: a failure in CI is the same failure here. `--hypothesis-profile=explore` looks further, at random.
# Without the phase that explains a failure: it runs a failing test hundreds of times more, past its time limit.
_PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
settings.register_profile(
    "palimpsest", derandomize=True, database=None, deadline=None, max_examples=40, phases=_PHASES
)
settings.register_profile(
    "explore", database=None, deadline=None, max_examples=3000, phases=_PHASES
)
settings.load_profile("palimpsest")

# Fixtures of every suite that wants the real search engine, or the whole service over HTTP.
__all__ = ["connection", "laptop", "opensearch_indexes", "opensearch_url", "tenant"]

LOOPBACK = ["127.0.0.1", "::1", "localhost"]

# What a developer's shell may hold and no test may notice. A test that needs one sets it itself.
AMBIENT_PREFIXES = ("AWS_", "POWERTOOLS_", "LAMBDA_")
AMBIENT_NAMES = frozenset(
    {
        "FACTS_TABLE_NAME",
        "STATE_TABLE_NAME",
        "CONCEPTS_TABLE_NAME",
        "CURSOR_KEYS_URI",
        "LEDGER_KEYS_URI",
        "CONTAINER_SHARD_COUNT",
        "TENANT_SHARD_COUNT",
        "UNVERIFIED_WINDOW_DAYS",
        "JWT_ISSUER",
        "JWT_AUDIENCE",
        "JWT_ALGORITHMS",
        "INDEX_URI",
        "EMBEDDINGS_URI",
        "RECHECKS_URI",
        "LESSONS_URI",
        "STRATEGIES_URI",
        "TWO_PASS",
        "SEARCH_SECONDS",
    }
)


@pytest.fixture(autouse=True)
def clean_environ() -> Iterator[None]:
    """Hide the shell's settings from every test, and put back whatever a test changes."""
    original = dict(os.environ)
    for name in original:
        if name in AMBIENT_NAMES or name.startswith(AMBIENT_PREFIXES):
            del os.environ[name]
    yield
    os.environ.clear()
    os.environ.update(original)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests reach this machine and no other; ``tests/unit/conftest.py`` takes that away too."""
    for item in items:
        item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


@pytest.fixture(scope="session")
def dynoxide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One DynamoDB for the whole run, without tables; see `local.tables.create_tables`."""
    folder = tmp_path_factory.mktemp("dynoxide")
    with running_dynoxide(folder, binary=find_binary(os.environ, say=print)) as engine:
        yield engine
