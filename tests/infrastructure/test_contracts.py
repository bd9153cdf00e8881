"""Every import contract is shown failing once: a rule that never failed may check nothing."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.infrastructure.source import PRODUCT, ROOT

CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
}

# Contract, the file that breaks it, and the lines that do.
VIOLATIONS = [
    ("floors", "palimpsest/domain/facts.py", "import palimpsest.ports.facts"),
    ("floors", "palimpsest/ports/facts.py", "import palimpsest.use_cases.write_fact"),
    ("floors", "palimpsest/use_cases/write_fact.py", "import palimpsest.api"),
    ("floors", "palimpsest/use_cases/write_fact.py", "import palimpsest.adapters.system.clock"),
    ("floors", "palimpsest/api/planted.py", "import palimpsest.adapters.system.clock"),
    ("floors", "palimpsest/adapters/system/clock.py", "import palimpsest.api"),
    ("floors", "palimpsest/api/planted.py", "import palimpsest.bootstrap"),
    ("floors", "palimpsest/helpers/__init__.py", ""),
    (
        "adapters",
        "palimpsest/adapters/system/clock.py",
        "import palimpsest.adapters.sealing.cursors",
    ),
    ("pure", "palimpsest/domain/facts.py", "import os"),
    ("pure", "palimpsest/domain/facts.py", "import pydantic"),
    ("pure", "palimpsest/ports/facts.py", "import logging"),
    ("pure", "palimpsest/use_cases/write_fact.py", "import boto3"),
    ("pure", "palimpsest/use_cases/write_fact.py", "import random"),
    ("edge", "palimpsest/api/planted.py", "import boto3"),
    ("inward", "palimpsest/bootstrap/planted.py", "import local.template"),
    ("inward", "palimpsest/api/planted.py", "import palimpsest_cli"),
    ("wiring", "local/planted.py", "import palimpsest.adapters.system.clock"),
    ("wiring", "palimpsest_cli/planted.py", "import palimpsest.adapters.system.clock"),
    ("circles", "palimpsest/domain/scopes.py", "import palimpsest.domain.facts"),
    ("circles", "local/template.py", "import local.routes\nimport local.planted"),
]
ALSO = {"circles": [("local/planted.py", "import local.template")]}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the packages and of the contracts, to be damaged."""
    folder = tmp_path_factory.mktemp("house")
    for package in PRODUCT:
        if package.name != "functions":
            shutil.copytree(
                package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__")
            )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(house, *contracts):
    """Return the linter's exit status and what it says."""
    program = Path(sys.executable).with_name("lint-imports")
    assert program.is_file(), f"{program.name} is not installed: run `make install`"
    chosen = [word for contract in contracts for word in ("--contract", contract)]
    done = subprocess.run(
        [program, "--no-cache", "--no-logo", *chosen],
        cwd=house,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(house), "COLUMNS": "300"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_copy_keeps_every_contract(house):
    status, said = lint(house)

    assert status == 0, said
    assert f"{len(CONTRACTS)} kept, 0 broken" in said


@pytest.mark.parametrize(("contract", "file", "lines"), VIOLATIONS)
def test_a_violation_breaks_its_contract(house, contract, file, lines):
    planted = [(house / f, text) for f, text in [(file, lines), *ALSO.get(contract, [])]]
    before = {path: path.read_text() if path.exists() else None for path, _ in planted}

    for path, text in planted:
        path.parent.mkdir(exist_ok=True)
        path.write_text((before[path] or '"""Planted."""\n') + f"\n{text}\n")
    try:
        status, said = lint(house, contract)
    finally:
        for path, text in before.items():
            path.write_text(text) if text is not None else path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()

    assert status == 1, said
    assert f"{CONTRACTS[contract]} BROKEN" in said


def test_every_contract_is_shown_failing():
    assert {contract for contract, _, _ in VIOLATIONS} == set(CONTRACTS)
