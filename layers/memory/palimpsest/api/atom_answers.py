"""What came of writing and rating atoms, as JSON text (spec/read-memory.md §1)."""

from collections.abc import Sequence

from palimpsest.api.problems import refusal_of
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.json_text import write_json
from palimpsest.use_cases.atom_facts import WrittenAtom
from palimpsest.use_cases.rate_atoms import Rated


def written_json(written: WrittenAtom) -> str:
    """Return what became of one atom."""
    return write_json({**_written(written), "superseded": list(written.superseded)})


def batch_json(outcomes: Sequence[WrittenAtom | PalimpsestError]) -> str:
    """Return what became of each atom of a batch, in its order."""
    results = [{"index": place, **_item(outcome)} for place, outcome in enumerate(outcomes)]
    return write_json(
        {
            "total_count": len(results),
            "stored_count": sum(result["stored"] is True for result in results),
            "results": results,
        }
    )


def rated_json(rated: Rated, milliseconds: float) -> str:
    """Return what came of a rating that took so long."""
    return write_json(
        {
            "updated_count": len(rated.valences),
            "avg_valence": rated.mean_valence,
            "coactivation_edges": rated.pairs,
            "feedback_time_ms": round(milliseconds, 1),
        }
    )


def _item(outcome: WrittenAtom | PalimpsestError) -> dict[str, object]:
    if isinstance(outcome, WrittenAtom):
        return {**_written(outcome), "error": None}
    refusal = refusal_of(outcome)
    error = f"{refusal.status} {refusal.code}: {refusal.message}"
    return {"stored": False, "atom_id": None, "importance": 0.0, "reason": "", "error": error}


def _written(written: WrittenAtom) -> dict[str, object]:
    return {
        "stored": written.is_stored,
        "atom_id": written.revision.fact_id,
        "importance": written.importance,
        "reason": written.reason,
    }
