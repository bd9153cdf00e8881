"""Event source mappings: how a function is fed from a table's stream, as the template says it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from local.intrinsics import Intrinsic
from local.template import Template, TemplateError

# Defaults of AWS::Lambda::EventSourceMapping for DynamoDB streams.
DEFAULT_BATCH_SIZE = 100
WITHOUT_END = -1
REPORTS_FAILURES = "ReportBatchItemFailures"

# The rest is not looked at here: a destination, say, is a bucket that the laptop does not have.
LOOKED_AT = (
    "BatchSize",
    "BisectBatchOnFunctionError",
    "FilterCriteria",
    "FunctionResponseTypes",
    "MaximumRecordAgeInSeconds",
    "MaximumRetryAttempts",
)

Record = Mapping[str, Any]
"""One record as Lambda gets it: `eventName`, `dynamodb`, …"""


class UnknownPatternError(ValueError):
    """A filter pattern uses what the laptop does not know; a guess could lose records."""


@dataclass(frozen=True, kw_only=True)
class EventMapping:
    """One mapping of a stream to a function.

    Args:
        function: Logical id of the function.
        table: Logical id of the table whose stream it is.
        batch_size: At most so many records a call.
        retries: How often a batch is tried again; -1 is without end.
        max_age_seconds: Older records are given up; -1 is never.
        is_bisected: A batch that fails is cut in two, which costs no retry.
        reports_failures: The function's answer is looked at for `batchItemFailures`.
        patterns: A record is delivered if one of them matches, or if there is none.
    """

    function: str
    table: str
    batch_size: int = DEFAULT_BATCH_SIZE
    retries: int = WITHOUT_END
    max_age_seconds: int = WITHOUT_END
    is_bisected: bool = False
    reports_failures: bool = False
    patterns: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of_event(cls, function: str, table: str, properties: Mapping[str, Any]) -> "EventMapping":
        """Read a SAM event of type `DynamoDB`.

        Args:
            function: Logical id of the function that has the event.
            table: Logical id of the table.
            properties: The event's, resolved, but for what the laptop does not look at.

        Raises:
            UnknownPatternError: if a filter needs more than equal texts.
        """
        filters = properties.get("FilterCriteria", {}).get("Filters", [])
        patterns = tuple(json.loads(each["Pattern"]) for each in filters)
        for pattern in patterns:
            _check(pattern)
        return cls(
            function=function,
            table=table,
            batch_size=int(properties.get("BatchSize", DEFAULT_BATCH_SIZE)),
            retries=int(properties.get("MaximumRetryAttempts", WITHOUT_END)),
            max_age_seconds=int(properties.get("MaximumRecordAgeInSeconds", WITHOUT_END)),
            is_bisected=bool(properties.get("BisectBatchOnFunctionError", False)),
            reports_failures=REPORTS_FAILURES in properties.get("FunctionResponseTypes", []),
            patterns=patterns,
        )

    def passes(self, record: Record) -> bool:
        """Tell whether the record is for the function at all."""
        return not self.patterns or any(_matches(pattern, record) for pattern in self.patterns)


def mappings_of(template: Template) -> list[EventMapping]:
    """Return every mapping of a table's stream that a template has.

    Raises:
        TemplateError: if a stream is not `!GetAtt <table>.StreamArn`.
        UnknownPatternError: if a filter needs more than equal texts.
    """
    mappings = []
    for function, properties in template.events("DynamoDB"):
        stream = properties.get("Stream")
        if not isinstance(stream, Intrinsic) or stream.name != "GetAtt":
            raise TemplateError(f"{function}: a stream must be named by !GetAtt")
        named = stream.argument
        table = named[0] if isinstance(named, list) else str(named).partition(".")[0]
        looked_at = {name: properties[name] for name in LOOKED_AT if name in properties}
        resolved = cast("Mapping[str, Any]", template.resolve(looked_at))
        mappings.append(EventMapping.of_event(function, table, resolved))
    return mappings


def _matches(pattern: Mapping[str, Any], value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return all(
        _matches(wanted, value.get(key))
        if isinstance(wanted, Mapping)
        else value.get(key) in wanted
        for key, wanted in pattern.items()
    )


def _check(pattern: Mapping[str, Any]) -> None:
    for key, wanted in pattern.items():
        if isinstance(wanted, Mapping):
            _check(wanted)
        elif not isinstance(wanted, list) or not all(isinstance(each, str) for each in wanted):
            raise UnknownPatternError(f"{key}: only lists of texts are known here")
