"""What `template.yaml` says, for the laptop and for the tests: routes, functions, tables.

The template is the only place where these are written down; nothing here repeats them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast

from local.intrinsics import Intrinsic, Resolver, read_template, to_text

DEFAULT_ROUTE = "$default"
# The defaults of AWS::Lambda::Function, where a template says nothing.
DEFAULT_TIMEOUT_SECONDS = 3
DEFAULT_MEMORY_MB = 128
TABLE_ARGUMENTS = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
)
PSEUDO_PARAMETERS: Mapping[str, object] = {
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::Region": "us-east-1",
    "AWS::StackName": "palimpsest",
    "AWS::URLSuffix": "amazonaws.com",
}


class TemplateError(ValueError):
    """The template has a shape that the laptop does not understand."""


@dataclass(frozen=True)
class FunctionDefinition:
    """One `AWS::Serverless::Function`.

    Args:
        logical_id: Its name in the template.
        module: What to import, for example `functions.get_fact.handler`.
        attribute: The callable inside it, for example `lambda_handler`.
        timeout_seconds: How long a call may take.
        memory_mb: As configured; the laptop only passes it on.
        variables: Its environment, unresolved; globals are merged in.
    """

    logical_id: str
    module: str
    attribute: str
    timeout_seconds: int
    memory_mb: int
    variables: Mapping[str, object]


@dataclass(frozen=True)
class Route:
    """One route of the HTTP API.

    Args:
        method: Upper case, or `ANY`.
        path: As in the template, for example `/v1/memory/facts/{factId}`, or `$default`.
        function: Logical id of the function that answers.
    """

    method: str
    path: str
    function: str

    @property
    def key(self) -> str:
        """`routeKey` as API Gateway writes it into events."""
        return DEFAULT_ROUTE if self.path == DEFAULT_ROUTE else f"{self.method} {self.path}"


@dataclass(frozen=True)
class TableDefinition:
    """One `AWS::DynamoDB::Table`.

    Args:
        logical_id: Its name in the template; on the laptop and in tests also the table's name.
        arguments: What boto3's `create_table` takes.
        ttl_attribute: For `update_time_to_live`; None where the table has none.
    """

    logical_id: str
    arguments: Mapping[str, object]
    ttl_attribute: str | None


class Template:
    """A SAM template, read once.

    Args:
        document: As `read_template` gives it.
        parameters: Values for the template's parameters where the default is not wanted.
    """

    def __init__(
        self, document: Mapping[str, object], parameters: Mapping[str, object] | None = None
    ) -> None:
        self._document = document
        self._parameters = parameters or {}
        self._globals = _mapping(_mapping(document.get("Globals")).get("Function"))

    @classmethod
    def read(cls, path: Path, parameters: Mapping[str, object] | None = None) -> "Template":
        """Return the template that lies at `path`."""
        return cls(read_template(path), parameters)

    def functions(self) -> list[FunctionDefinition]:
        """Return every function, in the template's order."""
        return [
            self._function(logical_id, properties)
            for logical_id, properties in self._resources("AWS::Serverless::Function")
        ]

    def routes(self) -> list[Route]:
        """Return every `HttpApi` event as a route, in the template's order.

        Raises:
            TemplateError: if two events claim the same route.
        """
        routes = [
            route
            for logical_id, properties in self._resources("AWS::Serverless::Function")
            for route in _routes_of(logical_id, _mapping(properties.get("Events")))
        ]
        keys = [route.key for route in routes]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise TemplateError(f"claimed by two events: {', '.join(twice)}")
        return routes

    def events(self, type_name: str) -> list[tuple[str, Mapping[str, object]]]:
        """Return every event of one type: its function's logical id and its properties, unresolved."""
        return [
            (logical_id, _mapping(_mapping(event).get("Properties")))
            for logical_id, properties in self._resources("AWS::Serverless::Function")
            for event in _mapping(properties.get("Events")).values()
            if _mapping(event).get("Type") == type_name
        ]

    def resolve(self, node: object) -> object:
        """Return a part of the template without intrinsics.

        Raises:
            UnresolvedIntrinsicError: if it names something that is not known here.
        """
        return self._resolver().resolve(node)

    def tables(self) -> list[TableDefinition]:
        """Return every DynamoDB table, named by its logical id, in the template's order."""
        return [
            self._table(logical_id, properties)
            for logical_id, properties in self._resources("AWS::DynamoDB::Table")
        ]

    def environment(
        self, function: FunctionDefinition, overrides: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the function's environment variables, resolved.

        Args:
            function: Of this template.
            overrides: Variables whose value is another one here; what the template says for
                them is not looked at, so it may name resources that do not exist here.

        Raises:
            UnresolvedIntrinsicError: if a value names something that is not known here.
        """
        theirs = {
            name: value for name, value in function.variables.items() if name not in overrides
        }
        resolved = _mapping(self._resolver().resolve(theirs))
        ours = {name: overrides[name] for name in function.variables if name in overrides}
        return {name: to_text(value) for name, value in resolved.items()} | ours

    def _function(self, logical_id: str, own: Mapping[str, object]) -> FunctionDefinition:
        resolver = self._resolver()
        variables = {**_variables(self._globals), **_variables(own)}
        properties = {**self._globals, **own}
        handler = str(resolver.resolve(properties["Handler"])).rsplit(".", 1)
        folder = PurePosixPath(str(resolver.resolve(properties.get("CodeUri", "."))))
        timeout = resolver.resolve(properties.get("Timeout", DEFAULT_TIMEOUT_SECONDS))
        memory = resolver.resolve(properties.get("MemorySize", DEFAULT_MEMORY_MB))
        return FunctionDefinition(
            logical_id=logical_id,
            module=".".join([*folder.parts, handler[0].replace("/", ".")]),
            attribute=handler[1],
            timeout_seconds=int(str(timeout)),
            memory_mb=int(str(memory)),
            variables=variables,
        )

    def _table(self, logical_id: str, properties: Mapping[str, object]) -> TableDefinition:
        resolver = self._resolver()
        wanted = {name: properties[name] for name in TABLE_ARGUMENTS if name in properties}
        arguments = {"TableName": logical_id, **_mapping(resolver.resolve(wanted))}
        stream = _mapping(resolver.resolve(properties.get("StreamSpecification")))
        if stream:
            arguments["StreamSpecification"] = {
                "StreamEnabled": True,
                "StreamViewType": stream["StreamViewType"],
            }
        ttl = _mapping(resolver.resolve(properties.get("TimeToLiveSpecification")))
        attribute = str(ttl["AttributeName"]) if ttl.get("Enabled") else None
        return TableDefinition(logical_id, arguments, attribute)

    def _resources(self, type_name: str) -> Iterator[tuple[str, Mapping[str, object]]]:
        for logical_id, resource in _mapping(self._document.get("Resources")).items():
            body = _mapping(resource)
            if body.get("Type") == type_name:
                yield logical_id, _mapping(body.get("Properties"))

    def _resolver(self) -> Resolver:
        defaults = {
            name: body["Default"]
            for name, body in (
                (name, _mapping(body))
                for name, body in _mapping(self._document.get("Parameters")).items()
            )
            if "Default" in body
        }
        logical_ids = {name: name for name in _mapping(self._document.get("Resources"))}
        values = {**PSEUDO_PARAMETERS, **logical_ids, **defaults, **self._parameters}
        return Resolver(values, _mapping(self._document.get("Conditions")))


def _routes_of(function: str, events: Mapping[str, object]) -> Iterator[Route]:
    for name, event in events.items():
        body = _mapping(event)
        if body.get("Type") != "HttpApi":
            continue
        properties = _mapping(body.get("Properties"))
        # SAM: without a path and a method, the event is the API's default route.
        path = properties.get("Path", DEFAULT_ROUTE)
        method = properties.get("Method", "ANY")
        if isinstance(path, Intrinsic) or isinstance(method, Intrinsic):
            raise TemplateError(f"{function}, event {name}: path and method must be literal")
        method_name = str(method).upper()
        yield Route(
            "ANY" if method_name == "X-AMAZON-APIGATEWAY-ANY-METHOD" else method_name,
            str(path),
            function,
        )


def _variables(properties: Mapping[str, object]) -> Mapping[str, object]:
    return _mapping(_mapping(properties.get("Environment")).get("Variables"))


def _mapping(node: object) -> dict[str, object]:
    """Return `node` as a mapping; nothing at all is an empty one."""
    if node is None:
        return {}
    if not isinstance(node, dict):
        raise TemplateError(f"a mapping was expected, not {type(node).__name__}")
    return cast("dict[str, object]", node)
