"""The write side of the memory door over the fakes of a service."""

from typing import TYPE_CHECKING

from palimpsest.api.atoms import WriteMemoryApi
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.atom_facts import AtomFacts
from palimpsest.use_cases.delete_atom import DeleteAtom
from palimpsest.use_cases.rate_atoms import RateAtoms
from palimpsest.use_cases.write_atom import WriteAtom
from palimpsest.use_cases.write_atoms import WriteAtoms

if TYPE_CHECKING:
    from tests.service import FakeService


def atom_write_api(service: "FakeService", acts: Acts) -> WriteMemoryApi:
    """Return the routes of ``write_memory``."""
    facts, lessons, pauses = service.facts, service.lessons, service.pauses
    atom_facts = AtomFacts(facts=facts, atoms=service.atoms, pseudonyms=service.pseudonyms)
    return WriteMemoryApi(
        acts=acts,
        write_atom=WriteAtom(
            atom_facts=atom_facts,
            novelty_of=lambda *_: service.novelty,
            lessons=lessons,
            pauses=pauses,
        ),
        write_atoms=WriteAtoms(
            atom_facts=atom_facts,
            novelties_of=lambda texts: [service.novelty] * len(texts),
            lessons=lessons,
            clock=service.clock,
            pauses=pauses,
        ),
        rate_atoms=RateAtoms(facts=facts, lessons=lessons, pauses=pauses),
        delete_atom=DeleteAtom(facts=facts, pauses=pauses),
    )
