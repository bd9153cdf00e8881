"""The commands that look after the index."""

import json
from collections import Counter
from typing import Any

import click
from palimpsest.domain.projection import Notice
from palimpsest.use_cases.index_facts import IndexFacts
from palimpsest.use_cases.reindex_facts import Progress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as ProgressBar

from palimpsest_cli.connection import Connect
from palimpsest_cli.failures import told_plainly
from palimpsest_cli.options import choice_from, target_options

# So many facts are brought right at once: with their differences they are held in memory until then.
_REPAIRED_AT_ONCE = 100


@click.command()
@target_options
@click.pass_obj
def reindex(connect_to: Connect, /, **options: Any) -> None:
    """Build the search index anew from the table, while the service goes on.

    The old index serves until the new one is whole. Stopped half-way, the next run goes on with what there is. It reads
    the whole table, and embeds only what has no vector yet.

    With --stack, your AWS rights are used: cloudformation:DescribeStacks; DescribeTable, Scan, Query, BatchGetItem and
    BatchWriteItem on the stack's tables; bedrock:InvokeModel; aoss:APIAccessAll on its collection, as the role or user that its
    parameter SearchAdminArn names.
    """
    with told_plainly():
        care = connect_to(choice_from(options)).index_care()
        with _bar() as bar:
            task = bar.add_task("Facts", total=None)

            def tell(progress: Progress) -> None:
                total = progress.items or None
                bar.update(task, completed=progress.facts, total=total)

            done = care.reindex_facts(tell)
    click.echo(f"Indexed anew: {done.facts} facts.", err=True)


@click.command()
@target_options
@click.option("--repair", is_flag=True, help="Bring the index to where the table is.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.pass_obj
def reconcile(connect_to: Connect, /, *, repair: bool, as_json: bool, **options: Any) -> None:
    """Print where the search index differs from the table.

    A line for each fact: tenant, fact, and whether the index misses it, holds it as it was (stale), or holds it though
    it should not (superfluous). A fact that was written a moment ago may be among them. The same rights as for reindex.

    Exit codes: 0 no difference, or repaired; 1 there are some.
    """
    counts: Counter[str] = Counter()
    notices: list[Notice] = []
    with told_plainly():
        care = connect_to(choice_from(options)).index_care()
        for difference in care.reconcile_index():
            counts[difference.fault] += 1
            key = difference.key
            notices.append(Notice(key=key))
            told = {"tenantId": key.tenant_id, "factId": key.fact_id, "fault": difference.fault}
            click.echo(json.dumps(told) if as_json else "\t".join(told.values()))
        left = _repair(care.index_facts, notices) if repair else len(notices)
    said = ", ".join(f"{count} {fault}" for fault, count in sorted(counts.items()))
    click.echo(f"Differences: {said or 'none'}.", err=True)
    if repair and notices:
        click.echo(f"Repaired: {len(notices) - left} of {len(notices)}.", err=True)
    if left:
        raise click.exceptions.Exit(1)


def _repair(index_facts: IndexFacts, notices: list[Notice]) -> int:
    """Return how many facts could not be brought right."""
    return sum(
        len(index_facts(notices[start : start + _REPAIRED_AT_ONCE], is_recheck=True))
        for start in range(0, len(notices), _REPAIRED_AT_ONCE)
    )


def _bar() -> ProgressBar:
    # To the error stream: what a command finds goes to the standard output.
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return ProgressBar(*columns, console=Console(stderr=True))
