"""Builds the function ``get_fact``."""

from collections.abc import Mapping

from palimpsest.api.application import Application
from palimpsest.api.fact_answers import sent_bytes
from palimpsest.api.facts import GetApi
from palimpsest.bootstrap.parts import CLOCK, build_application, build_facts
from palimpsest.bootstrap.settings import GetFactSettings, read_settings
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.list_revisions import ListRevisions


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(GetFactSettings, environ)
    facts = build_facts(settings)
    api = GetApi(
        get_fact=GetFact(facts=facts, clock=CLOCK),
        list_revisions=ListRevisions(facts=facts, clock=CLOCK, measure=sent_bytes),
    )
    return build_application(settings, api.endpoints())
