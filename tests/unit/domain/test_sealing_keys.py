import hashlib
import json

import pytest
from palimpsest.domain.errors import StoreFailedError
from palimpsest.domain.sealing_keys import sealing_key, sealing_keys_from_text

SECRET = "a secret of thirty-two character"


def test_a_list_of_one_is_written_as_a_deployment_generates_it():
    keys = sealing_keys_from_text(json.dumps({"key": SECRET}))

    assert keys == (sealing_key(SECRET),)


def test_a_key_is_named_by_a_hash_of_its_secret():
    key = sealing_key(SECRET)

    expected = hashlib.sha256(f"palimpsest-key-id:{SECRET}".encode()).hexdigest()[:8]
    assert (key.id, key.secret) == (expected, SECRET.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"keys": []}',
        '{"key": 7}',
        json.dumps({"key": [SECRET]}),
        json.dumps({"keys": SECRET}),
        json.dumps({"keys": [SECRET, 7]}),
        json.dumps({"key": SECRET, "keys": [SECRET]}),
        SECRET,
        f'{{"key": "{SECRET}", "key": "{SECRET}"}}',
    ],
)
def test_a_text_of_another_form_is_no_key_list_and_is_not_shown(text):
    with pytest.raises(StoreFailedError, match="must be JSON") as refused:
        sealing_keys_from_text(text)

    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("listed", [{"key": SECRET[1:]}, {"keys": [SECRET, ""]}])
def test_a_short_secret_is_refused_and_not_shown(listed):
    with pytest.raises(StoreFailedError, match="at least 32 characters") as refused:
        sealing_keys_from_text(json.dumps(listed))

    assert SECRET[1:] not in str(refused.value)
