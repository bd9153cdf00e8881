"""docs/mcp.md, written from the table of tools, a conversation and the official suite: ``make mcp``."""

import sys
import tempfile
from pathlib import Path

from palimpsest.api.tool_results import MAX_RESULT_BYTES
from palimpsest.api.tool_table import TOOLS, Tool

from tests.conformance.mcp_transcript import transcript
from tests.conformance.scenarios import APPLY, DO_NOT_APPLY
from tests.laptop import running_laptop
from tests.tenants import connection_to, new_tenant

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"


def page(conversation: str) -> str:
    """Return the page around a conversation."""
    rows = "\n".join(map(_row, TOOLS.values()))
    passed = "\n".join(f"| `{name}` | passes, {n} of {n} checks |" for name, n in APPLY.items())
    others = "\n".join(
        f"| {', '.join(f'`{name}`' for name in names)} | {reason} |"
        for reason, names in DO_NOT_APPLY.items()
    )
    return f"""# Tools for agents: the Model Context Protocol

`POST /mcp` is an MCP server over streamable HTTP: stateless, so that any instance answers any call, and answered in JSON. It
speaks 2024-11-05 to 2025-11-25 with a handshake and 2026-07-28 without one; `GET` and `DELETE` are 405. `make mcp` writes
this page; a test checks that it is current.

## Connecting

The same bearer tokens as everywhere. Clients that are configured with a file take:

```json
{{
  "mcpServers": {{
    "palimpsest": {{
      "type": "http",
      "url": "https://YOUR-API.execute-api.YOUR-REGION.amazonaws.com/mcp",
      "headers": {{ "Authorization": "Bearer YOUR-TOKEN" }}
    }}
  }}
}}
```

**Scope.** A token works in one scope: its default scope, else the project that it is limited to, else its user's own. The
headers `X-Palimpsest-Project`, `X-Palimpsest-Thread` and `X-Palimpsest-Participant`, set once in the configuration, narrow it
for every call; the argument `scope` narrows it further for one. A wider or another one is refused, and facts outside it are
not found, also where the token could read them over HTTP. Services and agents need a default scope or a project limit.

## Tools

| tool | what it does | reads only | needs the grant `destructive` |
| --- | --- | --- | --- |
{rows}

A token without the grant is not offered the tools that destroy, and is refused when it calls one anyway; `confirm` is the
model's own word and no grant. A key gets it with `palimpsest keys create --tool destructive`; the laptop's first token has it.

* `structuredContent` is always the verbose form, as the tool's output schema says. The text is one line of JSON with short
  keys and the ids of entities and observations cut to eight characters (`COMPACT_RESPONSES=true`), or the verbose form too.
  Eight characters tell entities apart; observations, whose ids begin with their time, they do not. Facts' ids are never cut:
  the tools take them whole.
* Each of the two forms ends at {MAX_RESULT_BYTES:,} bytes. A list is cut at its end and says `truncated` (`cut`), or goes on
  with its cursor; long content is cut with a mark that says where it is whole. It stays JSON.
* A fault is a result with `isError: true`: `error`, `cause`, `fix`, the `code` that HTTP has, and the `requestId` of the log.
  An unknown tool, and what is no message, are the protocol's errors.
* `write_fact`, `supersede_fact`, `verify_fact` and `delete_fact` take an `idempotencyKey`, as HTTP takes an
  `Idempotency-Key`. The tools over entities need none: a repeat changes nothing.
* `build_knowledge` refuses a list of another shape whole; what fails beyond that is listed, and leaves the others standing.
* `ENABLE_MEMORY=false`: no tool is offered, a call says so, and `/api/memory` is 404.

REST beside it, the verbose form: `GET /api/memory/entities` (`limit` 1–200, `offset`, `types`), `/entities/{{name}}`, `/graph`
(`limit` 1–500), `/search`, `/stats`.

## Security

* What was stored is data. It comes back inside JSON strings, never as text of ours, and each tool that reads says so.
* No result carries what the caller may not see: the tools call the same use cases as HTTP, which ask at the table, always.
* `Host` must be the API's own name (421), and so must `Origin` where a browser sends one (403): no page elsewhere can reach
  a server on a laptop through a name that it points there.
* A message that cannot be read is refused without being quoted. The log has names of tools, codes and times, no arguments.
* The SDK that reads messages gets no token: who asks is settled before. Its own lines stay out of the log.

## The official suite

`@modelcontextprotocol/conformance` 0.1.16, each scenario against a laptop, through a proxy that adds the token.

| scenario | result |
| --- | --- |
{passed}

| not asked | why |
| --- | --- |
{others}

The Python client `mcp` 2.3 (with a handshake, with 2026-07-28, and with whichever it finds) and
`@modelcontextprotocol/inspector` in command-line mode are asked in `tests/conformance`, too.

## A conversation

Ids, times and request ids are made alike; the rest is as it came. Every request carries a token, `Accept` and, unless another
one is shown, `MCP-Protocol-Version: 2025-11-25`.
{conversation}
"""


def _row(tool: Tool) -> str:
    first = tool.about.partition(". ")[0].rstrip(".")
    return (
        f"| `{tool.name}` | {first} | {_mark(tool.is_read_only)} | {_mark(tool.is_destructive)} |"
    )


def _mark(is_so: bool) -> str:
    return "yes" if is_so else ""


def main() -> None:
    """Hold the conversation with a laptop of its own, and print the page."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_laptop(Path(folder) / "data") as laptop,
        connection_to(laptop) as connection,
    ):
        sys.stdout.write(page(transcript(new_tenant(laptop, connection))))


if __name__ == "__main__":
    main()
