import pytest
from palimpsest.domain.irregular_words import BASE_OF
from palimpsest.domain.words import STOP_WORDS, is_unspaced, query_words, text_words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Where does Ana play chess?", ("ana", "play", "chess")),
        ("C++ (old)", ("c", "old")),
        ("a/b:c", ("b", "c")),
        ('"half', ("half",)),
        ("snake_case", ("snake", "case")),
        ("Straße CAFÉ", ("strasse", "café")),
        ("ﬁne", ("fine",)),
        ("chess chess", ("chess",)),
        ("fact\0nul", ("fact", "nul")),
    ],
)
def test_a_query_is_its_literal_words_without_stop_words(query: str, words: tuple[str, ...]):
    assert query_words(query) == words


@pytest.mark.parametrize("query", ["", "  \n", "*", "AND", "The of and", "!?…", "🎉", "\ud800"])
def test_blanks_signs_and_stop_words_are_no_words(query: str):
    assert query_words(query) == ()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("绿茶", ("绿茶",)),
        ("绿茶店", ("绿茶", "茶店")),
        ("茶", ("茶",)),
        ("お茶が好き", ("お茶", "茶が", "が好", "好き")),
        ("녹차를", ("녹차", "차를")),
        ("iPhone手机", ("iphone", "手机")),
        ("ｶﾀｶﾅ", ("カタ", "タカ", "カナ")),
        ("人々", ("人々",)),
    ],
)
def test_unspaced_scripts_are_cut_into_pairs(query: str, words: tuple[str, ...]):
    assert query_words(query) == words


def test_a_stored_text_keeps_repeats_and_stop_words():
    assert list(text_words("The cat and the dog")) == ["the", "cat", "and", "the", "dog"]


def test_a_stored_text_is_found_by_one_character_too():
    assert list(text_words("绿茶店")) == ["绿", "茶", "店", "绿茶", "茶店"]


@pytest.mark.parametrize("form", ["go", "goes", "went", "gone", "WENT"])
def test_irregular_forms_are_one_word(form: str):
    assert query_words(form) == ("go",)
    assert list(text_words(form)) == ["go"]


def test_no_base_is_a_form_of_another_word():
    assert not set(BASE_OF) & {*BASE_OF.values(), *STOP_WORDS}


def test_marks_stay_with_their_letters():
    assert query_words("हिन्दी भाषा") == ("हिन्दी", "भाषा")


@pytest.mark.parametrize("text", ["Ana plays chess", "用户喜欢绿茶", "녹차", "iPhone手机", "हिन्दी"])
def test_every_text_is_found_by_its_own_words(text: str):
    assert set(query_words(text)) <= set(text_words(text))


@pytest.mark.parametrize("text", ["绿茶", "iPhone手机", "コーヒー", "녹차", "人々"])
def test_chinese_japanese_and_korean_are_written_without_spaces(text: str):
    assert is_unspaced(text)


@pytest.mark.parametrize("text", ["", "green tea", "чай", "हिन्दी", "café"])
def test_other_languages_are_not(text: str):
    assert not is_unspaced(text)
