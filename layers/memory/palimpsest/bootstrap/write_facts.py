"""Builds the function ``write_facts``."""

from collections.abc import Mapping

from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.api.application import Application
from palimpsest.api.facts import WriteApi
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_answer_once,
    build_application,
    build_facts,
    build_pseudonyms,
)
from palimpsest.bootstrap.search import embedding_model_of
from palimpsest.bootstrap.settings import WriteFactsSettings, read_settings
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.changes import FactChanges
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(WriteFactsSettings, environ)
    facts = build_facts(settings, settings, settings)
    pseudonyms, pauses = build_pseudonyms(settings.ledger_keys_uri), JitteredPauses()
    acts = Acts(
        clock=CLOCK,
        ids=SystemIds(),
        unverified_window=settings.unverified_window,
        embedding_model=embedding_model_of(settings.embeddings_uri),
    )
    changes = FactChanges(facts=facts, pseudonyms=pseudonyms, pauses=pauses)
    api = WriteApi(
        acts=acts,
        write_fact=WriteFact(facts=facts, pseudonyms=pseudonyms, pauses=pauses),
        supersede_fact=SupersedeFact(changes=changes),
        verify_fact=VerifyFact(changes=changes),
        delete_fact=DeleteFact(changes=changes),
    )
    answer_once = build_answer_once(settings, facts)
    return build_application(settings, api.endpoints(), answer_once=answer_once)
