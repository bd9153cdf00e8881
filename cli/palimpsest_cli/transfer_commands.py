"""``palimpsest import`` and ``palimpsest export``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from local.data_folder import whole_file
from palimpsest_cli.failures import told_plainly
from palimpsest_cli.services import Service, find_address, open_client
from palimpsest_cli.targets import DEFAULT_DATA
from palimpsest_cli.transfers import Imported, export_facts, import_facts

F = TypeVar("F", bound=Callable[..., Any])
STANDARD_OUTPUT = "-"


def service_options(command: F) -> F:
    """Give a command the options that say which service it speaks to."""
    for option in reversed(
        (
            click.option("--url", help="Of the service.  [default: the one that runs over --data]"),
            click.option(
                "--token",
                envvar="PALIMPSEST_TOKEN",
                help="Sent to it; better in PALIMPSEST_TOKEN, where other users of this machine do not see it.",
            ),
            click.option(
                "--data",
                type=Path,
                default=DEFAULT_DATA,
                help="Data folder of the service here.  [default: .palimpsest]",
            ),
        )
    ):
        command = option(command)
    return command


@click.command("import")
@service_options
@click.option(
    "--from-line", type=click.IntRange(min=1), default=1, help="Pass over the lines before it."
)
@click.argument("file", type=Path)
def import_command(file: Path, **options: Any) -> None:
    """Write each line of FILE, a JSON object, as a fact.

    Under the token's own rules: what it may not write is refused, and so is a line of another tenant. Fields that the server
    sets (id, version, trust and the like) are left out and counted.

    After an abort, give the same command again within 24 hours: a line that is written already is not written twice. Later,
    pass over what is written with --from-line. The whole file is read first: a line that is no JSON stops it before anything
    is written.

    Exit codes: as of `keys`, and 5 for a line that is faulty or refused.
    """
    with told_plainly(), _file_named(file), _service(options) as service, _progress() as progress:
        task = progress.add_task("importing", total=None)

        def begun(total: int) -> Callable[[], None]:
            progress.update(task, total=total)
            return lambda: progress.advance(task)

        imported = import_facts(service, file, first_line=options["from_line"], begun=begun)
    _say_imported(imported)


@click.command("export")
@service_options
@click.option("--type", "fact_type", help="Only this type.")
@click.option("--scope", metavar="JSON", help='Only this scope, such as {"projectId": "p"}.')
@click.option("--as-of", metavar="TIME", help="Memory as it stood then. ISO 8601 with a zone.")
@click.argument("file", type=Path, default=Path(STANDARD_OUTPUT))
def export_command(file: Path, **options: Any) -> None:
    """Write every fact that the token may see into FILE, one JSON object a line, newest first.

    FILE is there whole or not at all, and only you can read it. Without FILE, or with -, lines go to the standard output.
    """
    filters = {"type": options["fact_type"], "scope": options["scope"], "asOf": options["as_of"]}
    query = {name: value for name, value in filters.items() if value is not None}
    count = 0
    with ExitStack() as stack:
        stack.enter_context(told_plainly())
        stack.enter_context(_file_named(file))
        service = stack.enter_context(_service(options))
        to_file = str(file) != STANDARD_OUTPUT
        out = stack.enter_context(whole_file(file)) if to_file else sys.stdout
        progress = stack.enter_context(_progress())
        task = progress.add_task("exporting", total=None)
        for met in export_facts(service, query, out):
            count += met
            progress.update(task, completed=count)
    click.echo(f"Exported {count} facts.", err=True)


@contextmanager
def _service(options: dict[str, Any]) -> Iterator[Service]:
    """Yield the service that the options name."""
    with open_client(find_address(options["url"], options["token"], options["data"])) as client:
        yield Service(client=client)


@contextmanager
def _file_named(file: Path) -> Iterator[None]:
    """Say which file it is that cannot be read or written."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}.") from error


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def _say_imported(imported: Imported) -> None:
    already = f", {imported.found} were there already" if imported.found else ""
    click.echo(f"Imported {imported.written} facts{already}.", err=True)
    if imported.dropped:
        fields = ", ".join(f"{name} ({n})" for name, n in sorted(imported.dropped.items()))
        click.echo(f"Left out, for the server sets them: {fields}.", err=True)
