"""The directory of atoms in DynamoDB: see ``palimpsest.ports.atoms``, and ``atom_companions`` for how it is kept in step."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import concept_keys
from palimpsest.adapters.dynamodb.atom_companions import same_text_key, tally_from_item
from palimpsest.adapters.dynamodb.attributes import Item, read_text, text
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.reads import MAX_KEYS, Reads, side_by_side
from palimpsest.domain.audiences import Audience
from palimpsest.domain.scopes import Scope
from palimpsest.domain.tallies import DomainTally
from palimpsest.ports.atoms import AtomText
from palimpsest.ports.pauses import Pauses

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class DynamoDBAtomDirectory:
    """See ``AtomDirectory``.

    Attributes:
        client: It only reads, and may send a read again by itself.
        concepts_table: Name.
        pauses: Waits before asking again for what a busy store left out.
    """

    client: "DynamoDBClient"
    concepts_table: str
    pauses: Pauses

    def find_same(self, scope: Scope, texts: Collection[AtomText]) -> dict[AtomText, str]:
        """See ``AtomDirectory``. One BatchGetItem for each 100, side by side."""
        keys = {each: same_text_key(scope, each.domain, each.key) for each in texts}
        by_partition = {key["pk"]["S"]: each for each, key in keys.items()}
        wanted = list(keys.values())
        calls = [
            {self.concepts_table: wanted[start : start + MAX_KEYS]}
            for start in range(0, len(wanted), MAX_KEYS)
        ]
        reads = Reads(client=self.client, pauses=self.pauses)
        answers = side_by_side(reads.find_all, calls)
        items = chain.from_iterable(answer[self.concepts_table] for answer in answers)
        return {by_partition[read_text(i, "pk")]: read_text(i, "factId") for i in items}

    def find_by_fingerprint(self, scope: Scope, fingerprint: str, *, limit: int) -> list[str]:
        """See ``AtomDirectory``. One Query."""
        return self._listed(concept_keys.atom_fingerprint_key(scope, fingerprint), limit)

    def find_by_external_ref(self, scope: Scope, external_ref: str, *, limit: int) -> list[str]:
        """See ``AtomDirectory``. One Query."""
        return self._listed(concept_keys.atom_reference_key(scope, external_ref), limit)

    def tallies(self, tenant_id: str, audiences: Sequence[Audience] | None) -> list[DomainTally]:
        """See ``AtomDirectory``. One Query for each audience, side by side; one for the whole tenant; more for each MB."""
        prefixes = [""] if audiences is None else list(map(concept_keys.tallies_prefix, audiences))
        found = side_by_side(lambda prefix: self._tallies(tenant_id, prefix), prefixes)
        tallies = map(tally_from_item, chain.from_iterable(found))
        return [tally for tally in tallies if tally.atoms > 0]

    def _listed(self, partition: str, limit: int) -> list[str]:
        request: dict[str, Any] = {
            "TableName": self.concepts_table,
            "KeyConditionExpression": "pk = :listed",
            "ExpressionAttributeValues": {":listed": text(partition)},
            "ScanIndexForward": False,
            "Limit": limit,
            "ConsistentRead": True,
        }
        with store_errors():
            return [read_text(item, "factId") for item in self.client.query(**request)["Items"]]

    def _tallies(self, tenant_id: str, prefix: str) -> list[Item]:
        values = {":tallies": text(concept_keys.tallies_key(tenant_id))}
        condition = "pk = :tallies"
        if prefix:
            condition += " AND begins_with(sk, :audience)"
            values[":audience"] = text(prefix)
        request: dict[str, Any] = {
            "TableName": self.concepts_table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "ConsistentRead": True,
        }
        with store_errors():
            pages = self.client.get_paginator("query").paginate(**request)
            return [item for page in pages for item in page["Items"]]
