"""Provenance: who wrote a memory, and with what (spec/read-memory.md §2).

Who wrote it comes from the revision's attribution, which the server sets; the rest was stamped into the atom when it was
written. The facts door lets a writer say any content, so what the atom says is shown only where it gives nobody another's name.
"""

from dataclasses import dataclass, replace

from palimpsest.domain.atoms import Atom
from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.client_envs import ClientEnv, client_env_of
from palimpsest.domain.facts import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who wrote a memory, and with what.

    Attributes:
        principal: ``kind:id`` of whoever wrote it, such as ``user:ana``.
        agent: The id of the agent that wrote it; None where no agent did.
        agent_name: As people call that agent; None where nobody does.
        client_env: The kind of program that it came from.
        is_external: It was written for an app's end user, who is nobody of the tenant.
    """

    principal: str
    agent: str | None
    agent_name: str | None
    client_env: ClientEnv
    is_external: bool


def provenance_of(revision: Revision, atom: Atom) -> Provenance:
    """Return the provenance of an atom as it stands in a revision."""
    author = revision.attributed_to
    is_agent = author.kind is CallerKind.AGENT
    is_known = atom.client_env in set(ClientEnv)
    return Provenance(
        principal=f"{author.kind}:{author.id}",
        agent=author.id if is_agent else None,
        agent_name=atom.agent_name if is_agent else None,
        client_env=ClientEnv(atom.client_env) if is_known else ClientEnv.UNKNOWN,
        is_external=revision.scope.participant_id is not None,
    )


def stamped(atom: Atom, caller: Caller, user_agent: str) -> Atom:
    """Return an atom with what it keeps of its provenance.

    Args:
        atom: As its writer put it.
        caller: Who writes it.
        user_agent: The header of the request; blank where it had none.
    """
    is_agent = caller.kind is CallerKind.AGENT
    return replace(
        atom,
        client_env=client_env_of(caller.client_env, user_agent),
        agent_name=caller.token_name if is_agent else None,
    )
