"""Builds the function ``write_memory``."""

from collections.abc import Mapping

from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.api.application import Application
from palimpsest.api.atoms import WriteMemoryApi
from palimpsest.bootstrap.associations import build_lessons
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_answer_once,
    build_application,
    build_atoms,
    build_facts,
    build_logger,
    build_pseudonyms,
)
from palimpsest.bootstrap.search import build_novelty, embedding_model_of
from palimpsest.bootstrap.settings import WriteMemorySettings, read_settings
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.atom_facts import AtomFacts
from palimpsest.use_cases.delete_atom import DeleteAtom
from palimpsest.use_cases.rate_atoms import RateAtoms
from palimpsest.use_cases.write_atom import WriteAtom
from palimpsest.use_cases.write_atoms import WriteAtoms


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(WriteMemorySettings, environ)
    facts = build_facts(settings, settings, settings)
    pseudonyms, pauses = build_pseudonyms(settings.ledger_keys_uri), JitteredPauses()
    lessons = build_lessons(settings, build_logger())
    atom_facts = AtomFacts(facts=facts, atoms=build_atoms(settings), pseudonyms=pseudonyms)
    novelty = build_novelty(settings, facts)
    api = WriteMemoryApi(
        acts=Acts(
            clock=CLOCK,
            ids=SystemIds(),
            unverified_window=settings.unverified_window,
            embedding_model=embedding_model_of(settings.embeddings_uri),
        ),
        write_atom=WriteAtom(
            atom_facts=atom_facts, novelty_of=novelty.of, lessons=lessons, pauses=pauses
        ),
        write_atoms=WriteAtoms(
            atom_facts=atom_facts,
            novelties_of=novelty.within,
            lessons=lessons,
            clock=CLOCK,
            pauses=pauses,
        ),
        rate_atoms=RateAtoms(facts=facts, lessons=lessons, pauses=pauses),
        delete_atom=DeleteAtom(facts=facts, pauses=pauses),
    )
    return build_application(
        settings, api.endpoints(), answer_once=build_answer_once(settings, facts)
    )
