"""Relate two entities."""

from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import MAX_NAME_CHARACTERS, EntityName, EntityType, fit_text
from palimpsest.domain.relations import (
    RELATION_TYPE,
    Relation,
    check_not_to_itself,
    content_of,
    fit_relation_name,
)
from palimpsest.domain.revisions import Draft
from palimpsest.domain.scopes import Scope
from palimpsest.ports.entities import EntityDirectory
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.entity_facts import settled_type
from palimpsest.use_cases.keep_once import KeepOnce


@dataclass(frozen=True, slots=True, kw_only=True)
class RelateRequest:
    """Which entities stand how to each other.

    Attributes:
        from_entity: 1 to 200 characters.
        to_entity: Another one; 1 to 200 characters.
        relation: 1 to 100 characters; kept in lower case, with ``_`` for blanks.
        from_type: None for the type of the entity of this name, or ``concept`` where there is none.
        to_type: Likewise.
    """

    from_entity: str
    to_entity: str
    relation: str
    from_type: EntityType | None = None
    to_type: EntityType | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What stands now.

    Attributes:
        relation: As it is kept, both types settled.
        fact_id: Of the relation's fact.
        is_new: Whether it did not stand before.
    """

    relation: Relation
    fact_id: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RelateEntities:
    """Keeps a relation as a fact; an entity that nobody has told of appears with it."""

    keep_once: KeepOnce
    entities: EntityDirectory
    acts: Acts

    def __call__(self, caller: Caller, scope: Scope, request: RelateRequest) -> Related:
        """Relate them, unless they are related so already: then both move to the top.

        Args:
            caller: Who asks.
            scope: Exactly where the entities stand.
            request: Which, and how.

        Raises:
            BadInputError: If a text is blank or too long, or an entity is related to itself.
            PermissionDeniedError: If the caller may not write in the scope.
            PalimpsestError: As ``KeepOnce``.
        """
        relation = Relation(
            source=self._end(scope, request.from_entity, request.from_type, "fromEntity"),
            name=fit_relation_name(request.relation, field="relation"),
            target=self._end(scope, request.to_entity, request.to_type, "toEntity"),
        )
        check_not_to_itself(relation, field="toEntity")
        act = self.acts.begin(caller)
        draft = Draft(type=RELATION_TYPE, scope=scope, content=content_of(relation))
        kept = self.keep_once(act, draft)
        if not kept.is_new:
            self.entities.touch(scope, [relation.source.key, relation.target.key], act.now)
        return Related(relation=relation, fact_id=kept.fact_id, is_new=kept.is_new)

    def _end(self, scope: Scope, name: str, asked: EntityType | None, field: str) -> EntityName:
        fit = fit_text(name, MAX_NAME_CHARACTERS, field=field)
        return EntityName(fit, settled_type(self.entities, scope, fit, asked))
