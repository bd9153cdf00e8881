"""LoCoMo's observations as documents of an index."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.fact_text import text_hash, text_of
from palimpsest.domain.facts import Revision
from palimpsest.domain.labels import labels_of
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import Act, Draft, first_revision
from palimpsest.domain.scopes import Scope
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.index import IndexedFact

from benchmarks.locomo_data import Observation, turns

TENANT = "01890a5d-ac96-774b-bcce-b302099a8057"
TYPE = "observation"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocomoFact:
    """One observation as a fact.

    Attributes:
        revision: As the service would store it.
        conversation: Its project.
        text: What it says.
        turns: The dialogue turns that it was taken from.
    """

    revision: Revision
    text: str
    conversation: str
    turns: frozenset[str]

    @property
    def id(self) -> str:
        """The fact's id."""
        return self.revision.fact_id


def locomo_facts(observed: Sequence[Observation]) -> list[LocomoFact]:
    """Return the facts, with ids in the order of the observations: project = conversation, subject = speaker."""
    caller = Caller(tenant_id=TENANT, kind=CallerKind.USER, id="benchmark", is_tenant_admin=True)
    return [
        LocomoFact(
            revision=_revision(observation, caller, str(uuid.UUID(int=number))),
            conversation=observation.conversation,
            text=observation.text,
            turns=turns(observation.evidence),
        )
        for number, observation in enumerate(observed, start=1)
    ]


def documents(revisions: Sequence[Revision], embeddings: Embeddings) -> list[IndexedFact]:
    """Return revisions as documents of an index, with their vectors."""
    texts = [text_of(revision) for revision in revisions]
    return [
        IndexedFact(
            fact_id=revision.fact_id,
            version=revision.version,
            scope=revision.scope,
            type=revision.type,
            text=text,
            text_hash=text_hash(text),
            vector=vector,
            created_at=revision.created_at,
            labels=labels_of(revision),
        )
        for revision, text, vector in zip(
            revisions, texts, embeddings.embed_texts(texts), strict=True
        )
    ]


def in_conversation(conversation: str) -> SearchFilter:
    """Return a filter for the facts of one conversation."""
    return SearchFilter(
        tenant_id=TENANT, audiences=None, named=(("projectId", conversation),), type=TYPE
    )


def _revision(observation: Observation, caller: Caller, fact_id: str) -> Revision:
    draft = Draft(
        type=TYPE,
        scope=Scope(tenant_id=TENANT, project_id=observation.conversation),
        content={"text": observation.text},
        subjects=(Person(PersonKind.EXTERNAL, observation.speaker),),
        observed_at=observation.observed_at,
    )
    act = Act(caller=caller, now=observation.observed_at, operation_id=fact_id, new_id=fact_id)
    return replace(first_revision(draft, act).revision, fact_id=fact_id)
