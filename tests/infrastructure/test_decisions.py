"""Decision records: findable by number, and each with the same five questions answered."""

import re

import pytest

from tests.infrastructure.source import ROOT

FOLDER = ROOT / "docs" / "decisions"
RECORDS = sorted(FOLDER.glob("*.md"))
HEADINGS = ["Status", "Context", "Decision", "Consequences", "Alternatives"]


def test_records_have_numbers_without_gaps_or_repeats():
    numbers = [int(path.name[:4]) for path in RECORDS]

    assert numbers == list(range(1, len(RECORDS) + 1))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_is_short_and_answers_five_questions(path):
    lines = path.read_text().splitlines()
    headings = [line.removeprefix("## ") for line in lines if line.startswith("## ")]

    assert re.fullmatch(r"\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md", path.name)
    assert lines[0].startswith(f"# {int(path.name[:4])}. ")
    assert headings == HEADINGS
    assert len(lines) <= 40
    assert all(answers(lines, heading) for heading in HEADINGS)


def answers(lines, heading):
    after = lines[lines.index(f"## {heading}") + 1 :]
    until = next((n for n, line in enumerate(after) if line.startswith("## ")), len(after))
    return any(line.strip() for line in after[:until])


def test_a_record_that_is_pointed_at_is_there():
    pointed = {
        name
        for path in [*ROOT.glob("*.md"), ROOT / "pyproject.toml", *(ROOT / "docs").rglob("*.md")]
        for name in re.findall(r"decisions/(\d{4}-[a-z0-9-]+\.md)", path.read_text())
    }

    assert pointed <= {path.name for path in RECORDS}
