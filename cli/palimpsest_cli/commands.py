"""The commands of ``palimpsest``."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import click
from palimpsest.domain.callers import TOOL_GRANTS, Caller, CallerKind
from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.json_text import JsonValue, parse_json
from palimpsest.use_cases.create_key import CreatedKey
from rich.console import Console
from rich.table import Table

from palimpsest_cli.connection import Connect, Connection, connect
from palimpsest_cli.failures import told_plainly
from palimpsest_cli.grants import orgs_from_options, projects_from_options
from palimpsest_cli.index_commands import reconcile, reindex
from palimpsest_cli.key_views import key_document, key_table
from palimpsest_cli.lifetimes import expiry_from_options
from palimpsest_cli.options import choice_from, target_options
from palimpsest_cli.transfer_commands import export_command, import_command

# In a file or a pipe a key stays on one line; in a narrow terminal it wraps rather than fold into single letters.
_PIPE_WIDTH = 400
_LEAST_WIDTH = 120
# What a warm function may remember: palimpsest.adapters.memory.api_keys.
_TAKES_EFFECT = (
    "Functions that used it within the last minute may take it until that minute is over."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.pass_context
def cli(context: click.Context) -> None:
    """Look after a Palimpsest service, on this machine or in AWS."""
    if context.obj is None:
        context.obj = connect


cli.add_command(reindex)
cli.add_command(reconcile)
cli.add_command(import_command)
cli.add_command(export_command)


@cli.group()
def keys() -> None:
    """Make, list and revoke API keys.

    Without --stack, the service of `make run` is meant (--data, or .palimpsest in this folder), and its tenant. With --stack,
    your AWS rights are used: cloudformation:DescribeStacks, and PutItem, GetItem and Query on the stack's state table.

    Exit codes: 2 wrong arguments, 3 no such key, stack or running service, 4 the store or AWS refused or does not answer.
    """


@keys.command()
@target_options
@click.option("--kind", type=click.Choice([str(kind) for kind in CallerKind]), required=True)
@click.option("--id", "caller_id", required=True, help="Who sends the token, such as ana.")
@click.option("--admin", is_flag=True, help="Sees and writes every fact of the tenant.")
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="ID:read|write[:ORG]",
    callback=lambda _context, _option, given: projects_from_options(given),
    help="Access to a project, and the org that it lies in. Repeatable.",
)
@click.option(
    "--org",
    "orgs",
    multiple=True,
    metavar="ID:read|admin",
    callback=lambda _context, _option, given: orgs_from_options(given),
    help="Access to an org. Repeatable.",
)
@click.option(
    "--conversation",
    "conversations",
    multiple=True,
    metavar="THREAD",
    help="A conversation to read and write. Repeatable.",
)
@click.option(
    "--project-limit", metavar="ID", help="Nothing outside this project exists for the key."
)
@click.option("--default-scope", metavar="JSON", help='Such as {"projectId": "p"}.')
@click.option(
    "--tool",
    "tools",
    multiple=True,
    type=click.Choice(sorted(TOOL_GRANTS)),
    help="Offers tools that need a grant. Repeatable.",
)
@click.option(
    "--client-env",
    type=click.Choice([str(env) for env in ClientEnv]),
    help="What writes with it, for the provenance of memories.  [default: as it names itself]",
)
@click.option("--expires-in", metavar="90d", help="A number and m, h, d or w.  [default: never]")
@click.option("--expires-at", metavar="TIME", help="ISO 8601 with a zone.")
@click.option("--name", default="", help="For people, such as 'nightly import'.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def create(connect_to: Connect, /, **options: Any) -> None:
    """Make a key and print its token, once.

    Only the token goes to the standard output: TOKEN=$(palimpsest keys create …) works.
    """
    with told_plainly():
        expires_at = expiry_from_options(
            options["expires_in"], options["expires_at"], now=datetime.now(UTC)
        )
        default_scope = _default_scope(options["default_scope"])
        connection = connect_to(choice_from(options))
        caller = Caller(
            tenant_id=_tenant(options, connection),
            kind=CallerKind(options["kind"]),
            id=options["caller_id"],
            is_tenant_admin=options["admin"],
            projects=options["projects"],
            orgs=options["orgs"],
            conversations=frozenset(options["conversations"]),
            project_limit=options["project_limit"],
            default_scope=default_scope,
            tools=frozenset(options["tools"]),
            client_env=ClientEnv(options["client_env"]) if options["client_env"] else None,
        )
        created = connection.create_key(caller, name=options["name"], expires_at=expires_at)
    _print_created(created, as_json=options["as_json"])


@keys.command("list")
@target_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@click.pass_obj
def list_keys(connect_to: Connect, /, **options: Any) -> None:
    """List a tenant's keys, oldest first; revoked and expired ones for a year.

    No token can be made of what is shown.
    """
    with told_plainly():
        connection = connect_to(choice_from(options))
        listed = connection.list_keys(_tenant(options, connection))
    now = datetime.now(UTC)
    if options["as_json"]:
        _print_json([key_document(key, now=now) for key in listed])
    elif listed:
        _print_table(key_table(listed, now=now))
    else:
        click.echo("This tenant has no keys.", err=True)


@keys.command()
@target_options
@click.argument("key_id")
@click.pass_obj
def revoke(connect_to: Connect, /, key_id: str, **options: Any) -> None:
    """Take the key KEY_ID back, for good. Doing it again changes nothing."""
    with told_plainly():
        connection = connect_to(choice_from(options))
        key = connection.revoke_key(_tenant(options, connection), key_id.strip().lower())
    click.echo(f"Revoked {key.id} of {key.caller.name}. {_TAKES_EFFECT}", err=True)


def _tenant(options: Mapping[str, Any], connection: Connection) -> str:
    tenant_id = options["tenant"] or connection.tenant_id
    if tenant_id is None:
        raise click.UsageError("--tenant is needed with --stack.")
    return cast("str", tenant_id).lower()


def _default_scope(text: str | None) -> Mapping[str, JsonValue] | None:
    if text is None:
        return None
    parsed = parse_json(text, field="--default-scope")
    if not isinstance(parsed, dict):
        raise click.UsageError('--default-scope must be a JSON object, such as {"projectId": "p"}.')
    return parsed


def _print_created(created: CreatedKey, *, as_json: bool) -> None:
    if as_json:
        document = key_document(created.key, now=created.key.created_at)
        _print_json({"token": created.token_text, "key": document})
        return
    click.echo(
        f"Key {created.key.id} for {created.key.caller.name}."
        " The token below is shown this once and kept nowhere: store it now.",
        err=True,
    )
    click.echo(created.token_text)


def _print_table(table: Table) -> None:
    terminal = Console()
    width = max(terminal.width, _LEAST_WIDTH) if terminal.is_terminal else _PIPE_WIDTH
    Console(width=width).print(table)


def _print_json(document: object) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=True))
