import logging

import pytest
from palimpsest.bootstrap.handlers import built_on_first_event


@pytest.fixture
def root():
    root = logging.getLogger()
    before = root.level
    yield root
    root.setLevel(before)


@pytest.mark.parametrize("library", ["botocore.parsers", "opensearch", "urllib3.connectionpool"])
def test_no_level_lets_a_library_write_what_it_sends(root, library):
    # As Lambda's runtime does at LogLevel DEBUG.
    root.setLevel(logging.DEBUG)
    spoken = []
    ask = logging.getLogger(library).isEnabledFor

    built_on_first_event(lambda _: lambda *_: spoken.append(ask(logging.INFO)))({}, None)

    assert spoken == [False]


def test_a_root_that_says_less_is_left_alone(root):
    root.setLevel(logging.ERROR)

    built_on_first_event(lambda _: lambda *_: None)({}, None)

    assert root.level == logging.ERROR
