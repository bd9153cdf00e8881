from tests.conformance.contract import CONTRACT
from tests.conformance.coverage import ROWS
from tests.conformance.page import PAGE, all_pass, page

# Erasures have an issue of their own.
NOT_SERVED = "Erasure"


def test_the_page_shows_what_is_tried():
    assert PAGE.read_text(encoding="utf-8") == page(all_pass()), "run `make conformance`"


def test_every_operation_on_facts_is_tried():
    memory = {name for name in CONTRACT.operations if name.startswith("memory.")}

    served = {name for name in memory if NOT_SERVED not in name}

    assert served <= {row.operation for row in ROWS.values()}
