"""Read memory: what an agent should know for a query, from what was written, what helped before, and what belongs together."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import (
    BadInputError,
    PermissionDeniedError,
    SearchUnsupportedError,
    SemanticUnavailableError,
)
from palimpsest.domain.homes import home_of
from palimpsest.domain.lessons import lessons_of_answer
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import may_write
from palimpsest.domain.strategies import (
    Plan,
    Strategy,
    choose_strategy,
    plan_as_said,
    plan_of,
)
from palimpsest.ports.associations import Associations
from palimpsest.ports.atoms import AtomDirectory
from palimpsest.ports.clock import Clock
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.ids import Ids
from palimpsest.ports.index import FactIndex
from palimpsest.ports.lessons import Lessons
from palimpsest.ports.parallel import Parallel
from palimpsest.ports.strategies import Strategies
from palimpsest.ports.vectors import Vectors
from palimpsest.use_cases.find_episode import FindEpisode
from palimpsest.use_cases.follow_associations import FollowAssociations
from palimpsest.use_cases.read_meter import EMBEDDING, SEARCHING, STORING, Meter
from palimpsest.use_cases.read_requests import ReadAnswer, ReadRequest
from palimpsest.use_cases.read_stages import ReadStages
from palimpsest.use_cases.recall_atoms import RecallAtoms
from palimpsest.use_cases.text_vectors import TextVectors

# How long a model may think about how to read; the rules are there at once.
CHOOSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMemory:
    """Reads the atoms that a caller may see.

    A deployment without embeddings reads nothing here and says so: relevance is a calibrated cosine, and a rank by words put in
    its place would be noise that looks relevant. Retrieval by keyword serves it.

    Attributes:
        facts: The truth.
        atoms: Proposes atoms by their fingerprint.
        index: Proposes candidates; None where this deployment has none.
        embeddings: What the index's vectors were made with; None where this deployment has none.
        vectors: Those that are kept beside the facts.
        associations: What was learnt.
        lessons: Takes what an answer teaches.
        strategies: Chooses a strategy where a request leaves it open; None for the rules alone.
        parallel: Runs searches side by side.
        clock: The time of day.
        ids: Tells one read's lessons from another's.
        time_budget: How long the searches may take, all together.
        is_two_pass: Whether a read has two passes where neither request nor strategy says.
    """

    facts: FactRepository
    atoms: AtomDirectory
    index: FactIndex | None
    embeddings: Embeddings | None
    vectors: Vectors
    associations: Associations
    lessons: Lessons
    strategies: Strategies | None
    parallel: Parallel
    clock: Clock
    ids: Ids
    time_budget: timedelta
    is_two_pass: bool = False

    def __call__(self, caller: Caller, request: ReadRequest) -> ReadAnswer:
        """Return what memory holds for a query. What the answer teaches is learnt later.

        Raises:
            BadInputError: If the query has only blanks.
            SearchUnsupportedError: If this deployment has no index.
            SemanticUnavailableError: If it has no embeddings, or they do not answer.
            SearchUnavailableError: If the index does not answer in time.
            StoreUnavailableError: If a table does not answer in time.
        """
        if not request.query.strip():
            raise BadInputError("query must hold more than blanks.", field="query")
        meter = Meter(clock=self.clock)
        home = _home_of(caller)
        stages = self._stages(caller, request, meter)
        answer = stages(home)
        # Who may only read there must not change what others find.
        if home is not None and may_write(caller, home):
            self.lessons.teach(
                lessons_of_answer(
                    [(item.revision, item.atom) for item in answer.items],
                    home=home,
                    query_concepts=answer.query_concepts,
                    request_id=self.ids.new_id(),
                    at=stages.begun,
                )
            )
        return answer

    def _stages(self, caller: Caller, request: ReadRequest, meter: Meter) -> ReadStages:
        """Return what goes through the stages, its ports measured."""
        if self.index is None:
            raise SearchUnsupportedError("This deployment has no index: it reads no memory.")
        if self.embeddings is None:
            raise SemanticUnavailableError("This deployment has no embeddings.")
        begun = self.clock.now()
        facts = meter.watch(self.facts, STORING)
        embeddings = meter.watch(self.embeddings, EMBEDDING)
        texts = TextVectors(embeddings, meter.watch(self.vectors, STORING), caller.tenant_id)
        return ReadStages(
            caller=caller,
            request=request,
            plan=self._plan(request, meter, begun),
            begun=begun,
            deadline=begun + self.time_budget,
            meter=meter,
            noise=embeddings.noise,
            texts=texts,
            find_episode=FindEpisode(
                facts=facts, atoms=meter.watch(self.atoms, STORING), clock=self.clock
            ),
            follow=FollowAssociations(
                associations=meter.watch(self.associations, STORING), clock=self.clock
            ),
            search=RecallAtoms(
                facts=facts,
                index=meter.watch(self.index, SEARCHING),
                texts=texts,
                parallel=self.parallel,
                clock=self.clock,
            ),
        )

    def _plan(self, request: ReadRequest, meter: Meter, now: datetime) -> Plan:
        """Return how to read: what the request names, over what its strategy sets, over what this deployment does."""
        strategy = request.strategy
        if strategy is Strategy.AUTO:
            with meter.phase("classify_ms"):
                strategy = self._chosen(request.query) or choose_strategy(request.query, now)
        return plan_as_said(plan_of(strategy), request.said, is_two_pass=self.is_two_pass)

    def _chosen(self, query: str) -> Strategy | None:
        """Return what the model chooses; None where there is none, or it does not know in time."""
        if self.strategies is None:
            return None
        try:
            (chosen,) = self.parallel.run(
                [partial(self.strategies.choose, query)], seconds=CHOOSE_SECONDS
            )
        except TimeoutError:
            return None
        return chosen


def _home_of(caller: Caller) -> Scope | None:
    """Return where the caller's own memory is; None for one who has none, and reads only what others shared."""
    try:
        return home_of(caller)
    except PermissionDeniedError:
        return None
