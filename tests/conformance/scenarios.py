"""Scenarios of the official conformance suite, and which of them this server can be asked."""

from pathlib import Path

from tests.conformance.node_programs import CONFORMANCE, run_program

# Need no special tool, resource or prompt of the server under test; each with the number of its checks.
APPLY = {"server-initialize": 1, "ping": 1, "tools-list": 1, "dns-rebinding-protection": 2}
# Why the others do not.
DO_NOT_APPLY = {
    "needs tools of the suite's own under test": (
        "tools-call-simple-text",
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
        "tools-call-with-logging",
        "tools-call-error",
        "tools-call-with-progress",
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "json-schema-2020-12",
    ),
    "resources and prompts are not offered": (
        "resources-list",
        "resources-read-text",
        "resources-read-binary",
        "resources-templates-read",
        "resources-subscribe",
        "resources-unsubscribe",
        "prompts-list",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-embedded-resource",
        "prompts-get-with-image",
        "completion-complete",
    ),
    "logging goes to the operator, not to the client": ("logging-set-level",),
    "no streams: every answer is one JSON document": (
        "server-sse-polling",
        "server-sse-multiple-streams",
    ),
}


def passed_checks(scenario: str, url: str, folder: Path) -> tuple[int, int]:
    """Run a scenario and return how many of its checks passed, and how many there are."""
    done = run_program(
        CONFORMANCE, "server", "--url", f"{url}/mcp", "--scenario", scenario, folder=folder
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("Passed: "))
    passed, _, count = line.removeprefix("Passed: ").partition(",")[0].partition("/")
    assert done.returncode == 0, done.stdout
    return int(passed), int(count)


def known_scenarios(folder: Path) -> set[str]:
    """Return every scenario for servers that the suite has."""
    listed = run_program(CONFORMANCE, "list", folder=folder).stdout
    servers = listed.partition("Client scenarios")[0]
    return {line.split()[1] for line in servers.splitlines() if line.startswith("  - ")}
