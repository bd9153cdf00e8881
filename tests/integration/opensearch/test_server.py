import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.opensearch.distribution import VERSION
from local.opensearch.leftovers import FolderInUseError, owned_folder
from local.opensearch.server import (
    QUICK_START,
    ServerNotStartedError,
    ServerOptions,
    given_or_running,
    running,
)


def put_documents(server: httpx.Client, index: str, documents: list[dict[str, Any]]) -> None:
    for document in documents:
        server.post(f"/{index}/_doc", json=document).raise_for_status()
    server.post(f"/{index}/_refresh").raise_for_status()


def search(server: httpx.Client, index: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    answer = server.post(f"/{index}/_search", json=body).raise_for_status().json()
    return [hit["_source"] for hit in answer["hits"]["hits"]]


def test_the_server_is_the_version_that_we_assembled(server: httpx.Client) -> None:
    told = server.get("/").json()

    assert told["version"]["distribution"] == "opensearch"
    assert told["version"]["number"] == VERSION


def test_a_filter_inside_the_knn_clause_finds_what_stands_behind_nearer_neighbours(
    server: httpx.Client, index: str
) -> None:
    vector = {"type": "knn_vector", "dimension": 2}
    vector["method"] = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
    mappings = {"properties": {"owner": {"type": "keyword"}, "vector": vector}}
    body = {"settings": {"index.knn": True}, "mappings": mappings}
    server.put(f"/{index}", json=body).raise_for_status()
    others = [{"owner": "bob", "vector": [1, 0.0001 * i]} for i in range(100)]
    ours = [{"owner": "ana", "vector": [math.cos(angle), math.sin(angle)]} for angle in (1, 2, 3)]
    put_documents(server, index, [*others, *ours])

    clause = {"vector": [1, 0], "k": 3, "filter": {"term": {"owner": "ana"}}}
    found = search(server, index, {"query": {"knn": {"vector": clause}}, "size": 3})

    assert found == ours


def test_english_words_are_found_by_their_stem(server: httpx.Client, index: str) -> None:
    text = {"type": "text", "analyzer": "english"}
    server.put(f"/{index}", json={"mappings": {"properties": {"text": text}}}).raise_for_status()
    put_documents(server, index, [{"text": "She was painting horses"}, {"text": "A pain"}])

    found = search(server, index, {"query": {"match": {"text": "paints a horse"}}})

    assert found == [{"text": "She was painting horses"}]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("她住在东京都的公寓", "东京"),
        ("彼女は京都に住んでいる", "京都"),
        ("그녀는 서울에 산다", "서울에"),
    ],
)
def test_chinese_japanese_and_korean_are_found_by_pairs_of_characters(
    server: httpx.Client, index: str, text: str, question: str
) -> None:
    field = {"type": "text", "analyzer": "cjk"}
    server.put(f"/{index}", json={"mappings": {"properties": {"text": field}}}).raise_for_status()
    put_documents(server, index, [{"text": text}, {"text": "天気がいい"}])

    found = search(server, index, {"query": {"match": {"text": question}}})

    assert found == [{"text": text}]


@contextmanager
def launched(data: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The command of `make opensearch`, in a process of its own that a test can kill."""
    command = [sys.executable, "-m", "local.opensearch", "--quick", "--port", "0"]
    command += ["--data", str(data)]
    environ = {name: value for name, value in os.environ.items() if name != "OPENSEARCH_URL"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        try:
            told = next(line for line in process.stdout if "OPENSEARCH_URL=" in line)
            yield process, told.strip().rpartition("=")[2]
        finally:
            process.terminate()
            process.communicate()


def test_what_was_written_outlives_a_killed_launcher_and_the_next_start_is_not_blocked(
    tmp_path: Path,
) -> None:
    with launched(tmp_path) as (launcher, url):
        httpx.put(f"{url}/kept", timeout=30).raise_for_status()
        httpx.put(f"{url}/kept/_doc/1", json={"a": 1}, timeout=30).raise_for_status()
        launcher.kill()

    with launched(tmp_path) as (launcher, url):
        kept = httpx.get(f"{url}/kept/_doc/1", timeout=30).json()

    assert kept["_source"] == {"a": 1}
    assert launcher.returncode == 0


def test_two_launchers_never_share_a_data_folder(tmp_path: Path) -> None:
    options = ServerOptions(data=tmp_path)

    with (
        owned_folder(tmp_path),
        pytest.raises(FolderInUseError, match="Another launcher"),
        running(options, os.environ),
    ):
        pass


def test_a_server_that_ends_early_shows_the_end_of_its_log(tmp_path: Path) -> None:
    options = ServerOptions(data=tmp_path, port=70000, java_options=QUICK_START)

    with (
        pytest.raises(ServerNotStartedError, match="70000"),
        running(options, os.environ),
    ):
        pass


def test_a_server_that_is_given_is_used_and_left_running(
    opensearch_url: str, tmp_path: Path
) -> None:
    environ = {"OPENSEARCH_URL": f"{opensearch_url}/"}

    with given_or_running(ServerOptions(data=tmp_path), environ) as server:
        url, pid = server.url, server.pid

    assert (url, pid) == (opensearch_url, None)
    assert httpx.get(opensearch_url).is_success
    assert list(tmp_path.iterdir()) == []


def test_a_given_server_that_does_not_answer_is_an_error_and_not_a_skip(tmp_path: Path) -> None:
    environ = {"OPENSEARCH_URL": "http://127.0.0.1:1"}
    options = ServerOptions(data=tmp_path, start_seconds=0.3)

    with (
        pytest.raises(ServerNotStartedError, match="OPENSEARCH_URL"),
        given_or_running(options, environ),
    ):
        pass
