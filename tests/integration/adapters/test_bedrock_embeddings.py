"""How Bedrock is asked, and what is made of its refusals: the real client against an endpoint on loopback."""

import time
from collections.abc import Iterator
from itertools import count

import pytest
from palimpsest.adapters.bedrock.embeddings import MAX_ATTEMPTS
from palimpsest.adapters.bedrock.models import bedrock_model
from palimpsest.domain.errors import EmbeddingUnavailableError

from tests.bedrock import Answer, Asked, Bedrock, answer_as_a_model, refuse, running_bedrock
from tests.fakes.pauses import FakePauses

TITAN = "amazon.titan-embed-text-v2:0"
COHERE_V3 = "cohere.embed-english-v3"
COHERE_V4 = "global.cohere.embed-v4:0"


@pytest.fixture
def bedrock() -> Iterator[Bedrock]:
    with running_bedrock() as endpoint:
        yield endpoint


def test_titan_is_asked_for_one_text_a_call(bedrock: Bedrock):
    embeddings = bedrock.embeddings(TITAN, dimension=256)

    embeddings.embed_texts(["first", "second"])

    assert {asked.model_id for asked in bedrock.asked} == {TITAN}
    bodies = sorted((asked.body for asked in bedrock.asked), key=lambda body: body["inputText"])
    assert bodies == [
        {"inputText": "first", "dimensions": 256, "normalize": True},
        {"inputText": "second", "dimensions": 256, "normalize": True},
    ]


@pytest.mark.parametrize(
    ("model_id", "dimension", "rest"),
    [
        (COHERE_V3, 1024, {"truncate": "END"}),
        (
            COHERE_V4,
            1536,
            {"truncate": "RIGHT", "output_dimension": 1536, "embedding_types": ["float"]},
        ),
    ],
)
def test_cohere_is_told_questions_from_documents(
    bedrock: Bedrock, model_id: str, dimension: int, rest: dict[str, object]
):
    embeddings = bedrock.embeddings(model_id, dimension=dimension)

    embeddings.embed_texts(["first", "second"])
    embeddings.embed_query("question")

    assert [asked.body for asked in bedrock.asked] == [
        {"texts": ["first", "second"], "input_type": "search_document", **rest},
        {"texts": ["question"], "input_type": "search_query", **rest},
    ]


def test_cohere_is_given_at_most_ninety_six_texts_a_call(bedrock: Bedrock):
    embeddings = bedrock.embeddings(COHERE_V4, dimension=256)

    embeddings.embed_texts([f"word{n}" for n in range(200)])

    assert sorted(len(asked.body["texts"]) for asked in bedrock.asked) == [8, 96, 96]


def test_texts_are_cut_to_the_characters_that_the_model_takes(bedrock: Bedrock):
    bedrock.embeddings(TITAN, dimension=256).embed_query("a" * 60_000)
    bedrock.embeddings(COHERE_V3, dimension=1024).embed_query("a" * 60_000)

    assert len(bedrock.asked[0].body["inputText"]) == 50_000
    assert len(bedrock.asked[1].body["texts"][0]) == 2_048


def test_a_cut_never_leaves_only_the_blanks_in_front_of_a_text(bedrock: Bedrock):
    text = " \n" * 2_048 + "Ana plays chess."

    bedrock.embeddings(COHERE_V3, dimension=1024).embed_texts([text])

    assert bedrock.asked[0].body["texts"] == ["Ana plays chess."]


def test_a_text_of_too_many_tokens_is_halved_until_it_fits(bedrock: Bedrock):
    def answer(asked: Asked) -> Answer:
        if len(asked.body["inputText"]) > 8_192:
            message = "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 50000"
            return refuse("ValidationException", status=400, message=message)
        return answer_as_a_model(asked)

    bedrock.answer = answer
    pauses = FakePauses()

    vector = bedrock.embeddings(TITAN, dimension=256, pauses=pauses).embed_query("茶" * 50_000)

    assert len(vector) == 256
    sizes = [len(asked.body["inputText"]) for asked in bedrock.asked]
    assert sizes == [50_000, 25_000, 12_500, 6_250]
    assert pauses.attempts == []


