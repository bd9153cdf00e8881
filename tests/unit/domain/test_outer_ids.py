import pytest
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.outer_ids import check_not_blank, check_outer_id


@pytest.mark.parametrize(
    "text",
    ["a", " ", "x" * 256, "é" * 256, "🦜" * 128, "a#b/c%d\x00", "\u202e", "user:ana", "..", "*"],
)
def test_any_text_within_the_limits_is_an_id(text):
    check_outer_id(text, field="scope.userId")


@pytest.mark.parametrize("text", ["", "x" * 257, "🦜" * 129, "🦜" * 256, "\ud800", "a\udfff"])
def test_what_no_store_can_carry_is_refused(text):
    with pytest.raises(BadInputError) as refused:
        check_outer_id(text, field="scope.userId")

    assert refused.value.field == "scope.userId"


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u3000"])
def test_what_grants_or_limits_access_must_show(text):
    with pytest.raises(BadInputError):
        check_not_blank(text, field="orgs.orgId")
    check_not_blank("north", field="orgs.orgId")
