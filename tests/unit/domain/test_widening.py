from typing import Any

from palimpsest.domain.recall import ReadItem, scored
from palimpsest.domain.widening import widened_query, widening_concepts

from tests.candidates import build_candidate


def build_found(*concepts: tuple[str, ...], **candidate: Any) -> list[ReadItem]:
    """Return items with these concepts, the first ones more relevant."""
    candidates = [
        build_candidate(similarity=0.9 - n / 100, concepts=carried, **candidate)
        for n, carried in enumerate(concepts)
    ]
    return scored(candidates, "a query", noise=0.0)


def test_what_the_best_atoms_are_about_widens_the_query_the_most_telling_first():
    found = build_found(("honey", "hive"), ("Hive", "rain"), ("bread",), (), (), ())

    assert widening_concepts(found, ()) == ("hive", "honey", "rain", "bread")


def test_what_the_query_names_itself_widens_nothing():
    found = build_found(("honey", "hive"), ("rain",))

    assert widening_concepts(found, {"honey", "rain"}) == ("hive",)


def test_what_all_that_was_found_is_about_widens_nothing():
    assert widening_concepts(build_found(("ana", "tea"), ("ana",)), ()) == ("tea",)
    assert widening_concepts(build_found(("ana",)), ()) == ()


def test_only_the_best_five_widen_and_only_by_five():
    found = build_found(*((f"concept {n}",) for n in range(7)))
    many = build_found(tuple(f"concept {n}" for n in range(9)), ())

    assert widening_concepts(found, ()) == tuple(f"concept {n}" for n in range(5))
    assert len(widening_concepts(many, ())) == 5


def test_nothing_found_is_nothing_to_widen_by():
    assert widening_concepts([], ()) == ()
    assert widening_concepts(build_found((), ()), ()) == ()


def test_the_second_query_says_the_first_one_and_what_it_is_about():
    assert widened_query("Who keeps bees?", ("hive", "honey")) == "Who keeps bees? hive, honey"
