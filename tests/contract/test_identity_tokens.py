"""What every verifier of an issuer's tokens promises: ``palimpsest.ports.identity_tokens``."""

from datetime import UTC, datetime, timedelta

import pytest
from palimpsest.adapters.oidc.identity_tokens import OidcIdentityTokens
from palimpsest.adapters.oidc.key_set import ASKED_AGAIN_AFTER, KEPT_FOR, KeySet
from palimpsest.domain.errors import (
    StoreUnavailableError,
    TokenExpiredError,
    TokenMissingError,
)

from tests.fakes.clock import FakeClock
from tests.fakes.identity_tokens import FakeIdentityTokens
from tests.issuer import AUDIENCE, running_issuer


@pytest.fixture
def issuer():
    with running_issuer() as issuer:
        yield issuer


@pytest.fixture
def clock():
    return FakeClock()


def build_tokens(issuer, clock, **fields):
    given = {
        "issuer": issuer.url,
        "audience": AUDIENCE,
        "algorithms": ("RS256", "ES256"),
        "key_set": KeySet(issuer=issuer.url, clock=clock),
        **fields,
    }
    return OidcIdentityTokens(**given)


@pytest.fixture
def tokens(issuer, clock):
    return build_tokens(issuer, clock)


@pytest.fixture(params=["fake", "oidc"])
def either(request):
    """Return a verifier and what issues for it."""
    if request.param == "fake":
        fake = FakeIdentityTokens()
        return fake, lambda *, is_expired: fake.issue({"sub": "ana"}, is_expired=is_expired)
    issuer = request.getfixturevalue("issuer")
    past = datetime.now(UTC) - timedelta(seconds=1)
    return (
        request.getfixturevalue("tokens"),
        lambda *, is_expired: issuer.issue({"exp": past} if is_expired else {}),
    )


def test_a_token_in_force_gives_its_claims(either):
    verifier, issue = either

    assert verifier.verify(issue(is_expired=False))["sub"] == "ana"


def test_a_token_whose_time_is_over_is_expired(either):
    verifier, issue = either

    with pytest.raises(TokenExpiredError):
        verifier.verify(issue(is_expired=True))


@pytest.mark.parametrize("token", ["", "a.b.c", "..", "x" * 10_000, "é.é.é"])
def test_what_is_no_token_is_missing(either, token):
    verifier, _ = either

    with pytest.raises(TokenMissingError):
        verifier.verify(token)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "somebody-else"},
        {"aud": None},
        {"exp": None},
        {"exp": "soon"},
        {"sub": None},
        {"nbf": datetime(2100, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_token_that_is_not_for_us_is_missing(issuer, tokens, claims):
    with pytest.raises(TokenMissingError):
        tokens.verify(issuer.issue(claims))


def test_an_altered_token_is_missing_even_if_it_says_it_is_over(issuer, tokens):
    past = issuer.issue({"exp": datetime(2020, 1, 1, tzinfo=UTC)})
    head, body, signature = past.split(".")
    other = issuer.issue({"sub": "ben"}).split(".")[2]

    for forged in (f"{head}.{body}.{other}", f"{head}.{body}.", f"{head}.{body}.{signature[:-8]}"):
        with pytest.raises(TokenMissingError):
            tokens.verify(forged)


@pytest.mark.parametrize("algorithm", ["HS256", "none"])
def test_a_token_signed_with_what_everybody_has_is_missing(issuer, tokens, algorithm):
    key = "x" * 32 if algorithm == "HS256" else None

    with pytest.raises(TokenMissingError):
        tokens.verify(issuer.issue({}, key=key, algorithm=algorithm))


def test_an_algorithm_that_is_not_in_the_settings_is_refused(issuer, clock):
    only_elliptic = build_tokens(issuer, clock, algorithms=("ES256",))

    with pytest.raises(TokenMissingError):
        only_elliptic.verify(issuer.issue({}))
    issuer.add_key("k-2", "ES256")
    assert build_tokens(issuer, clock, algorithms=("ES256",)).verify(issuer.issue({}))


@pytest.mark.parametrize("algorithms", [(), ("HS256",), ("none",), ("RS256", "HS256")])
def test_an_algorithm_that_proves_nothing_cannot_be_configured(issuer, clock, algorithms):
    with pytest.raises(ValueError, match="Algorithms"):
        build_tokens(issuer, clock, algorithms=algorithms)


def test_keys_are_asked_for_once_and_kept(issuer, tokens):
    for _ in range(5):
        tokens.verify(issuer.issue({}))

    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


def test_an_unknown_key_is_asked_for_at_most_once_a_minute(issuer, clock, tokens):
    tokens.verify(issuer.issue({}))
    issuer.add_key("k-2")
    for _ in range(3):
        with pytest.raises(TokenMissingError):
            tokens.verify(issuer.issue({}))
    asked_early = len(issuer.asked)
    clock.advance(ASKED_AGAIN_AFTER)

    assert tokens.verify(issuer.issue({}))["sub"] == "ana"
    assert (asked_early, len(issuer.asked)) == (2, 4)


def test_a_key_that_was_taken_out_is_refused_after_a_while(issuer, clock, tokens):
    old = issuer.issue({})
    tokens.verify(old)
    issuer.keys = {}
    issuer.add_key("k-2")
    clock.advance(KEPT_FOR)

    with pytest.raises(TokenMissingError):
        tokens.verify(old)


def test_an_issuer_that_is_down_is_503_once_what_is_kept_is_too_old(issuer, clock, tokens):
    token = issuer.issue({})
    tokens.verify(token)
    issuer.is_down = True

    clock.advance(KEPT_FOR - timedelta(seconds=1))
    assert tokens.verify(token)
    clock.advance(timedelta(seconds=1))
    with pytest.raises(StoreUnavailableError):
        tokens.verify(token)
    issuer.is_down = False
    clock.advance(ASKED_AGAIN_AFTER)
    assert tokens.verify(token)


def test_an_issuer_is_asked_over_https_but_on_loopback(clock):
    key_set = KeySet(issuer="http://issuer.example", clock=clock)

    with pytest.raises(StoreUnavailableError):
        key_set.find("k-1")
