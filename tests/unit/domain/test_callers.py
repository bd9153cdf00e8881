import pytest
from palimpsest.domain.callers import CallerKind, OrgAccess, OrgGrant, ProjectAccess, ProjectGrant

from tests.builders import build_caller

BLANKS = ["", " ", "\t\n", "\u3000"]


@pytest.mark.parametrize(
    ("kind", "name", "signature"),
    [
        (CallerKind.USER, "user:ana", "user:ana"),
        (CallerKind.SERVICE, "service:ana", "service:ana"),
        (CallerKind.AGENT, "agent:ana", "service:ana"),
    ],
)
def test_kind_and_id_make_a_name_and_an_agent_signs_as_a_service(kind, name, signature):
    caller = build_caller("ana", kind=kind)

    assert (caller.name, caller.signature) == (name, signature)


def test_writing_includes_reading_and_not_the_other_way_round():
    caller = build_caller(reads=("a",), writes=("b",))

    assert [caller.may_read_project(p) for p in "abc"] == [True, True, False]
    assert [caller.may_write_project(p) for p in "abc"] == [False, True, False]


def test_an_org_is_read_by_its_own_grant_or_by_a_projects():
    grants = (
        OrgGrant(org_id="a", access=OrgAccess.READ),
        OrgGrant(org_id="b", access=OrgAccess.ADMIN),
    )
    project = ProjectGrant(project_id="p", access=ProjectAccess.READ, org_id="c")
    caller = build_caller(orgs=grants, projects={"p": project})

    assert [caller.may_read_org(o) for o in "abcd"] == [True, True, True, False]
    assert [caller.may_administer_org(o) for o in "abcd"] == [False, True, False, False]
    assert caller.readable_orgs == {"a", "b", "c"}


@pytest.mark.parametrize("blank", BLANKS)
def test_a_blank_grant_or_claim_grants_nothing(blank):
    caller = build_caller(
        blank,
        projects={
            blank: ProjectGrant(project_id=blank, access=ProjectAccess.WRITE, org_id="north"),
            "p": ProjectGrant(project_id="p", access=ProjectAccess.READ, org_id=blank),
        },
        orgs=(OrgGrant(org_id=blank, access=OrgAccess.ADMIN),),
        conversations=frozenset({blank}),
    )

    assert not caller.is_user(blank)
    assert not caller.may_read_project(blank)
    assert not caller.may_write_project(blank)
    assert not caller.may_read_org(blank)
    assert not caller.may_administer_org(blank)
    assert not caller.may_write_conversation(blank)
    assert caller.readable_orgs == frozenset()
