"""What is said of one operation, and the parameters that several doors' operations take."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

JsonSchema = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a query string or a header."""

    name: str
    schema: JsonSchema
    about: str
    place: str = "query"
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method on one path.

    Attributes:
        method: Upper case.
        path: With ``{parameters}`` in braces, each one whole segment.
        function: The Lambda function that answers it.
        id: As the official document names it, where it does.
        summary: A few words.
        about: What to know before calling it.
        success: The status of a good answer.
        answer: A good answer's shape; None for one that is no JSON object of ours.
        refusals: The other statuses that it answers by design, beyond 401 and 5xx.
        body: The request body's shape; None when there is none.
        is_body_required: Whether it may be left out.
        parameters: Of query string and headers.
        is_public: Whether it takes no token.
        media_type: Of a good answer.
        other_answers: Shapes of refusals that are not just those of the operation's door, by status.
    """

    method: str
    path: str
    function: str
    id: str
    summary: str
    about: str = ""
    success: int = 200
    answer: type[BaseModel] | None
    refusals: tuple[int, ...] = (400,)
    body: type[BaseModel] | None = None
    is_body_required: bool = True
    parameters: tuple[Parameter, ...] = ()
    is_public: bool = False
    media_type: str = "application/json"
    other_answers: Mapping[int, type[BaseModel]] = field(default_factory=dict)

    @property
    def route_key(self) -> str:
        """The name that API Gateway gives the route."""
        return f"{self.method} {self.path}"


IDEMPOTENCY_KEY = Parameter(
    name="Idempotency-Key",
    place="header",
    schema={"type": "string", "minLength": 1, "maxLength": 256},
    about="The same request sent again under the same key has the same answer, for 24 hours.",
)
