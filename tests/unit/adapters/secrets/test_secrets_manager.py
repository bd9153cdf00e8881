import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber
from palimpsest.adapters.secrets.secrets_manager import SecretsManagerKeyLists
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError

from tests.fakes.clock import FakeClock


@pytest.fixture
def client():
    return boto3.client(
        "secretsmanager",
        region_name="eu-central-1",
        aws_access_key_id="invented",
        aws_secret_access_key="invented",
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ThrottlingException", StoreUnavailableError),
        ("InternalServiceError", StoreUnavailableError),
        ("ResourceNotFoundException", StoreFailedError),
        ("AccessDeniedException", StoreFailedError),
        ("DecryptionFailure", StoreFailedError),
    ],
)
def test_an_error_of_the_vendor_becomes_one_of_ours(client, code, expected):
    key_lists = SecretsManagerKeyLists(client, "cursor-keys", FakeClock())

    with Stubber(client) as stubber:
        stubber.add_client_error("get_secret_value", service_error_code=code)

        with pytest.raises(expected):
            key_lists.list_keys()


def test_a_secrets_manager_that_is_not_there_is_unavailable(client):
    key_lists = SecretsManagerKeyLists(client, "cursor-keys", FakeClock())

    def refuse(**_):
        raise EndpointConnectionError(endpoint_url="nowhere")

    client.meta.events.register("before-send.secretsmanager", refuse)

    with pytest.raises(StoreUnavailableError):
        key_lists.list_keys()


def test_a_secret_of_bytes_is_no_key_list(client):
    key_lists = SecretsManagerKeyLists(client, "cursor-keys", FakeClock())

    with Stubber(client) as stubber:
        stubber.add_response("get_secret_value", {"SecretBinary": b"x" * 40})

        with pytest.raises(StoreFailedError, match="bytes"):
            key_lists.list_keys()
