import hashlib
import uuid

from palimpsest.adapters.sealing.entity_ids import KeyedEntityIds
from palimpsest.domain.entities import EntityKey, EntityType
from palimpsest.domain.homes import scope_hash

from tests.builders import TENANT, build_scope
from tests.fakes.key_lists import FIRST_SECRET, SECOND_SECRET, FakeKeyLists

SCOPE = build_scope(userId="ana")
JEFF = EntityKey(EntityType.PERSON, "jeff")


def test_without_a_key_an_id_is_the_start_of_a_plain_hash():
    parts = (TENANT, scope_hash(SCOPE), "person", "jeff")
    message = b"".join(len(part).to_bytes(4, "big") + part.encode() for part in parts)

    expected = uuid.UUID(bytes=hashlib.sha256(message).digest()[:16], version=4)

    assert KeyedEntityIds(None).id_of(SCOPE, JEFF) == str(expected)


def test_only_the_first_key_counts():
    one, two = FakeKeyLists((FIRST_SECRET,)), FakeKeyLists((FIRST_SECRET, SECOND_SECRET))

    assert KeyedEntityIds(one).id_of(SCOPE, JEFF) == KeyedEntityIds(two).id_of(SCOPE, JEFF)
