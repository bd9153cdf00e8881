"""Builds the function ``list_facts``."""

from collections.abc import Mapping

from palimpsest.adapters.sealing.cursors import SealedCursors
from palimpsest.api.application import Application
from palimpsest.api.fact_answers import sent_bytes
from palimpsest.api.facts import ListApi
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_application,
    build_facts,
    build_key_lists,
)
from palimpsest.bootstrap.settings import ListFactsSettings, read_settings
from palimpsest.use_cases.list_facts import ListFacts


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(ListFactsSettings, environ)
    list_facts = ListFacts(
        facts=build_facts(settings, settings),
        cursors=SealedCursors(key_lists=build_key_lists(settings.cursor_keys_uri), clock=CLOCK),
        clock=CLOCK,
        measure=sent_bytes,
    )
    return build_application(settings, ListApi(list_facts=list_facts).endpoints())
