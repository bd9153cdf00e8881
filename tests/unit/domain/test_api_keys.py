import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.api_keys import (
    KEPT_AFTER_END,
    SECRET_BYTES,
    TOKEN_PREFIX,
    ApiKey,
    Token,
    caller_of,
    token_from_text,
)
from palimpsest.domain.errors import (
    TokenExpiredError,
    TokenMissingError,
    TokenRevokedError,
)
from palimpsest.domain.token_faults import TokenFault

from tests.builders import TENANT, build_caller
from tests.fakes.clock import NOON

BASE64URL = string.ascii_letters + string.digits + "-_"
SECOND = timedelta(seconds=1)

tokens = st.builds(
    Token,
    tenant_id=st.uuids().map(str),
    key_id=st.uuids().map(str),
    secret=st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES),
)


def build_token(secret=b"\x07" * SECRET_BYTES):
    return Token(tenant_id=TENANT, key_id="01890a5d-ac96-774b-bcce-b302099a8059", secret=secret)


def opens(text, token):
    """Tell whether a text opens the key of a token: it may be no token, name another key, or hold another secret."""
    try:
        found = token_from_text(text)
        is_found = (found.tenant_id, found.key_id) == (token.tenant_id, token.key_id)
        return caller_of(build_key(token) if is_found else None, found, now=NOON) is not None
    except TokenMissingError:
        return False


def build_key(token=None, **fields):
    token = token or build_token()
    given = {"name": "nightly import", "caller": build_caller(), "created_at": NOON, **fields}
    return ApiKey(id=token.key_id, secret_hash=token.secret_hash, **given)


@given(token=tokens)
def test_a_token_survives_being_written_and_read(token):
    text = token.to_text()

    assert token_from_text(text) == token
    assert text.startswith(TOKEN_PREFIX)
    assert set(text) <= set(BASE64URL)


@given(token=tokens, data=st.data())
def test_a_token_with_one_character_changed_opens_nothing(token, data):
    text = token.to_text()
    place = data.draw(st.integers(min_value=0, max_value=len(text) - 1))
    other = data.draw(st.sampled_from([c for c in BASE64URL + "+/= " if c != text[place]]))
    altered = text[:place] + other + text[place + 1 :]

    assert not opens(altered, token)


def test_no_change_of_the_last_character_opens_anything():
    # Its last four bits are spare: sixteen characters there decode to one and the same token.
    token = build_token()
    text = token.to_text()

    assert opens(text, token)
    assert not any(opens(text[:-1] + c, token) for c in BASE64URL if c != text[-1])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "pal_",
        "pal_AAAA",
        "abc",
        "pal_" + "A" * 85,
        "pal_" + "A" * 88,
        "pal_" + "é" * 86,
        "pal_" + "\x00" * 86,
        "PAL_" + "A" * 86,
        "A" * 86,
        "pal_" + "A" * 100_000,
    ],
)
def test_what_is_no_token_is_refused_as_if_there_were_none(text):
    with pytest.raises(TokenMissingError) as refused:
        token_from_text(text)

    assert refused.value.fault is TokenFault.MALFORMED


def test_other_spellings_of_a_token_are_no_tokens():
    text = build_token(b"\xff" * SECRET_BYTES).to_text()
    body = text.removeprefix(TOKEN_PREFIX)

    others = [
        text + "=",
        text + "==",
        text + "\n",
        " " + text,
        body,
        TOKEN_PREFIX + text,
        TOKEN_PREFIX + body.replace("_", "/").replace("-", "+"),
    ]

    for other in others:
        with pytest.raises(TokenMissingError):
            token_from_text(other)


def test_the_secret_is_kept_as_a_hash_only():
    token = build_token()
    key = build_key(token)

    assert key.secret_hash != token.secret.hex()
    assert token.secret.hex() not in repr(key)
    assert len(key.secret_hash) == 64


@given(left=tokens, right=tokens)
def test_two_secrets_never_share_a_hash(left, right):
    assert (left.secret_hash == right.secret_hash) == (left.secret == right.secret)


@given(token=tokens)
def test_the_secret_is_not_shown_when_a_token_is_printed(token):
    for shown in (repr(token), str(token), f"{token}"):
        assert repr(token.secret) not in shown
        assert token.to_text() not in shown
        assert "secret" not in shown


def test_a_token_speaks_for_its_keys_caller():
    caller = build_caller("ana", writes=("acme",))

    spoken_for = caller_of(build_key(caller=caller), build_token(), now=NOON)

    assert spoken_for == replace(caller, token_name="nightly import")


def test_a_key_without_a_name_gives_its_caller_none():
    assert caller_of(build_key(name=""), build_token(), now=NOON).token_name is None


def test_an_unknown_key_and_a_wrong_secret_are_told_alike():
    refusals = []
    for key, token in [(None, build_token()), (build_key(), build_token(b"\x08" * SECRET_BYTES))]:
        with pytest.raises(TokenMissingError) as refused:
            caller_of(key, token, now=NOON)
        refusals.append((str(refused.value), refused.value.fault))

    assert refusals[0] == refusals[1]
    assert refusals[0][1] is TokenFault.INVALID


def test_a_wrong_secret_does_not_learn_that_the_key_was_revoked_or_has_expired():
    ended = build_key(revoked_at=NOON - SECOND, expires_at=NOON - SECOND)

    with pytest.raises(TokenMissingError):
        caller_of(ended, build_token(b"\x08" * SECRET_BYTES), now=NOON)


def test_revoked_is_said_before_expired():
    ended = build_key(revoked_at=NOON - SECOND, expires_at=NOON - SECOND)

    with pytest.raises(TokenRevokedError):
        caller_of(ended, build_token(), now=NOON)


@pytest.mark.parametrize(
    ("age", "is_over"), [(-timedelta(milliseconds=1), False), (timedelta(0), True), (SECOND, True)]
)
def test_a_key_ends_at_the_instant_of_its_expiry(age, is_over):
    key = build_key(expires_at=NOON)

    if is_over:
        with pytest.raises(TokenExpiredError):
            caller_of(key, build_token(), now=NOON + age)
    else:
        assert caller_of(key, build_token(), now=NOON + age).id == key.caller.id


def test_a_key_without_an_end_is_kept_for_ever():
    assert build_key().kept_until is None


@given(
    expires_in=st.none() | st.timedeltas(timedelta(days=-400), timedelta(days=400)),
    revoked_in=st.none() | st.timedeltas(timedelta(days=-400), timedelta(days=400)),
)
def test_an_ended_key_is_kept_a_year_after_it_was_revoked_else_expired(expires_in, revoked_in):
    ends = {
        name: NOON + span
        for name, span in {"expires_at": expires_in, "revoked_at": revoked_in}.items()
        if span is not None
    }
    kept_until = build_key(**ends).kept_until

    assert (kept_until is None) == (not ends)
    if ends:
        end = ends["revoked_at"] if "revoked_at" in ends else ends["expires_at"]
        assert kept_until == end + KEPT_AFTER_END


def test_a_key_that_ends_with_the_calendar_is_kept_for_ever():
    key = build_key(expires_at=datetime(9999, 12, 31, tzinfo=UTC))

    assert key.kept_until is None
    assert replace(key, revoked_at=NOON).kept_until == NOON + KEPT_AFTER_END
