"""Parts that several functions are built from."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import boto3
from aws_lambda_powertools import Logger

from palimpsest.adapters.dynamodb.api_keys import DynamoDBApiKeyRepository
from palimpsest.adapters.dynamodb.atom_companions import AtomCompanions
from palimpsest.adapters.dynamodb.atoms import DynamoDBAtomDirectory
from palimpsest.adapters.dynamodb.clients import dynamodb_client
from palimpsest.adapters.dynamodb.companions import CompanionPlanner
from palimpsest.adapters.dynamodb.entities import DynamoDBEntityDirectory
from palimpsest.adapters.dynamodb.entity_companions import EntityCompanions
from palimpsest.adapters.dynamodb.facts import DynamoDBFactRepository
from palimpsest.adapters.dynamodb.idempotency import DynamoDBIdempotencyRecords
from palimpsest.adapters.dynamodb.keys import ShardCounts
from palimpsest.adapters.dynamodb.reads import Reads
from palimpsest.adapters.dynamodb.vectors import DynamoDBVectors
from palimpsest.adapters.memory.api_keys import KeptApiKeys
from palimpsest.adapters.sealing.entity_ids import KeyedEntityIds
from palimpsest.adapters.sealing.pseudonyms import KeyedPseudonyms
from palimpsest.adapters.secrets.files import FileKeyLists
from palimpsest.adapters.secrets.secrets_manager import SecretsManagerKeyLists, client_config
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.api.application import Application
from palimpsest.api.requests import Endpoint, PublicEndpoint
from palimpsest.bootstrap.settings import (
    CallerSettings,
    ConceptsSettings,
    FactSettings,
    IndexFactsSettings,
    SettingsError,
    ShardSettings,
    StateSettings,
)
from palimpsest.ports.entity_ids import EntityIds
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.identity_tokens import IdentityTokens
from palimpsest.ports.key_lists import KeyLists
from palimpsest.use_cases.answer_once import AnswerOnce
from palimpsest.use_cases.authenticate import Authenticate

CLOCK = SystemClock()

# What is sent again changes nothing: a read, or a write that is conditional on whose it is. Other writes are sent once: a
# use case reads again before it writes again.
READ_ATTEMPTS = 3
WRITE_ATTEMPTS = 1


class CompanionSettings(Protocol):
    """What a function names that writes facts, for what some of them bring along."""

    @property
    def concepts_table_name(self) -> str:
        """Where it lies."""
        ...

    @property
    def ledger_keys_uri(self) -> str:
        """Where the keys are that entities' ids are made under; see ``build_ledger_keys``."""
        ...


def build_application(
    settings: CallerSettings,
    endpoints: Mapping[str, Endpoint],
    public_endpoints: Mapping[str, PublicEndpoint] | None = None,
    *,
    answer_once: AnswerOnce | None = None,
) -> Application:
    """Return one function's HTTP application."""
    keys = DynamoDBApiKeyRepository(
        client=dynamodb_client(attempts=READ_ATTEMPTS), state_table=settings.state_table_name
    )
    authenticate = Authenticate(
        api_keys=KeptApiKeys(inner=keys, clock=CLOCK),
        clock=CLOCK,
        identity_tokens=build_identity_tokens(settings),
    )
    return Application(
        authenticate=authenticate,
        logger=build_logger(),
        endpoints=endpoints,
        public_endpoints=public_endpoints or {},
        answer_once=answer_once,
    )


def build_logger() -> Logger:
    """Return the logger of a function.

    A line whose time is not RFC 3339 is INFO to Lambda, whatever level it names (developer guide, "Log-level filtering"): with
    LogLevel at WARN or ERROR, it would drop every line of ours.
    """
    return Logger(use_rfc3339=True)


def build_identity_tokens(settings: CallerSettings) -> IdentityTokens | None:
    """Return what verifies JSON Web Tokens; None where no issuer is configured.

    Raises:
        SettingsError: If an issuer is named without an audience, or an algorithm is not one that may be taken.
    """
    if not settings.jwt_issuer:
        return None
    if not settings.jwt_audience:
        raise SettingsError("JWT_ISSUER needs JWT_AUDIENCE: else any service's token would do.")
    # 120 ms: PyJWT brings `cryptography`, which a deployment without an issuer has no use for here.
    from palimpsest.adapters.oidc.identity_tokens import OidcIdentityTokens  # noqa: PLC0415
    from palimpsest.adapters.oidc.key_set import KeySet  # noqa: PLC0415

    try:
        return OidcIdentityTokens(
            issuer=settings.jwt_issuer,
            audience=settings.jwt_audience,
            algorithms=tuple(settings.jwt_algorithms.split(",")),
            key_set=KeySet(issuer=settings.jwt_issuer, clock=CLOCK),
        )
    except ValueError as error:
        raise SettingsError(f"JWT_ALGORITHMS is not fit: {error}") from error


