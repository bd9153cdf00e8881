import io
import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from palimpsest_cli.failures import LineError, ServiceRefusedError
from palimpsest_cli.services import Service
from palimpsest_cli.transfers import export_facts, import_facts

from tests.builders import TENANT

Told = tuple[int, object, dict[str, str]]

WITHHELD: Told = (409, {"error": {"code": "idempotency-key-replay-withheld", "message": "m"}}, {})
WRITTEN: Told = (201, {"id": "f"}, {})
REPLAYED: Told = (201, {"id": "f"}, {"X-Idempotent-Replay": "true"})
REFUSED: Told = (403, {"error": {"code": "permission-denied", "message": "No."}}, {})


def service_of(answer: Callable[[httpx.Request], Told]) -> Service:
    def answered(request: httpx.Request) -> httpx.Response:
        status, body, headers = answer(request)
        return httpx.Response(status, json=body, headers=headers)

    client = httpx.Client(base_url="http://here", transport=httpx.MockTransport(answered))
    return Service(client=client, pause=lambda _: None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "facts.jsonl"
    path.write_text("".join(f'{{"type": "note", "id": "x", "content": {n}}}\n' for n in range(3)))
    return path


def run(file: Path, *answers: Told, first_line: int = 1):
    """Import a file whose writes are answered so, and return what came of it, with the bodies and steps."""
    left, sent, steps = list(answers), [], []

    def answer(request: httpx.Request) -> Told:
        if request.method == "GET":
            return 200, {"tenantId": TENANT}, {}
        sent.append(json.loads(request.content))
        return left.pop(0)

    def begun(total: int) -> Callable[[], None]:
        steps.append(total)
        return lambda: steps.append(1)

    imported = import_facts(service_of(answer), file, first_line=first_line, begun=begun)
    return imported, sent, steps


def test_what_an_earlier_run_wrote_is_counted_apart_also_when_it_cannot_be_read_any_more(file):
    imported, sent, steps = run(file, REPLAYED, WITHHELD, WRITTEN)

    assert (imported.written, imported.found) == (1, 2)
    assert imported.dropped == {"id": 3}
    assert [body["content"] for body in sent] == [0, 1, 2]
    assert steps == [3, 1, 1, 1]


def test_lines_before_the_first_are_passed_over(file):
    imported, sent, steps = run(file, WRITTEN, first_line=3)

    assert (imported.written, [body["content"] for body in sent]) == (1, [2])
    assert steps == [1, 1]


def test_a_refused_line_ends_it_there(file):
    with pytest.raises(
        LineError, match=r"^Line 2: the service refuses it \(permission-denied\): No\. "
    ):
        run(file, WRITTEN, REFUSED)


def test_a_refused_token_ends_it_before_the_file_is_read(tmp_path):
    service = service_of(lambda _: REFUSED)

    with pytest.raises(ServiceRefusedError, match=r"permission-denied.*No\."):
        import_facts(service, tmp_path / "missing", first_line=1, begun=lambda _: lambda: None)


def test_an_export_goes_on_through_short_and_empty_pages():
    pages = {
        None: {"data": [{"id": "a"}], "hasMore": True, "nextCursor": "1"},
        "1": {"data": [], "hasMore": True, "nextCursor": "2"},
        "2": {"data": [{"id": "b"}, {"id": "c", "x": 0.1}], "hasMore": False},
    }
    asked = []

    def answer(request: httpx.Request) -> Told:
        asked.append(dict(request.url.params))
        return 200, pages[request.url.params.get("cursor")], {}

    out = io.StringIO()
    counts = list(export_facts(service_of(answer), {"type": "note"}, out))

    assert counts == [1, 0, 2]
    assert out.getvalue() == '{"id":"a"}\n{"id":"b"}\n{"id":"c","x":0.1}\n'
    assert {query["type"] for query in asked} == {"note"}
