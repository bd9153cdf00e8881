import platform

import pytest

from tests.runtime.emulator import BUILD, LAYER

pytestmark = pytest.mark.runtime

# Lambda quotas: a function and its layers together, unzipped.
LIMIT_BYTES = 250 * 1024 * 1024
COMPILED_FOR = "cpython-313"


def test_the_layer_is_compiled_so_that_no_cold_start_compiles_it() -> None:
    sources = list(LAYER.rglob("*.py"))

    missing = [
        source
        for source in sources
        if not (source.parent / "__pycache__" / f"{source.stem}.{COMPILED_FOR}.pyc").exists()
    ]

    assert (LAYER / "palimpsest" / "bootstrap" / "settings.py") in sources
    assert missing == []


def test_the_layer_holds_programs_for_this_machine_only() -> None:
    others = {"x86_64", "aarch64"} - {platform.machine()}
    libraries = [path for path in LAYER.rglob("*.so*") if path.is_file()]

    foreign = [p.name for p in libraries if any(machine in p.name for machine in others)]

    assert libraries
    assert foreign == []


def test_neither_tests_nor_tools_are_deployed() -> None:
    folders = {path.name for path in LAYER.rglob("*") if path.is_dir()}

    assert not folders & {"tests", "test", "pip", "setuptools", "moto", "pytest", "bin"}


def test_code_and_layer_fit_into_what_lambda_takes() -> None:
    files = [path for path in BUILD.rglob("*") if path.is_file()]

    assert sum(path.stat().st_size for path in files) < LIMIT_BYTES


def test_a_function_is_its_handler_and_nothing_else() -> None:
    folders = list(BUILD.glob("*Function"))

    assert folders
    assert {tuple(p.name for p in folder.iterdir()) for folder in folders} == {("handler.py",)}
