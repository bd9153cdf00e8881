"""Every operation that is served over HTTP: the table that routes, ``Allow`` headers and documents are made from.

The template's routes are held to it by a test.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method on one path.

    Attributes:
        method: Upper case.
        path: With ``{parameters}`` in braces, each one whole segment.
        function: The Lambda function that answers it.
    """

    method: str
    path: str
    function: str

    @property
    def route_key(self) -> str:
        """The name that API Gateway gives the route."""
        return f"{self.method} {self.path}"


WRITE = Operation(method="POST", path="/v1/memory/facts", function="write_facts")
SUPERSEDE = Operation(
    method="POST", path="/v1/memory/facts/{factId}/supersede", function="write_facts"
)
VERIFY = Operation(method="POST", path="/v1/memory/facts/{factId}/verify", function="write_facts")
DELETE = Operation(method="DELETE", path="/v1/memory/facts/{factId}", function="write_facts")
GET = Operation(method="GET", path="/v1/memory/facts/{factId}", function="get_fact")
REVISIONS = Operation(method="GET", path="/v1/memory/facts/{factId}/revisions", function="get_fact")
LIST = Operation(method="GET", path="/v1/memory/facts", function="list_facts")
WHOAMI = Operation(method="GET", path="/v1/identity/whoami", function="describe_service")
HEALTH = Operation(method="GET", path="/health", function="describe_service")

OPERATIONS = (WRITE, SUPERSEDE, VERIFY, DELETE, GET, REVISIONS, LIST, WHOAMI, HEALTH)


def methods_at(path: str) -> list[str]:
    """Return the methods that are served at a path as it came, sorted; none when nothing is served there."""
    return sorted({o.method for o in OPERATIONS if _pattern(o.path).fullmatch(path)})


def _pattern(path: str) -> re.Pattern[str]:
    parts = ("[^/]+" if part.startswith("{") else re.escape(part) for part in path.split("/"))
    return re.compile("/".join(parts))
