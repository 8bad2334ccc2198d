"""What stands in for the parts of an implementation that are not under audit: its simulated environment."""

from __future__ import annotations

from typing import Any


class Stepper:
    """A bandit whose one method takes the last reward and arm and returns the next arm."""

    def __init__(self, step: Any) -> None:
        self._step = step
        self._last: tuple[float | None, int | None] = (None, None)

    def select(self) -> int:
        """Return the next arm."""
        return int(self._step(*self._last))

    def update(self, action: int, reward: float) -> None:
        """Remember what the next step receives."""
        self._last = (reward, action)
