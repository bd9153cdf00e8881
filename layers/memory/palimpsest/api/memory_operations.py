"""Operations of the memory door that change something (spec/read-memory.md §1). See ``palimpsest.api.operations``."""

from palimpsest.api import atom_bodies, atom_schemas
from palimpsest.api.described import IDEMPOTENCY_KEY, Operation

_FUNCTION = "write_memory"

WRITE = Operation(
    method="POST",
    path="/api/v1/memory/write",
    function=_FUNCTION,
    id="atoms.write",
    summary="Write an atom",
    about=(
        "Into the key's own place. Only the very same content in the same domain is not stored again; likeness is reported as a"
        " low `importance` and discards nothing. `supersedes` replaces earlier atoms, all or none."
    ),
    answer=atom_schemas.WrittenAtom,
    refusals=(400, 403, 404, 409, 413, 422),
    body=atom_bodies.WriteAtomBody,
    parameters=(IDEMPOTENCY_KEY,),
)


def _write_batch(path: str, operation_id: str, about: str) -> Operation:
    return Operation(
        method="POST",
        path=path,
        function=_FUNCTION,
        id=operation_id,
        summary="Write many atoms",
        about=about,
        answer=atom_schemas.WrittenAtoms,
        refusals=(400, 403, 409, 413),
        body=atom_bodies.WriteAtomsBody,
        parameters=(IDEMPOTENCY_KEY,),
    )


WRITE_BATCH = _write_batch(
    "/api/v1/memory/write_batch",
    "atoms.writeBatch",
    "Each for itself: what is wrong with one stands in its `error`, and the others are stored.",
)
WRITE_BATCH_HYPHENATED = _write_batch(
    "/api/v1/memory/write-batch",
    "atoms.writeBatchHyphenated",
    "The same as `write_batch`: clients know both names.",
)
FEEDBACK = Operation(
    method="POST",
    path="/api/v1/memory/feedback",
    function=_FUNCTION,
    id="atoms.feedback",
    summary="Say how well atoms served",
    about=(
        "Moves the valence of each towards `outcome` and strengthens what belongs together. What is no id of an atom that the"
        " caller may write is passed over. `domain` narrows nothing."
    ),
    answer=atom_schemas.RatedAtoms,
    refusals=(400, 403, 409, 413),
    body=atom_bodies.RateAtomsBody,
    parameters=(IDEMPOTENCY_KEY,),
)
DELETE = Operation(
    method="DELETE",
    path="/api/v1/memory/atoms/{atom_id}",
    function=_FUNCTION,
    id="atoms.delete",
    summary="Delete an atom",
    about="One that stands, or that another has replaced. Where there is none for the caller, nothing is deleted.",
    answer=atom_schemas.DeletedAtoms,
    refusals=(400, 403, 409),
    parameters=(IDEMPOTENCY_KEY,),
)


def _room(path: str, operation_id: str, summary: str) -> Operation:
    return Operation(
        method="POST",
        path=path,
        function=_FUNCTION,
        id=operation_id,
        summary=summary,
        about="Not offered: always `403 rooms-not-offered`.",
        answer=None,
        refusals=(400, 403),
        parameters=(IDEMPOTENCY_KEY,),
    )


ROOMS = (
    _room("/api/v1/memory/rooms", "atoms.createRoom", "Create a shared room"),
    _room("/api/v1/memory/rooms/join", "atoms.joinRoom", "Join a shared room"),
    _room(
        "/api/v1/memory/rooms/{room_id}/invites", "atoms.inviteToRoom", "Invite to a shared room"
    ),
)

OPERATIONS = (WRITE, WRITE_BATCH, WRITE_BATCH_HYPHENATED, FEEDBACK, DELETE, *ROOMS)
