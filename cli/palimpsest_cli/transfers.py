"""Many facts, in and out: a file's lines into the service, and what a token may see into a file."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from palimpsest.domain.json_text import write_json

from palimpsest_cli.fact_lines import FactLine, digest_of, key_of, read_lines
from palimpsest_cli.failures import LineError, ServiceRefusedError
from palimpsest_cli.services import Answer, Service

FACTS = "/v1/memory/facts"
WHOAMI = "/v1/identity/whoami"
PAGE_SIZE = "100"
# The line was written, but its fact can no longer be read, so its answer is not given again.
_WITHHELD = "idempotency-key-replay-withheld"


@dataclass(slots=True)
class Imported:
    """What came of an import.

    Attributes:
        written: Lines that are facts now.
        found: Lines that were facts already, from an earlier run.
        dropped: How often each field that the server sets was left out.
    """

    written: int = 0
    found: int = 0
    dropped: Counter[str] = field(default_factory=Counter)


def import_facts(
    service: Service, path: Path, *, first_line: int, begun: Callable[[int], Callable[[], None]]
) -> Imported:
    """Write each line of a file as a fact, in their order; one that an earlier run wrote is not written again.

    The whole file is read before the first write, so that a faulty line leaves nothing half done.

    Args:
        service: Asked under its token's own rules.
        path: Of the file.
        first_line: Lines before it are passed over.
        begun: Called with the number of facts before the first write; what it returns is called after each one.

    Raises:
        LineError: If a line is faulty, or refused; those before a refused one are written.
        ServiceRefusedError: If the token is.
        ServiceSilentError: If the service does not answer.
        OSError: If the file cannot be read.
    """
    tenant_id = tenant_of(service)
    total = sum(line.number >= first_line for line in read_lines(path, tenant_id))
    digest = digest_of(path)
    done = begun(total)
    imported = Imported()
    for line in read_lines(path, tenant_id):
        if line.number < first_line:
            continue
        answer = service.ask("POST", FACTS, body=line.body, key=key_of(digest, line.number))
        if answer.is_replay or answer.code == _WITHHELD:
            imported.found += 1
        elif answer.is_good:
            imported.written += 1
        else:
            raise _refused(line, answer)
        imported.dropped.update(line.dropped)
        done()
    return imported


def export_facts(service: Service, query: Mapping[str, str], out: TextIO) -> Iterator[int]:
    """Write all facts that the token may see, newest first, one a line.

    Args:
        service: Asked page by page.
        query: Filters of a list.
        out: Takes the lines.

    Yields:
        How many each page held.

    Raises:
        ServiceRefusedError: If the token, or a filter, is refused.
        ServiceSilentError: If the service does not answer.
    """
    page: Mapping[str, Any] = {"hasMore": True}
    while page["hasMore"]:
        cursor = {"cursor": str(page["nextCursor"])} if "nextCursor" in page else {}
        answer = service.ask("GET", FACTS, query={**query, "limit": PAGE_SIZE, **cursor})
        page = _good(answer)
        out.writelines(write_json(fact) + "\n" for fact in page["data"])
        yield len(page["data"])


def tenant_of(service: Service) -> str:
    """Return the token's tenant.

    Raises:
        ServiceRefusedError: If the token is no good.
    """
    return str(_good(service.ask("GET", WHOAMI))["tenantId"])


def _good(answer: Answer) -> Mapping[str, Any]:
    if not answer.is_good:
        raise ServiceRefusedError(f"The service refuses ({answer.code}): {answer.message}")
    return answer.body


def _refused(line: FactLine, answer: Answer) -> LineError:
    return LineError(
        line.number,
        f"the service refuses it ({answer.code}): {answer.message.rstrip('.')}. The lines before it are written",
    )
