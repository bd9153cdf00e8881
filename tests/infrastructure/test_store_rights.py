"""What a function's use cases ask of the store, its policy allows, also on ways that no example goes."""

import re

import pytest

from tests.infrastructure.source import Source, floor
from tests.infrastructure.test_house import imported
from tests.infrastructure.test_policies import FUNCTIONS, as_list, statements

BUILDERS = {source.path.stem: source for source in floor("bootstrap")}
USE_CASES = {source.module: source for source in floor("use_cases")}
# Built by a part that several functions share.
ANSWER_ONCE = "palimpsest.use_cases.answer_once"
# What a method of the repository asks for: in a transaction, what its parts need.
BRING_ALONG = {
    (f"{verb}Item", "ConceptsTable.Arn") for verb in ("BatchGet", "Put", "Update", "Delete")
}
RIGHTS = {
    "add": {("PutItem", "FactsTable.Arn"), *BRING_ALONG},
    "add_all": {
        ("PutItem", "FactsTable.Arn"),
        ("UpdateItem", "FactsTable.Arn"),
        *BRING_ALONG,
    },
    "close": {("UpdateItem", "FactsTable.Arn"), *BRING_ALONG},
    "count_out": BRING_ALONG,
    "find_revision_at": {("Query", "${FactsTable.Arn}/index/byTime")},
    "find_revisions_at": {("Query", "${FactsTable.Arn}/index/byTime")},
    "get_open_erasures": {("GetItem", "StateTable.Arn")},
    "load": {("BatchGetItem", "FactsTable.Arn"), ("BatchGetItem", "StateTable.Arn")},
    "load_many": {("BatchGetItem", "FactsTable.Arn"), ("BatchGetItem", "StateTable.Arn")},
    "load_revisions": {("BatchGetItem", "FactsTable.Arn")},
    "move_valences": {("UpdateItem", "FactsTable.Arn"), *BRING_ALONG},
    "replace": {("PutItem", "FactsTable.Arn"), *BRING_ALONG},
    "walk": {("BatchGetItem", "FactsTable.Arn"), ("GetItem", "StateTable.Arn")},
    "walk_revisions": {("Query", "FactsTable.Arn")},
}

# Likewise of the directory of entities.
ENTITY_RIGHTS = {
    "count": {("Query", "ConceptsTable.Arn")},
    "find": {("Query", "ConceptsTable.Arn")},
    "list_page": {
        ("Query", "ConceptsTable.Arn"),
        ("Query", "${ConceptsTable.Arn}/index/byUpdate"),
        ("BatchGetItem", "ConceptsTable.Arn"),
    },
    "list_ties": {("Query", "ConceptsTable.Arn")},
    "untie": {(f"{verb}Item", "ConceptsTable.Arn") for verb in ("BatchGet", "Delete", "Update")},
    "touch": {("GetItem", "ConceptsTable.Arn"), ("UpdateItem", "ConceptsTable.Arn")},
}


def use_cases_of(source: Source, known: frozenset[str] = frozenset()) -> set[str]:
    """The modules of use cases that a module imports, and those that these import."""
    named = {name.rpartition(".")[0] for name in imported(source)} & set(USE_CASES) - known
    found = set(named)
    for name in named:
        found |= use_cases_of(USE_CASES[name], known | found)
    return found


def asked(function: str) -> set[tuple[str, str]]:
    """The rights that the methods need that a function's use cases call."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", function.removesuffix("Function")).lower()
    modules = use_cases_of(BUILDERS[name])
    if "build_answer_once" in BUILDERS[name].text:
        modules |= {ANSWER_ONCE, *use_cases_of(USE_CASES[ANSWER_ONCE])}
    called = {m for n in modules for m in re.findall(r"self\.facts\.(\w+)\(", USE_CASES[n].text)}
    looked = {m for n in modules for m in re.findall(r"\bentities\.(\w+)\(", USE_CASES[n].text)}
    needed = [RIGHTS[method] for method in called] + [ENTITY_RIGHTS[method] for method in looked]
    return {right for rights in needed for right in rights}


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_a_function_may_do_what_its_use_cases_ask_of_the_store(function: str) -> None:
    allowed = {
        (action.removeprefix("dynamodb:"), str(resource.argument))
        for statement in statements(function)
        for action in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
    }

    assert asked(function) - allowed == set()
