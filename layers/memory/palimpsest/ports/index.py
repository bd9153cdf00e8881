"""The index of facts: a projection for search that can be thrown away and rebuilt from the table.

It proposes; the table disposes. Nothing that it says is shown before the table was asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from palimpsest.domain.labels import Label
from palimpsest.domain.scopes import Scope
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.domain.search_tokens import label_token, tokens_of
from palimpsest.ports.facts import RevisionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedAs:
    """By what a revision is found: an index that tells otherwise is stale.

    Attributes:
        version: Of the revision.
        text_hash: Of its text; its vector follows from that.
        tokens: What filters look at; see ``palimpsest.domain.search_tokens``.
    """

    version: int
    text_hash: str
    tokens: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedFact:
    """One revision as it stands in an index.

    Attributes:
        fact_id: Of the fact.
        version: Of the revision. Decides between two documents of one fact, whatever order they come in.
        scope: Of the fact; gives the audience and what can be filtered on.
        type: Of the fact.
        text: ``palimpsest.domain.fact_text.text_of`` the revision.
        text_hash: Of that text.
        vector: ``(d,)`` floats of unit length, what the text means; None where the type is not embedded.
        created_at: Of the revision.
        expires_at: From then on a search leaves it out; None for never.
        labels: ``palimpsest.domain.labels.labels_of`` the revision.
    """

    fact_id: str
    version: int
    scope: Scope
    type: str
    text: str
    text_hash: str
    vector: Sequence[float] | None
    created_at: datetime
    expires_at: datetime | None = None
    labels: frozenset[Label] = frozenset()

    @property
    def tokens(self) -> frozenset[str]:
        """What filters look at."""
        return tokens_of(self.scope, self.type, self.labels)

    @property
    def label_tokens(self) -> frozenset[str]:
        """Those of its tokens that are its labels'."""
        return frozenset(label_token(self.scope.tenant_id, label) for label in self.labels)

    @property
    def indexed_as(self) -> IndexedAs:
        """By what it is found."""
        return IndexedAs(version=self.version, text_hash=self.text_hash, tokens=self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One candidate.

    Attributes:
        fact_id: Of the fact.
        version: Of the revision that was found; the table may have a later one by now.
        score: Keyword: any positive number. Vector: the cosine, in [-1, 1]. Higher is better.
    """

    fact_id: str
    version: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is common to both kinds of search.

    Attributes:
        filter: Inside the search, before its cut.
        limit: At most so many hits, from 1.
        skip: Fact ids that are not wanted again (they turned out stale); at most a thousand, all revisions of each.
        with_history: Also search revisions that were replaced.
        now: Documents that are over by then are left out.
    """

    filter: SearchFilter
    limit: int
    now: datetime
    skip: frozenset[str] = frozenset()
    with_history: bool = False


class FactIndex(Protocol):
    """Finds facts by words and by meaning.

    Every method may raise ``SearchUnavailableError`` when the index does not answer in time. Writes may become visible late
    (OpenSearch Serverless: 10 to 60 seconds). Writes are idempotent and monotonic: of two documents of one fact the one with
    the higher version stays, whatever order they come in and however often.
    """

    def put(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """Index current revisions; any earlier revision of the same fact leaves the index of current facts.

        A revision that stands in the history index is current no more: putting it again changes nothing.

        Returns:
            Ids of the facts that could not be indexed now and must be tried again; the others are done.
        """
        ...

    def retire(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """Keep replaced revisions in the history index, which only a search ``with_history`` reads.

        It does not touch the index of current facts: the successor's ``put`` does.

        Returns:
            As ``put``.
        """
        ...

    def archive(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """Move facts that other facts replaced into the history index: a fact without a next revision to push it out.

        Whoever is stopped in between leaves it in both, never in neither; again finishes it. Afterwards neither this revision
        nor an earlier one of the fact is among the current ones, and ``put`` does not bring them back. A ``put`` that was made
        before and becomes visible later, or one that came before this could be seen, is taken out by archiving again: the
        projector does, after the index's delay.

        Returns:
            As ``put``.
        """
        ...

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> frozenset[str]:
        """Take facts out of both indexes, all their revisions; deleted, erased or expired ones.

        Removing what is not there is success. A ``put`` that was made before and becomes visible later must not bring one back
        for good: the projector removes again after the index's delay.

        Returns:
            As ``put``.
        """
        ...

    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        """Find facts whose text shares words with the query.

        The query is words, never syntax. English words match by their stems; Chinese, Japanese and Korean by bigrams. A query
        without words (blank, punctuation or stop words only) finds nothing.

        Returns:
            Best first, one hit for each fact (with history: for each revision), ties by fact id, newest first.
        """
        ...

    def vector_search(self, vector: Sequence[float], search: Search) -> list[Hit]:
        """Find the facts whose vectors have the highest cosine to a vector of unit length.

        Returns:
            Best first, scores are cosines; one hit for each fact (with history: for each revision), ties by fact id, newest
            first. All that match the filter are found, up to the limit, however many nearer ones do not.
        """
        ...

    def find_indexed(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, IndexedAs]:
        """Return, of those that stand in the index of current facts, by what they are found there, by fact id."""
        ...

    def find_archived(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, IndexedAs]:
        """Return, of those that stand in the history index, by what they are found there."""
        ...
