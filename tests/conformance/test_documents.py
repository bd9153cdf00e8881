"""Schemathesis asks the service what its own document, and the official one, say that it takes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.contract import CONTRACT
from tests.laptop import PYTHON_PATH

FOLDER = Path(__file__).parent
EXAMPLES = 12
"""For each operation and phase. A number, not a time: the same run everywhere."""

SERVED = [
    name
    for name in CONTRACT.operations
    if (name.startswith("memory.") and "Erasure" not in name) or name == "identity.whoami"
]


# Another specification's messages, in which a fault is an answer: its own suite asks there (test_mcp_suite.py).
NOT_ASKED = ("mcp.exchange",)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_the_service_is_as_a_document_says(tenant, tmp_path, whose):
    url = tenant.laptop.run["url"]
    document, only = (f"{url}/v1/openapi.json", []) if whose == "ours" else (CONTRACT.path, SERVED)

    done = subprocess.run(
        [
            Path(sys.executable).with_name("st"),
            "--no-color",
            *("--config-file", FOLDER / "schemathesis.toml"),
            *("run", document, "--url", url, "--max-examples", str(EXAMPLES)),
            *("--header", f"Authorization: Bearer {tenant.admin.token}"),
            *(part for name in only for part in ("--include-operation-id", name)),
            *(part for name in NOT_ASKED for part in ("--exclude-operation-id", name)),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": PYTHON_PATH,
            "SCHEMATHESIS_HOOKS": "tests.conformance.document_hooks",
            "PALIMPSEST_TENANT": tenant.id,
            "NO_PROXY": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Tested:" in done.stdout
