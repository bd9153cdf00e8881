import pytest

from tests.template import read_document, resources_of

DOCUMENT = read_document()
TABLES = resources_of(DOCUMENT, "AWS::DynamoDB::Table")
STATEFUL = {**TABLES, **resources_of(DOCUMENT, "AWS::SecretsManager::Secret")}
TTL_ATTRIBUTE = "ttl"


@pytest.mark.parametrize("name", STATEFUL)
def test_what_cannot_be_made_again_outlives_the_stack(name: str) -> None:
    assert STATEFUL[name]["DeletionPolicy"] == "Retain"
    assert STATEFUL[name]["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_encrypted_protected_and_can_be_wound_back(name: str) -> None:
    properties = TABLES[name]["Properties"]

    assert properties["SSESpecification"] == {"SSEEnabled": True}
    assert properties["DeletionProtectionEnabled"].argument == "DeletionProtection"
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["TimeToLiveSpecification"] == {
        "AttributeName": TTL_ATTRIBUTE,
        "Enabled": True,
    }


def test_tables_are_protected_unless_somebody_says_otherwise() -> None:
    assert DOCUMENT["Parameters"]["DeletionProtection"]["Default"] == "true"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_declares_just_the_attributes_that_its_keys_name(name: str) -> None:
    properties = TABLES[name]["Properties"]
    indexes = [
        index
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        for index in properties.get(kind, [])
    ]
    schemas = [properties["KeySchema"], *(index["KeySchema"] for index in indexes)]

    keys = {key["AttributeName"] for schema in schemas for key in schema}

    assert {a["AttributeName"] for a in properties["AttributeDefinitions"]} == keys


def test_the_stream_carries_what_a_fact_was_and_what_it_is() -> None:
    streamed = TABLES["FactsTable"]["Properties"]["StreamSpecification"]

    assert streamed == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


@pytest.mark.parametrize("name", resources_of(DOCUMENT, "AWS::Logs::LogGroup"))
def test_no_log_is_kept_for_ever(name: str) -> None:
    assert "RetentionInDays" in DOCUMENT["Resources"][name]["Properties"]


def test_a_generated_secret_is_a_key_list_of_one_key() -> None:
    for name in ("CursorKeysSecret", "LedgerKeysSecret"):
        generated = DOCUMENT["Resources"][name]["Properties"]["GenerateSecretString"]

        assert generated["SecretStringTemplate"] == "{}"
        assert generated["GenerateStringKey"] == "key"
        # 64 letters and digits hold more than the 256 bits that a key is derived to.
        assert generated["PasswordLength"] == 64
        assert generated["ExcludePunctuation"] is True
