"""The tests of a deployed stack run against this machine's service too, so that they are in order when a stack is there."""

import os
import subprocess
import sys

from tests.laptop import ROOT


def run_e2e(**environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "e2e", "tests/e2e", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, "NO_PROXY": "127.0.0.1", **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )


def test_they_pass_against_the_laptop(tenant):
    run = tenant.laptop.run

    done = run_e2e(PALIMPSEST_E2E_URL=run["url"], PALIMPSEST_E2E_TOKEN=str(tenant.admin.token))

    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_without_a_stack_they_fail_and_say_what_is_missing():
    done = run_e2e(PALIMPSEST_E2E_URL="", PALIMPSEST_E2E_TOKEN="")

    assert done.returncode == 1
    assert "PALIMPSEST_E2E_TOKEN is not set" in done.stdout
