"""Import and export as a person starts them: other processes, the real service, HTTP in between."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.builders import OTHER_TENANT
from tests.polling import wait_until
from tests.tenants import FACTS, HttpCaller, Tenant, all_facts

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "bin/palimpsest"
SCOPES: list[dict[str, Any]] = [{}, {"projectId": "apollo"}, {"userId": "ana", "team": ["red"]}]
CONTENTS = ["Tea.", {"": [1.5, None]}, 12345678901234567890123, "\x00 𝄞", None]


def environment(caller: HttpCaller) -> dict[str, str]:
    return {
        **os.environ,
        "PALIMPSEST_TOKEN": str(caller.token),
        "PALIMPSEST_PYTHON": sys.executable,
        "NO_PROXY": "127.0.0.1",
    }


def arguments(caller: HttpCaller, command: str, *more: object) -> Sequence[str]:
    return [str(PROGRAM), command, "--url", str(caller.client.base_url), *map(str, more)]


def palimpsest(
    caller: HttpCaller, command: str, *more: object
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        arguments(caller, command, *more),
        env=environment(caller),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def write_lines(path: Path, facts: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(fact) + "\n" for fact in facts), encoding="utf-8")
    return path


def told(fact: dict[str, Any]) -> str:
    """What of a fact its writer said."""
    names = ("type", "scope", "content", "retention", "subjects", "validFrom")
    return json.dumps([fact.get(name) for name in names], sort_keys=True)


def test_what_is_exported_can_be_imported(tenant: Tenant, connection, laptop, tmp_path):
    for scope in SCOPES:
        for content in CONTENTS:
            tenant.write(content, scope=scope, subjects=[{"kind": "user", "id": "ana"}])
    changed = tenant.write("old", validFrom="2026-01-01T00:00:00Z", retention={"keepDays": 9})
    tenant.admin.ask("POST", f"{FACTS}/{changed['id']}/supersede", {"content": "new"})
    file = tmp_path / "facts.jsonl"

    exported = palimpsest(tenant.admin, "export", file)
    before = all_facts(tenant.admin)
    assert exported.returncode == 0, exported.stderr
    assert "Exported 16 facts." in exported.stderr
    assert [json.loads(line) for line in file.read_text().splitlines()] == before
    assert file.stat().st_mode & 0o777 == 0o600
    for fact in before:
        assert tenant.admin.ask("DELETE", f"{FACTS}/{fact['id']}").status_code == 200
    imported = palimpsest(tenant.admin, "import", file)

    assert imported.returncode == 0, imported.stderr
    assert "Imported 16 facts." in imported.stderr
    assert "version (16)" in imported.stderr
    assert sorted(map(told, all_facts(tenant.admin))) == sorted(map(told, before))


def test_a_killed_import_goes_on_and_writes_nothing_twice(tenant: Tenant, tmp_path):
    facts = [{"type": "note", "content": f"fact {n}"} for n in range(120)]
    file = write_lines(tmp_path / "facts.jsonl", facts)
    first = subprocess.Popen(
        arguments(tenant.admin, "import", file),
        env=environment(tenant.admin),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(all_facts(tenant.admin)) > 10, "some are written", seconds=60)
    first.send_signal(signal.SIGKILL)
    first.wait()
    half = len(all_facts(tenant.admin))
    assert half < len(facts)

    second = palimpsest(tenant.admin, "import", file)

    assert second.returncode == 0, second.stderr
    written = sorted(fact["content"] for fact in all_facts(tenant.admin))
    assert written == sorted(fact["content"] for fact in facts)
    told = re.search(r"Imported (\d+) facts, (\d+) were there already\.", second.stderr)
    assert told is not None
    imported, found = map(int, told.groups())
    # What the dead command had sent may land after it was counted.
    assert imported + found == len(facts)
    assert half <= found < len(facts)


def test_a_line_of_another_tenant_stops_it_before_anything_is_written(tenant: Tenant, tmp_path):
    other = {"type": "note", "content": 2, "scope": {"tenantId": OTHER_TENANT}}
    file = write_lines(tmp_path / "facts.jsonl", [{"type": "note", "content": 1}, other])

    done = palimpsest(tenant.admin, "import", file)

    assert (done.returncode, done.stdout) == (5, "")
    assert "Error: Line 2: it is of another tenant than the token." in done.stderr
    assert all_facts(tenant.admin) == []


def test_the_tokens_own_rules_hold(tenant: Tenant, tmp_path):
    ana = tenant.caller("ana")
    mine = {"type": "note", "content": 1, "scope": {"userId": "ana"}}
    everybodys = {"type": "note", "content": 2}
    file = write_lines(tmp_path / "facts.jsonl", [mine, everybodys])

    done = palimpsest(ana, "import", file)
    passed_over = palimpsest(ana, "import", "--from-line", "3", file)

    assert done.returncode == 5
    assert "Line 2: the service refuses it (permission-denied)" in done.stderr
    assert [fact["content"] for fact in all_facts(ana)] == [1]
    assert "Imported 0 facts." in passed_over.stderr
    assert palimpsest(ana, "export").stdout.count("\n") == 1


def test_an_export_as_of_a_time_is_memory_as_it_stood(tenant: Tenant):
    fact = tenant.write("Tea.")
    tenant.admin.ask("DELETE", f"{FACTS}/{fact['id']}")

    now = palimpsest(tenant.admin, "export", "-")
    then = palimpsest(tenant.admin, "export", "--as-of", fact["createdAt"], "-")

    assert (now.returncode, now.stdout) == (0, "")
    assert [json.loads(line)["content"] for line in then.stdout.splitlines()] == ["Tea."]


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (("export", "--scope", "x", "{file}"), 4, "The service refuses (bad-input)"),
        (("export", "{missing}/facts"), 2, "No such file or directory"),
        (("import", "{missing}"), 2, "No such file or directory"),
    ],
)
def test_what_cannot_be_done_leaves_the_file_as_it_was(tenant: Tenant, tmp_path, more, code, said):
    file = tmp_path / "facts.jsonl"
    file.write_text("as it was")
    places = {"file": file, "missing": tmp_path / "missing"}

    done = palimpsest(tenant.admin, *(part.format(**places) for part in more))

    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert file.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [file]
