"""JSON Web Tokens through a whole function, built from its environment, against an issuer on loopback."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from palimpsest.bootstrap.describe_service import build
from palimpsest.bootstrap.settings import SettingsError

from tests.builders import TENANT
from tests.events import read_event
from tests.issuer import AUDIENCE, Issuer, running_issuer


@pytest.fixture
def issuer():
    with running_issuer() as issuer:
        yield issuer


def build_environ(issuer: Issuer, **changes: str) -> dict[str, str]:
    return {
        "STATE_TABLE_NAME": "StateTable",
        "JWT_ISSUER": issuer.url,
        "JWT_AUDIENCE": AUDIENCE,
        "JWT_ALGORITHMS": "RS256,ES256",
        **changes,
    }


@pytest.fixture(autouse=True)
def account(monkeypatch):
    """Name an account that is none: no token of an issuer asks a store."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")


@pytest.fixture
def whoami(issuer):
    application = build(build_environ(issuer))
    event = read_event("describe_service/whoami_not_authenticated")

    def ask(token: str):
        asked = {**event, "headers": {**event["headers"], "authorization": f"Bearer {token}"}}
        answer = application(asked, None)
        return answer["statusCode"], json.loads(answer["body"])

    return ask


def test_a_token_of_the_issuer_says_who_asks(issuer, whoami):
    token = issuer.issue({"tenant_id": TENANT, "projects_write": ["apollo"], "admin": "true"})

    status, body = whoami(token)

    assert status == 200
    assert body == {
        "tenantId": TENANT,
        "scopes": ["project:apollo:write"],
        "role": "member",
        "tenantAdmin": False,
        "userId": "ana",
    }


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({}, "auth-missing"),
        ({"tenant_id": TENANT, "project_limit": " "}, "auth-missing"),
        ({"tenant_id": TENANT, "projects_read": ["*", ""]}, "auth-missing"),
        (
            {"tenant_id": TENANT, "exp": datetime.now(UTC) - timedelta(hours=1)},
            "auth-expired",
        ),
    ],
    ids=["no tenant", "blank limit", "blank grant", "over"],
)
def test_an_unfit_token_is_refused_by_its_code(issuer, whoami, claims, code):
    status, body = whoami(issuer.issue(claims))

    assert (status, body["error"]["code"]) == (401, code)


def test_an_issuer_that_is_down_is_503_with_retry_after(issuer, whoami):
    token = issuer.issue({"tenant_id": TENANT})
    issuer.is_down = True

    status, body = whoami(token)

    assert (status, body["error"]["code"]) == (503, "persistence-unavailable")


@pytest.mark.parametrize(
    "changes", [{"JWT_AUDIENCE": ""}, {"JWT_ALGORITHMS": "HS256"}, {"JWT_ALGORITHMS": ""}]
)
def test_settings_that_would_let_anybody_in_are_refused(issuer, changes):
    with pytest.raises(SettingsError):
        build(build_environ(issuer, **changes))
