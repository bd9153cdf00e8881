"""An event's answer with everything that it is judged by."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.events import Expectation
from tests.runtime.emulator import BuiltFunction


@dataclass(frozen=True)
class Answered:
    """What a built function returned for one event, what was expected, and what filled the event's placeholders."""

    answer: Mapping[str, Any]
    expected: Expectation
    values: Mapping[str, str]
    function: BuiltFunction

    @property
    def body(self) -> Any:
        text, media_type = self.answer["body"], self.answer["headers"]["Content-Type"]
        if media_type == "application/x-ndjson":
            return [json.loads(line) for line in text.split("\n") if line]
        return json.loads(text) if media_type == "application/json" else text
