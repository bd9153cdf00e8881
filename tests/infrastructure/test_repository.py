import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.template import ROOT

# The spellings avoid being found in this file itself.
PACKAGE_SERVERS = re.compile(
    r"https?:[/]{2}[^\s\"']*(pypi|pythonhosted|npmjs|registry|maven2|[/]simple\b)", re.IGNORECASE
)
INDEX_OPTIONS = re.compile(r"[-]{2}(extra-)?index-url|[-]{2}find-links|[-]{2}trusted-host")
SOMEBODYS_FOLDERS = re.compile(r"(?<![\w.~$}>*-])[/](root|work|Users)[/]\w")
JSON_EXAMPLE = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOCKS = (
    "layers/memory/requirements.txt",
    *(f"requirements/{n}.txt" for n in ("dev", "laptop", "runtime", "sam")),
)


def tracked_texts() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True, text=True
    ).stdout
    texts = {}
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file():
            texts[name] = path.read_text(encoding="utf-8", errors="replace")
    return texts


@pytest.mark.parametrize(
    "pattern",
    [PACKAGE_SERVERS, INDEX_OPTIONS, SOMEBODYS_FOLDERS],
    ids=["package servers", "index options", "folders of one machine"],
)
def test_no_file_says_where_packages_come_from_or_where_it_was_written(
    pattern: "re.Pattern[str]",
) -> None:
    found = [
        f"{name}: {match.group()}"
        for name, text in tracked_texts().items()
        for match in pattern.finditer(text)
    ]

    assert found == []


def test_every_json_example_of_a_page_is_json_that_can_be_pasted() -> None:
    pages = {name: text for name, text in tracked_texts().items() if name.endswith(".md")}
    examples = {name: JSON_EXAMPLE.findall(text) for name, text in pages.items()}

    for name, found in examples.items():
        for example in found:
            assert isinstance(json.loads(example), dict), name
    assert any("mcpServers" in example for example in examples["README.md"])


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_every_package_by_hash(lock: str) -> None:
    text = (ROOT / lock).read_text()
    packages = [line for line in text.splitlines() if re.match(r"[a-z0-9]", line)]

    assert packages
    assert all(re.match(r"[a-z0-9.\-\[\],]+==[^ ]+ .*\\$", line) for line in packages)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", text)) >= len(packages)
    assert "://" not in text


def test_the_layer_carries_nothing_that_the_tests_do_not_run_with() -> None:
    def pins(name: str) -> set[str]:
        text = Path(ROOT / name).read_text()
        return set(re.findall(r"^([a-z0-9.\-]+==[^ ;]+)", text, re.MULTILINE))

    assert pins("layers/memory/requirements.txt") <= pins("requirements/dev.txt")
