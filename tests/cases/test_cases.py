import re
from pathlib import Path

FOLDER = Path(__file__).parent
ROW = re.compile(r"^\| T(\d\d) \| .+? \| (.*?)\| (.*)\|$", re.MULTILINE)
MODULE = re.compile(r"`(test_\w+\.py)`")
NAME = re.compile(r"^def test_t(\d\d)_", re.MULTILINE)


def test_every_case_has_a_test_where_the_list_says_or_a_reason_why_not():
    rows = ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))

    listed = {(case, module) for case, here, _ in rows for module in MODULE.findall(here)}
    written = {
        (case, path.name)
        for path in FOLDER.glob("test_*.py")
        for case in NAME.findall(path.read_text(encoding="utf-8"))
    }
    assert len(rows) == 41
    assert listed == written
    assert [case for case, here, reason in rows if not here.strip() and not reason.strip()] == []
