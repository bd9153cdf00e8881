from palimpsest.domain.people import Person, PersonKind, people_named

from tests.builders import build_scope


def test_a_fact_names_its_subjects_its_participant_and_its_conversation():
    scope = build_scope(projectId="acme", participantId="p-1", threadId="t-1")

    assert people_named(scope, [Person(PersonKind.EXTERNAL, "ana")]) == {
        Person(PersonKind.EXTERNAL, "ana"),
        Person(PersonKind.PARTICIPANT, "p-1"),
        Person(PersonKind.CONVERSATION, "t-1"),
    }


def test_somebody_who_is_named_twice_is_one_person():
    scope = build_scope(projectId="acme", participantId="p-1")

    assert people_named(scope, [Person(PersonKind.PARTICIPANT, "p-1")] * 2) == {
        Person(PersonKind.PARTICIPANT, "p-1")
    }


def test_one_id_in_two_kinds_is_two_people():
    subjects = [Person(kind, "ana") for kind in (PersonKind.USER, PersonKind.EXTERNAL)]

    assert len(people_named(build_scope(), subjects)) == 2


def test_the_user_whose_a_fact_is_and_its_session_are_containers_and_no_subjects():
    assert people_named(build_scope(userId="ana", sessionId="s-1", orgId="o"), []) == frozenset()
