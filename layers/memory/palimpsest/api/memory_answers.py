"""Atoms as the memory door shows them, and the answers that are made of them: JSON texts (spec/read-memory.md §2).

Every number is always there, whatever found the atom; lists and objects are there when they are empty; what says nothing
(``provenance``, ``created_at``, ``superseded_by``) is left out.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.domain.atoms import Atom, atom_of
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.instants import to_text
from palimpsest.domain.json_text import write_json
from palimpsest.domain.memory_stats import MemoryStats
from palimpsest.domain.provenance import provenance_of
from palimpsest.use_cases.budgets import count_fitting
from palimpsest.use_cases.get_chain import AtomChain
from palimpsest.use_cases.list_atoms import AtomPage
from palimpsest.use_cases.read_graph import GraphAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """How an atom was found.

    Nobody searched for one that is asked for by its id, or met in a list: it is what was asked for, exactly.

    Attributes:
        relevance: 0 to 1, and beyond where it served well.
        similarity: The raw cosine.
        source: In the words of spec/read-memory.md §3.
    """

    relevance: float = 1.0
    similarity: float = 1.0
    source: str = "episodic"


_UNSOUGHT = Match()


def atom_json(fact: Fact, revision: Revision, match: Match = _UNSOUGHT) -> str:
    """Return an atom, as it stands in one of its revisions, as the text of a JSON object."""
    return write_json(_fields(fact, revision, atom_of(revision), match))


def fact_atom_json(fact: Fact) -> str:
    """Return the atom of a fact that nobody searched for, as it stands."""
    return atom_json(fact, fact.revision)


def export_line(fact: Fact) -> str:
    """Return a line of an export: an atom, with those of its writer's keys by which it can be found again."""
    atom = atom_of(fact.revision)
    keys = {"fingerprint": atom.fingerprint, "external_ref": atom.external_ref}
    shown = _fields(fact, fact.revision, atom, _UNSOUGHT) | _without_empty(keys)
    return write_json(shown) + "\n"


def atom_bytes(fact: Fact) -> int:
    """Return how many bytes an atom takes of a Lambda response, where the body is a string inside JSON; at most."""
    return sent_bytes(fact_atom_json(fact))


def line_bytes(fact: Fact) -> int:
    """Return the same for a line of an export."""
    return sent_bytes(export_line(fact))


def page_json(page: AtomPage) -> str:
    """Return a page of a feed."""
    atoms = [fact_atom_json(fact) for fact in page.atoms]
    return with_list("items", atoms, {"next_cursor": page.next_cursor})


def atoms_json(facts: Sequence[Fact]) -> str:
    """Return atoms that are no page of anything, as far as they fit into one answer."""
    atoms = [fact_atom_json(fact) for fact in facts]
    shown = atoms[: count_fitting(map(sent_bytes, atoms))]
    return with_list("items", shown, {})


def chain_json(atom_id: str, chain: AtomChain) -> str:
    """Return the chain that an atom stands in."""
    atoms = [fact_atom_json(fact) for fact in chain.atoms]
    end = {"dangling": list(chain.dangling), "truncated": chain.is_truncated}
    return f'{{"atom_id":{write_json(atom_id)},' + with_list("revisions", atoms, end)[1:]


def graph_json(graph: GraphAnswer) -> str:
    """Return a neighbourhood of concepts."""
    return write_json(
        {
            "nodes": [{"concept": node.concept, "degree": node.degree} for node in graph.nodes],
            "edges": [
                {
                    "source": edge.source,
                    "target": edge.target,
                    "weight": edge.weight,
                    "valence": edge.valence,
                    "count": edge.count,
                    "updated_at": to_text(edge.updated_at),
                }
                for edge in graph.edges
            ],
            "truncated": graph.is_truncated,
            "min_weight_applied": graph.min_weight_applied,
        }
    )


def stats_json(stats: MemoryStats) -> str:
    """Return a memory in numbers.

    This service keeps every atom as it was told and melts none into another. So each is an episode, stands alone, and there
    are no prototypes.
    """
    return write_json(
        {
            "total_atoms": stats.atoms,
            "episodes": stats.atoms,
            "prototypes": 0,
            "singletons": stats.atoms,
            "hebbian_edges": stats.edges,
            "episodic_fingerprints": stats.fingerprints,
            "domains": list(stats.domains),
            "avg_valence": stats.average_valence,
            "avg_importance": stats.average_importance,
        }
    )


def with_list(name: str, items: Sequence[str], rest: Mapping[str, object]) -> str:
    """Return an object of a list whose items are JSON texts already, and other fields."""
    listed = f'{{"{name}":[{",".join(items)}]'
    return f"{listed}}}" if not rest else f"{listed},{write_json(rest)[1:]}"


def sent_bytes(text: str) -> int:
    """Return how many bytes a part of a body takes of a Lambda response, where the body is a string inside JSON; at most."""
    return len(json.dumps(text))


def _fields(fact: Fact, revision: Revision, atom: Atom, match: Match) -> dict[str, object]:
    ends = {
        "provenance": _provenance(revision, atom),
        # Of the fact: what stands must not look older than an earlier revision of the same atom.
        "created_at": to_text(fact.first_written_at),
        "superseded_by": _successor_of(fact, revision),
    }
    return {
        "atom_id": fact.id,
        "content": atom.text,
        "relevance": float(match.relevance),
        "similarity": float(match.similarity),
        "valence": fact.valence or 0.0,
        "importance": atom.importance,
        "source": match.source,
        "concepts": list(atom.concepts),
        "domain": atom.domain,
        "metadata": dict(atom.metadata),
        "supersedes": list(revision.replaces),
        **_without_empty(ends),
    }


def _successor_of(fact: Fact, revision: Revision) -> str | None:
    """Return the atom that replaced this one; an earlier revision was replaced by what its own atom says now."""
    if revision.version < fact.version:
        return fact.id
    return revision.closing.superseded_by if revision.closing else None


def _provenance(revision: Revision, atom: Atom) -> dict[str, object]:
    provenance = provenance_of(revision, atom)
    return _without_empty(
        {
            "principal": provenance.principal,
            "agent": provenance.agent,
            "agent_name": provenance.agent_name,
            "client_env": str(provenance.client_env),
            "is_external": provenance.is_external,
        }
    )


def _without_empty(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
