"""What a command says, and ends with, when it cannot do what was asked. Never a stack trace, never a secret.

====  ==========================================================
0     done
2     the arguments are wrong
3     there is no such key, stack, or running service
4     the store, the service or AWS refused, or does not answer; try again
5     a line of a file is faulty, or was refused
====  ==========================================================
"""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from botocore.exceptions import BotoCoreError, ClientError
from palimpsest.domain.errors import NotFoundError, PalimpsestError, StoreError


class TargetMissingError(Exception):
    """There is nothing to work against; the message says how to get it."""


class ServiceSilentError(Exception):
    """The service does not answer, or is busy for longer than a command waits."""


class ServiceRefusedError(Exception):
    """The service answered, and does not do what was asked."""


class LineError(Exception):
    """A line of a file is faulty, or was refused.

    Args:
        number: Of the line, from 1.
        why: A clause.
    """

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"Line {number}: {why}.")
        self.number = number


class _WrongArguments(click.ClickException):
    exit_code = 2  # as click's own usage errors


class _NotThere(click.ClickException):
    exit_code = 3


class _StoreRefused(click.ClickException):
    exit_code = 4


class _BadLine(click.ClickException):
    exit_code = 5


@contextmanager
def told_plainly() -> Iterator[None]:
    """End the command with a sentence and an exit code when something goes wrong that is known to happen.

    Raises:
        click.ClickException: In place of the domain's and the vendor's errors.
    """
    try:
        yield
    except (TargetMissingError, NotFoundError) as error:
        raise _NotThere(str(error)) from error
    except LineError as error:
        raise _BadLine(str(error)) from error
    except (ServiceSilentError, ServiceRefusedError) as error:
        raise _StoreRefused(str(error)) from error
    except StoreError as error:
        raise _StoreRefused(_said_by_vendor(error) or str(error)) from error
    except PalimpsestError as error:
        raise _WrongArguments(str(error)) from error
    except (ClientError, BotoCoreError) as error:
        raise _StoreRefused(f"AWS: {error}") from error


def _said_by_vendor(error: StoreError) -> str | None:
    """Whoever runs a command does so with their own rights, and needs to know which one is missing."""
    cause = error.__cause__
    return f"{error} AWS: {cause}" if isinstance(cause, ClientError | BotoCoreError) else None
