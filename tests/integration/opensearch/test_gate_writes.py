import pytest

from tests.integration.opensearch.gate_world import GateWorld, refused_because

NO_IDS = "Document ID is not supported in create/index operation request"


@pytest.mark.parametrize(
    ("method", "target"),
    [("PUT", "/INDEX/_doc/one"), ("PUT", "/INDEX/_create/one"), ("POST", "/INDEX/_update/one")],
)
def test_a_classic_vector_collection_refuses_ids_of_the_client(
    classic: GateWorld, method: str, target: str
) -> None:
    classic.create_index()

    answer = classic.send(method, target, {"owner": "ana"})

    assert refused_because(answer) == (400, "illegal_argument_exception")
    assert answer.json()["error"]["reason"] == NO_IDS


def test_it_refuses_them_item_by_item_in_a_bulk_that_succeeds(classic: GateWorld) -> None:
    classic.create_index()

    items = classic.bulk({"index": {"_id": "one"}}, {"owner": "a"}, {"index": {}}, {"owner": "b"})

    assert [item["status"] for item in items] == [400, 201]
    assert items[0]["error"] == {"type": "illegal_argument_exception", "reason": NO_IDS}


def test_it_deletes_by_the_id_that_it_gave(classic: GateWorld) -> None:
    classic.create_index()
    given = classic.add(owner="ana")

    items = classic.bulk({"delete": {"_id": given}})

    assert [item["status"] for item in items] == [200]


def test_a_collection_that_takes_ids_takes_them(nextgen: GateWorld) -> None:
    nextgen.create_index()

    answer = nextgen.send("PUT", "/INDEX/_doc/one", {"owner": "ana"})

    assert (answer.status_code, answer.json()["_id"]) == (201, "one")


def test_an_older_version_is_a_conflict(nextgen: GateWorld) -> None:
    nextgen.create_index()
    newer, older = (
        nextgen.bulk(
            {"index": {"_id": "1", "version": v, "version_type": "external"}}, {"owner": o}
        )
        for v, o in ((2, "new"), (1, "old"))
    )

    assert (newer[0]["status"], older[0]["status"]) == (201, 409)


def test_a_write_is_found_after_the_delay_and_not_before(either: GateWorld) -> None:
    either.create_index()
    either.add(owner="ana")
    clock, delay = either.open_gate.clock, either.open_gate.rules.delay_seconds

    clock.advance(delay - 1)
    before = either.count()
    clock.advance(1)
    after = either.count()

    assert (before, after) == (0, 1)


def test_a_deletion_is_seen_after_the_delay_and_not_before(either: GateWorld) -> None:
    either.create_index()
    given = either.add(owner="ana")
    either.open_gate.settle()

    either.send("DELETE", f"/INDEX/_doc/{given}").raise_for_status()
    before = either.count()
    either.open_gate.settle()

    assert (before, either.count()) == (1, 0)


def test_a_bulk_is_found_after_the_delay_and_not_before(either: GateWorld) -> None:
    either.create_index()

    either.bulk({"index": {}}, {"owner": "a"}, {"index": {}}, {"owner": "b"})
    before = either.count()
    either.open_gate.settle()

    assert (before, either.count()) == (0, 2)


def test_a_document_is_not_got_by_its_id_before_the_delay_either(nextgen: GateWorld) -> None:
    nextgen.create_index()
    nextgen.send("PUT", "/INDEX/_doc/one", {"owner": "ana"}).raise_for_status()

    before = nextgen.send("GET", "/INDEX/_doc/one")
    nextgen.open_gate.settle()
    after = nextgen.send("GET", "/INDEX/_doc/one")

    assert (before.status_code, after.status_code) == (404, 200)


def test_a_bulk_of_more_than_ten_megabytes_is_refused(either: GateWorld) -> None:
    answer = either.client.request("POST", "/_bulk", b" " * (10 * 1024 * 1024 + 1))

    assert answer.status_code == 413