def test_a_text_that_never_fits_is_given_up(bedrock: Bedrock):
    bedrock.answer = lambda _: refuse(
        "ValidationException", status=400, message="Too many input tokens."
    )

    with pytest.raises(EmbeddingUnavailableError, match="too long"):
        bedrock.embeddings(TITAN, dimension=256).embed_query("a" * 50_000)

    assert len(bedrock.asked) == 4


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ThrottlingException", 429),
        ("ModelNotReadyException", 429),
        ("ServiceUnavailableException", 503),
        ("InternalServerException", 500),
        ("ModelTimeoutException", 408),
        ("ModelErrorException", 424),
    ],
)
def test_what_may_pass_is_tried_again_with_growing_pauses(bedrock: Bedrock, code: str, status: int):
    numbers = count(1)
    bedrock.answer = lambda asked: (
        refuse(code, status=status) if next(numbers) < 3 else answer_as_a_model(asked)
    )
    pauses = FakePauses()

    vector = bedrock.embeddings(TITAN, dimension=256, pauses=pauses).embed_query("chess")

    assert len(vector) == 256
    assert len(bedrock.asked) == 3
    assert pauses.attempts == [1, 2]


def test_a_model_that_stays_busy_is_given_up(bedrock: Bedrock):
    bedrock.answer = lambda _: refuse("ThrottlingException", status=429)
    pauses = FakePauses()

    with pytest.raises(EmbeddingUnavailableError):
        bedrock.embeddings(TITAN, dimension=256, pauses=pauses).embed_query("chess")

    assert len(bedrock.asked) == MAX_ATTEMPTS
    assert pauses.attempts == [1, 2, 3]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ValidationException", 400),
        ("AccessDeniedException", 403),
        ("ResourceNotFoundException", 404),
        ("ServiceQuotaExceededException", 400),
    ],
)
def test_what_will_not_pass_is_asked_once_and_its_error_names_the_code_alone(
    bedrock: Bedrock, code: str, status: int
):
    bedrock.answer = lambda asked: refuse(code, status=status, message=f"Not {asked.body}")

    with pytest.raises(EmbeddingUnavailableError) as caught:
        bedrock.embeddings(TITAN, dimension=256).embed_query("my secret")

    assert len(bedrock.asked) == 1
    assert code in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_one_refused_text_of_many_gives_no_vector_for_any(bedrock: Bedrock):
    bedrock.answer = lambda asked: (
        refuse("AccessDeniedException", status=403)
        if asked.body["inputText"] == "b"
        else answer_as_a_model(asked)
    )

    with pytest.raises(EmbeddingUnavailableError):
        bedrock.embeddings(TITAN, dimension=256).embed_texts(["a", "b", "c"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"embedding": None},
        {"embedding": [1.0, 2.0]},
        {"embedding": [0.0] * 256},
        {"embedding": ["a"] * 256},
        [],
    ],
)
def test_an_answer_without_its_vector_is_no_vector(bedrock: Bedrock, body: object):
    bedrock.answer = lambda _: Answer(body)

    with pytest.raises(EmbeddingUnavailableError, match="oddly"):
        bedrock.embeddings(TITAN, dimension=256).embed_query("chess")


def test_a_model_that_hangs_is_waited_for_once(bedrock: Bedrock):
    def answer(asked: Asked) -> Answer:
        time.sleep(0.5)  # the endpoint's own slowness, not the test's
        return answer_as_a_model(asked)

    bedrock.answer = answer
    pauses = FakePauses()
    embeddings = bedrock.embeddings(TITAN, dimension=256, pauses=pauses, read_timeout=0.1)

    with pytest.raises(EmbeddingUnavailableError, match="does not answer"):
        embeddings.embed_query("chess")

    assert len(bedrock.asked) == 1
    assert pauses.attempts == []


def test_an_endpoint_that_is_gone_is_tried_again_and_given_up():
    with running_bedrock() as bedrock:
        pauses = FakePauses()
        embeddings = bedrock.embeddings(TITAN, dimension=256, pauses=pauses)

    with pytest.raises(EmbeddingUnavailableError, match="reached"):
        embeddings.embed_query("chess")

    assert pauses.attempts == [1, 2, 3]


def test_the_client_itself_never_retries(bedrock: Bedrock):
    bedrock.answer = lambda _: refuse("ThrottlingException", status=429)

    with pytest.raises(EmbeddingUnavailableError):
        bedrock.embeddings(TITAN, dimension=256).embed_query("chess")

    retries = [asked.headers["amz-sdk-request"] for asked in bedrock.asked]
    assert retries == ["attempt=1; max=1"] * MAX_ATTEMPTS


@pytest.mark.parametrize(
    ("model_id", "dimension"),
    [(TITAN, 384), (COHERE_V3, 512), ("amazon.titan-embed-text-v1", 1536), ("", 256)],
)
def test_a_model_or_dimension_that_is_not_known_is_refused(model_id: str, dimension: int):
    with pytest.raises(ValueError, match=r"only|known"):
        bedrock_model(model_id, dimension=dimension)
