import click
import pytest
from palimpsest.domain.callers import OrgAccess, OrgGrant, ProjectAccess, ProjectGrant
from palimpsest_cli.grants import orgs_from_options, projects_from_options


@pytest.mark.parametrize(
    ("option", "project_id", "access", "org_id"),
    [
        ("p:read", "p", "read", None),
        ("p:write:o", "p", "write", "o"),
        ("a:b:write:c:d", "a:b", "write", "c:d"),
        ("read:write", "read", "write", None),
        ("p:read:", "p", "read", ""),
        (":read", "", "read", None),
    ],
)
def test_a_project_grant_is_an_id_an_access_and_perhaps_an_org(option, project_id, access, org_id):
    grants = projects_from_options([option])

    assert grants == {
        project_id: ProjectGrant(project_id=project_id, access=ProjectAccess(access), org_id=org_id)
    }


@pytest.mark.parametrize(
    "option", ["", "p", "p:admin", "p:READ", "read", "p:read:write", "a:read:read"]
)
def test_a_project_grant_that_is_none_or_two_is_refused(option):
    with pytest.raises(click.BadParameter):
        projects_from_options([option])


def test_a_project_is_named_once():
    with pytest.raises(click.BadParameter, match="twice"):
        projects_from_options(["p:read", "p:write"])


def test_an_org_grant_is_an_id_and_an_access():
    grants = orgs_from_options(["o:read", "a:b:admin"])

    assert grants == {
        "o": OrgGrant(org_id="o", access=OrgAccess.READ),
        "a:b": OrgGrant(org_id="a:b", access=OrgAccess.ADMIN),
    }


@pytest.mark.parametrize("options", [["o"], ["o:write"], ["o:read:x"], ["o:read", "o:admin"]])
def test_an_org_grant_that_is_none_or_two_is_refused(options):
    with pytest.raises(click.BadParameter):
        orgs_from_options(options)
