import pytest
from palimpsest.adapters.bedrock.strategies import BedrockStrategies
from palimpsest.adapters.memory.rechecks import NoRechecks
from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from palimpsest.bootstrap.search import (
    build_embeddings,
    build_index,
    build_novelty,
    build_rechecks,
    build_strategies,
    embedding_model_of,
)
from palimpsest.bootstrap.settings import SearchSettings, SettingsError, read_settings

from tests.builders import build_scope
from tests.fakes.facts import FakeFactRepository

TITAN = "amazon.titan-embed-text-v2:0/1024"


@pytest.fixture(autouse=True)
def account(monkeypatch):
    """Nobody's; without one, botocore would look for a machine's role over the network."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")


@pytest.mark.parametrize("uri", [f"bedrock:{TITAN}", "hashing"])
def test_the_model_of_an_address_is_that_of_the_embeddings_there(uri):
    embeddings = build_embeddings(uri)

    assert embeddings is not None
    assert embedding_model_of(uri) == embeddings.model_id


def test_the_model_on_bedrock_is_known_without_a_client():
    assert embedding_model_of(f"bedrock:{TITAN}") == TITAN


def test_no_embeddings_have_no_model():
    assert build_embeddings("none") is None
    assert embedding_model_of("none") is None


def test_the_same_address_is_the_same_embeddings():
    assert build_embeddings("hashing") is build_embeddings("hashing")


@pytest.mark.parametrize(
    "uri", ["", "bedrock:", "bedrock:titan", "bedrock:titan/1024", f"bedrock:{TITAN}0", "openai:x"]
)
def test_what_names_no_embeddings_is_refused(uri):
    with pytest.raises(SettingsError):
        build_embeddings(uri)


def test_an_index_is_found_by_its_address(tmp_path):
    assert isinstance(build_index(f"sqlite:{tmp_path}/index.sqlite", None), SQLiteFactIndex)
    assert build_index("none", None) is None


@pytest.mark.parametrize("uri", ["", "sqlite:", "opensearch:", "aoss:https://x", "postgres:x"])
def test_what_names_no_index_is_refused(uri):
    with pytest.raises(SettingsError):
        build_index(uri, None)


def test_second_looks_may_be_none():
    assert isinstance(build_rechecks("none"), NoRechecks)


@pytest.mark.parametrize("uri", ["", "sqs:", "sns:x"])
def test_what_names_no_queue_is_refused(uri):
    with pytest.raises(SettingsError):
        build_rechecks(uri)


def novelty_of_first_text(index_uri: str, embeddings_uri: str) -> float | None:
    environ = {"INDEX_URI": index_uri, "EMBEDDINGS_URI": embeddings_uri}
    settings = read_settings(SearchSettings, environ)
    return build_novelty(settings, FakeFactRepository()).of(build_scope(), "general", "chess")


def test_how_new_a_text_is_is_known_where_there_are_an_index_and_a_model(tmp_path):
    place = f"sqlite:{tmp_path}/index.sqlite"

    assert novelty_of_first_text(place, "hashing") == 1.0
    assert novelty_of_first_text("none", "hashing") is None
    assert novelty_of_first_text(place, "none") is None


def test_a_chooser_of_strategies_is_found_by_its_address():
    assert isinstance(build_strategies("bedrock:us.amazon.nova-micro-v1:0"), BedrockStrategies)
    assert build_strategies("none") is None


@pytest.mark.parametrize("uri", ["", "bedrock:", "openai:x"])
def test_what_names_no_chooser_is_refused(uri):
    with pytest.raises(SettingsError):
        build_strategies(uri)
