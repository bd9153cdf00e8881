from datetime import timedelta

import pytest
from palimpsest.bootstrap.settings import SettingsError, WriteFactsSettings, read_settings

ENVIRONMENT = {
    "FACTS_TABLE_NAME": "FactsTable",
    "STATE_TABLE_NAME": "StateTable",
    "CONCEPTS_TABLE_NAME": "ConceptsTable",
    "LEDGER_KEYS_URI": "none",
    "EMBEDDINGS_URI": "none",
    "CONTAINER_SHARD_COUNT": "1",
    "TENANT_SHARD_COUNT": "8",
    "UNVERIFIED_WINDOW_DAYS": "",
    "JWT_ISSUER": "",
    "JWT_AUDIENCE": "",
    "JWT_ALGORITHMS": "",
}


def test_no_window_lets_unverified_facts_stay() -> None:
    settings = read_settings(WriteFactsSettings, ENVIRONMENT)

    assert settings.unverified_window is None


def test_a_window_is_given_in_days() -> None:
    settings = read_settings(WriteFactsSettings, ENVIRONMENT | {"UNVERIFIED_WINDOW_DAYS": "30"})

    assert settings.unverified_window == timedelta(days=30)


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "soon", " "])
def test_a_window_that_is_no_number_of_days_is_refused(days: str) -> None:
    with pytest.raises(SettingsError, match="UNVERIFIED_WINDOW_DAYS"):
        read_settings(WriteFactsSettings, ENVIRONMENT | {"UNVERIFIED_WINDOW_DAYS": days})


def test_every_fault_is_named_and_no_value() -> None:
    unfit = {"FACTS_TABLE_NAME": "", "TENANT_SHARD_COUNT": "secret-65"}

    with pytest.raises(SettingsError) as raised:
        read_settings(WriteFactsSettings, unfit)

    assert "secret" not in str(raised.value)
    assert {name for name in ENVIRONMENT if name in str(raised.value)} == set(ENVIRONMENT)
