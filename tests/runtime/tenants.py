"""A tenant for one event: its keys, whose tokens fill the event's placeholders."""

import dataclasses
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb.api_keys import DynamoDBApiKeyRepository
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.domain.callers import TOOL_GRANTS, Caller, CallerKind, ProjectAccess, ProjectGrant
from palimpsest.use_cases.create_key import CreateKey

from tests.fakes.clock import FakeClock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PROJECT = "apollo"
A_DAY = timedelta(days=1)


def build_tokens(client: "DynamoDBClient", state_table: str) -> dict[str, str]:
    """Make a tenant with the callers that `events/README.md` lists; return the values of its placeholders."""
    tenant = str(uuid.uuid4())
    keys = DynamoDBApiKeyRepository(client, state_table=state_table)
    now = datetime.now(UTC)
    create = CreateKey(api_keys=keys, clock=SystemClock(), ids=SystemIds())
    # A key that ran out a minute ago was made before that.
    create_yesterday = dataclasses.replace(create, clock=FakeClock(now - A_DAY))
    ana = Caller(
        tenant_id=tenant, kind=CallerKind.USER, id="ana", is_tenant_admin=True, tools=TOOL_GRANTS
    )
    ben, cleo = (
        Caller(tenant_id=tenant, kind=CallerKind.USER, id=name, projects={PROJECT: grant})
        for name, grant in (
            ("ben", ProjectGrant(project_id=PROJECT, access=ProjectAccess.READ)),
            ("cleo", ProjectGrant(project_id=PROJECT, access=ProjectAccess.WRITE)),
        )
    )
    eve = Caller(tenant_id=tenant, kind=CallerKind.USER, id="eve")

    expired = create_yesterday(ana, name="", expires_at=now - timedelta(minutes=1))
    revoked = create(ana, name="", expires_at=None)
    keys.replace(dataclasses.replace(revoked.key, revoked_at=now))
    return {
        "TENANT_ID": tenant,
        "ADMIN_TOKEN": create(ana, name="", expires_at=None).token_text,
        "READER_TOKEN": create(ben, name="", expires_at=None).token_text,
        "WRITER_TOKEN": create(cleo, name="", expires_at=None).token_text,
        "STRANGER_TOKEN": create(eve, name="", expires_at=None).token_text,
        "EXPIRED_TOKEN": expired.token_text,
        "REVOKED_TOKEN": revoked.token_text,
    }
