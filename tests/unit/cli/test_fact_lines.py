import json

import pytest
from palimpsest.api.fact_bodies import WriteFactBody
from palimpsest.api.schemas import Fact
from palimpsest_cli.fact_lines import SET_BY_SERVER, digest_of, key_of, read_lines
from palimpsest_cli.failures import LineError

from tests.builders import OTHER_TENANT, TENANT

NOTE = {"type": "note", "scope": {"tenantId": TENANT, "userId": "ana"}, "content": "Tea."}


@pytest.fixture
def lines_of(tmp_path):
    def read(text: str | bytes):
        path = tmp_path / "facts.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(read_lines(path, TENANT))

    return read


def test_what_the_server_sets_is_left_out_and_the_rest_is_kept(lines_of):
    exported = {
        **NOTE,
        "id": "x",
        "version": 3,
        "trust": "verified",
        "validFrom": "2026-01-01T00:00:00Z",
    }

    [line] = lines_of(json.dumps(exported))

    assert json.loads(line.body) == {**NOTE, "validFrom": "2026-01-01T00:00:00Z"}
    assert (line.number, line.dropped) == (1, {"id", "version", "trust"})


def test_every_field_of_a_fact_is_sent_or_set_by_the_server():
    of_a_fact = {field.alias for field in Fact.model_fields.values()}
    of_a_body = {field.alias for field in WriteFactBody.model_fields.values()}

    assert of_a_fact - SET_BY_SERVER == of_a_body - SET_BY_SERVER


def test_a_scope_without_tenant_is_the_tokens(lines_of):
    with_scope, without = lines_of('{"scope": {"userId": "ana"}}\n{"type": "note"}')

    assert json.loads(with_scope.body)["scope"] == {"userId": "ana", "tenantId": TENANT}
    assert json.loads(without.body)["scope"] == {"tenantId": TENANT}


def test_blank_lines_are_passed_over_and_counted(lines_of):
    lines = lines_of(f"\ufeff{json.dumps(NOTE)}\r\n\n  \n{json.dumps(NOTE)}")

    assert [line.number for line in lines] == [1, 4]


def test_numbers_and_texts_are_sent_as_they_are(lines_of):
    content = '{"n": 12345678901234567890123, "x": 0.1, "t": "\\u0000 𝄞"}'

    [line] = lines_of(f'{{"type": "note", "content": {content}}}')

    assert json.loads(line.body)["content"] == json.loads(content)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ("{", "not valid JSON"),
        ("[]", "no JSON object"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', ""),
        (b"\xff", "not UTF-8"),
        ('{"scope": []}', "its scope"),
        (json.dumps({"scope": {"tenantId": OTHER_TENANT}}), "another tenant"),
        ('{"scope": {"tenantId": null}}', "another tenant"),
    ],
)
def test_a_faulty_line_is_told_by_its_number(lines_of, second, why):
    raw = second if isinstance(second, bytes) else second.encode()

    with pytest.raises(LineError, match=rf"^Line 2: .*{why}") as told:
        lines_of(json.dumps(NOTE).encode() + b"\n" + raw)

    assert told.value.number == 2


def test_a_key_is_a_lines_own(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1")
    second.write_text("2")

    assert digest_of(first) != digest_of(second)
    assert len({key_of(digest_of(f), n) for f in (first, second) for n in (1, 2, 11)}) == 6
    assert key_of(digest_of(first), 1) == key_of(digest_of(first), 1)
