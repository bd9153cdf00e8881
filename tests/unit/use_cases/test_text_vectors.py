"""What is embedded in one request, and what is not."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from palimpsest.domain.errors import SemanticUnavailableError
from palimpsest.domain.facts import Revision
from palimpsest.use_cases.text_vectors import MAX_EMBEDDED, TextVectors

from tests.fakes.vectors import FakeVectors
from tests.memories import ANAS, Memory


@dataclass
class CountingVectors(FakeVectors):
    loads: list[list[str]] = field(default_factory=list)

    def load(self, tenant_id, fact_ids, model_id):
        self.loads.append(list(fact_ids))
        return super().load(tenant_id, fact_ids, model_id)


@pytest.fixture
def memory() -> Memory:
    return Memory(vectors=CountingVectors())


def texts_of(memory: Memory) -> TextVectors:
    memory.vectors.loads.clear()
    return TextVectors(memory.embeddings, memory.vectors, ANAS.tenant_id)


def revisions(memory: Memory, count: int) -> list[Revision]:
    return [memory.write(f"tea {n}").revision for n in range(count)]


def test_a_question_is_embedded_once_however_many_ask_at_the_same_time(memory: Memory):
    texts = texts_of(memory)

    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(texts.of_query, ["tea"] * 8))

    assert memory.embeddings.queries == ["tea"]
    assert all(vector == vectors[0] for vector in vectors)


def test_what_stands_beside_a_fact_is_loaded_once_and_not_embedded(memory: Memory):
    written = revisions(memory, 3)
    texts = texts_of(memory)

    first, again = texts.of_revisions(written), texts.of_revisions(written)

    assert first.keys() == {(revision.fact_id, 1) for revision in written}
    assert first == again
    assert memory.vectors.loads == [sorted(revision.fact_id for revision in written)]
    assert memory.embeddings.texts == []


def test_what_was_replaced_has_its_vector_made_of_its_own_text(memory: Memory):
    fact = memory.write("tea without sugar")
    memory.write_again(fact, "coffee")

    vectors = texts_of(memory).of_revisions([fact.revision])

    assert memory.embeddings.texts == ["tea without sugar"]
    assert list(vectors) == [(fact.id, 1)]


def test_no_more_than_so_many_are_embedded_and_the_others_have_none(memory: Memory):
    written = revisions(memory, MAX_EMBEDDED + 5)
    memory.vectors = CountingVectors()

    vectors = texts_of(memory).of_revisions(written)

    assert len(vectors) == len(memory.embeddings.texts) == MAX_EMBEDDED


def test_nothing_asked_for_asks_nobody(memory: Memory):
    assert texts_of(memory).of_revisions([]) == {}
    assert memory.vectors.loads == []


def test_a_model_that_is_down_is_told(memory: Memory):
    written = revisions(memory, 1)
    memory.vectors = CountingVectors()
    memory.embeddings.is_down = True

    with pytest.raises(SemanticUnavailableError):
        texts_of(memory).of_query("tea")
    with pytest.raises(SemanticUnavailableError):
        texts_of(memory).of_revisions(written)
