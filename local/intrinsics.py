"""CloudFormation's intrinsic functions: read from YAML as small tagged values, and resolved.

Only what a template needs to say on a laptop: `Ref`, `Sub`, `GetAtt`, `Join`, `If` and the
conditions. Anything else is an error that names the function, never a guess.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

SUBSTITUTION = re.compile(r"\$\{(!?)([^}]+)\}")
IF_ARGUMENTS = 3
NO_VALUE = object()
"""What `AWS::NoValue` resolves to: the key that holds it is left out."""


class UnresolvedIntrinsicError(LookupError):
    """An intrinsic names something for which no value was given."""


@dataclass(frozen=True)
class Intrinsic:
    """One intrinsic function with its argument, not yet resolved.

    Args:
        name: Without `Fn::` and without `!`, as in the short form: `Ref`, `Sub`, `GetAtt`.
        argument: As written, with intrinsics inside it.
    """

    name: str
    argument: object


class _TemplateLoader(yaml.SafeLoader):
    """YAML without code, with the short forms of CloudFormation."""


def _construct(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Intrinsic:
    if isinstance(node, yaml.SequenceNode):
        return Intrinsic(suffix, loader.construct_sequence(node, deep=True))
    if isinstance(node, yaml.MappingNode):
        return Intrinsic(suffix, loader.construct_mapping(node, deep=True))
    return Intrinsic(suffix, loader.construct_scalar(node))  # type: ignore[arg-type]  # the only kind left


_TemplateLoader.add_multi_constructor("!", _construct)


def read_template(path: Path) -> dict[str, object]:
    """Return the template at `path`, its long and short forms both as `Intrinsic`."""
    # A subclass of SafeLoader: it makes plain values and `Intrinsic`, nothing else.
    document = yaml.load(path.read_text(encoding="utf-8"), Loader=_TemplateLoader)  # noqa: S506
    read = _with_short_forms(document)
    if not isinstance(read, dict):
        raise TypeError(f"{path} is no CloudFormation template: it is not a mapping")
    return read


def to_text(value: object) -> str:
    """Return a resolved scalar as CloudFormation writes it: `true`, not `True`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with_short_forms(node: object) -> object:
    if isinstance(node, Intrinsic):
        return Intrinsic(node.name, _with_short_forms(node.argument))
    if isinstance(node, list):
        return [_with_short_forms(item) for item in node]
    if not isinstance(node, dict):
        return node
    if len(node) == 1:
        [(key, argument)] = node.items()
        # `Condition` is an intrinsic only with a name; with a mapping it is a policy's.
        named = key == "Ref" or (key == "Condition" and isinstance(argument, str))
        if named or str(key).startswith("Fn::"):
            return Intrinsic(str(key).removeprefix("Fn::"), _with_short_forms(argument))
    return {key: _with_short_forms(value) for key, value in node.items()}


@dataclass(frozen=True)
class Resolver:
    """Puts values in the place of intrinsics.

    Args:
        values: What `Ref` gives under a name, and `GetAtt` under `Name.Attribute`.
        conditions: The template's `Conditions`, unresolved.
    """

    values: Mapping[str, object]
    conditions: Mapping[str, object]

    def resolve(self, node: object) -> object:
        """Return `node` without intrinsics; `AWS::NoValue` drops its key or its list item.

        Raises:
            UnresolvedIntrinsicError: if a name has no value, or the function is not known here.
        """
        if isinstance(node, Intrinsic):
            return self._call(node)
        if isinstance(node, list):
            items = (self.resolve(item) for item in node)
            return [item for item in items if item is not NO_VALUE]
        if isinstance(node, dict):
            pairs = ((key, self.resolve(value)) for key, value in node.items())
            return {key: value for key, value in pairs if value is not NO_VALUE}
        return node

    def _call(self, intrinsic: Intrinsic) -> object:
        functions: dict[str, Callable[[object], object]] = {
            "Ref": self._ref,
            "GetAtt": self._get_att,
            "Sub": self._sub,
            "Join": self._join,
            "If": self._if,
            "Condition": self._holds,
            "Equals": self._equal,
            "Not": lambda one: not self._each(one)[0],
            "And": lambda several: all(self._each(several)),
            "Or": lambda several: any(self._each(several)),
        }
        if intrinsic.name not in functions:
            raise UnresolvedIntrinsicError(f"!{intrinsic.name} is not known on the laptop")
        return functions[intrinsic.name](intrinsic.argument)

    def _ref(self, name: object) -> object:
        if name == "AWS::NoValue":
            return NO_VALUE
        if str(name) not in self.values:
            raise UnresolvedIntrinsicError(f"no value was given for {name}")
        return self.values[str(name)]

    def _get_att(self, argument: object) -> object:
        return self._ref(".".join(argument) if isinstance(argument, list) else argument)

    def _sub(self, argument: object) -> str:
        text, local_values = argument if isinstance(argument, list) else (argument, {})

        def value(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return "${" + name + "}"
            if name in local_values:
                return to_text(self.resolve(local_values[name]))
            return to_text(self._ref(name))

        return SUBSTITUTION.sub(value, str(text))

    def _join(self, argument: object) -> str:
        separator, items = self._each(argument)
        if not isinstance(items, list):
            raise UnresolvedIntrinsicError("!Join needs a list")
        return to_text(separator).join(to_text(item) for item in items)

    def _if(self, argument: object) -> object:
        if not isinstance(argument, list) or len(argument) != IF_ARGUMENTS:
            raise UnresolvedIntrinsicError("!If needs a condition and two values")
        name, when_true, when_false = argument
        return self.resolve(when_true if self._holds(name) else when_false)

    def _holds(self, name: object) -> bool:
        if str(name) not in self.conditions:
            raise UnresolvedIntrinsicError(f"the template has no condition {name}")
        return bool(self.resolve(self.conditions[str(name)]))

    def _equal(self, pair: object) -> bool:
        left, right = self._each(pair)
        # CloudFormation compares text: a parameter's default may have been read as a number.
        return to_text(left) == to_text(right)

    def _each(self, argument: object) -> list[object]:
        resolved = self.resolve(argument)
        if not isinstance(resolved, list):
            raise UnresolvedIntrinsicError("a list was expected")
        return resolved
