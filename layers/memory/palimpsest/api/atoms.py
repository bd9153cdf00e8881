"""The write side of the memory door: what each route reads from its request, asks of a use case, and answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.api import memory_operations
from palimpsest.api.atom_answers import batch_json, rated_json, written_json
from palimpsest.api.atom_bodies import (
    MAX_BATCH_BYTES,
    RateAtomsBody,
    WriteAtomBody,
    WriteAtomsBody,
)
from palimpsest.api.bodies import read_body
from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.domain.atoms import Atom
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError, PalimpsestError, RoomsNotOfferedError
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import write_json
from palimpsest.domain.provenance import stamped
from palimpsest.domain.revisions import Act
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.atom_facts import WrittenAtom
from palimpsest.use_cases.rate_atoms import Rated, Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteMemoryApi:
    """Routes of the function ``write_memory``."""

    acts: Acts
    write_atom: Callable[[Act, Atom, tuple[str, ...]], WrittenAtom]
    write_atoms: Callable[[Act, Mapping[int, Atom]], Mapping[int, WrittenAtom | PalimpsestError]]
    rate_atoms: Callable[[Act, Rating], Rated]
    delete_atom: Callable[[Act, str], Revision | None]

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {
            memory_operations.WRITE.route_key: self.write,
            memory_operations.WRITE_BATCH.route_key: self.write_batch,
            memory_operations.WRITE_BATCH_HYPHENATED.route_key: self.write_batch,
            memory_operations.FEEDBACK.route_key: self.rate,
            memory_operations.DELETE.route_key: self.delete,
            **{each.route_key: self.refuse_room for each in memory_operations.ROOMS},
        }

    def write(self, request: Request, caller: Caller) -> Answer:
        """Write an atom."""
        request.parameters(frozenset())
        body = read_body(WriteAtomBody, request.json_body())
        atom = _stamped(body.to_domain(), request, caller)
        written = self.write_atom(self._begin(request, caller), atom, tuple(body.supersedes))
        return Answer(status=200, body=written_json(written), revisions=(written.revision,))

    def write_batch(self, request: Request, caller: Caller) -> Answer:
        """Write many atoms, each for itself."""
        request.parameters(frozenset())
        body = read_body(WriteAtomsBody, request.json_body(max_bytes=MAX_BATCH_BYTES))
        read = dict(enumerate(body.read_items()))
        bad = {place: item for place, item in read.items() if isinstance(item, BadInputError)}
        atoms = {
            place: _stamped(item.to_domain(), request, caller)
            for place, item in read.items()
            if not isinstance(item, BadInputError)
        }
        outcomes = {**bad, **self.write_atoms(self._begin(request, caller), atoms)}
        told = [outcomes[place] for place in read]
        return Answer(
            status=200,
            body=batch_json(told),
            revisions=tuple(each.revision for each in told if isinstance(each, WrittenAtom)),
        )

    def rate(self, request: Request, caller: Caller) -> Answer:
        """Say how well atoms served."""
        started = time.perf_counter()
        request.parameters(frozenset())
        body = read_body(RateAtomsBody, request.json_body())
        rated = self.rate_atoms(self._begin(request, caller), body.to_domain())
        milliseconds = (time.perf_counter() - started) * 1000
        return Answer(status=200, body=rated_json(rated, milliseconds))

    def delete(self, request: Request, caller: Caller) -> Answer:
        """Delete an atom. Again, and for one that the caller does not find, there is nothing to do."""
        request.parameters(frozenset())
        deleted = self.delete_atom(self._begin(request, caller), request.path_parameters["atom_id"])
        return Answer(
            status=200,
            body=write_json({"deleted": 0 if deleted is None else 1}),
            revisions=() if deleted is None else (deleted,),
        )

    def refuse_room(self, _request: Request, _caller: Caller) -> Answer:
        """Refuse whatever is asked of shared rooms.

        Raises:
            RoomsNotOfferedError: Always.
        """
        raise RoomsNotOfferedError

    def _begin(self, request: Request, caller: Caller) -> Act:
        return self.acts.begin(caller, minted=request.minted)


def _stamped(atom: Atom, request: Request, caller: Caller) -> Atom:
    return stamped(atom, caller, request.headers.get("user-agent", ""))
