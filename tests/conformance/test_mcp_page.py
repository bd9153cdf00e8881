"""docs/mcp.md is what a conversation is today. ``make mcp`` writes it."""

from tests.conformance.mcp_page import PAGE, page
from tests.conformance.mcp_transcript import transcript


def test_the_page_is_current(tenant):
    assert PAGE.read_text(encoding="utf-8") == page(transcript(tenant))
