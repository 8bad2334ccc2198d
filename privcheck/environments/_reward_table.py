"""A fixed table of rewards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.declared import parameter
from privcheck.environments._base import Environment


@dataclass(frozen=True)
class Table:
    """The domain of reward tables: T rows of 2 to 127 rewards in [0, 1]."""

    text: str = "a table of rewards in [0, 1], one row per round, 2 to 127 columns"

    def normalise(self, value: Any) -> npt.NDArray[np.float64]:
        """Return a read-only copy."""
        table = np.array(value, np.float64, order="C")
        if table.ndim != 2 or not len(table) or not 2 <= table.shape[1] <= 127:
            raise ValueError
        if not ((table >= 0.0) & (table <= 1.0)).all():
            raise ValueError
        table.setflags(write=False)
        return table


@dataclass(frozen=True, eq=False)
class RewardTable(Environment):
    r"""A given reward table: in round t arm a pays X_{t,a}, in every run.

    Runs differ only in the coins and the noise of the algorithm. `means` are the means of the columns, so the
    pseudo-regret sum_{s<=t} (max_b mean_b - mean_{A_s}) is relative to the best column of the whole table.

    Parameters
    ----------
    rewards : X, shape (T, K), 2 <= K <= 127, in [0, 1]; a simulation may be shorter than T, but not longer.

    Raises
    ------
    PrivcheckError : an empty table, a single column, a reward outside [0, 1], or NaN.

    Examples
    --------
    >>> RewardTable([[1.0, 0.0], [0.0, 0.0]]).means
    (0.5, 0.0)
    """

    rewards: Any = parameter(Table(), typical=(0.0, 1.0), doc="X, rewards of all rounds and arms")  # noqa: RUF009
    means: tuple[float, ...] = field(init=False, repr=False)

    id: ClassVar[str] = "reward-table"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "means", tuple(self.rewards.mean(axis=0).tolist()))

    @property
    def longest(self) -> int:
        return len(self.rewards)

    def source(self) -> npt.NDArray[np.float64]:
        """Return the table itself."""
        return np.array(self.rewards)

    def table(self, rng: np.random.Generator, horizon: int) -> npt.NDArray[np.float64]:
        return np.array(self.rewards[:horizon])
