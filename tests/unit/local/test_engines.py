import pytest

from local.data_folder import DataFolder
from local.engines import clean_up


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"dynamodb": 7}', '{"dynamodb": {"pid": "x"}}', '{"dynamodb": {}}'],
)
def test_what_is_not_as_we_write_it_ends_nothing_and_is_forgotten(tmp_path, text):
    folder = DataFolder.at(tmp_path)
    folder.engines_path.write_text(text)
    folder.run_path.write_text("{}")
    said: list[str] = []

    clean_up(folder, say=said.append)

    assert not said
    assert not list(tmp_path.iterdir())
