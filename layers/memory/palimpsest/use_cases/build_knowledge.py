"""Build knowledge: many observations and relations in one request, each on its own."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError, PalimpsestError
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import check_may_write
from palimpsest.use_cases.relate_entities import Related, RelateRequest
from palimpsest.use_cases.remember_observation import Remembered, RememberRequest

# spec/entities.md, the table of tools.
MAX_FACTS = 50
MAX_RELATIONS = 50


class Part(StrEnum):
    """Which list of a request an item stands in."""

    FACTS = "facts"
    RELATIONS = "relations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An item that was not kept.

    Attributes:
        part: The list that it stands in.
        index: Its place there, from 0.
        error: Why.
    """

    part: Part
    index: int
    error: PalimpsestError


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeRequest:
    """What is to be kept.

    Attributes:
        facts: At most 50; kept before the relations, whose entities they may name the types of.
        relations: At most 50.

    Raises:
        BadInputError: If there is nothing, or too much.
    """

    facts: tuple[RememberRequest, ...] = ()
    relations: tuple[RelateRequest, ...] = ()

    def __post_init__(self) -> None:
        for field, items, most in (
            (Part.FACTS, self.facts, MAX_FACTS),
            (Part.RELATIONS, self.relations, MAX_RELATIONS),
        ):
            if len(items) > most:
                raise BadInputError(f"{field} takes at most {most} items.", field=field)
        if not self.facts and not self.relations:
            raise BadInputError("facts or relations must have at least one item.", field="facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What stands now.

    Attributes:
        remembered: Of ``facts``, in their order, without those that failed.
        related: Of ``relations``, likewise.
        failures: Facts first, each in the request's order.
    """

    remembered: list[Remembered]
    related: list[Related]
    failures: list[Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildKnowledge:
    """Remembers and relates, item by item: what fails leaves the others standing, and a repeat changes nothing."""

    remember: Callable[[Caller, Scope, RememberRequest], Remembered]
    relate: Callable[[Caller, Scope, RelateRequest], Related]

    def __call__(self, caller: Caller, scope: Scope, request: KnowledgeRequest) -> Built:
        """Keep what can be kept, and list what cannot.

        Raises:
            PermissionDeniedError: If the caller may not write in the scope: then nothing can.
        """
        check_may_write(caller, scope)
        built = Built(remembered=[], related=[], failures=[])
        for index, fact in enumerate(request.facts):
            try:
                built.remembered.append(self.remember(caller, scope, fact))
            except PalimpsestError as error:
                built.failures.append(Failure(part=Part.FACTS, index=index, error=error))
        for index, relation in enumerate(request.relations):
            try:
                built.related.append(self.relate(caller, scope, relation))
            except PalimpsestError as error:
                built.failures.append(Failure(part=Part.RELATIONS, index=index, error=error))
        return built
