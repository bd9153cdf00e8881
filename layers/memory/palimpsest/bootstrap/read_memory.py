"""Builds the function ``read_memory``."""

from collections.abc import Mapping

from palimpsest.adapters.sealing.cursors import SealedCursors
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.api.application import Application
from palimpsest.api.atom_reads import AtomReadApi
from palimpsest.api.memory_answers import atom_bytes, line_bytes
from palimpsest.api.memory_health import MemoryHealthApi
from palimpsest.api.memory_reads import MemoryReadApi
from palimpsest.bootstrap.associations import build_associations, build_lessons
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_application,
    build_atoms,
    build_facts,
    build_key_lists,
    build_logger,
    build_vectors,
)
from palimpsest.bootstrap.search import build_embeddings, build_index, build_strategies
from palimpsest.bootstrap.settings import ReadMemorySettings, read_settings
from palimpsest.bootstrap.version import VERSION
from palimpsest.ports.facts import FactRepository
from palimpsest.use_cases.atom_walks import AtomWalks
from palimpsest.use_cases.check_health import CheckHealth
from palimpsest.use_cases.describe_memory import DescribeMemory
from palimpsest.use_cases.find_by_external_ref import FindByExternalRef
from palimpsest.use_cases.get_atom import GetAtom
from palimpsest.use_cases.get_chain import GetChain
from palimpsest.use_cases.list_atoms import ListAtoms
from palimpsest.use_cases.read_batch import ReadBatch
from palimpsest.use_cases.read_graph import ReadGraph
from palimpsest.use_cases.read_memory import ReadMemory


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(ReadMemorySettings, environ)
    facts = build_facts(settings, settings)
    health = MemoryHealthApi(check_health=CheckHealth(facts=facts), version=VERSION)
    endpoints = {
        **_build_reads(settings, facts).endpoints(),
        **_build_atom_reads(settings, facts).endpoints(),
    }
    return build_application(settings, endpoints, health.public_endpoints())


def _build_reads(settings: ReadMemorySettings, facts: FactRepository) -> MemoryReadApi:
    logger = build_logger()
    embeddings = build_embeddings(settings.embeddings_uri)
    read_memory = ReadMemory(
        facts=facts,
        atoms=build_atoms(settings),
        index=build_index(settings.index_uri, embeddings),
        embeddings=embeddings,
        vectors=build_vectors(settings),
        associations=build_associations(settings),
        lessons=build_lessons(settings, logger),
        strategies=build_strategies(settings.strategies_uri),
        parallel=ThreadParallel(),
        clock=CLOCK,
        ids=SystemIds(),
        time_budget=settings.search_time,
        is_two_pass=settings.two_pass,
    )
    read_batch = ReadBatch(
        read=read_memory,
        parallel=ThreadParallel(),
        clock=CLOCK,
        time_budget=settings.search_time,
    )
    return MemoryReadApi(read_memory=read_memory, read_batch=read_batch, logger=logger)


def _build_atom_reads(settings: ReadMemorySettings, facts: FactRepository) -> AtomReadApi:
    atoms, associations = build_atoms(settings), build_associations(settings)
    walk = AtomWalks(facts=facts, clock=CLOCK)
    cursors = SealedCursors(key_lists=build_key_lists(settings.cursor_keys_uri), clock=CLOCK)
    return AtomReadApi(
        get_atom=GetAtom(facts=facts, clock=CLOCK),
        get_chain=GetChain(facts=facts, clock=CLOCK, measure=atom_bytes),
        find_by_external_ref=FindByExternalRef(atoms=atoms, facts=facts, clock=CLOCK),
        list_recent=ListAtoms(walk=walk, cursors=cursors, measure=atom_bytes),
        list_export=ListAtoms(walk=walk, cursors=cursors, measure=line_bytes),
        describe_memory=DescribeMemory(atoms=atoms, associations=associations),
        read_graph=ReadGraph(associations=associations, clock=CLOCK),
    )
