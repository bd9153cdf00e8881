"""What atoms bring along: pointers to them, and the tally of their domain.

*Pointers* lead from a text, a fingerprint or an external reference to atoms that were ever written with it. They propose; the
fact, when it is loaded, disposes. So they are written when a revision brings them and never taken back by a close: a
replaced atom must still be found by its fingerprint. What stands once is the pointer of a text, and whoever writes it through
a door where a text stands once does so on condition that it is free, or held by a fact that is known to have ended.

*Tallies* count what stands, by adding what a write changes. HEAD's condition on version and valence makes the difference right.

**Everything here follows from the fact alone**: ``companion_keys`` of each of its revisions are all the items that know of it.
Who erases a fact deletes its pointers (the text's only while it names this fact) and, if the fact stood, takes
``counted(fact)`` off its tally. A sweep takes it off the tally only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.dynamodb import concept_keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    Value,
    decimal,
    find_json,
    item_bytes,
    json_value,
    number,
    read_decimal,
    read_number,
    read_text,
    text,
)
from palimpsest.adapters.dynamodb.companions import Passage, check_claims_differ, is_free_for
from palimpsest.adapters.dynamodb.requests import Request
from palimpsest.adapters.dynamodb.writes import Write
from palimpsest.domain.atoms import ATOM_TYPE, atom_of, text_key
from palimpsest.domain.facts import Revision
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope, scope_from_wire
from palimpsest.domain.tallies import Counts, DomainTally, counted, tally_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """One item that leads to an atom.

    Attributes:
        key: Its key.
        is_of_text: Whether it is the one of a text, which names the last atom that was written with it; the others list all.
    """

    key: Item
    is_of_text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomCompanions:
    """See ``CompanionPlanner``. It reads nothing.

    Attributes:
        table: ConceptsTable's name.
    """

    table: str

    @property
    def types(self) -> frozenset[str]:
        """See ``CompanionPlanner``."""
        return frozenset({ATOM_TYPE})

    def plan(self, passages: Sequence[Passage], *, stale: frozenset[str] | None) -> list[Write]:
        """See ``CompanionPlanner``: pointers of new texts, fingerprints and references, and each tally that changes."""
        closed = {passage.after.id for passage in passages if passage.after.is_closed}
        ended = None if stale is None else stale | closed
        pointers = [put for passage in passages for put in self._pointer_puts(passage, ended)]
        check_claims_differ(pointers)
        return [*pointers, *self._tally_updates(passages)]

    def _pointer_puts(self, passage: Passage, ended: frozenset[str] | None) -> Iterator[Write]:
        """Yield the pointers that the newest revision brings and the one before did not have; a close brings none."""
        if passage.after.is_closed:
            return
        known = [] if passage.before is None else pointers_of(passage.before.revision)
        for pointer in pointers_of(passage.after.revision):
            if pointer in known:
                continue
            item = {**pointer.key, "factId": text(passage.after.id)}
            put: Request = {"TableName": self.table, "Item": item}
            if pointer.is_of_text and ended is not None:
                condition = is_free_for(passage.after.id, ended)
                yield Write(action="Put", request={**put, **condition}, is_claim=True)
            else:
                yield Write(action="Put", request=put)

    def _tally_updates(self, passages: Sequence[Passage]) -> Iterator[Write]:
        """Yield one update for each tally that comes out different."""
        changes: dict[tuple[str, str], tuple[Scope, Counts]] = {}
        for scope, domain, counts in _differences(passages):
            name = (scope_hash(scope), domain)
            _, so_far = changes.get(name, (scope, Counts()))
            changes[name] = (scope, so_far + counts)
        for (_, domain), (scope, counts) in changes.items():
            if counts != Counts():
                yield self._tally_update(scope, domain, counts)

    def _tally_update(self, scope: Scope, domain: str, counts: Counts) -> Write:
        key, added = tally_key(scope, domain), _counters(counts)
        named: dict[str, Value] = {"scope": json_value(dict(scope.items())), "domain": text(domain)}
        sets = ", ".join(f"#{name} = :{name}" for name in named)
        adds = ", ".join(f"#{name} :{name}" for name in added)
        request: dict[str, Any] = {
            "TableName": self.table,
            "Key": key,
            "UpdateExpression": f"SET {sets} ADD {adds}",
            "ExpressionAttributeNames": {f"#{name}": name for name in (*named, *added)},
            "ExpressionAttributeValues": {
                f":{name}": value for name, value in (named | added).items()
            },
        }
        weight = item_bytes({**key, **named, **added})
        return Write(action="Update", request=request, weight=weight)


def pointers_of(revision: Revision) -> list[Pointer]:
    """Return the pointers that lead to an atom by one of its revisions."""
    atom, scope = atom_of(revision), revision.scope
    listed = []
    if atom.fingerprint is not None:
        listed.append(concept_keys.atom_fingerprint_key(scope, atom.fingerprint))
    if atom.external_ref is not None:
        listed.append(concept_keys.atom_reference_key(scope, atom.external_ref))
    sort_key = concept_keys.listed_sort_key(revision.fact_id)
    return [
        Pointer(key=same_text_key(scope, atom.domain, text_key(atom.text)), is_of_text=True),
        *(Pointer(key=_key(partition, sort_key)) for partition in listed),
    ]


def companion_keys(revision: Revision) -> list[Item]:
    """Return the key of every item that knows of an atom by one of its revisions: its pointers, and its domain's tally."""
    tally = tally_key(revision.scope, atom_of(revision).domain)
    return [*(pointer.key for pointer in pointers_of(revision)), tally]


def same_text_key(scope: Scope, domain: str, hashed: str) -> Item:
    """Return the key of the pointer of a text, of which ``hashed`` is the ``text_key``."""
    return _key(concept_keys.atom_text_key(scope, domain, hashed), concept_keys.LAST)


def tally_key(scope: Scope, domain: str) -> Item:
    """Return the key of a tally."""
    partition = concept_keys.tallies_key(scope.tenant_id)
    return _key(partition, concept_keys.tally_sort_key(scope, domain))


def tally_from_item(item: Item) -> DomainTally:
    """Return the tally that an item holds; of no atoms when none stands any more."""
    counts = Counts(
        atoms=read_number(item, "atoms"),
        fingerprints=read_number(item, "fingerprints"),
        importance=read_decimal(item, "importanceSum"),
        valence=read_decimal(item, "valenceSum"),
    )
    return tally_of(scope_from_wire(find_json(item, "scope")), read_text(item, "domain"), counts)


def _differences(passages: Sequence[Passage]) -> Iterator[tuple[Scope, str, Counts]]:
    """Yield what each fact was counted for, taken off, and what it is counted for from now on."""
    for passage in passages:
        scope = passage.after.revision.scope
        before = None if passage.before is None else counted(passage.before)
        after = None if passage.left is None else counted(passage.left)
        if before is not None:
            yield scope, before[0], -before[1]
        if after is not None:
            yield scope, after[0], after[1]


def _counters(counts: Counts) -> dict[str, Value]:
    return {
        "atoms": number(counts.atoms),
        "fingerprints": number(counts.fingerprints),
        "importanceSum": decimal(counts.importance),
        "valenceSum": decimal(counts.valence),
    }


def _key(partition: str, sort_key: str) -> Item:
    return {"pk": text(partition), "sk": text(sort_key)}
