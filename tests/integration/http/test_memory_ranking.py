"""What moves the ranking of a read, over HTTP and with the real model: outcomes and near-copies."""

from tests.atoms import (
    MEMORY,
    ask_memory,
    items_of,
    read,
    read_ids,
    wait_until_read,
    write_atom,
    write_atoms,
)
from tests.tenants import FACTS

QUESTION = "How is the staging server restarted?"
ASKED = {"min_relevance": 0, "include_associations": False}


def test_five_failures_sink_an_atom_below_its_rival_and_one_success_lifts_it_back(tenant):
    ana = tenant.caller()
    better = write_atom(ana, "To restart the staging server, run the script restart-staging.")
    rival = write_atom(ana, "The staging server is restarted by hand in the console.")
    wait_until_read(tenant, better, rival)
    before = read_ids(ana, QUESTION, **ASKED)
    first, second = before

    for _ in range(5):
        rated = ask_memory(ana, "feedback", {"atom_ids": [first], "outcome": -1})
    sunk = read(ana, QUESTION, **ASKED)
    lifted = ask_memory(ana, "feedback", {"atom_ids": [first], "outcome": 1})
    after = read(ana, QUESTION, **ASKED)

    assert set(before) == {better, rival}
    assert (rated["updated_count"], rated["avg_valence"]) == (1, -0.96875)
    assert items_of(sunk) == [second, first]
    assert sunk["items"][1]["valence"] == -0.96875
    assert lifted["avg_valence"] == 0.015625
    assert items_of(after) == before
    # Content never changes: neither does its revision.
    assert ana.ask("GET", f"{FACTS}/{first}").json()["version"] == 1


def test_an_outcome_moves_no_noise_above_the_floor_and_pushes_no_exact_match_out(tenant):
    ana = tenant.caller()
    exact = write_atom(ana, QUESTION)
    noise = write_atom(ana, "Cleo plays the violin on Sundays.")
    wait_until_read(tenant, exact, noise)

    ask_memory(ana, "feedback", {"atom_ids": [noise], "outcome": 1})
    ask_memory(ana, "feedback", {"atom_ids": [exact], "outcome": -1})

    assert read_ids(ana, QUESTION, include_associations=False) == [exact]
    assert read_ids(ana, QUESTION, **ASKED)[0] == exact


def test_at_one_half_at_most_one_of_each_planted_copy_comes(tenant):
    ana = tenant.caller()
    planted = (
        "The invoice of the printer {} was paid in March, as Ben asked.",
        "Ana moved her dentist's appointment {} to the ninth of June.",
        "The night train {} from Vienna to Rome leaves at seven in the evening.",
    )
    sizes = ("today", "again", "finally", "now", "at last")
    groups = [write_atoms(ana, [{"content": text.format(s)} for s in sizes]) for text in planted]
    wait_until_read(tenant, *(atom_id for group in groups for atom_id in group))
    queries = (
        "Which invoice was paid?",
        "When is Ana's appointment?",
        "When does the train leave?",
    )

    for query in queries:
        plain = read_ids(ana, query, top_k=3, **ASKED)
        diverse = read_ids(ana, query, top_k=3, diversity=0.5, **ASKED)
        assert max(len(set(plain) & set(group)) for group in groups) == 3
        assert [len(set(diverse) & set(group)) for group in groups] == [1, 1, 1]
        assert diverse[0] == plain[0]


def test_an_atom_that_somebody_else_shares_is_rated_by_those_who_may_write_it(tenant):
    shared = {"projectId": "apollo"}
    ana = tenant.caller("ana", writes=("apollo",), default_scope=shared)
    ben, eve = tenant.caller("ben", reads=("apollo",)), tenant.caller("eve")
    atom_id = write_atom(ana, QUESTION)

    rated = [
        ask_memory(caller, "feedback", {"atom_ids": [atom_id, "no-id"], "outcome": -1})
        for caller in (ben, eve)
    ]

    for answer in rated:
        assert (answer["updated_count"], answer["avg_valence"]) == (0, 0)
    assert ben.ask("GET", f"{MEMORY}/atoms/{atom_id}").json()["valence"] == 0
    assert eve.ask("GET", f"{MEMORY}/atoms/{atom_id}").status_code == 404
