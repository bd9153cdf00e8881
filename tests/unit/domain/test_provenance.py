"""Who wrote a memory, and with what: spec/read-memory.md §2."""

import pytest
from palimpsest.domain.atoms import ATOM_TYPE, Atom, content_of
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.provenance import Provenance, provenance_of, stamped
from palimpsest.domain.revisions import Draft, first_revision

from tests.builders import build_act, build_caller, build_scope
from tests.fakes.ids import FakeIds


def build_revision(kind=CallerKind.USER, **scope):
    draft = Draft(type=ATOM_TYPE, scope=build_scope(**scope), content=content_of(Atom(text="Tea.")))
    act = build_act(ids=FakeIds(), caller=build_caller("ana", kind=kind))
    return first_revision(draft, act).revision


def test_a_users_memory_has_no_agent():
    atom = Atom(text="Tea.", client_env="cursor", agent_name="Ana's assistant")

    assert provenance_of(build_revision(userId="ana"), atom) == Provenance(
        principal="user:ana",
        agent=None,
        agent_name=None,
        client_env=ClientEnv.CURSOR,
        is_external=False,
    )


def test_an_agents_memory_names_it():
    atom = Atom(text="Tea.", client_env="api", agent_name="the bot")

    assert provenance_of(build_revision(CallerKind.AGENT, projectId="p"), atom) == Provenance(
        principal="agent:ana",
        agent="ana",
        agent_name="the bot",
        client_env=ClientEnv.API,
        is_external=False,
    )


@pytest.mark.parametrize("said", ["unknown", "toaster", "", "API"])
def test_a_program_that_nobody_knows_is_unknown(said):
    atom = Atom(text="Tea.", client_env=said)

    assert provenance_of(build_revision(), atom).client_env is ClientEnv.UNKNOWN


@pytest.mark.parametrize(
    ("scope", "is_external"),
    [
        ({"projectId": "p", "participantId": "u-7"}, True),
        ({"projectId": "p"}, False),
        ({"userId": "ana"}, False),
        ({}, False),
    ],
)
def test_what_was_written_for_an_apps_end_user_is_external(scope, is_external):
    assert provenance_of(build_revision(**scope), Atom(text="Tea.")).is_external is is_external


def test_an_atom_is_stamped_with_the_program_and_the_agents_name():
    caller = build_caller("bot", kind=CallerKind.AGENT, token_name="the bot")

    atom = stamped(Atom(text="Tea."), caller, "claude-code/2.0")

    assert atom == Atom(text="Tea.", client_env="claude", agent_name="the bot")


def test_a_persons_key_has_a_name_that_is_nobodys():
    caller = build_caller(token_name="laptop", client_env=ClientEnv.CURSOR)

    assert stamped(Atom(text="Tea."), caller, "node") == Atom(text="Tea.", client_env="cursor")
