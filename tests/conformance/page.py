"""docs/conformance.md, written from a run of the tests beside it: ``make conformance``."""

import sys
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from tests.conformance import test_errors, test_memory_operations, test_operations
from tests.conformance.coverage import CLIENTS, MEMORY_CLIENTS, ROWS, Row
from tests.conformance.differences import DIFFERENCES

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "conformance.md"
MODULES = (test_operations, test_errors, test_memory_operations)
"""Importing them fills the table's rows."""

PASSES, FAILS, NOT_THERE = "passes", "**fails**", "–"

Results = Mapping[tuple[str, str], bool]
"""By a test's name and a client's: whether all its cases passed."""


class _Recorder:
    """A plugin that keeps what came of each test."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], bool] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        test = item.function.__name__
        if test in ROWS and not report.skipped:
            row = ROWS[test]
            client = getattr(item, "callspec", None)
            named = client.params.get("client_of") if client else None
            for name in [named] if named else row.clients:
                key = (test, name)
                self.results[key] = self.results.get(key, True) and report.passed
        return report


def page(results: Results) -> str:
    """Return the page."""
    differences = "".join(f"| {d.theirs} | {d.ours} | {d.reason} |\n" for d in DIFFERENCES)
    return f"""# What the official clients find

The clients that people use with the official services, against this one over HTTP, unchanged: only their URL and token are
set. `make conformance` runs them (`tests/conformance`) and writes this page; a test checks that it is current.

## Facts

`kindgi` 0.1.10 and `kindgi-cli` 0.1.10 from PyPI. Each answer on the way is held to the response schemas of the OpenAPI
document that `kindgi-cli` carries.

{_table(CLIENTS, results)}
A dash: this client has no such call, or the row is about the service alone. Erasures (`memory.*Erasure*`) are not served yet.

## The memory door

`mnemoverse` 0.5.0 from PyPI: every method of its clients. Each answer is what the client's own models take.

{_table(MEMORY_CLIENTS, results)}
## Differences that we chose

| the official service | here | why |
| --- | --- | --- |
{differences}"""


def _table(clients: Mapping[str, str], results: Results) -> str:
    head = f"| operation | what of it | {' | '.join(clients.values())} |\n|{' --- |' * (len(clients) + 2)}\n"
    tried = [(test, row) for test, row in ROWS.items() if set(row.clients) <= set(clients)]
    rows = (
        f"| {_named(row.operation)} | {row.what} | {' | '.join(_cells(test, row, clients, results))} |\n"
        for test, row in sorted(tried, key=lambda item: item[1].operation)
    )
    return head + "".join(rows)


def _named(operation: str) -> str:
    return operation if operation.startswith("every ") else f"`{operation}`"


def _cells(test: str, row: Row, clients: Mapping[str, str], results: Results) -> list[str]:
    return [
        (PASSES if results.get((test, client)) else FAILS) if client in row.clients else NOT_THERE
        for client in clients
    ]


def all_pass() -> Results:
    """Return the results of a run in which everything passes."""
    return {(test, client): True for test, row in ROWS.items() for client in row.clients}


def main() -> int:
    """Run the tests, write the page, and return the tests' exit code."""
    recorder = _Recorder()
    files = [str(FOLDER / f"{module.__name__.rpartition('.')[2]}.py") for module in MODULES]
    code = pytest.main(["-q", *files], plugins=[recorder])
    PAGE.write_text(page(recorder.results), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
