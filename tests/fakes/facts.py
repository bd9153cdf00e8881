"""Facts in memory, with the same invariants as the real store: held to them by ``tests/contract/test_facts.py``."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from palimpsest.domain.atoms import ATOM_TYPE, atom_of, rounded, text_key
from palimpsest.domain.erasures import OpenErasures
from palimpsest.domain.errors import DuplicateFactError, TooLargeError, WriteConflictError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.ids import first_after
from palimpsest.domain.tallies import counted
from palimpsest.domain.ties import ties_of
from palimpsest.ports.atoms import AtomText
from palimpsest.ports.facts import MAX_MOVED_TOGETHER, FactQuery, Loaded, RevisionKey

from tests.fakes.entities import FakeEntityDirectory
from tests.fakes.faults import Faults

MAX_BYTES = 256 * 1024
MAX_BYTES_TOGETHER = 4 * 1024 * 1024
MAX_FACTS_TOGETHER = 100


@dataclass
class FakeFactWalk:
    """See ``palimpsest.ports.facts.FactWalk``; the budget counts facts."""

    open_erasures: OpenErasures
    _facts: list[Fact]
    _budget: int | None
    _taken: int = 0

    def __iter__(self) -> Iterator[Fact]:
        while self._taken < self._end:
            self._taken += 1
            yield self._facts[self._taken - 1]

    @property
    def resume_before(self) -> str | None:
        is_spent = self._end < len(self._facts) and self._taken == self._end
        return self._facts[self._end - 1].id if is_spent else None

    @property
    def has_unread(self) -> bool:
        return self._taken < len(self._facts)

    @property
    def _end(self) -> int:
        return len(self._facts) if self._budget is None else min(self._budget, len(self._facts))


@dataclass
class FakeFactRepository:
    """See ``palimpsest.ports.facts.FactRepository``.

    Its walks yield every fact of the tenant, whoever may see it: a reader that forgets to ask for sight fails its tests.

    Attributes:
        write_faults: What goes wrong with the next write of any kind.
        read_faults: What goes wrong with the next read of any kind.
        open_erasures: By tenant; tests put them in.
        pointers: Every erasure pointer (tenant, pseudonym, fact id) that was written.
        atom_texts: By scope hash and text, the atom that was written with it last.
        entities: The directory that follows these facts.
        walk_budget: After so many facts a walk is out of reads; None for never. At least 1.
        loads: How often ``load`` was asked.
        counted_out: Places of facts that were counted out, (tenant, fact id).
    """

    write_faults: Faults = field(default_factory=Faults)
    read_faults: Faults = field(default_factory=Faults)
    open_erasures: dict[str, OpenErasures] = field(default_factory=dict)
    pointers: set[tuple[str, str, str]] = field(default_factory=set)
    atom_texts: dict[tuple[str, AtomText], str] = field(default_factory=dict)
    entities: FakeEntityDirectory = field(default_factory=FakeEntityDirectory)
    walk_budget: int | None = None
    loads: int = 0
    counted_out: set[tuple[str, str]] = field(default_factory=set)
    _facts: dict[tuple[str, str], Fact] = field(default_factory=dict)
    _moved_by: dict[tuple[str, str], str] = field(default_factory=dict)
    _earlier: dict[tuple[str, str], list[Revision]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def load(self, tenant_id: str, fact_id: str, *, version: int | None = None) -> Loaded:
        self.loads += 1
        with self.read_faults.strike(), self._lock:
            fact = self._facts.get((tenant_id, fact_id))
            revisions = self._revisions(tenant_id, fact_id)
            asked_for = [revision for revision in revisions if revision.version == version]
            return Loaded(
                fact=fact,
                revision=asked_for[0] if asked_for else None,
                open_erasures=self.open_erasures.get(tenant_id, ()),
            )

    def load_many(
        self, tenant_id: str, fact_ids: Sequence[str]
    ) -> tuple[dict[str, Fact], OpenErasures]:
        with self.read_faults.strike(), self._lock:
            places = {fact_id: (tenant_id, fact_id) for fact_id in fact_ids}
            found = {i: self._facts[place] for i, place in places.items() if place in self._facts}
            return found, self.open_erasures.get(tenant_id, ())

    def load_revisions(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, Revision]:
        with self.read_faults.strike(), self._lock:
            wanted = set(revisions)
            return {
                (revision.fact_id, revision.version): revision
                for fact_id, _ in wanted
                for revision in self._earlier.get((tenant_id, fact_id), [])
                if (revision.fact_id, revision.version) in wanted
            }

    def find_revision_at(self, tenant_id: str, fact_id: str, instant: datetime) -> Revision | None:
        with self.read_faults.strike(), self._lock:
            made = [r for r in self._revisions(tenant_id, fact_id) if r.created_at <= instant]
            return made[-1] if made else None

    def walk_revisions(self, tenant_id: str, fact_id: str) -> Iterator[Revision]:
        with self.read_faults.strike(), self._lock:
            earlier = list(self._earlier.get((tenant_id, fact_id), []))
        yield from reversed(earlier)

    def walk(self, query: FactQuery) -> FakeFactWalk:
        with self.read_faults.strike(), self._lock:
            tenant_id = query.caller.tenant_id
            facts = [
                fact
                for (tenant, _), fact in self._facts.items()
                if tenant == tenant_id and _is_in_reach(fact, query)
            ]
            return FakeFactWalk(
                open_erasures=self.open_erasures.get(tenant_id, ()),
                _facts=sorted(facts, key=lambda fact: fact.id, reverse=True),
                _budget=self.walk_budget,
            )

    def find_revisions_at(
        self, tenant_id: str, fact_ids: list[str], instant: datetime
    ) -> dict[str, Revision]:
        found = {
            fact_id: self.find_revision_at(tenant_id, fact_id, instant) for fact_id in fact_ids
        }
        return {fact_id: revision for fact_id, revision in found.items() if revision is not None}

    def get_open_erasures(self, tenant_id: str) -> OpenErasures:
        with self.read_faults.strike():
            return self.open_erasures.get(tenant_id, ())

    def add(self, fact: Fact) -> None:
        _check_size(fact)
        place = _place(fact)
        with self.write_faults.strike(), self._lock:
            if place in self._facts:
                first = self._revisions(*place)[0]
                if first.operation_id == fact.revision.operation_id:
                    return
                raise WriteConflictError("Another fact has this id.")
            self._put_new(fact)

    def replace(self, before: Fact, closed: Revision, after: Fact) -> None:
        assert closed.closing is not None
        assert after.version == before.version + 1
        _check_size(after)
        place = _place(after)
        with self.write_faults.strike(), self._lock:
            made_by = {r.version: r.operation_id for r in self._revisions(*place)}
            if made_by.get(after.version) == after.revision.operation_id:
                return
            self._check_stands_at(before)
            self._earlier.setdefault(place, []).append(closed)
            self._facts[place] = after
            self._point_to(after)
            self.entities.follow(before, after)
            if _text_of(after) != _text_of(before):
                self._remember_text(after)

    def add_all(
        self,
        facts: Sequence[Fact],
        closing: Sequence[tuple[Fact, Fact]] = (),
        *,
        stale: frozenset[str] = frozenset(),
    ) -> None:
        for fact in facts:
            _check_size(fact)
        _check_fits([*facts, *(after for _, after in closing)])
        with self.write_faults.strike(), self._lock:
            made = self._revisions(*_place(facts[0]))
            if made and made[0].operation_id == facts[0].revision.operation_id:
                return
            if any(_place(fact) in self._facts for fact in facts):
                raise WriteConflictError("Another fact has this id.")
            for before, _ in closing:
                self._check_stands_at(before)
            self._check_has_no_twin(facts, stale | {before.id for before, _ in closing})
            for before, after in closing:
                self._facts[_place(after)] = after
                self.entities.follow(before, after)
            for fact in facts:
                self._put_new(fact)

    def move_valences(self, moves: Sequence[tuple[Fact, float]], *, operation_id: str) -> None:
        with self.write_faults.strike(), self._lock:
            places = {_place(fact): (fact, rounded(valence)) for fact, valence in moves}
            assert 1 <= len(places) == len(moves) <= MAX_MOVED_TOGETHER
            if self._moved_by.get(next(iter(places))) == operation_id:
                return
            for fact, _ in places.values():
                self._check_stands_at(fact)
            for place, (_, valence) in places.items():
                self._facts[place] = replace(self._facts[place], valence=valence)
                self._moved_by[place] = operation_id

    def close(self, before: Fact, after: Fact) -> None:
        closing = after.revision.closing
        assert closing is not None
        with self.write_faults.strike(), self._lock:
            stored = self._facts.get(_place(after))
            ended = stored.revision.closing if stored is not None else None
            if ended is not None and ended.operation_id == closing.operation_id:
                return
            self._check_stands_at(before)
            self._facts[_place(after)] = after
            self.entities.follow(before, after)

    def count_out(self, fact: Fact, *, at: datetime) -> None:
        if counted(fact) is None and not ties_of(fact.revision):
            return
        with self.write_faults.strike(), self._lock:
            if _place(fact) not in self.counted_out:
                self.counted_out.add(_place(fact))
                self.entities.follow(fact, None)

    def _check_stands_at(self, before: Fact) -> None:
        stored = self._facts.get(_place(before))
        is_as_read = (
            stored is not None
            and stored.version == before.version
            and stored.valence == before.valence
            and stored.revision.closing == before.revision.closing
        )
        if not is_as_read:
            raise WriteConflictError("Another writer was there first.")

    def _check_has_no_twin(self, facts: Sequence[Fact], stale: frozenset[str]) -> None:
        new: dict[tuple[str, AtomText], str] = {}
        for fact in facts:
            name = _text_of(fact)
            if name is None:
                continue
            twin = new.get(name, self.atom_texts.get(name))
            if twin is not None and twin not in stale:
                raise DuplicateFactError(twin)
            new[name] = fact.id
        known = self.entities.twin_among(facts, stale)
        if known is not None:
            raise DuplicateFactError(known)

    def _put_new(self, fact: Fact) -> None:
        self._facts[_place(fact)] = fact
        self._point_to(fact)
        self._remember_text(fact)
        self.entities.follow(None, fact)

    def _remember_text(self, fact: Fact) -> None:
        name = _text_of(fact)
        if name is not None:
            self.atom_texts[name] = fact.id

    def histories(self) -> list[tuple[Fact, list[Revision]]]:
        """Return every fact with all its revisions, oldest first: for fakes that stand on the same store."""
        with self.read_faults.strike(), self._lock:
            return [(fact, self._revisions(*place)) for place, fact in self._facts.items()]

    def _revisions(self, tenant_id: str, fact_id: str) -> list[Revision]:
        fact = self._facts.get((tenant_id, fact_id))
        earlier = self._earlier.get((tenant_id, fact_id), [])
        return [*earlier, fact.revision] if fact is not None else []

    def _point_to(self, fact: Fact) -> None:
        tenant_id = fact.revision.scope.tenant_id
        self.pointers |= {(tenant_id, pseudonym, fact.id) for pseudonym in fact.named}


def _place(fact: Fact) -> tuple[str, str]:
    return (fact.revision.scope.tenant_id, fact.id)


def _is_in_reach(fact: Fact, query: FactQuery) -> bool:
    if query.before is not None and fact.id >= query.before:
        return False
    if query.as_of is not None and fact.id >= first_after(query.as_of):
        return False
    return query.takes_closed or not fact.is_closed


def _text_of(fact: Fact) -> tuple[str, AtomText] | None:
    if fact.revision.type != ATOM_TYPE:
        return None
    atom = atom_of(fact.revision)
    text = AtomText(domain=atom.domain, key=text_key(atom.text))
    return scope_hash(fact.revision.scope), text


def _check_fits(facts: Sequence[Fact]) -> None:
    """Only roughly: what comes beside the contents is the store's own."""
    if sum(len(fact.revision.content.encode()) for fact in facts) > MAX_BYTES_TOGETHER:
        raise TooLargeError(MAX_BYTES_TOGETHER)
    if len(facts) > MAX_FACTS_TOGETHER:
        raise TooLargeError(MAX_BYTES_TOGETHER)


def _check_size(fact: Fact) -> None:
    if len(fact.revision.content.encode()) > MAX_BYTES:
        raise TooLargeError(MAX_BYTES)
