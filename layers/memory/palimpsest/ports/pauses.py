"""Waiting between attempts."""

from typing import Protocol


class Pauses(Protocol):
    """Waits before a write is tried again, so that racing writers do not stay in step."""

    def pause(self, attempt: int) -> None:
        """Wait a random while that grows with the attempts.

        Args:
            attempt: How many have failed, from 1.
        """
        ...
