import hashlib
import re

from palimpsest.adapters.sealing.pseudonyms import KeyedPseudonyms
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.sealing_keys import sealing_key

from tests.fakes.key_lists import FIRST_SECRET, FakeKeyLists

ANA = Person(PersonKind.USER, "ana")


def test_a_pseudonym_is_the_key_id_and_64_hex_digits():
    name = KeyedPseudonyms(FakeKeyLists()).current("t", ANA)

    assert re.fullmatch(sealing_key(FIRST_SECRET).id + r"\.[0-9a-f]{64}", name)


def test_without_a_key_the_hash_can_be_computed_by_anybody():
    name = KeyedPseudonyms(None).current("t", ANA)

    message = b"\x00\x00\x00\x01t\x00\x00\x00\x04user\x00\x00\x00\x03ana"
    assert name == "none." + hashlib.sha256(message).hexdigest()


def test_a_pseudonym_stays_what_it_is_for_ever():
    # The ledger keeps these for years: a change of the derivation would lose everybody whom it names.
    # The value was computed with hmac alone, by RFC 5869 §2.
    name = KeyedPseudonyms(FakeKeyLists()).current("t", ANA)

    assert name == "f4610368.4e00187d7fa954c9b38d95ef6fcc0507748ac8ddafaaaf9d1fb7f48528c12338"


def test_parts_do_not_run_into_each_other():
    pseudonyms = KeyedPseudonyms(FakeKeyLists())

    assert pseudonyms.current("tuser", Person(PersonKind.USER, "x")) != pseudonyms.current(
        "t", Person(PersonKind.USER, "userx")
    )
