"""Strategies of a read: what each sets, in one table, and rules that choose one from the words of a query.

What a request names itself wins over its strategy, and a strategy over the defaults. What each brings is measured
(docs/retrieval.md).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from palimpsest.domain.query_times import times_in
from palimpsest.domain.recall import OrderBy

Value = TypeVar("Value")

# spec/read-memory.md §3.
DEFAULT_MIN_RELEVANCE = 0.3

# Candidates that each search proposes, and the most that it may: what is far down in one may rise with the other, or by its
# outcomes. The most is what an answer may hold.
DEFAULT_DEPTH = 50
MAX_DEPTH = 500


class Strategy(StrEnum):
    """What a request may ask for."""

    AUTO = "auto"
    PRECISE = "precise"
    MULTI_HOP = "multi_hop"
    TEMPORAL = "temporal"
    EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a read is done.

    Attributes:
        min_relevance: The floor; in [0, 1].
        include_associations: Whether associated atoms have slots beside what the search found.
        association_depth: How many steps lead from a concept of the query to a learned neighbour; 1 or 2.
        two_pass: Whether a first pass's concepts widen a second; None for the deployment's default.
        uses_times: Whether times in the query speak for what was written then.
        depth: Candidates that each search proposes at least.
        order_by: How the answer is ordered.
    """

    min_relevance: float = DEFAULT_MIN_RELEVANCE
    include_associations: bool = True
    association_depth: int = 1
    two_pass: bool | None = None
    uses_times: bool = False
    depth: int = DEFAULT_DEPTH
    order_by: OrderBy = OrderBy.RELEVANCE


CATALOGUE: Mapping[Strategy, Plan] = {
    # Doubles the share of what answers in an answer, for one in fourteen of the answers.
    Strategy.PRECISE: Plan(min_relevance=0.4, include_associations=False),
    # Each of several facts is less like the question than one that answers it alone.
    Strategy.MULTI_HOP: Plan(min_relevance=0.2, two_pass=True, association_depth=2),
    Strategy.TEMPORAL: Plan(uses_times=True, order_by=OrderBy.RECENCY),
    Strategy.EXHAUSTIVE: Plan(min_relevance=0.0, depth=MAX_DEPTH),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a request names itself; None for what it leaves open. See ``Plan``."""

    min_relevance: float | None = None
    include_associations: bool | None = None
    two_pass: bool | None = None
    order_by: OrderBy | None = None


def plan_as_said(plan: Plan, said: Said, *, is_two_pass: bool) -> Plan:
    """Return a strategy's plan with what the request names in place of what the strategy sets.

    Args:
        plan: The strategy's.
        said: What the request names.
        is_two_pass: Of the deployment: where neither says.
    """
    return replace(
        plan,
        min_relevance=_first(said.min_relevance, plan.min_relevance),
        include_associations=_first(said.include_associations, plan.include_associations),
        two_pass=_first(said.two_pass, _first(plan.two_pass, is_two_pass)),
        order_by=_first(said.order_by, plan.order_by),
    )


def _first(said: Value | None, otherwise: Value) -> Value:
    return otherwise if said is None else said


def plan_of(strategy: Strategy | None) -> Plan:
    """Return how a read by a strategy is done; None, and an ``auto`` that chose none, is the plain one."""
    return Plan() if strategy is None else CATALOGUE.get(strategy, Plan())


def choose_strategy(query: str, now: datetime) -> Strategy | None:
    """Choose a strategy by the words of a query.

    The first rule that matches decides; None where none does, so that most queries are read plainly.

    Args:
        query: In the caller's words.
        now: See ``times_in``.
    """
    for strategy, signs in _SIGNS:
        if signs.search(query):
            return strategy
        if strategy is Strategy.TEMPORAL and times_in(query, now) is not None:
            return strategy
    return None


def _words(text: str) -> str:
    return rf"\b(?:{'|'.join(text.split())})\b"


# "When" asks for a time and names none: order by recency would bury the answer, so it is no sign.
_SIGNS = (
    (
        # Something to be looked up as it is written: in quotes, an address, an id with digits.
        Strategy.PRECISE,
        re.compile(
            rf"""{_words("exact exactly verbatim literally")}|["“«][^"”»]+["”»]|https?://|\S@\S"""
            r"""|(?<!\w)#\d|\b[0-9a-f]{8}-[0-9a-f]{4}|\b[A-Z]{2,}-\d""",
        ),
    ),
    (
        Strategy.EXHAUSTIVE,
        re.compile(
            rf"{_words('all every everything each entire complete list')}|\bhow many\b|所有|全部|列出|すべて|모든",
            re.IGNORECASE,
        ),
    ),
    (
        Strategy.TEMPORAL,
        re.compile(
            rf"{_words('latest recent recently newest lately currently nowadays')}|最近|目前|最新|最近の|최근",
            re.IGNORECASE,
        ),
    ),
    (
        # Several facts make the answer: what two have in common, or a list of what somebody does.
        Strategy.MULTI_HOP,
        re.compile(
            rf"{_words('both common compare compared differ difference relationship connection together')}"
            r"|\b(?:kinds|types|sorts|ways) of\b"
            r"|\b(?:what|which)\s+(?:\w+\s+)?(?!(?:is|was|does|has|this|his|its)\b)\w+[^\Ws]s\b"
            r"|共同|关系|区别",
            re.IGNORECASE,
        ),
    ),
)
