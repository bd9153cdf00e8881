"""The first token of a laptop: the owner of the folder is the tenant's admin."""

from collections.abc import Mapping
from datetime import UTC, datetime

from palimpsest.bootstrap.keys import build_create_key, build_list_keys
from palimpsest.domain.api_keys import caller_of, token_from_text
from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.errors import NotAuthenticatedError

from local.data_folder import DataFolder, write_file

USER_ID = "local"
KEY_NAME = "the laptop's first token"
# Lets the tools that erase be called, too; who owns the folder may delete it as well.
TOOL_GRANTS = frozenset({"destructive"})


def ensure_first_token(folder: DataFolder, environ: Mapping[str, str]) -> str:
    """Return the token that is kept in the folder, or a new one where that opens nothing.

    It opens nothing on the first start, over a database that was emptied, and when somebody
    revoked it.

    Args:
        folder: Locked by this process.
        environ: Of the functions; boto3 must find the tables with it.
    """
    tenant_id = folder.tenant_id()
    if folder.token_path.exists():
        kept = folder.token_path.read_text(encoding="utf-8").strip()
        if _opens(kept, tenant_id, environ):
            return kept
    caller = Caller(
        tenant_id=tenant_id,
        kind=CallerKind.USER,
        id=USER_ID,
        is_tenant_admin=True,
        tools=TOOL_GRANTS,
    )
    created = build_create_key(environ)(caller, name=KEY_NAME, expires_at=None)
    write_file(folder.token_path, f"{created.token_text}\n")
    return created.token_text


def _opens(text: str, tenant_id: str, environ: Mapping[str, str]) -> bool:
    keys = {key.id: key for key in build_list_keys(environ)(tenant_id)}
    try:
        token = token_from_text(text)
        caller = caller_of(keys.get(token.key_id), token, now=datetime.now(UTC))
    except NotAuthenticatedError:
        return False
    return caller.tenant_id == tenant_id
