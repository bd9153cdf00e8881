"""The commands that look after the index, beside a running laptop."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from palimpsest.adapters.sqlite.index import SQLiteFactIndex

from tests.laptop import Laptop, running_laptop
from tests.polling import wait_until

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def laptop(tmp_path_factory):
    with running_laptop(
        tmp_path_factory.mktemp("laptop") / "data", POWERTOOLS_LOG_LEVEL="INFO"
    ) as running:
        yield running
        running.stop()


def palimpsest(laptop: Laptop, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "bin/palimpsest", *arguments, "--data", str(laptop.data)],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def write(laptop: Laptop, content: str) -> dict[str, Any]:
    scope = {"tenantId": laptop.run["tenantId"]}
    body = {"type": "note", "scope": scope, "content": content}
    written: dict[str, Any] = laptop.client.post("/v1/memory/facts", json=body).json()
    return written


def found(laptop: Laptop, query: str) -> list[str]:
    body = {"mode": "both", "query": query}
    answer = laptop.client.post("/v1/memory/retrieve", json=body)
    assert answer.status_code == 200, answer.text + laptop.log.read_text()
    results = answer.json()["results"]
    return [result["fact"]["id"] for result in results]


def test_an_index_that_lost_a_fact_is_brought_right_while_the_service_runs(laptop):
    fact = write(laptop, "Ana plays chess.")
    wait_until(lambda: found(laptop, "chess"), "the fact is found")
    lose(laptop, fact["id"])

    compared = palimpsest(laptop, "reconcile")
    repaired = palimpsest(laptop, "reconcile", "--repair")

    assert (compared.returncode, repaired.returncode) == (1, 0), repaired.stderr
    assert compared.stdout == f"{laptop.run['tenantId']}\t{fact['id']}\tmissing\n"
    assert fact["id"] in found(laptop, "chess")
    assert palimpsest(laptop, "reconcile").returncode == 0


def test_the_whole_index_is_written_again(laptop):
    fact = write(laptop, "Ben keeps bees.")

    result = palimpsest(laptop, "reindex")

    assert result.returncode == 0, result.stderr
    assert re.search(r"Indexed anew: \d+ facts\.", result.stderr)
    assert fact["id"] in found(laptop, "bees")


def lose(laptop: Laptop, fact_id: str) -> None:
    index = SQLiteFactIndex(laptop.data / "index.sqlite", model_id="multilingual-e5-small-q4/384")
    index.remove(laptop.run["tenantId"], [fact_id])
    index.close()
