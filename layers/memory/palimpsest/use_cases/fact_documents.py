"""Facts as documents of an index: their text, and the vector of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.fact_text import text_hash, text_of
from palimpsest.domain.facts import Revision
from palimpsest.domain.labels import Label, labels_of
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import IndexedAs, IndexedFact
from palimpsest.ports.vectors import StoredVector, Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One revision on its way into an index.

    Attributes:
        revision: To be indexed.
        is_newest: It is its fact's newest one, so its vector is worth keeping beside the fact.
        text: What it says.
        hash: Of that text.
        labels: What it is filed under.
    """

    revision: Revision
    is_newest: bool
    text: str
    hash: str
    labels: frozenset[Label]

    @classmethod
    def of(cls, revision: Revision, *, is_newest: bool) -> "Draft":
        """Return the draft of a revision."""
        text = text_of(revision)
        return cls(
            revision=revision,
            is_newest=is_newest,
            text=text,
            hash=text_hash(text),
            labels=labels_of(revision),
        )

    @property
    def key(self) -> RevisionKey:
        """Which revision it is."""
        return (self.revision.fact_id, self.revision.version)

    @property
    def indexed_as(self) -> IndexedAs:
        """By what it is found once it is indexed."""
        return self.document(None).indexed_as

    def document(self, vector: Sequence[float] | None) -> IndexedFact:
        """Return it as it goes into the index."""
        revision = self.revision
        return IndexedFact(
            fact_id=revision.fact_id,
            version=revision.version,
            scope=revision.scope,
            type=revision.type,
            text=self.text,
            text_hash=self.hash,
            vector=vector,
            created_at=revision.created_at,
            expires_at=revision.expires_at,
            labels=self.labels,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDocuments:
    """Makes documents; pays for no vector that stands already.

    Attributes:
        vectors: Those that stand.
        embeddings: Makes the others; None where nothing is embedded.
    """

    vectors: Vectors
    embeddings: Embeddings | None

    def make(self, tenant_id: str, drafts: Sequence[Draft]) -> list[IndexedFact]:
        """Return the documents of drafts, in their order, and keep the new vectors of current revisions.

        Args:
            tenant_id: Of all of them.
            drafts: Their missing texts are embedded in one call.

        Raises:
            EmbeddingUnavailableError: If the model does not answer in time.
            StoreUnavailableError: If the kept vectors cannot be read or written; doing it again is safe.
        """
        if self.embeddings is None:
            return [draft.document(None) for draft in drafts]
        model_id = self.embeddings.model_id
        fact_ids = list(dict.fromkeys(draft.revision.fact_id for draft in drafts))
        standing = self.vectors.load(tenant_id, fact_ids, model_id)
        known = {kept.text_hash: kept.vector for kept in standing.values()}
        made = self._embed(self.embeddings, drafts, known)
        new = {
            draft.revision.fact_id: StoredVector(text_hash=draft.hash, vector=made[draft.hash])
            for draft in drafts
            if draft.is_newest and draft.hash in made
        }
        if new:
            # Before anything is indexed: whoever is stopped from here on need not pay again.
            self.vectors.save(tenant_id, new, model_id)
        vectors = known | made
        return [draft.document(vectors.get(draft.hash)) for draft in drafts]

    def _embed(
        self,
        embeddings: Embeddings,
        drafts: Sequence[Draft],
        known: dict[str, Sequence[float]],
    ) -> dict[str, Sequence[float]]:
        texts = {d.hash: d.text for d in drafts if d.hash not in known and d.text.strip()}
        if not texts:
            return {}
        return dict(zip(texts, embeddings.embed_texts(list(texts.values())), strict=True))
