from datetime import timedelta

import click
import pytest
from palimpsest_cli.lifetimes import expiry_from_options

from tests.fakes.clock import NOON


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30m", timedelta(minutes=30)),
        ("12h", timedelta(hours=12)),
        ("90d", timedelta(days=90)),
        ("8w", timedelta(weeks=8)),
    ],
)
def test_a_length_counts_from_now(text, length):
    assert expiry_from_options(text, None, now=NOON) == NOON + length


def test_an_instant_is_taken_as_it_is():
    expiry = expiry_from_options(None, "2026-05-02T14:00:00+02:00", now=NOON)

    assert expiry == NOON + timedelta(days=1)


def test_a_key_without_either_does_not_expire():
    assert expiry_from_options(None, None, now=NOON) is None


@pytest.mark.parametrize(
    ("expires_in", "expires_at"),
    [
        ("", None),
        ("90", None),
        ("-1d", None),
        ("1.5d", None),
        ("\u0661d", None),
        ("999999w", None),
        (None, ""),
        (None, "tomorrow"),
        (None, "2026-05-02"),
        (None, "2026-05-02T14:00:00"),
        ("1d", "2026-05-02T14:00:00Z"),
    ],
)
def test_anything_else_is_refused(expires_in, expires_at):
    with pytest.raises(click.UsageError):
        expiry_from_options(expires_in, expires_at, now=NOON)
