import pytest
from palimpsest.domain.errors import BadInputError, PermissionDeniedError
from palimpsest.domain.narrowing import narrowed

from tests.builders import TENANT, build_scope

OWN = build_scope(userId="ana")
PROJECT = build_scope(projectId="apollo")
CONVERSATION = build_scope(projectId="apollo", threadId="t-1")


@pytest.mark.parametrize(
    ("home", "asked", "expected"),
    [
        (OWN, {}, OWN),
        (OWN, {"projectId": "apollo"}, build_scope(userId="ana", projectId="apollo")),
        (PROJECT, {"threadId": "t-1"}, CONVERSATION),
        (PROJECT, {"projectId": "apollo"}, PROJECT),
        (PROJECT, {"participantId": "p"}, build_scope(projectId="apollo", participantId="p")),
        (CONVERSATION, {"threadId": "t-1", "projectId": "apollo"}, CONVERSATION),
        (
            build_scope(),
            {"projectId": "apollo", "participantId": "p"},
            build_scope(projectId="apollo", participantId="p"),
        ),
    ],
)
def test_a_part_of_the_home_is_given(home, asked, expected):
    assert narrowed(home, asked) == expected


@pytest.mark.parametrize(
    ("home", "asked"),
    [
        (PROJECT, {"projectId": "gemini"}),
        (PROJECT, {"projectId": "apollo-2"}),
        (PROJECT, {"projectId": "Apollo"}),
        (CONVERSATION, {"threadId": "t-2"}),
        (OWN, {"userId": "ben"}),
        (OWN, {"userId": "ana"}),
        (PROJECT, {"userId": "ana"}),
        (PROJECT, {"orgId": "acme"}),
        (PROJECT, {"tenantId": TENANT}),
        (PROJECT, {"sessionId": "s"}),
        (PROJECT, {"anything": "else"}),
    ],
)
def test_what_lies_outside_is_refused_and_the_key_is_named(home, asked):
    (key,) = asked

    with pytest.raises(PermissionDeniedError, match=key):
        narrowed(home, asked)


@pytest.mark.parametrize("value", ["", " ", "\t", "x" * 257, "\ud800"], ids=ascii)
@pytest.mark.parametrize("key", ["projectId", "threadId", "participantId"])
def test_a_value_that_shows_nothing_is_never_the_whole_home(key, value):
    with pytest.raises(BadInputError, match=key):
        narrowed(PROJECT, {key: value})


def test_a_participant_stands_beside_a_project():
    with pytest.raises(BadInputError, match="participantId needs a projectId"):
        narrowed(OWN, {"participantId": "p"})


def test_no_text_of_the_request_stands_in_the_refusal():
    with pytest.raises(PermissionDeniedError) as refused:
        narrowed(PROJECT, {"projectId": "a secret name"})

    assert "secret" not in str(refused.value)
