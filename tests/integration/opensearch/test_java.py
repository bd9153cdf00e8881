from pathlib import Path

import pytest

from local.opensearch.java import JavaNotFoundError, find_java, major_version


def fake_java(folder: Path, version: str) -> Path:
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("told", "version"), [("17.0.15", 17), ("21", 21), ("1.8.0_442", 1)])
def test_the_version_is_what_java_tells(tmp_path: Path, told: str, version: int) -> None:
    assert major_version(fake_java(tmp_path, told)) == version


def test_the_java_of_java_home_comes_before_the_one_on_the_path(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "home", "17.0.1")
    on_path = fake_java(tmp_path / "other", "17.0.2")

    found = find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)})

    assert found == home


def test_a_java_that_is_too_new_is_passed_over(tmp_path: Path) -> None:
    fake_java(tmp_path / "home", "25")
    fitting = fake_java(tmp_path / "other", "21.0.4")

    found = find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(fitting.parent)})

    assert found == fitting


def test_a_machine_without_java_is_told_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(JavaNotFoundError, match="apt-get install openjdk-17"):
        find_java({"PATH": str(tmp_path)}, folders=())


def test_a_program_that_is_no_java_has_no_version(tmp_path: Path) -> None:
    assert major_version(tmp_path / "missing") is None
