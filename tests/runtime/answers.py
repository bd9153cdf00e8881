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
        text = self.answer["body"]
        is_json = self.answer["headers"]["Content-Type"] == "application/json"
        return json.loads(text) if is_json else text
