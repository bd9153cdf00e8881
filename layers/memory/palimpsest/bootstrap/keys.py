"""The key commands, wired: for the command line and the laptop's first token. No HTTP function makes keys."""

from collections.abc import Mapping

from palimpsest.adapters.dynamodb.api_keys import DynamoDBApiKeyRepository
from palimpsest.adapters.dynamodb.clients import dynamodb_client
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.bootstrap.settings import StateSettings, read_settings
from palimpsest.use_cases.create_key import CreateKey
from palimpsest.use_cases.list_keys import ListKeys
from palimpsest.use_cases.revoke_key import RevokeKey

# A second `add` after a lost answer would find the first one's key in its way. A key whose token nobody saw harms nobody.
_ATTEMPTS_TO_ADD = 1
# Reading and revoking again change nothing.
_ATTEMPTS = 3


def build_create_key(environ: Mapping[str, str]) -> CreateKey:
    """Return what makes keys in the table ``STATE_TABLE_NAME``.

    boto3 takes account, region and endpoint from this process's own environment.

    Raises:
        SettingsError: If the variable is missing.
    """
    return CreateKey(
        api_keys=_api_keys(environ, attempts=_ATTEMPTS_TO_ADD),
        clock=SystemClock(),
        ids=SystemIds(),
    )


def build_list_keys(environ: Mapping[str, str]) -> ListKeys:
    """Return what lists keys; see ``build_create_key``."""
    return ListKeys(api_keys=_api_keys(environ, attempts=_ATTEMPTS))


def build_revoke_key(environ: Mapping[str, str]) -> RevokeKey:
    """Return what revokes keys; see ``build_create_key``."""
    return RevokeKey(api_keys=_api_keys(environ, attempts=_ATTEMPTS), clock=SystemClock())


def _api_keys(environ: Mapping[str, str], *, attempts: int) -> DynamoDBApiKeyRepository:
    settings = read_settings(StateSettings, environ)
    return DynamoDBApiKeyRepository(
        dynamodb_client(attempts=attempts), state_table=settings.state_table_name
    )
