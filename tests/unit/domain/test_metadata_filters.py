import pytest
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.metadata_filters import MetadataFilter, MetadataOperator

METADATA: dict[str, JsonValue] = {
    "team": "search",
    "size": 3,
    "done": True,
    "tags": ["a", 1, {"deep": True}],
    "empty": None,
}


@pytest.mark.parametrize(
    ("key", "operator", "value", "is_taken"),
    [
        ("team", "eq", "search", True),
        ("team", "eq", "sea", False),
        ("size", "eq", 3.0, True),
        ("size", "eq", "3", False),
        ("done", "eq", 1, False),
        ("tags", "eq", ["a", 1, {"deep": True}], True),
        ("empty", "eq", None, True),
        ("team", "contains", "sea", True),
        ("team", "contains", "", True),
        ("team", "contains", 3, False),
        ("tags", "contains", {"deep": True}, True),
        ("tags", "contains", True, False),
        ("tags", "contains", "b", False),
        ("size", "contains", 3, False),
        ("team", "in", ["plan", "search"], True),
        ("team", "in", "research", False),
        ("team", "in", [], False),
        ("size", "in", [True, "3"], False),
        ("missing", "eq", None, False),
        ("missing", "in", [None], False),
        ("missing", "contains", "", False),
    ],
)
def test_a_condition_holds_for_a_key_that_is_there_with_a_value_as_wanted(
    key, operator, value, is_taken
):
    condition = MetadataFilter(key=key, operator=MetadataOperator(operator), value=value)

    assert condition.takes(METADATA) == is_taken
