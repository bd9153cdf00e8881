import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from local.opensearch.distribution import (
    CHECKSUMS,
    SOURCES,
    AssemblyError,
    cache_folder,
    fetch_with_maven,
    get_distribution,
    read_checksums,
    verify,
)


def write_tree(home: Path, files: Mapping[str, bytes]) -> dict[str, str]:
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def test_files_that_are_the_known_ones_pass(tmp_path: Path) -> None:
    expected = write_tree(tmp_path, {"lib/a.jar": b"a", "plugins/b.jar": b"b"})

    verify(tmp_path, expected)


def test_a_missing_an_unknown_and_a_different_file_are_named(tmp_path: Path) -> None:
    expected = write_tree(tmp_path, {"same.jar": b"1", "lost.jar": b"2", "other.jar": b"3"})
    (tmp_path / "lost.jar").unlink()
    write_tree(tmp_path, {"other.jar": b"4", "new.jar": b"5"})

    with pytest.raises(AssemblyError) as caught:
        verify(tmp_path, expected)

    assert str(caught.value).splitlines()[1:] == [
        "missing: lost.jar",
        "unknown: new.jar",
        "different: other.jar",
    ]


def test_artifacts_that_are_not_the_known_ones_never_come_into_place(tmp_path: Path) -> None:
    def fetch(home: Path, environ: Mapping[str, str]) -> None:
        write_tree(home, {"lib/opensearch-2.19.1.jar": b"not the one"})

    with pytest.raises(AssemblyError, match="not the one we know"):
        get_distribution(tmp_path, {}, fetch=fetch, say=lambda _: None)

    assert [path.name for path in tmp_path.iterdir()] == ["assembly.lock"]


def test_a_machine_without_maven_is_told_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(AssemblyError, match="apt-get install maven"):
        fetch_with_maven(tmp_path, {"PATH": str(tmp_path)})


def test_every_module_that_is_built_has_its_descriptor() -> None:
    fetched = {Path(name).parent for name in read_checksums(CHECKSUMS)}
    modules = {path.parent.relative_to(SOURCES) for path in SOURCES.glob("modules/*/pom.xml")}

    assert modules == {folder for folder in fetched if folder.parts[0] == "modules"}
    for module in modules:
        descriptor = (SOURCES / module / "plugin-descriptor.properties").read_text()
        assert f"name={module.name}\n" in descriptor


def test_the_cache_is_the_users_own(tmp_path: Path) -> None:
    home = Path("/home/ana")

    assert cache_folder({"HOME": str(home)}) == home / ".cache/palimpsest/opensearch"
    assert cache_folder({"XDG_CACHE_HOME": "/var/x"}) == Path("/var/x/palimpsest/opensearch")
