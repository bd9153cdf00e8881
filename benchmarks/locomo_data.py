"""LoCoMo's observations as facts, and its questions about them.

The data set (Maharana et al., 2024; CC BY-NC 4.0) is read from where you keep it and is no part of this project.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing that was observed of a speaker in a session of a conversation.

    Attributes:
        conversation: Such as ``conv-26``; a project.
        speaker: Whom it is about; an external subject.
        text: A sentence.
        evidence: Ids of the dialogue turns that it was taken from.
        observed_at: When the session was.
    """

    conversation: str
    speaker: str
    text: str
    evidence: tuple[str, ...]
    observed_at: datetime


def observations(path: Path) -> Iterator[Observation]:
    """Yield every observation of every conversation, in the order of the sessions."""
    for sample in json.loads(path.read_text("utf-8")):
        for key, by_speaker in sample["observation"].items():
            session = key.removesuffix("_observation")
            observed_at = _time(sample["conversation"][f"{session}_date_time"])
            for speaker, entries in by_speaker.items():
                for text, evidence in entries:
                    yield Observation(
                        conversation=sample["sample_id"],
                        speaker=speaker,
                        text=text,
                        evidence=tuple([evidence] if isinstance(evidence, str) else evidence),
                        observed_at=observed_at,
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question about a conversation.

    Attributes:
        conversation: Which one.
        text: The question.
        category: 1 several facts, 2 time, 3 with knowledge of the world, 4 one fact, 5 adversarial (about the wrong speaker).
        evidence: Ids of the dialogue turns that answer it; at least one.
    """

    conversation: str
    text: str
    category: int
    evidence: frozenset[str]


def questions(path: Path) -> Iterator[Question]:
    """Yield every question that names a turn as its evidence: 1,536 in categories 1 to 4, 446 in category 5."""
    for sample in json.loads(path.read_text("utf-8")):
        for entry in sample["qa"]:
            evidence = turns(entry.get("evidence", []))
            if evidence:
                yield Question(
                    conversation=sample["sample_id"],
                    text=entry["question"],
                    category=entry["category"],
                    evidence=evidence,
                )


def turns(evidence: Iterable[str]) -> frozenset[str]:
    """Return the turn ids in a list of evidence, some of whose entries hold several (``D8:6; D9:17``)."""
    return frozenset(turn for entry in evidence for turn in re.findall(r"D\d+:\d+", entry))


def _time(text: str) -> datetime:
    """Read ``1:56 pm on 8 May, 2023``; the data names no zone, so it is taken as UTC."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
