"""Importing a module of ours does nothing: no client, no environment, no file, no socket, no thread."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.infrastructure.source import PRODUCT, ROOT, product_sources
from tests.infrastructure.test_house import imported

OURS = ("palimpsest", "palimpsest_cli", "local", "functions", "tests")
# pydantic looks up its own switch for each model that is defined.
NOT_OURS = {"environ PYDANTIC_DISABLE_PLUGINS"}
PROBE = Path(__file__).with_name("import_probe.py")


def probe(names, foreign, paths):
    """Return what was done while these modules were imported, as pairs of module and deed."""
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, PROBE],
        input=json.dumps({"names": names, "foreign": foreign}),
        env=environ,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(name, deed) for name, deed in json.loads(done.stdout) if deed not in NOT_OURS]


def foreign_modules():
    """Return every module of somebody else's that ours import."""
    named = {name for source in product_sources() for name in modules_imported(source)}
    return sorted(name for name in named if name.split(".")[0] not in OURS)


def modules_imported(source):
    # `from a.b import c` loads a.b; whether c is a module or a name in it, loading a.b is enough to begin with.
    return {name.rpartition(".")[0] or name for name in imported(source)} if source else set()


def test_importing_any_module_of_ours_does_nothing():
    names = [source.module for source in product_sources()]

    assert len(names) > 50
    assert probe(names, foreign_modules(), dict.fromkeys(PRODUCT.values())) == []


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("import os\nNAME = os.environ.get('FACTS_TABLE_NAME')\n", "environ FACTS_TABLE_NAME"),
        ("import os\nNAME = os.getenv('FACTS_TABLE_NAME', '')\n", "environ FACTS_TABLE_NAME"),
        ("from os import environ\nNAMES = list(environ)\n", "environ"),
        ("TEXT = open(__file__[:-3] + '.txt', 'w')\nTEXT.close()\n", "open planted.txt"),
        ("import socket\nsocket.socket().close()\n", "socket.__new__"),
        ("import sqlite3\nsqlite3.connect(':memory:').close()\n", "sqlite3.connect"),
        ("import boto3\nTABLE = boto3.resource('dynamodb')\n", "client"),
        ("import boto3\nCLIENT = boto3.Session().client('s3')\n", "client"),
        ("import threading\nthreading.Thread(target=print).start()\n", "thread"),
        ("import subprocess\nsubprocess.run(['true'])\n", "subprocess.Popen"),
    ],
)
def test_a_module_that_does_something_is_found_out(text, deed, tmp_path):
    (tmp_path / "planted.py").write_text(text)

    deeds = probe(["planted"], ["boto3", "socket", "sqlite3"], [tmp_path])

    assert ("planted", deed) in deeds


def test_a_module_that_only_defines_things_is_let_be(tmp_path):
    (tmp_path / "planted.py").write_text(
        "import json\nimport os\n\n\ndef f():\n    return os.environ\n"
    )

    assert probe(["planted"], [], [tmp_path, ROOT]) == []


def test_no_other_function_pays_for_the_protocol_of_the_tools():
    """The SDK takes longer to import than a whole function beside it (docs/decisions/0017)."""
    builders = [s.module for s in product_sources() if s.module.startswith("palimpsest.bootstrap.")]
    others = [name for name in builders if name != "palimpsest.bootstrap.serve_tools"]
    script = (
        "import importlib, json, sys\n"
        f"for name in {others!r}: importlib.import_module(name)\n"
        "print(json.dumps(sorted({'mcp', 'mcp_types', 'starlette', 'uvicorn'} & set(sys.modules))))"
    )
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "layers" / "memory")}

    done = subprocess.run(
        [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True
    )

    assert len(others) > 5
    assert json.loads(done.stdout) == []
