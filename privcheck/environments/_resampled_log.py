"""Resampled logged rewards: a bandit built from the user's own data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from privcheck.environments._finite import FiniteSupport
from privcheck.environments._logged import LoggedFeedback
from privcheck.errors import PrivcheckError, words

MOST_WEIGHTS = 5_000_000
"""The most probabilities, arms times different rewards: 40 MB in an array, and more in the environment's tuples."""


@dataclass(frozen=True)
class Replay(FiniteSupport):
    r"""Rewards resampled from a log: arm a pays one of its own logged rewards, drawn with replacement.

    The regret is that of a bandit whose arms have the laws in the log: w_a(x) is the share of x among the rewards of
    arm a, each weighted by 1 / propensity. It estimates the regret in the logged bandit if rewards do not drift and
    arms were chosen independently of anything that rewards depend on, or with the probabilities in the log; the more
    rows an arm has, the better. Any horizon can be played, at the speed of the other environments. The alternative
    estimator is `replay` in `privcheck.simulation._log_replay`, which uses every row at most once.

    A log produced by a bandit algorithm without propensities is biased: arms are abandoned after bad luck.

    Parameters
    ----------
    support, weights : the rewards in the log and their shares, one row per arm; see `from_log`.
    names : the names of the arms, shape (K,).

    Examples
    --------
    >>> log = LoggedFeedback(("a", "b"), np.array([0, 0, 1]), np.array([1.0, 0.0, 0.5]), np.ones(3))
    >>> Replay.from_log(log).means
    (0.5, 0.5)
    """

    names: tuple[str, ...] = field(default=(), kw_only=True)

    id: ClassVar[str] = "replay"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "names", tuple(map(str, self.names)))

    @classmethod
    def from_log(cls, log: LoggedFeedback) -> Replay:
        """Return the environment of a log."""
        support, atom = np.unique(log.rewards, return_inverse=True)
        if len(support) * len(log.arms) > MOST_WEIGHTS:
            got = words(f"{len(support)} different rewards of {len(log.arms)} arms")
            hint = "round the rewards of the log"
            raise PrivcheckError("log", got, f"at most {MOST_WEIGHTS:,} probabilities in all", hint)
        weights = np.zeros((len(log.arms), len(support)))
        np.add.at(weights, (log.actions, atom), 1.0 / log.propensities)
        shares = weights / weights.sum(axis=1, keepdims=True)
        return cls(tuple(support.tolist()), tuple(map(tuple, shares.tolist())), names=log.arms)

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        action: str,
        reward: str,
        propensity: str | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        arms: Sequence[str] | None = None,
    ) -> Replay:
        """Return the environment of a CSV file with a header; see `LoggedFeedback.from_csv` for the columns."""
        log = LoggedFeedback.from_csv(
            path, action=action, reward=reward, propensity=propensity, reward_range=reward_range, arms=arms
        )
        return cls.from_log(log)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        action: str,
        reward: str,
        propensity: str | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        arms: Sequence[str] | None = None,
    ) -> Replay:
        """Return the environment of a data frame of pandas or polars; see `LoggedFeedback.from_frame`."""
        log = LoggedFeedback.from_frame(
            frame, action=action, reward=reward, propensity=propensity, reward_range=reward_range, arms=arms
        )
        return cls.from_log(log)
