"""Write LoCoMo's 2,541 observations over HTTP, then list, count, supersede and read them as of an earlier time.

    make run                                                        # in another terminal
    python -m benchmarks.write_locomo PATH/TO/locomo10.json         # --data .palimpsest, --writers 8

Each conversation is a project, each speaker an external subject, the session's date ``observedAt``. It asks what it has
written back and fails if anything is missing, doubled or different.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import httpx
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.locomo_data import Observation, observations

TYPE = "locomo.observation"
PAGE = 100
FACTS = "/v1/memory/facts"
Row = tuple[str, int, float]


class WrongAnswerError(Exception):
    """The service said something else than what was written."""


@dataclass(frozen=True, slots=True)
class Service:
    """The running service, as its ``run.json`` names it."""

    client: httpx.Client
    tenant_id: str

    def write(self, observation: Observation) -> dict[str, Any]:
        """Write one observation and return the fact."""
        body = {
            "type": TYPE,
            "scope": {"tenantId": self.tenant_id, "projectId": observation.conversation},
            "content": {"text": observation.text, "evidence": list(observation.evidence)},
            "subjects": [{"kind": "external", "id": observation.speaker}],
            "observedAt": observation.observed_at.isoformat(),
        }
        return _json(self.client.post(FACTS, json=body), 201)

    def list(self, **filters: str) -> Iterator[dict[str, Any]]:
        """Yield every fact of a list, page by page."""
        parameters = {"type": TYPE, "limit": str(PAGE), **filters}
        while True:
            page = _json(self.client.get(FACTS, params=parameters), 200)
            yield from page["data"]
            if not page["hasMore"]:
                return
            parameters["cursor"] = page["nextCursor"]

    def supersede(self, fact: dict[str, Any], text: str) -> dict[str, Any]:
        """Replace a fact's text, if nobody else has."""
        body = {"content": {**fact["content"], "text": text}, "expectVersion": fact["version"]}
        return _json(self.client.post(f"{FACTS}/{fact['id']}/supersede", json=body), 200)


def main() -> int:
    """Run the command."""
    arguments = _arguments()
    run = json.loads((arguments.data / "run.json").read_text("utf-8"))
    facts = list(observations(arguments.locomo))
    headers = {"Authorization": f"Bearer {run['token']}"}
    with httpx.Client(base_url=run["url"], headers=headers, timeout=30) as client:
        service = Service(client, run["tenantId"])
        try:
            rows = _walk_through(service, facts, arguments.writers)
        except WrongAnswerError as error:
            print(error, file=sys.stderr)
            return 1
    _print(rows)
    return 0


def _walk_through(service: Service, facts: list[Observation], writers: int) -> list[Row]:
    rows: list[Row] = []
    old = {fact["id"] for fact in service.list()}

    def new(**filters: str) -> list[dict[str, Any]]:
        return [fact for fact in service.list(**filters) if fact["id"] not in old]

    written = _timed(rows, "written", lambda: _write_all(service, facts, writers))
    instant = datetime.now(UTC).isoformat()
    listed = _timed(rows, "listed", new)
    wanted = Counter(map(_wanted, facts))
    _expect("the list", Counter(map(_key, listed)), wanted)
    _expect("the list's ids", {f["id"] for f in listed}, {f["id"] for f in written})
    for project, count in Counter(f.conversation for f in facts).items():
        _expect(
            f"the facts of {project}", len(new(scope=json.dumps({"projectId": project}))), count
        )
    chosen = listed[::10]
    _timed(
        rows, "superseded", lambda: [service.supersede(f, "It is not so any more.") for f in chosen]
    )
    now = {fact["id"]: fact for fact in new()}
    _expect("the versions now", {now[fact["id"]]["version"] for fact in chosen}, {2})
    then = _timed(rows, "listed as of before", lambda: new(asOf=instant))
    _expect("the list as of before", Counter(map(_key, then)), wanted)
    return rows


def _timed(
    rows: list[Row], name: str, work: Callable[[], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    started = time.perf_counter()
    done = work()
    rows.append((name, len(done), time.perf_counter() - started))
    return done


def _write_all(service: Service, facts: list[Observation], writers: int) -> list[dict[str, Any]]:
    with Progress(console=Console(stderr=True)) as progress, ThreadPoolExecutor(writers) as pool:
        written = pool.map(service.write, facts)
        return list(progress.track(written, total=len(facts), description="Writing facts"))


def _key(fact: dict[str, Any]) -> tuple[str, ...]:
    scope, subject = fact["scope"], fact["subjects"][0]
    return (scope["projectId"], subject["id"], fact["content"]["text"], fact["observedAt"])


def _wanted(observation: Observation) -> tuple[str, ...]:
    observed_at = observation.observed_at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return (observation.conversation, observation.speaker, observation.text, observed_at)


def _expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise WrongAnswerError(f"Wrong: {what}. Something is missing, doubled or different.")


def _json(response: httpx.Response, wanted: int) -> dict[str, Any]:
    if response.status_code != wanted:
        sent = f"{response.request.method} {response.request.url.path}"
        raise WrongAnswerError(f"{sent} was answered {response.status_code}: {response.text}")
    return cast("dict[str, Any]", response.json())


def _print(rows: list[Row]) -> None:
    table = Table("step", "facts", "seconds", "facts a second", title="LoCoMo over HTTP")
    for name, count, seconds in rows:
        table.add_row(name, str(count), f"{seconds:.1f}", f"{count / seconds:.0f}")
    Console().print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Write LoCoMo over HTTP and check what comes back."
    )
    parser.add_argument("locomo", type=Path, help="where locomo10.json lies")
    parser.add_argument("--data", type=Path, default=Path(".palimpsest"), help="the service's data")
    parser.add_argument("--writers", type=int, default=8, help="requests at a time")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
