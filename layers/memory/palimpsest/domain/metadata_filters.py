"""Filters by what an atom's writer said of it in its metadata."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.json_text import JsonValue, is_same_json


class MetadataOperator(StrEnum):
    """How a value is compared.

    Attributes:
        EQ: It equals the value given.
        CONTAINS: It is a list that holds the value given, or a text that holds it as a part.
        IN: It equals one of the values given.
    """

    EQ = "eq"
    CONTAINS = "contains"
    IN = "in"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFilter:
    """One condition on the metadata of an atom.

    Attributes:
        key: Of the metadata's own object; what nests deeper is compared as a whole.
        operator: How.
        value: With what; a list where the operator is ``IN``.
    """

    key: str
    operator: MetadataOperator
    value: JsonValue

    def takes(self, metadata: Mapping[str, JsonValue]) -> bool:
        """Tell whether the metadata has the key with a value as wanted. Types are told apart: 1 is neither true nor "1"."""
        if self.key not in metadata:
            return False
        found = metadata[self.key]
        if self.operator is MetadataOperator.EQ:
            return is_same_json(found, self.value)
        if self.operator is MetadataOperator.IN:
            return _holds(self.value, found)
        if isinstance(found, str):
            return isinstance(self.value, str) and self.value in found
        return _holds(found, self.value)


def _holds(values: JsonValue, wanted: JsonValue) -> bool:
    return isinstance(values, list) and any(is_same_json(value, wanted) for value in values)