def build_answer_once(settings: StateSettings, facts: FactRepository) -> AnswerOnce:
    """Return what keeps answers for requests that come with an ``Idempotency-Key``."""
    records = DynamoDBIdempotencyRecords(
        client=dynamodb_client(attempts=READ_ATTEMPTS), state_table=settings.state_table_name
    )
    return AnswerOnce(records=records, facts=facts, clock=CLOCK, ids=SystemIds())


def build_facts(
    settings: FactSettings,
    shards: ShardSettings | None = None,
    companions: CompanionSettings | None = None,
) -> DynamoDBFactRepository:
    """Return the repository of facts.

    Args:
        settings: Where the tables are.
        shards: Of the indexes; None for a function that neither writes nor lists.
        companions: Of what some facts bring along; None for a function that does not write.
    """
    counts = ShardCounts()
    if shards is not None:
        counts = ShardCounts(
            container=shards.container_shard_count, tenant=shards.tenant_shard_count
        )
    return DynamoDBFactRepository(
        client=dynamodb_client(attempts=WRITE_ATTEMPTS),
        reader=dynamodb_client(attempts=READ_ATTEMPTS),
        facts_table=settings.facts_table_name,
        state_table=settings.state_table_name,
        pauses=JitteredPauses(),
        shards=counts,
        planners=None if companions is None else build_planners(companions),
    )


def build_followed_facts(settings: IndexFactsSettings) -> DynamoDBFactRepository:
    """Return the repository of facts for the function that follows their stream: it reads, and counts out what is gone."""
    planners = _planners(settings.concepts_table_name, ids=None)
    return replace(build_facts(settings), planners=planners)


def build_planners(settings: CompanionSettings) -> tuple[CompanionPlanner, ...]:
    """Return what plans for every type of fact that brings something along."""
    ids = KeyedEntityIds(key_lists=build_ledger_keys(settings.ledger_keys_uri))
    return _planners(settings.concepts_table_name, ids)


def _planners(table: str, ids: EntityIds | None) -> tuple[CompanionPlanner, ...]:
    reads = Reads(client=dynamodb_client(attempts=READ_ATTEMPTS), pauses=JitteredPauses())
    return AtomCompanions(table=table), EntityCompanions(table=table, reads=reads, ids=ids)


def build_atoms(settings: ConceptsSettings) -> DynamoDBAtomDirectory:
    """Return the directory of atoms."""
    return DynamoDBAtomDirectory(
        client=dynamodb_client(attempts=READ_ATTEMPTS),
        concepts_table=settings.concepts_table_name,
        pauses=JitteredPauses(),
    )


def build_entities(settings: ConceptsSettings) -> DynamoDBEntityDirectory:
    """Return the directory of entities."""
    return DynamoDBEntityDirectory(
        client=dynamodb_client(attempts=READ_ATTEMPTS),
        concepts_table=settings.concepts_table_name,
        pauses=JitteredPauses(),
    )


def build_vectors(settings: FactSettings) -> DynamoDBVectors:
    """Return the vectors that are kept beside facts."""
    # What it writes is written again without harm, so that the client may do so by itself.
    return DynamoDBVectors(
        dynamodb_client(attempts=READ_ATTEMPTS), settings.facts_table_name, JitteredPauses()
    )


def build_key_lists(uri: str) -> KeyLists:
    """Return the key list that an address names: ``secretsmanager:<id or arn>`` or ``file:<path>``.

    Raises:
        SettingsError: If it names neither.
    """
    scheme, _, place = uri.partition(":")
    if scheme == "secretsmanager" and place:
        client = boto3.client("secretsmanager", config=client_config())
        return SecretsManagerKeyLists(client, place, CLOCK)
    if scheme == "file" and place:
        return FileKeyLists(Path(place), CLOCK)
    raise SettingsError("A key list is named by secretsmanager:<id> or file:<path>.")


def build_pseudonyms(uri: str) -> KeyedPseudonyms:
    """Return how people are named: under the ledger's keys."""
    return KeyedPseudonyms(key_lists=build_ledger_keys(uri))


def build_ledger_keys(uri: str) -> KeyLists | None:
    """Return the key list of that address; None, for hashes without a key, where it says ``none``."""
    return None if uri == "none" else build_key_lists(uri)
