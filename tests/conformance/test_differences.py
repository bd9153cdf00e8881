import pytest

from tests.conformance.contract import CONTRACT
from tests.conformance.differences import DIFFERENCES, Asked
from tests.tenants import FACTS, Tenant

SHOWN = {d.ours[:40]: d.asked for d in DIFFERENCES if d.asked is not None}


def ask(tenant: Tenant, asked: Asked):
    fact = tenant.write()["id"]
    body = asked.body
    if body is not None and asked.path == "/memory/facts":
        body = {**body, "scope": {"tenantId": tenant.id, **body.get("scope", {})}}
    path = "/v1" + asked.path.replace("{fact}", fact)
    return tenant.admin.ask(asked.method, path, body, query=asked.query)


@pytest.mark.parametrize("difference", SHOWN)
def test_a_difference_is_as_it_is_told(tenant, difference: str):
    asked = SHOWN[difference]

    answer = ask(tenant, asked)

    assert answer.status_code == asked.status, answer.text
    code = answer.json()["error"]["code"] if answer.status_code >= 400 else None
    assert code == asked.code


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "junk"}, {"limit": "101"}])
def test_a_limit_is_clamped_and_never_refused(tenant, query):
    answer = tenant.admin.ask("GET", FACTS, query=query)

    CONTRACT.check("memory.listFacts", answer.status_code, answer.json())
    assert answer.status_code == 200
