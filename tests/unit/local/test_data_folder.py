import json
import os
import stat

import pytest

from local.data_folder import DataFolder, DataFolderError, write_file


@pytest.fixture
def folder(tmp_path):
    folder = DataFolder.at(tmp_path / "new" / "data")
    folder.prepare()
    return folder


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_made_for_its_owner_alone(folder):
    assert mode(folder.path) == 0o700


def test_a_folder_that_was_opened_to_others_is_closed_again(folder):
    with folder.locked():
        pass
    folder.path.chmod(0o755)

    folder.prepare()

    assert mode(folder.path) == 0o700


def test_a_path_is_made_whole_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert DataFolder.at(tmp_path / "a" / ".." / "b").path == tmp_path.resolve() / "b"
    assert DataFolder.at((tmp_path / "c").relative_to(tmp_path)).path == tmp_path.resolve() / "c"


def test_a_file_in_the_place_of_the_folder_is_an_error_for_a_person(tmp_path):
    (tmp_path / "data").touch()

    with pytest.raises(DataFolderError, match="cannot be used: File exists"):
        DataFolder.at(tmp_path / "data").prepare()


def test_two_services_never_share_a_folder(folder):
    with (
        folder.locked(),
        pytest.raises(DataFolderError, match=f"in use by process {os.getpid()}"),
        folder.locked(),
    ):
        pass

    with folder.locked():
        assert (folder.path / "lock").read_text() == f"{os.getpid()}\n"


def test_engines_hold_the_folder_through_a_descriptor_that_they_inherit(folder):
    with folder.engines_locked() as descriptor:
        inherited = os.dup(descriptor)
    with (
        pytest.raises(DataFolderError, match="still uses"),
        folder.engines_locked(patience_seconds=0.05),
    ):
        pass
    os.close(inherited)

    with folder.engines_locked():
        pass


def test_keys_and_tenant_are_made_of_chance_and_once(folder, tmp_path):
    other = DataFolder.at(tmp_path / "other")
    other.prepare()

    uri = folder.keys_uri("cursor-keys.json")
    kept = json.loads((folder.path / "cursor-keys.json").read_text())

    assert uri == f"file:{folder.path}/cursor-keys.json"
    assert len(kept["keys"][0]) == 43
    assert folder.keys_uri("cursor-keys.json") == uri
    assert json.loads((folder.path / "cursor-keys.json").read_text()) == kept
    assert folder.tenant_id() == folder.tenant_id()
    assert folder.tenant_id() != other.tenant_id()
    assert mode(folder.path / "cursor-keys.json") == 0o600


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "run.json"
    write_file(path, "old")

    with pytest.raises(UnicodeEncodeError):
        write_file(path, "new \ud800")

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
