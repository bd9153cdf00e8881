"""What a caller finds: sight, expiry, review and open erasures asked together, the same for every read."""

from datetime import datetime

from palimpsest.domain.atoms import ATOM_TYPE
from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasures, is_being_erased
from palimpsest.domain.expiry import is_over, may_be_read
from palimpsest.domain.facts import Fact, Review, Revision
from palimpsest.domain.filters import FactFilter, matches
from palimpsest.domain.sight import may_see


def can_find(caller: Caller, fact: Fact) -> bool:
    """Tell whether a fact exists for this caller at all, current, deleted or expired.

    A fact that waits for its review exists for tenant admins only, its earlier revisions included.
    """
    is_pending = fact.revision.review is Review.PENDING
    return may_see(caller, fact.revision.scope) and (not is_pending or caller.is_tenant_admin)


def may_be_shown(
    caller: Caller, fact: Fact, revision: Revision, *, now: datetime, open_erasures: OpenErasures
) -> bool:
    """Tell whether one revision of a fact may be in an answer to this caller now."""
    return (
        can_find(caller, fact)
        and may_be_read(caller, revision, now=now)
        and not is_being_erased(fact.id, fact.named, open_erasures)
    )


def is_shown_now(
    caller: Caller,
    fact: Fact,
    wanted: FactFilter,
    *,
    now: datetime,
    open_erasures: OpenErasures,
) -> bool:
    """Tell whether a fact's current revision is what a list or a search of the present shows this caller."""
    return (
        not fact.is_closed
        and matches(wanted, fact.revision, caller)
        and may_be_shown(caller, fact, fact.revision, now=now, open_erasures=open_erasures)
    )


def is_retrieved_now(
    caller: Caller,
    fact: Fact,
    wanted: FactFilter,
    *,
    now: datetime,
    open_erasures: OpenErasures,
) -> bool:
    """Tell the same for a retrieval, which never gives a fact that waits for its review, to an admin neither."""
    return fact.revision.review is not Review.PENDING and is_shown_now(
        caller, fact, wanted, now=now, open_erasures=open_erasures
    )


def holds_at(revision: Revision, instant: datetime) -> bool:
    """Tell whether a revision holds in the world then, by its own words: from its start, up to but not at its end."""
    return (revision.valid_from is None or revision.valid_from <= instant) and (
        revision.valid_until is None or instant < revision.valid_until
    )


def has_readable_past(fact: Fact, *, now: datetime) -> bool:
    """Tell whether a search of the past may look at the fact: it stands, or another fact replaced it, and it is not over.

    Of one that was deleted or is over or waits for review nothing is found any more, whichever revision.
    """
    return (
        (not fact.is_closed or fact.is_replaced)
        and not is_over(fact.revision, now=now)
        and fact.revision.review is not Review.PENDING
    )


def is_retrieved_from_past(
    caller: Caller, fact: Fact, revision: Revision, *, now: datetime, open_erasures: OpenErasures
) -> bool:
    """Tell whether a search of the past gives one revision, current or earlier, of a fact to this caller.

    What the search wants is asked of the revision beside this (``palimpsest.domain.filters.matches``).
    """
    return (
        has_readable_past(fact, now=now)
        and revision.review is not Review.PENDING
        and may_be_shown(caller, fact, revision, now=now, open_erasures=open_erasures)
    )


def is_atom_shown(
    caller: Caller, fact: Fact, *, now: datetime, open_erasures: OpenErasures
) -> bool:
    """Tell whether a fact is an atom that the memory door shows this caller: one that stands, or that another one replaced.

    Never one that was deleted, nor one that waits for its review: what this door shows, an agent acts upon.
    """
    return fact.revision.type == ATOM_TYPE and is_retrieved_from_past(
        caller, fact, fact.revision, now=now, open_erasures=open_erasures
    )


def is_current(fact: Fact, *, now: datetime) -> bool:
    """Tell whether the fact's newest revision is current: neither deleted nor over."""
    return not fact.is_closed and (
        fact.revision.expires_at is None or fact.revision.expires_at > now
    )
