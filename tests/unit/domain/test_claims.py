import pytest
from palimpsest.domain.callers import CallerKind, OrgAccess, ProjectAccess
from palimpsest.domain.claims import caller_from_claims
from palimpsest.domain.errors import TokenMissingError

from tests.builders import TENANT

LEAST = {"sub": "ana", "tenant_id": TENANT}


def test_the_least_token_is_a_user_without_grants():
    caller = caller_from_claims(LEAST)

    assert caller.name == "user:ana"
    assert caller.tenant_id == TENANT
    assert not caller.is_tenant_admin
    assert [caller.projects, caller.orgs] == [{}, {}]
    assert [caller.conversations, caller.tools] == [frozenset(), frozenset()]
    assert caller.project_limit is None


def test_grants_are_read_by_kind_and_writing_wins_over_reading():
    caller = caller_from_claims(
        {
            **LEAST,
            "caller_kind": "agent",
            "projects_read": ["a", "b"],
            "projects_write": ["b"],
            "orgs_read": ["o", "q"],
            "orgs_admin": ["q"],
            "conversations": ["t"],
            "project_limit": "b",
            "tools": ["destructive", "unknown"],
        }
    )

    assert caller.kind is CallerKind.AGENT
    assert {p: g.access for p, g in caller.projects.items()} == {
        "a": ProjectAccess.READ,
        "b": ProjectAccess.WRITE,
    }
    assert {o: g.access for o, g in caller.orgs.items()} == {
        "o": OrgAccess.READ,
        "q": OrgAccess.ADMIN,
    }
    assert caller.conversations == {"t"}
    assert caller.project_limit == "b"
    assert caller.tools == {"destructive"}


@pytest.mark.parametrize("value", [False, None, "true", 1, ["true"], {}])
def test_only_true_makes_an_admin(value):
    assert not caller_from_claims({**LEAST, "admin": value}).is_tenant_admin
    assert caller_from_claims({**LEAST, "admin": True}).is_tenant_admin


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sub", None),
        ("sub", ""),
        ("sub", "  "),
        ("sub", 7),
        ("sub", "x" * 257),
        ("tenant_id", None),
        ("tenant_id", ""),
        ("tenant_id", "acme"),
        ("tenant_id", TENANT.upper()),
        ("tenant_id", f"{{{TENANT}}}"),
        ("caller_kind", "root"),
        ("caller_kind", None),
        ("projects_read", "apollo"),
        ("projects_read", None),
        ("projects_write", [""]),
        ("projects_write", [" "]),
        ("projects_write", [7]),
        ("orgs_admin", {"nasa": True}),
        ("conversations", [["t"]]),
        ("project_limit", ""),
        ("project_limit", " "),
        ("project_limit", None),
        ("tools", [""]),
        ("projects_read", [f"p-{n}" for n in range(201)]),
    ],
)
def test_an_unfit_claim_refuses_the_whole_token_without_quoting_it(name, value):
    with pytest.raises(TokenMissingError) as raised:
        caller_from_claims({**LEAST, name: value})

    assert "p-1" not in str(raised.value)
    assert TENANT.upper() not in str(raised.value)
