"""Entities as the world sees them, in the verbose form."""

from collections import Counter

from palimpsest.api.entity_arguments import BuildKnowledgeArguments
from palimpsest.api.tool_faults import fault_of
from palimpsest.api.tool_results import JsonObject, cut_to_fit, without_empty
from palimpsest.domain.entities import Entity, EntityName, Totals
from palimpsest.domain.instants import to_text
from palimpsest.ports.entities import EntityPage
from palimpsest.use_cases.build_knowledge import Built
from palimpsest.use_cases.forget_entity import Forgotten
from palimpsest.use_cases.get_entity_context import EntityContext, Linked, Told
from palimpsest.use_cases.read_entity_graph import EntityGraph
from palimpsest.use_cases.recall_memories import Memory, Recalled
from palimpsest.use_cases.relate_entities import Related
from palimpsest.use_cases.remember_observation import Remembered


def page_json(page: EntityPage, offset: int) -> JsonObject:
    """Return a part of a list of entities."""
    entities = [_entity(entity) for entity in page.entities]
    value = {"total": page.total, "returned": 0, "offset": offset, "entities": entities}
    return {**cut_to_fit(value, [entities]), "returned": len(entities)}


def remembered_json(remembered: Remembered) -> JsonObject:
    """Return what a request to remember has come to."""
    return {
        "ok": True,
        "duplicate": not remembered.is_new,
        "entity": _named(remembered.entity),
        "observationId": remembered.fact_id,
    }


def related_json(related: Related) -> JsonObject:
    """Return what a request to relate has come to."""
    relation = related.relation
    return {
        "ok": True,
        "duplicate": not related.is_new,
        "relation": relation.name,
        "from": _named(relation.source),
        "to": _named(relation.target),
        "relationId": related.fact_id,
    }


def recalled_json(recalled: list[Recalled]) -> JsonObject:
    """Return what was found, by entity; where it is too much, the last memories of the last entities are left out."""
    entities = [
        {**_named(each.entity), "memories": [_memory(memory) for memory in each.memories]}
        for each in recalled
    ]
    value = {"returned": 0, "entities": entities}
    cut = cut_to_fit(value, [each["memories"] for each in reversed(entities)])
    shown = [each for each in entities if each["memories"]]
    return {**cut, "returned": sum(len(each["memories"]) for each in shown), "entities": shown}


def context_json(context: EntityContext, *, with_relations: bool) -> JsonObject:
    """Return what is known of an entity."""
    observations = [_told(told) for told in context.observations]
    outgoing = [_link(linked, linked.relation.target) for linked in context.outgoing]
    incoming = [_link(linked, linked.relation.source) for linked in context.incoming]
    value: JsonObject = {
        "found": True,
        "entity": _entity(context.entity),
        "observations": observations,
    }
    if with_relations:
        value["relations"] = {"outgoing": outgoing, "incoming": incoming}
    cut = cut_to_fit(value, [incoming, outgoing, observations])
    more = context.more + len(context.observations) - len(observations)
    return {**cut, "moreObservations": more}


def forgotten_json(forgotten: Forgotten) -> JsonObject:
    """Return what is gone."""
    return {
        "ok": forgotten.is_complete,
        "entities": [{"name": e.name, "type": e.type} for e in forgotten.entities],
        "observations": forgotten.observations,
        "relations": forgotten.relations,
    }


def totals_json(totals: Totals) -> JsonObject:
    """Return how much is remembered."""
    return {
        "entities": totals.count(frozenset()),
        "observations": totals.observations,
        "relations": totals.relations,
        "entitiesByType": {str(kind): count for kind, count in sorted(totals.entities.items())},
    }


def built_json(built: Built) -> JsonObject:
    """Return what many requests in one have come to."""
    return {
        "ok": not built.failures,
        "facts": _kept([each.is_new for each in built.remembered]),
        "relations": _kept([each.is_new for each in built.related]),
        "failures": [
            {
                "part": str(failure.part),
                "index": failure.index,
                **fault_of(failure.error, BuildKnowledgeArguments).words(),
            }
            for failure in built.failures
        ],
    }


def graph_json(graph: EntityGraph) -> JsonObject:
    """Return relations with the entities that they join, in the order in which these first come."""
    ends = [end for edge in graph.edges for end in (edge.relation.source, edge.relation.target)]
    degrees = Counter(end.key for end in ends)
    first = {end.key: end for end in reversed(ends)}
    return {
        "nodes": [{**_named(first[key]), "degree": degrees[key]} for key in degrees],
        "edges": [
            {
                "source": _named(edge.relation.source),
                "relation": edge.relation.name,
                "target": _named(edge.relation.target),
                "factId": edge.fact_id,
            }
            for edge in graph.edges
        ],
        "truncated": graph.is_truncated,
    }


def _named(entity: EntityName) -> JsonObject:
    return {"name": entity.name, "type": str(entity.type)}


def _entity(entity: Entity) -> JsonObject:
    return {
        "id": entity.id,
        "name": entity.name,
        "type": str(entity.type),
        "description": None,
        "updatedAt": to_text(entity.updated_at),
    }


def _memory(memory: Memory) -> JsonObject:
    return without_empty(
        {
            "content": memory.observation.text,
            "score": memory.score,
            "source": memory.observation.source,
            "createdAt": to_text(memory.at),
            "factId": memory.fact_id,
        }
    )


def _told(told: Told) -> JsonObject:
    return without_empty(
        {
            "observation": told.observation.text,
            "source": told.observation.source,
            "createdAt": to_text(told.at),
            "validUntil": to_text(told.valid_until) if told.valid_until else None,
            "factId": told.fact_id,
        }
    )


def _link(linked: Linked, other: EntityName) -> JsonObject:
    return {
        "relation": linked.relation.name,
        "entity": _named(other),
        "factId": linked.fact_id,
    }


def _kept(news: list[bool]) -> JsonObject:
    return {"new": news.count(True), "duplicate": news.count(False)}
