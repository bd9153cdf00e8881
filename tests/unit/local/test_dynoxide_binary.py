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
