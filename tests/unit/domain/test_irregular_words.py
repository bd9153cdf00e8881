import pytest
from palimpsest.domain.irregular_words import BASE_OF


@pytest.mark.parametrize(
    ("form", "base"), [("went", "go"), ("goes", "go"), ("children", "child"), ("wrote", "write")]
)
def test_a_form_is_known_by_its_base(form, base):
    assert BASE_OF[form] == base


def test_no_base_is_a_form_of_another_word():
    assert not set(BASE_OF.values()) & set(BASE_OF)


def test_every_word_is_lower_case_letters():
    assert all(
        word.isascii() and word.isalpha() and word.islower()
        for word in {*BASE_OF, *BASE_OF.values()}
    )
