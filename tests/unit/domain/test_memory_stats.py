from palimpsest.domain.memory_stats import MemoryStats, stats_of
from palimpsest.domain.tallies import DomainTally

from tests.builders import build_scope

ANA, APOLLO = build_scope(userId="ana"), build_scope(projectId="apollo")


def tally(scope, domain, *, atoms=1, fingerprints=0, importance=1.0, valence=0.0):
    return DomainTally(
        scope=scope,
        domain=domain,
        atoms=atoms,
        fingerprints=fingerprints,
        importance_sum=importance,
        valence_sum=valence,
    )


def test_an_empty_memory_has_numbers_all_the_same():
    assert stats_of([], edges=0) == MemoryStats(
        atoms=0, fingerprints=0, edges=0, domains=(), average_valence=0.0, average_importance=0.0
    )


def test_averages_are_of_atoms_and_not_of_domains_and_a_domain_of_two_scopes_is_one():
    tallies = [
        tally(ANA, "work", atoms=3, fingerprints=1, importance=0.3, valence=-0.5),
        tally(APOLLO, "work", atoms=1, fingerprints=1, importance=0.9, valence=0.9),
        tally(ANA, "home", atoms=1, importance=0.3, valence=0.1),
    ]

    assert stats_of(tallies, edges=7) == MemoryStats(
        atoms=5,
        fingerprints=2,
        edges=7,
        domains=("home", "work"),
        average_valence=0.1,
        average_importance=0.3,
    )


def test_a_domain_in_which_nothing_stands_any_more_is_none():
    assert stats_of([tally(ANA, "gone", atoms=0, importance=0.0)], edges=0).domains == ()
