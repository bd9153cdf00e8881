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


# What of a document is asked: ours in two parts, so that each ends in time.
PARTS = {
    # Nor the messages of another specification, in which a fault is an answer: its own suite asks there (test_mcp_suite.py).
    "ours": ["--exclude-tag", "atoms", "--exclude-operation-id", "mcp.exchange"],
    "ours, memory": ["--include-tag", "atoms"],
    "theirs": [part for name in SERVED for part in ("--include-operation-id", name)],
}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("whose", PARTS)
def test_the_service_is_as_a_document_says(tenant, tmp_path, whose):
    url = tenant.laptop.run["url"]
    document = CONTRACT.path if whose == "theirs" else f"{url}/v1/openapi.json"

    done = subprocess.run(
        [
            Path(sys.executable).with_name("st"),
            "--no-color",
            *("--config-file", FOLDER / "schemathesis.toml"),
            *("run", document, "--url", url, "--max-examples", str(EXAMPLES)),
            *("--header", f"Authorization: Bearer {tenant.admin.token}"),
            *PARTS[whose],
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
