"""Retrieval on the laptop, over HTTP: the pump feeds the index, the table has the last word."""

import pytest

from tests.laptop import running_laptop
from tests.polling import wait_until


@pytest.fixture(scope="module")
def laptop(tmp_path_factory):
    with running_laptop(tmp_path_factory.mktemp("laptop") / "data") as running:
        yield running
        running.stop()


def write(laptop, content, **fields):
    scope = {"tenantId": laptop.run["tenantId"], **fields.pop("scope", {})}
    body = {"type": "note", "scope": scope, "content": content, **fields}
    answer = laptop.client.post("/v1/memory/facts", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def retrieve(laptop, **body):
    answer = laptop.client.post("/v1/memory/retrieve", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def ids(results):
    return [found["fact"]["id"] for found in results]


def wait_until_found(laptop, fact, query, *, seconds=20):
    wait_until(
        lambda: fact["id"] in ids(retrieve(laptop, mode="both", query=query)),
        f"{query} is found",
        seconds=seconds,
    )


@pytest.fixture(scope="module", autouse=True)
def woken(laptop):
    """The first fact waits for the model to be loaded; from then on a second is enough."""
    wait_until_found(laptop, write(laptop, "The lights are on."), "lights")


def test_a_fact_is_found_within_a_second_by_words_and_by_meaning(laptop):
    fact = write(laptop, "Ana takes her tea without sugar.")

    wait_until_found(laptop, fact, "tea sugar", seconds=1)

    (by_words, *_) = retrieve(laptop, mode="keyword", query="tea")
    (by_meaning, *_) = retrieve(laptop, mode="semantic", query="How does she like her drink?")
    assert by_words["fact"] == fact
    assert by_words["score"] > 0
    assert by_meaning["fact"] == fact
    assert -1 <= by_meaning["score"] <= 1


def test_what_is_deleted_or_superseded_is_gone_at_once(laptop):
    deleted, replaced = write(laptop, "Ben has a parrot."), write(laptop, "Cleo has a parrot.")
    wait_until_found(laptop, deleted, "parrot")
    wait_until_found(laptop, replaced, "parrot")

    laptop.client.delete(f"/v1/memory/facts/{deleted['id']}")
    path = f"/v1/memory/facts/{replaced['id']}/supersede"
    newer = laptop.client.post(path, json={"content": "Cleo has a ferret."}).json()

    assert retrieve(laptop, mode="keyword", query="parrot") == []
    wait_until(lambda: retrieve(laptop, mode="keyword", query="ferret"), "the new words are found")
    assert [one["fact"] for one in retrieve(laptop, mode="keyword", query="ferret")] == [newer]


def test_a_list_is_the_newest_first_and_needs_no_index(laptop):
    older = write(laptop, "one", type="listed")
    newer = write(laptop, "two", type="listed")

    results = retrieve(laptop, mode="list", type="listed")

    assert results == [{"fact": newer}, {"fact": older}]


def test_a_laptop_that_was_killed_goes_on_where_it_was(tmp_path):
    data = tmp_path / "data"
    with running_laptop(data) as first:
        write(first, "Dana sails.")
        first.process.kill()
        first.process.wait()
    with running_laptop(data) as second:
        wait_until(
            lambda: retrieve(second, mode="keyword", query="sails"), "the fact is found after all"
        )
        second.stop()
