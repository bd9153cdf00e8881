"""A memory to read from, over fakes: atoms that are written and indexed at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from palimpsest.domain.associations import Lesson
from palimpsest.domain.atoms import ATOM_TYPE, Atom, content_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.revisions import replaced_by
from palimpsest.domain.scopes import Scope
from palimpsest.ports.index import IndexedFact
from palimpsest.use_cases.fact_documents import Draft, FactDocuments
from palimpsest.use_cases.read_memory import ReadMemory
from palimpsest.use_cases.read_requests import ReadAnswer, ReadRequest

from tests.builders import build_act, build_caller, build_fact, build_scope, build_step
from tests.fakes.associations import FakeAssociations
from tests.fakes.atoms import FakeAtomDirectory
from tests.fakes.clock import FakeClock
from tests.fakes.embeddings import FakeEmbeddings
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.lessons import FakeLessons
from tests.fakes.parallel import FakeParallel
from tests.fakes.strategies import FakeStrategies
from tests.fakes.vectors import FakeVectors

ANA = build_caller("ana")
BEN = build_caller("ben")
ANAS = build_scope(userId="ana")
BENS = build_scope(userId="ben")
LONG_AGO = timedelta(days=3650)


@dataclass
class Memory:
    """Fakes of every port that a read has, and short ways to fill and read them.

    Attributes:
        has_index: Whether the deployment has one.
        has_embeddings: Whether it has any.
        fields: Overrides fields of the use case.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    embeddings: Any = field(default_factory=lambda: FakeEmbeddings(dimension=1024))
    vectors: Any = field(default_factory=FakeVectors)
    associations: FakeAssociations = field(default_factory=FakeAssociations)
    lessons: FakeLessons = field(default_factory=FakeLessons)
    strategies: FakeStrategies = field(default_factory=FakeStrategies)
    parallel: FakeParallel = field(default_factory=FakeParallel)
    has_index: bool = True
    has_embeddings: bool = True
    fields: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ids = FakeIds(clock=self.clock)
        self.index = FakeFactIndex(clock=self.clock)
        self.atoms = FakeAtomDirectory(facts=self.facts)

    def write(
        self,
        text: str,
        *,
        scope: Scope = ANAS,
        age: timedelta = LONG_AGO,
        by: Caller = ANA,
        valence: float | None = None,
        holds: tuple[datetime | None, datetime | None] = (None, None),
        **atom: Any,
    ) -> Fact:
        fact = build_fact(
            ids=self.ids,
            type=ATOM_TYPE,
            scope=scope,
            content=content_of(Atom(text=text, **atom)),
            now=self.clock.now() - age,
            valid_from=holds[0],
            valid_until=holds[1],
        )
        author = replace(fact.revision.attributed_to, kind=by.kind, id=by.id)
        revision = replace(fact.revision, attributed_to=author)
        written = replace(fact, revision=revision, valence=valence)
        self.facts.add(written)
        self.index.put(self._documents([revision], is_newest=True))
        return written

    def write_again(self, fact: Fact, text: str, **atom: Any) -> Fact:
        """Replace a fact's revision by its next, as the facts door does."""
        step = build_step(fact, ids=self.ids, content=content_of(Atom(text=text, **atom)))
        self.facts.replace(fact, step.closed, step.fact)
        self.index.retire(self._documents([step.closed], is_newest=False))
        self.index.put(self._documents([step.fact.revision], is_newest=True))
        return step.fact

    def replace_by(self, fact: Fact, successor: Fact) -> Fact:
        """Close an atom because another one stands in its place."""
        act = build_act(ids=self.ids, now=self.clock.now())
        closed = replaced_by(fact, successor.id, act)
        self.facts.close(fact, closed)
        self.index.remove(fact.revision.scope.tenant_id, [fact.id])
        self.index.retire(self._documents([closed.revision], is_newest=True))
        return closed

    def show(self, fact: Fact) -> None:
        """Bring the index to where a fact is that came into the store by another way."""
        documents = self._documents([fact.revision], is_newest=True)
        if fact.is_replaced:
            self.index.retire(documents)
        elif not fact.is_closed:
            self.index.put(documents)

    def teach(self, *concepts: str, scope: Scope = ANAS, amount: float = 1.0) -> None:
        lesson = Lesson(
            event_id=self.ids.new_id(),
            scope=scope,
            concepts=concepts,
            amount=amount,
            at=self.clock.now(),
        )
        self.associations.learn(lesson)

    def read(self, query: str, *, caller: Caller = ANA, **request: Any) -> ReadAnswer:
        return self.use_case()(caller, ReadRequest(query=query, **request))

    def texts(self, query: str, **request: Any) -> list[str]:
        return [item.atom.text for item in self.read(query, **request).items]

    def use_case(self) -> ReadMemory:
        given: dict[str, Any] = {
            "facts": self.facts,
            "atoms": self.atoms,
            "index": self.index if self.has_index else None,
            "embeddings": self.embeddings if self.has_embeddings else None,
            "vectors": self.vectors,
            "associations": self.associations,
            "lessons": self.lessons,
            "strategies": self.strategies,
            "parallel": self.parallel,
            "clock": self.clock,
            "ids": self.ids,
            "time_budget": timedelta(seconds=10),
        }
        return ReadMemory(**given | self.fields)

    def _documents(self, revisions: Sequence[Revision], *, is_newest: bool) -> list[IndexedFact]:
        drafts = [Draft.of(revision, is_newest=is_newest) for revision in revisions]
        made = FactDocuments(vectors=self.vectors, embeddings=self.embeddings).make(
            ANAS.tenant_id, drafts
        )
        if isinstance(self.embeddings, FakeEmbeddings):
            self.embeddings.texts.clear()  # what a test looks at is what a read embeds
        return made
