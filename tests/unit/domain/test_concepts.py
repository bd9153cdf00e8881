import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.concepts import MAX_CONCEPT_CHARACTERS, canonical_concept, concepts_in


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("Green Tea", "green tea"),
        ("  green \t\n tea ", "green tea"),
        ("ＧＲＥＥＮ", "green"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("cafe\u0301", "café"),
        ("绿茶", "绿茶"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("error-handling", "error-handling"),
        (" \n", ""),
        ("a" * 199 + " bc", "a" * 199),
    ],
)
def test_names_that_mean_the_same_have_one_form(written: str, canonical: str):
    assert canonical_concept(written) == canonical


@given(st.text(max_size=250))
def test_the_canonical_form_is_its_own(text: str):
    canonical = canonical_concept(text)

    assert canonical_concept(canonical) == canonical
    assert len(canonical) <= MAX_CONCEPT_CHARACTERS
    assert unicodedata.is_normalized("NFKC", canonical)


@pytest.mark.parametrize(
    ("query", "concepts"),
    [
        ("Who likes tea?", ("likes", "tea", "likes tea")),
        ("What is green tea?", ("green", "tea", "green tea")),
        ("Is the tea of Ana green?", ("tea", "ana", "green", "ana green")),
        ("tea, coffee", ("tea", "coffee")),
        ("Ana's children", ("ana", "children", "ana children")),
        ("Ana’s cat", ("ana", "cat", "ana cat")),
        ("I don't know what they've told us", ("know", "told")),
        ("error-handling in C++, node.js & F#.", ("error-handling", "c++", "node.js", "f#")),
        ('"project zeta"', ("project", "zeta", "project zeta")),
        ("tea tea", ("tea", "tea tea")),
        ("हिन्दी", ("हिन्दी",)),
        ("snake_case", ("snake_case",)),
    ],
)
def test_a_query_is_about_its_words_and_about_two_side_by_side(
    query: str, concepts: tuple[str, ...]
):
    assert concepts_in(query) == concepts


@pytest.mark.parametrize(
    ("query", "concepts"),
    [
        ("绿茶", ("绿茶",)),
        ("谁喜欢绿茶？", ("谁喜", "喜欢", "欢绿", "绿茶")),
        ("東京 coffee", ("東京", "coffee")),
        ("녹차", ("녹차",)),
    ],
)
def test_what_is_written_without_spaces_gives_pairs_of_characters(
    query: str, concepts: tuple[str, ...]
):
    assert concepts_in(query) == concepts


@pytest.mark.parametrize("query", ["", "  \n", "?!", "the of and", "🎉", "'s", "--", "++", "\0"])
def test_blanks_signs_and_stop_words_are_no_concepts(query: str):
    assert concepts_in(query) == ()


def test_at_most_ten_are_taken_and_words_before_pairs():
    nine = " ".join(f"word{n}" for n in range(9))
    twelve = " ".join(f"word{n}" for n in range(12))

    assert concepts_in(nine)[9:] == ("word0 word1",)
    assert concepts_in(twelve) == tuple(f"word{n}" for n in range(10))


def test_a_pair_of_long_words_is_cut_as_any_concept_is():
    assert concepts_in(f"{'a' * 150} {'b' * 150}")[2] == "a" * 150 + " " + "b" * 49


@given(st.text(max_size=100))
def test_the_concepts_of_any_query_are_canonical_and_few(query: str):
    concepts = concepts_in(query)

    assert len(concepts) == len(set(concepts)) <= 10
    assert all(concepts)
    assert [canonical_concept(concept) for concept in concepts] == list(concepts)
