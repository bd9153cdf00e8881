"""The use cases behind the commands, over whatever was chosen."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import boto3
from palimpsest.bootstrap.index_care import (
    build_index_facts,
    build_reconcile_index,
    build_reindex_facts,
)
from palimpsest.bootstrap.keys import build_create_key, build_list_keys, build_revoke_key
from palimpsest.use_cases.create_key import CreateKey
from palimpsest.use_cases.index_facts import IndexFacts
from palimpsest.use_cases.list_keys import ListKeys
from palimpsest.use_cases.reconcile_index import ReconcileIndex
from palimpsest.use_cases.reindex_facts import ReindexFacts
from palimpsest.use_cases.revoke_key import RevokeKey

from palimpsest_cli.failures import TargetMissingError
from palimpsest_cli.targets import (
    DEFAULT_DATA,
    Choice,
    Target,
    laptop_target,
    outputs_of,
    stack_environment,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCare:
    """What looks after the index."""

    index_facts: IndexFacts
    reindex_facts: ReindexFacts
    reconcile_index: ReconcileIndex


def build_index_care() -> IndexCare:
    """Return it for what this process's environment names; it may load a model, so that only who needs it builds it."""
    return IndexCare(
        index_facts=build_index_facts(os.environ),
        reindex_facts=build_reindex_facts(os.environ),
        reconcile_index=build_reconcile_index(os.environ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """What the commands call.

    Attributes:
        tenant_id: Whose keys are meant when nobody says; None where there is no such thing.
        index_care: Builds what looks after the index.
    """

    create_key: CreateKey
    list_keys: ListKeys
    revoke_key: RevokeKey
    tenant_id: str | None
    index_care: Callable[[], IndexCare] = build_index_care


Connect = Callable[[Choice], Connection]


def connect(choice: Choice) -> Connection:
    """Connect to what was chosen; the laptop's default folder if nothing was and it is there.

    It sets this process's environment, from which boto3 takes account, region and endpoint.

    Raises:
        TargetMissingError: If there is nothing to connect to.
        BotoCoreError, ClientError: If AWS cannot be asked for the stack.
    """
    if choice.stack is not None:
        os.environ.update(stack_environment(choice, os.environ))
        os.environ.update(outputs_of(boto3.client("cloudformation"), choice.stack))
        return _built(Target(environ=os.environ))
    if choice.data is None and not DEFAULT_DATA.is_dir():
        raise TargetMissingError(
            f"Nothing to work against: there is no {DEFAULT_DATA} here. Start the service with"
            " `make run`, or name its folder with --data or a stack with --stack."
        )
    target = laptop_target(choice.data or DEFAULT_DATA, os.environ)
    found = dict(target.environ)
    os.environ.clear()  # the shell's AWS settings must not reach the laptop's engine
    os.environ.update(found)
    return _built(replace(target, environ=os.environ))


def _built(target: Target) -> Connection:
    return Connection(
        create_key=build_create_key(target.environ),
        list_keys=build_list_keys(target.environ),
        revoke_key=build_revoke_key(target.environ),
        tenant_id=target.tenant_id,
    )
