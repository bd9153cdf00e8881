"""Builds the function ``retrieve_facts``."""

from collections.abc import Mapping

from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.api.application import Application
from palimpsest.api.retrieve import RetrieveApi, found_bytes
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_answer_once,
    build_application,
    build_facts,
)
from palimpsest.bootstrap.search import build_embeddings, build_index
from palimpsest.bootstrap.settings import RetrieveFactsSettings, read_settings
from palimpsest.use_cases.retrieve_facts import RetrieveFacts


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(RetrieveFactsSettings, environ)
    facts = build_facts(settings, settings)
    embeddings = build_embeddings(settings.embeddings_uri)
    retrieve_facts = RetrieveFacts(
        facts=facts,
        index=build_index(settings.index_uri, embeddings),
        embeddings=embeddings,
        parallel=ThreadParallel(),
        clock=CLOCK,
        measure=found_bytes,
        time_budget=settings.search_time,
    )
    endpoints = RetrieveApi(retrieve_facts=retrieve_facts).endpoints()
    return build_application(settings, endpoints, answer_once=build_answer_once(settings, facts))
