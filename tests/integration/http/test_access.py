"""Who may do what to which fact, over HTTP: spec/facts.md §3 to §5, read into one table.

`make access` writes the table into docs/access.md.
"""

import sys
from pathlib import Path
from typing import Any

import pytest
from palimpsest.domain.callers import (
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest_cli.connection import Connection

from tests.tenants import (
    FACTS,
    MODES,
    HttpCaller,
    Tenant,
    all_facts,
    new_tenant,
    retrieved_ids,
    wait_until_indexed,
)

PAGE = Path(__file__).parents[3] / "docs" / "access.md"

# What each caller is, and what their key carries.
CALLERS: dict[str, tuple[str, dict[str, Any]]] = {
    "admin": ("a tenant admin", {"id": "root", "is_tenant_admin": True}),
    "limited": (
        "a tenant admin whose key is limited to the project `apollo`",
        {"id": "root", "is_tenant_admin": True, "project_limit": "apollo"},
    ),
    "writer": (
        "a user who writes `apollo`, which their grant places in the org `acme`, and the conversation `talk`",
        {
            "id": "cleo",
            "projects": {
                "apollo": ProjectGrant(
                    project_id="apollo", access=ProjectAccess.WRITE, org_id="acme"
                )
            },
            "conversations": frozenset({"talk"}),
        },
    ),
    "reader": (
        "a user who reads `apollo`, by a grant that names no org",
        {"id": "ben", "reads": ("apollo",)},
    ),
    "ana": ("the user `ana`, without grants", {"id": "ana"}),
    "eve": ("another user, without grants", {"id": "eve"}),
    "olga": (
        "a user who administers the org `acme`",
        {"id": "olga", "orgs": (OrgGrant(org_id="acme", access=OrgAccess.ADMIN),)},
    ),
    "agent": (
        "an agent that is called `ana` as well, and writes `apollo` by a grant that names no org",
        {"id": "ana", "kind": CallerKind.AGENT, "writes": ("apollo",)},
    ),
    "stranger": ("an admin of another tenant", {}),
}

# What each fact's scope names beside its tenant.
SCOPES = {
    "everybody's": {},
    "a session's": {"sessionId": "s-1"},
    "Ana's own": {"userId": "ana"},
    "a project's": {"projectId": "apollo"},
    "another project's": {"projectId": "gemini"},
    "Ana's in a project": {"projectId": "apollo", "userId": "ana"},
    "an end user's": {"projectId": "apollo", "participantId": "p-1"},
    "a project's conversation's": {"projectId": "apollo", "threadId": "talk"},
    "a conversation's": {"threadId": "talk"},
    "an org's": {"orgId": "acme"},
    "an org's project's": {"orgId": "acme", "projectId": "apollo"},
    "of an unknown key": {"team": "red"},
    "of an unknown key in a project": {"projectId": "apollo", "team": "red"},
}

# Statuses; of a list and a retrieval, whether the fact is in it. The write is of another fact with the same scope.
TABLE = """
everybody's                     admin limited writer reader ana eve olga agent stranger
get                             200   404     200    200    200 200 200  200   404
revisions                       200   404     200    200    200 200 200  200   404
list                            in    out     in     in     in  in  in   in    out
retrieve                        in    out     in     in     in  in  in   in    out
supersede                       200   404     403    403    403 403 403  403   404
verify                          200   404     403    403    403 403 403  403   404
delete                          200   404     403    403    403 403 403  403   404
write                           201   403     403    403    403 403 403  403   400

a session's                     admin limited writer reader ana eve olga agent stranger
get                             200   404     200    200    200 200 200  200   404
revisions                       200   404     200    200    200 200 200  200   404
list                            in    out     in     in     in  in  in   in    out
retrieve                        in    out     in     in     in  in  in   in    out
supersede                       200   404     403    403    403 403 403  403   404
verify                          200   404     403    403    403 403 403  403   404
delete                          200   404     403    403    403 403 403  403   404
write                           201   403     403    403    403 403 403  403   400

Ana's own                       admin limited writer reader ana eve olga agent stranger
get                             200   404     404    404    200 404 404  404   404
revisions                       200   404     404    404    200 404 404  404   404
list                            in    out     out    out    in  out out  out   out
retrieve                        in    out     out    out    in  out out  out   out
supersede                       200   404     404    404    200 404 404  404   404
verify                          200   404     404    404    200 404 404  404   404
delete                          200   404     404    404    200 404 404  404   404
write                           201   403     403    403    201 403 403  403   400

a project's                     admin limited writer reader ana eve olga agent stranger
get                             200   200     200    200    404 404 404  200   404
revisions                       200   200     200    200    404 404 404  200   404
list                            in    in      in     in     out out out  in    out
retrieve                        in    in      in     in     out out out  in    out
supersede                       200   200     200    403    404 404 404  200   404
verify                          200   200     200    403    404 404 404  403   404
delete                          200   200     200    403    404 404 404  200   404
write                           201   201     201    403    403 403 403  201   400

another project's               admin limited writer reader ana eve olga agent stranger
get                             200   404     404    404    404 404 404  404   404
revisions                       200   404     404    404    404 404 404  404   404
list                            in    out     out    out    out out out  out   out
retrieve                        in    out     out    out    out out out  out   out
supersede                       200   404     404    404    404 404 404  404   404
verify                          200   404     404    404    404 404 404  404   404
delete                          200   404     404    404    404 404 404  404   404
write                           201   403     403    403    403 403 403  403   400

Ana's in a project              admin limited writer reader ana eve olga agent stranger
get                             200   200     404    404    404 404 404  404   404
revisions                       200   200     404    404    404 404 404  404   404
list                            in    in      out    out    out out out  out   out
retrieve                        in    in      out    out    out out out  out   out
supersede                       200   200     404    404    404 404 404  404   404
verify                          200   200     404    404    404 404 404  404   404
delete                          200   200     404    404    404 404 404  404   404
write                           201   201     403    403    403 403 403  403   400

an end user's                   admin limited writer reader ana eve olga agent stranger
get                             200   200     200    404    404 404 404  200   404
revisions                       200   200     200    404    404 404 404  200   404
list                            in    in      in     out    out out out  in    out
retrieve                        in    in      in     out    out out out  in    out
supersede                       200   200     200    404    404 404 404  200   404
verify                          200   200     200    404    404 404 404  403   404
delete                          200   200     200    404    404 404 404  200   404
write                           201   201     201    403    403 403 403  201   400

a project's conversation's      admin limited writer reader ana eve olga agent stranger
get                             200   200     200    404    404 404 404  200   404
revisions                       200   200     200    404    404 404 404  200   404
list                            in    in      in     out    out out out  in    out
retrieve                        in    in      in     out    out out out  in    out
supersede                       200   200     200    404    404 404 404  200   404
verify                          200   200     200    404    404 404 404  403   404
delete                          200   200     200    404    404 404 404  200   404
write                           201   201     201    403    403 403 403  201   400

a conversation's                admin limited writer reader ana eve olga agent stranger
get                             200   404     200    404    404 404 404  404   404
revisions                       200   404     200    404    404 404 404  404   404
list                            in    out     in     out    out out out  out   out
retrieve                        in    out     in     out    out out out  out   out
supersede                       200   404     200    404    404 404 404  404   404
verify                          200   404     200    404    404 404 404  404   404
delete                          200   404     200    404    404 404 404  404   404
write                           201   403     201    403    403 403 403  403   400

an org's                        admin limited writer reader ana eve olga agent stranger
get                             200   404     200    404    404 404 200  404   404
revisions                       200   404     200    404    404 404 200  404   404
list                            in    out     in     out    out out in   out   out
retrieve                        in    out     in     out    out out in   out   out
supersede                       200   404     403    404    404 404 200  404   404
verify                          200   404     403    404    404 404 200  404   404
delete                          200   404     403    404    404 404 200  404   404
write                           201   403     403    403    403 403 201  403   400

an org's project's              admin limited writer reader ana eve olga agent stranger
get                             200   200     200    200    404 404 404  200   404
revisions                       200   200     200    200    404 404 404  200   404
list                            in    in      in     in     out out out  in    out
retrieve                        in    in      in     in     out out out  in    out
supersede                       200   200     200    403    404 404 404  200   404
verify                          200   200     200    403    404 404 404  403   404
delete                          200   200     200    403    404 404 404  200   404
write                           201   201     201    403    403 403 403  201   400

of an unknown key               admin limited writer reader ana eve olga agent stranger
get                             200   404     404    404    404 404 404  404   404
revisions                       200   404     404    404    404 404 404  404   404
list                            in    out     out    out    out out out  out   out
retrieve                        in    out     out    out    out out out  out   out
supersede                       200   404     404    404    404 404 404  404   404
verify                          200   404     404    404    404 404 404  404   404
delete                          200   404     404    404    404 404 404  404   404
write                           201   403     403    403    403 403 403  403   400

of an unknown key in a project  admin limited writer reader ana eve olga agent stranger
get                             200   200     404    404    404 404 404  404   404
revisions                       200   200     404    404    404 404 404  404   404
list                            in    in      out    out    out out out  out   out
retrieve                        in    in      out    out    out out out  out   out
supersede                       200   200     404    404    404 404 404  404   404
verify                          200   200     404    404    404 404 404  404   404
delete                          200   200     404    404    404 404 404  404   404
write                           201   201     403    403    403 403 403  403   400
"""

Cells = dict[str, dict[str, str]]
"""By operation, then by caller."""


def read_table(text: str) -> dict[str, Cells]:
    """Return the cells of each fact's block."""
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    found: dict[str, Cells] = {}
    for head, *rows in blocks:
        callers = head.split()[-len(CALLERS) :]
        fact = head[: head.index(f" {callers[0]} ")].strip()
        cells = {row.split()[0]: row.split()[1:] for row in rows}
        found[fact] = {op: dict(zip(callers, row, strict=True)) for op, row in cells.items()}
    return found


@pytest.fixture
def callers(tenant: Tenant, laptop, connection: Connection) -> dict[str, HttpCaller]:
    known = {name: tenant.caller(**key) for name, (_, key) in CALLERS.items() if key}
    return {**known, "stranger": new_tenant(laptop, connection).admin}


def try_everything(tenant: Tenant, caller: HttpCaller, scope: dict[str, str]) -> dict[str, str]:
    """Return what a caller gets from each operation on a fact that the admin wrote for it."""
    fact = tenant.write("old", scope=scope)
    path = f"{FACTS}/{fact['id']}"
    listed = [one["id"] for one in all_facts(caller)]
    cells = {
        "list": "in" if fact["id"] in listed else "out",
        "retrieve": "in" if fact["id"] in retrieved_ids(caller, "list") else "out",
    }
    for operation, answer in {
        "get": caller.ask("GET", path),
        "revisions": caller.ask("GET", f"{path}/revisions"),
        "supersede": caller.ask("POST", f"{path}/supersede", {"content": "new"}),
        "verify": caller.ask("POST", f"{path}/verify"),
        "delete": caller.ask("DELETE", path),
        "write": caller.ask("POST", FACTS, tenant.body(scope=scope)),
    }.items():
        cells[operation] = str(answer.status_code)
        if answer.status_code >= 400:
            code = answer.json()["error"]["code"]
            assert code in CODES[answer.status_code], (operation, answer.text)
    return cells


CODES = {
    400: {"scope-mismatch"},
    403: {"permission-denied", "key-project-mismatch"},
    404: {"fact-not-found"},
}


@pytest.mark.parametrize("fact", SCOPES)
def test_every_caller_gets_what_the_table_says(tenant, callers, fact):
    expected = read_table(TABLE)[fact]

    got = {name: try_everything(tenant, caller, SCOPES[fact]) for name, caller in callers.items()}

    assert {op: {name: got[name][op] for name in callers} for op in expected} == expected


@pytest.mark.parametrize("fact", SCOPES)
def test_a_search_meets_what_the_table_says_in_every_mode(tenant, callers, fact):
    cells = read_table(TABLE)[fact]["retrieve"]
    written = tenant.write("The plan.", scope=SCOPES[fact])
    wait_until_indexed(tenant, written)

    for mode in MODES:
        met = {
            name: "in" if retrieved_ids(caller, mode, "the plan") == [written["id"]] else "out"
            for name, caller in callers.items()
        }
        assert met == cells, mode


def test_the_table_has_every_fact_and_every_caller():
    table = read_table(TABLE)

    assert list(table) == list(SCOPES)
    assert {tuple(row) for cells in table.values() for row in cells.values()} == {tuple(CALLERS)}


def test_the_page_shows_this_table():
    page = PAGE.read_text(encoding="utf-8")

    assert page == access_page(), "run `make access`"


def access_page() -> str:
    """Return docs/access.md."""
    who = "\n".join(f"| {name} | {what} |" for name, (what, _) in CALLERS.items())
    blocks = "\n".join(_block(fact, cells) for fact, cells in read_table(TABLE).items())
    return f"""# Who may do what

Made from the table in `tests/integration/http/test_access.py` by `make access`; that test asks the running service for every
cell. What a caller may not see answers 404, whatever they try with it. Of a list and a retrieval, the table says whether the
fact is in it. The last row writes another fact with the same scope.

| caller | is |
| --- | --- |
{who}

{blocks}"""


def _block(fact: str, cells: Cells) -> str:
    named = ", ".join(f"`{key}: {value}`" for key, value in SCOPES[fact].items())
    head = f"| | {' | '.join(CALLERS)} |\n|{' --- |' * (len(CALLERS) + 1)}\n"
    rows = "".join(f"| {op} | {' | '.join(row.values())} |\n" for op, row in cells.items())
    title = fact[0].upper() + fact[1:]
    return f"## {title}\n\nScope: {named or 'nothing but the tenant'}.\n\n{head}{rows}"


if __name__ == "__main__":
    sys.stdout.write(access_page())
