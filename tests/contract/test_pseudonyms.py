"""What every kind of pseudonym promises: the fake and the keyed one."""

import re
from collections.abc import Callable

import pytest
from palimpsest.adapters.sealing.pseudonyms import KeyedPseudonyms
from palimpsest.domain.people import Person, PersonKind
from palimpsest.ports.pseudonyms import Pseudonyms

from tests.fakes.key_lists import FakeKeyLists
from tests.fakes.pseudonyms import FakePseudonyms

TENANT = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_TENANT = "01890a5d-ac96-774b-bcce-b302099a8058"
ANA = Person(PersonKind.USER, "ana")

# Two lists that share their second key, by the number of keys.
Make = Callable[[int], Pseudonyms]


def _fake(count: int) -> Pseudonyms:
    return FakePseudonyms(tuple(f"k{number}" for number in range(count)))


def _keyed(count: int) -> Pseudonyms:
    secrets = tuple(f"an invented secret of the tests, no. {number}" for number in range(count))
    return KeyedPseudonyms(FakeKeyLists(secrets) if secrets else None)


@pytest.fixture(params=[_fake, _keyed])
def make(request: pytest.FixtureRequest) -> Make:
    chosen: Make = request.param
    return chosen


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_current_pseudonym_is_among_all(make: Make, count: int):
    pseudonyms = make(count)

    assert pseudonyms.current(TENANT, ANA) in pseudonyms.all(TENANT, ANA)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_there_is_one_for_each_key_and_one_without(make: Make, count: int):
    found = make(count).all(TENANT, ANA)

    assert len(found) == count + 1
    assert sum(name.startswith("none.") for name in found) == 1


def test_without_a_key_it_is_a_plain_hash(make: Make):
    assert make(0).current(TENANT, ANA).startswith("none.")


def test_with_a_key_it_is_not(make: Make):
    assert not make(1).current(TENANT, ANA).startswith("none.")


def test_a_new_key_still_finds_what_was_named_under_the_old_one(make: Make):
    named = make(1).current(TENANT, ANA)

    assert named in make(2).all(TENANT, ANA)


def test_tenants_and_kinds_do_not_share_pseudonyms(make: Make):
    pseudonyms = make(1)

    names = {
        pseudonyms.current(tenant, Person(kind, "ana"))
        for tenant in (TENANT, OTHER_TENANT)
        for kind in PersonKind
    }

    assert len(names) == 2 * len(PersonKind)


@pytest.mark.parametrize("hostile", ["", "#/\x00", "💥" * 256, "a" * 10_000])
def test_any_id_gets_a_short_plain_pseudonym(make: Make, hostile: str):
    name = make(1).current(TENANT, Person(PersonKind.EXTERNAL, hostile))

    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name)
