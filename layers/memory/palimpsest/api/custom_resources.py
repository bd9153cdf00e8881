"""Custom resources of CloudFormation: whatever happens, it is told, since it waits an hour for an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools import Logger

from palimpsest.domain.json_text import write_json

DELETE = "Delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomResourceApplication:
    """Answers the events of one custom resource.

    Attributes:
        set_up: Makes what the resource stands for and returns its id: another id is another resource. Told the seconds
            that it may take.
        send: Puts an answer to an address.
        logger: One line an event.
    """

    set_up: Callable[[float], str]
    send: Callable[[str, str], None]
    logger: Logger

    def __call__(self, event: Mapping[str, Any], context: Any) -> None:
        """Set up, or on a deletion do nothing: what is stored outlives the resource, and goes with its server."""
        answer = {
            "Status": "SUCCESS",
            "PhysicalResourceId": event.get("PhysicalResourceId", "none"),
            **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
        }
        try:
            if event["RequestType"] != DELETE:
                # A minute is left to say that it did not work: a last request may take half of it.
                seconds = context.get_remaining_time_in_millis() / 1000 - 60
                answer["PhysicalResourceId"] = self.set_up(seconds)
        except Exception as error:
            self.logger.exception("set_up_failed")
            answer |= {"Status": "FAILED", "Reason": f"{type(error).__name__}: {error}"}
        self.logger.info("resource_answered", extra={"status": answer["Status"]})
        self.send(event["ResponseURL"], write_json(answer))
