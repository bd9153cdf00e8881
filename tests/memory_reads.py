"""The function ``read_memory`` over fakes, and what it takes to fill its memory."""

from datetime import timedelta
from typing import TYPE_CHECKING

from palimpsest.api.atom_reads import AtomReadApi
from palimpsest.api.memory_answers import atom_bytes, line_bytes
from palimpsest.api.memory_health import MemoryHealthApi
from palimpsest.api.memory_reads import MemoryReadApi
from palimpsest.use_cases.atom_walks import AtomWalks
from palimpsest.use_cases.check_health import CheckHealth
from palimpsest.use_cases.describe_memory import DescribeMemory
from palimpsest.use_cases.find_by_external_ref import FindByExternalRef
from palimpsest.use_cases.get_atom import GetAtom
from palimpsest.use_cases.get_chain import GetChain
from palimpsest.use_cases.list_atoms import ListAtoms
from palimpsest.use_cases.read_batch import ReadBatch
from palimpsest.use_cases.read_graph import ReadGraph

if TYPE_CHECKING:
    from tests.service import FakeService


def atom_read_api(service: "FakeService") -> AtomReadApi:
    """Return the routes that look for nothing."""
    facts, clock, cursors = service.facts, service.clock, service.cursors
    walk = AtomWalks(facts=facts, clock=clock)
    return AtomReadApi(
        get_atom=GetAtom(facts=facts, clock=clock),
        get_chain=GetChain(facts=facts, clock=clock, measure=atom_bytes),
        find_by_external_ref=FindByExternalRef(atoms=service.atoms, facts=facts, clock=clock),
        list_recent=ListAtoms(walk=walk, cursors=cursors, measure=atom_bytes),
        list_export=ListAtoms(walk=walk, cursors=cursors, measure=line_bytes),
        describe_memory=DescribeMemory(atoms=service.atoms, associations=service.associations),
        read_graph=ReadGraph(associations=service.associations, clock=clock),
    )


def memory_read_api(service: "FakeService") -> MemoryReadApi:
    """Return the routes that look for something."""
    read_memory = service.memory.use_case()
    read_batch = ReadBatch(
        read=read_memory,
        parallel=service.memory.parallel,
        clock=service.clock,
        time_budget=timedelta(seconds=10),
    )
    return MemoryReadApi(read_memory=read_memory, read_batch=read_batch, logger=service.logger)


def memory_health_api(service: "FakeService") -> MemoryHealthApi:
    """Return the routes that take no token."""
    return MemoryHealthApi(check_health=CheckHealth(facts=service.facts), version="0.0.0")
