"""`make run INDEX=opensearch`: the same service over the real OpenSearch."""

from tests.laptop import COMMAND, running_laptop
from tests.polling import wait_until


def test_facts_are_found_in_opensearch_and_gone_at_once_when_deleted(tmp_path, opensearch_url):
    command = ("-m", "local.run", "--index", "opensearch", *COMMAND[2:])
    with running_laptop(
        tmp_path / "data", command=command, OPENSEARCH_URL=opensearch_url
    ) as laptop:
        scope = {"tenantId": laptop.run["tenantId"]}
        body = {"type": "note", "scope": scope, "content": "Ana plays chess."}
        fact = laptop.client.post("/v1/memory/facts", json=body).json()

        def found() -> list[str]:
            asked = {"mode": "both", "query": "who plays chess"}
            answer = laptop.client.post("/v1/memory/retrieve", json=asked)
            assert answer.status_code == 200, answer.text
            return [result["fact"]["id"] for result in answer.json()["results"]]

        wait_until(lambda: found() == [fact["id"]], "the fact is found")
        laptop.client.delete(f"/v1/memory/facts/{fact['id']}")

        assert found() == []
        assert laptop.stop() == 0
    assert not (tmp_path / "data" / "index.sqlite").exists()
