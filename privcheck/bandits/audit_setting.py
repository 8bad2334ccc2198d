"""The setting in which the privacy of a shipped algorithm shows: what an audit plays unless it is told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privcheck.arrays import Table


@dataclass(frozen=True)
class AuditSetting:
    """The setting of an audit of one algorithm.

    Elsewhere an audit may see nothing of it: because nothing is released within the horizon, because two arms are
    played alike whatever is released, or because only streams that put a statistic near a threshold reveal anything.

    Parameters
    ----------
    runs : per stream, of all folds together.
    arms, horizon, observe, rewards : as in `privcheck.audit`; None for its default.
    streams : returns the two streams, where a search would not find them; None for a search.
    epsilon : the budget at which the setting was found; None for an algorithm whose budget is in rho.

    Examples
    --------
    >>> AuditSetting(runs=200_000, arms=3, horizon=8).options
    {'arms': 3, 'horizon': 8}
    """

    runs: int
    arms: int = 2
    horizon: int | None = None
    observe: str | None = None
    rewards: tuple[float, float] | None = None
    streams: Callable[[], tuple[Table, Table]] | None = None
    epsilon: float | None = 1.0

    @property
    def options(self) -> dict[str, Any]:
        """The options of `privcheck.audit` without `runs`."""
        streams = None if self.streams is None else self.streams()
        found = {
            "arms": self.arms, "horizon": self.horizon, "observe": self.observe, "rewards": self.rewards,
            "streams": streams,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value is not None}

    @property
    def words(self) -> str:
        """The setting in words.

        >>> AuditSetting(runs=5_000, arms=4, horizon=4, observe="releases").words
        "arms=4, horizon=4, observe='releases'"
        """
        shown = [f"{name}={value!r}" for name, value in self.options.items() if name != "streams"]
        return ", ".join([*shown, *([] if self.streams is None else ["one pair of streams"])])
