import httpx
import pytest

from tests.gate.faults import Fault, Loss
from tests.integration.opensearch.gate_world import GateWorld


@pytest.mark.parametrize("status", [402, 429, 500, 503])
def test_an_injected_status_is_answered_once_and_nothing_is_done(
    nextgen: GateWorld, status: int
) -> None:
    nextgen.create_index()
    nextgen.open_gate.gate.faults.answer_next(status)

    first = nextgen.send("POST", "/INDEX/_doc", {"owner": "ana"})
    second = nextgen.send("POST", "/INDEX/_doc", {"owner": "ana"})
    nextgen.open_gate.settle()

    assert (first.status_code, second.status_code) == (status, 201)
    assert nextgen.count() == 1


def test_a_bad_gateway_is_no_json(nextgen: GateWorld) -> None:
    nextgen.open_gate.gate.faults.answer_next(502)

    answer = nextgen.send("GET", "/INDEX")

    assert (answer.status_code, answer.headers["content-type"]) == (502, "text/html")


def test_a_fault_waits_for_the_request_that_it_is_for(nextgen: GateWorld) -> None:
    nextgen.create_index()
    nextgen.open_gate.gate.faults.answer_next(429, path_part="_search")

    other = nextgen.send("GET", "/INDEX/_count")
    meant = nextgen.send("POST", "/INDEX/_search")

    assert (other.status_code, meant.status_code) == (200, 429)


def test_items_of_a_bulk_fail_inside_an_answer_of_200(nextgen: GateWorld) -> None:
    nextgen.create_index()
    nextgen.open_gate.gate.faults.fail_next_items(None, 429, 402)
    lines = [line for owner in "abcd" for line in ({"index": {"_id": owner}}, {"owner": owner})]

    items = nextgen.bulk(*lines)
    nextgen.open_gate.settle()

    assert [(item["_id"], item["status"]) for item in items] == [
        ("a", 201),
        ("b", 429),
        ("c", 402),
        ("d", 201),
    ]
    assert nextgen.count() == 2


def test_a_bulk_whose_every_item_fails_is_still_answered_with_200(nextgen: GateWorld) -> None:
    nextgen.create_index()
    nextgen.open_gate.gate.faults.fail_next_items(429)

    items = nextgen.bulk({"index": {}}, {"owner": "ana"})

    assert [item["status"] for item in items] == [429]


def test_a_collection_that_wakes_up_slowly_outlasts_an_impatient_client(nextgen: GateWorld) -> None:
    nextgen.create_index()
    nextgen.open_gate.gate.faults.add(Fault(hold_seconds=30))
    impatient = nextgen.client.but(timeout_seconds=0.2)

    with pytest.raises(httpx.ReadTimeout):
        impatient.request("GET", f"/{nextgen.index}/_count")

    assert nextgen.count() == 0


def test_a_write_whose_answer_is_lost_is_done_and_one_that_never_came_is_not(
    nextgen: GateWorld,
) -> None:
    nextgen.create_index()
    nextgen.open_gate.gate.faults.add(
        Fault(loss=Loss.OF_THE_ANSWER), Fault(loss=Loss.OF_THE_REQUEST)
    )

    for owner in ("done", "not done"):
        with pytest.raises(httpx.RemoteProtocolError):
            nextgen.add(owner=owner)
    nextgen.open_gate.settle()

    hits = nextgen.send("POST", "/INDEX/_search").json()["hits"]["hits"]
    assert [hit["_source"]["owner"] for hit in hits] == ["done"]
