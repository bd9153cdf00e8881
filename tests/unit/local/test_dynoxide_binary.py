import base64
import hashlib
import os
import sys
import tarfile

import pytest

from local.dynoxide_binary import DynoxideMissingError, cache_folder, find_binary


def program(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o700)
    return path


def test_the_program_that_is_named_wins(tmp_path):
    named = program(tmp_path / "named" / "dynoxide")
    program(tmp_path / "bin" / "dynoxide")
    environ = {"DYNOXIDE": str(named), "PATH": str(tmp_path / "bin")}

    assert find_binary(environ, say=print) == named


def test_a_name_that_is_no_program_is_an_error_and_not_passed_over(tmp_path):
    program(tmp_path / "bin" / "dynoxide")
    environ = {"DYNOXIDE": str(tmp_path / "missing"), "PATH": str(tmp_path / "bin")}

    with pytest.raises(DynoxideMissingError, match="missing"):
        find_binary(environ, say=print)


def test_a_program_on_the_path_is_taken_before_anything_is_fetched(tmp_path):
    on_path = program(tmp_path / "bin" / "dynoxide")
    environ = {"PATH": str(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    said: list[str] = []

    assert find_binary(environ, say=said.append) == on_path
    assert not said
    assert not (tmp_path / "cache").exists()


def test_what_is_fetched_is_said_first_and_a_failure_says_what_to_do(tmp_path):
    program(tmp_path / "bin" / "npm", "#!/bin/sh\necho 'no network' >&2\nexit 1\n")
    environ = {"PATH": str(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    said: list[str] = []

    with pytest.raises(DynoxideMissingError, match=r"(?s)no network.*DYNAMODB_ENDPOINT"):
        find_binary(environ, say=said.append)

    assert said[0].startswith("Fetching dynoxide 1.2.1")


def test_a_package_that_is_another_one_is_refused(tmp_path):
    # A stand-in for npm that writes some archive where it is told to.
    text = '#!/bin/sh\nwhile [ "$1" != --pack-destination ]; do shift; done\necho x > "$2/a.tgz"\n'
    program(tmp_path / "bin" / "npm", text)
    environ = {"PATH": str(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    with pytest.raises(DynoxideMissingError, match="not the package"):
        find_binary(environ, say=print)

    assert not list(cache_folder(environ).rglob("dynoxide"))


def npm_that_gives(archive, folder):
    """Make a stand-in for npm that copies an archive to where it is told to pack."""
    text = f"""#!{sys.executable}
import shutil, sys
folder = sys.argv[sys.argv.index("--pack-destination") + 1]
shutil.copy({str(archive)!r}, folder)
"""
    program(folder / "npm", text)
    return {"PATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def test_a_fetched_program_is_checked_unpacked_and_found_the_next_time(tmp_path):
    package = program(tmp_path / "package" / "dynoxide", "#!/bin/sh\necho dynoxide\n")
    archive = tmp_path / "dynoxide.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(package, "package/dynoxide")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    expected = {
        f"{system}-{cpu}": digest for system in ("linux", "darwin") for cpu in ("x64", "arm64")
    }
    environ = npm_that_gives(archive, tmp_path / "bin")
    said: list[str] = []

    first = find_binary(environ, say=said.append, integrity=expected)
    lines_of_the_first = len(said)
    second = find_binary(environ, say=said.append, integrity=expected)

    assert first == second
    assert first.read_text() == package.read_text()
    assert os.access(first, os.X_OK)
    assert lines_of_the_first == len(said) == 2
