"""The options by which every command is told what to work against."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from palimpsest_cli.targets import Choice

F = TypeVar("F", bound=Callable[..., Any])


def target_options(command: F) -> F:
    """Give a command the options that say where the service is."""
    for option in reversed(
        (
            click.option(
                "--data",
                type=Path,  # click.Path would read the locale when this module is imported
                help="Data folder of the service here.  [default: .palimpsest]",
            ),
            click.option("--stack", help="CloudFormation stack of a service in AWS."),
            click.option("--region", help="AWS region of the stack."),
            click.option("--profile", help="AWS profile to use."),
            click.option(
                "--tenant", help="Tenant id, a UUID.  [default: the one of the service here]"
            ),
        )
    ):
        command = option(command)
    return command


def choice_from(options: Mapping[str, Any]) -> Choice:
    """Return what was chosen.

    Raises:
        click.UsageError: If options do not go together.
    """
    if options["stack"] is None and (options["region"] or options["profile"]):
        raise click.UsageError("--region and --profile go with --stack.")
    if options["stack"] is not None and options["data"] is not None:
        raise click.UsageError("Give --data or --stack, not both.")
    return Choice(**{name: options[name] for name in ("data", "stack", "region", "profile")})
