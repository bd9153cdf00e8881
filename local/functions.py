"""The real handlers, called as Lambda's Python runtime calls them.

An event goes in as JSON and the result comes back as JSON, so that what could not cross that
border in AWS does not cross it here. Handlers of one process run side by side in threads, which
Lambda never does: what a module keeps between calls must bear that.
"""

import importlib
import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from local.template import FunctionDefinition

# Lambda's limit on a synchronous event and on its result, in bytes of JSON, as its own error
# message gives it ("exceeded maximum allowed payload size (6291556 bytes)").
PAYLOAD_LIMIT_BYTES = 6_291_556
REGION_AND_ACCOUNT = "us-east-1:123456789012"

logger = logging.getLogger(__name__)


class FunctionFailedError(RuntimeError):
    """A function raised, or its result is no JSON or too large."""


class EventTooLargeError(ValueError):
    """An event is larger than Lambda takes."""


@dataclass(frozen=True)
class LambdaContext:
    """What a handler gets beside its event; the attributes are those of Lambda's runtime.

    `memory_limit_in_mb` is text there, too.
    """

    function_name: str
    memory_limit_in_mb: str
    deadline: float
    """On the clock of `time.monotonic`, in seconds."""
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    function_version: str = "$LATEST"
    log_stream_name: str = "laptop"
    identity: None = None
    client_context: None = None

    @property
    def invoked_function_arn(self) -> str:
        """The function's name as an ARN of nobody's account."""
        return f"arn:aws:lambda:{REGION_AND_ACCOUNT}:function:{self.function_name}"

    @property
    def log_group_name(self) -> str:
        """Where AWS would keep the logs; here they go to the terminal."""
        return f"/aws/lambda/{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the call may still take, never below 0."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


Handler = Callable[[dict[str, object], LambdaContext], object]


@dataclass(frozen=True)
class LambdaFunction:
    """One function, ready to be called.

    Args:
        definition: From the template.
        handler: The callable that it names.
    """

    definition: FunctionDefinition
    handler: Handler

    @classmethod
    def load(cls, definition: FunctionDefinition) -> "LambdaFunction":
        """Import the handler that the template names.

        Raises:
            ImportError: if there is no such module.
            AttributeError: if the module has no such attribute.
        """
        module = importlib.import_module(definition.module)
        return cls(definition, getattr(module, definition.attribute))

    def invoke(self, event: Mapping[str, object]) -> object:
        """Call the handler and return its result after a round trip through JSON.

        Raises:
            EventTooLargeError: if the event is over `PAYLOAD_LIMIT_BYTES`.
            FunctionFailedError: if the handler raises, or its result cannot be sent.
        """
        payload = json.dumps(event, ensure_ascii=False).encode()
        if len(payload) > PAYLOAD_LIMIT_BYTES:
            raise EventTooLargeError(f"{len(payload)} bytes")
        context = LambdaContext(
            function_name=self.definition.logical_id,
            memory_limit_in_mb=str(self.definition.memory_mb),
            deadline=time.monotonic() + self.definition.timeout_seconds,
        )
        try:
            result = self.handler(json.loads(payload), context)
            answer = json.dumps(result, ensure_ascii=False).encode()
        # SystemExit too: a function that exits is a failed call, not the end of the laptop.
        except (Exception, SystemExit) as error:
            logger.exception("A function failed", extra={"function": context.function_name})
            raise FunctionFailedError(context.function_name) from error
        if len(answer) > PAYLOAD_LIMIT_BYTES:
            logger.error("An answer is too large", extra={"function": context.function_name})
            raise FunctionFailedError(context.function_name)
        return json.loads(answer)
