"""What an entry of the zoo declares."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Twins:
    """A target that leaks beside one that does not; both claim epsilon = 1.

    Parameters
    ----------
    name : what is wrong with the broken one.
    leak : why it leaks.
    broken, correct : mechanisms `f(data, rng, runs)`, or policies.
    runs : learning, choosing and counting runs on each stream: the budget within which the leak has to be found.
    options : of `privcheck.audit`, for both.
    for_broken, for_correct : further options, for one of them.
    loss : an upper bound of the broken one's true loss on a pair of inputs, of which `law` is the exact one where there
        is a closed form; infinite without.
    needs : what a search needs to find it, if it is hidden: "linear" (a function of several parts of the output),
        "interior" rewards, "alternating" streams or others whose rounds differ, the right "contexts" or "rounds".

    """

    name: str
    leak: str
    broken: Any
    correct: Any
    runs: int = 20_000
    options: dict[str, Any] = field(default_factory=dict)
    for_broken: dict[str, Any] = field(default_factory=dict)
    for_correct: dict[str, Any] = field(default_factory=dict)
    law: Callable[[Table, Table], float] = lambda first, second: math.inf
    needs: str = ""

    def __str__(self) -> str:
        return self.name


def policy(play: Callable[[Table, np.random.Generator, int], npt.NDArray[np.integer]]) -> type:
    """Return a policy that plays all runs at once: `play(table, rng, runs)` returns its actions, shape (runs, T)."""

    class Policy:
        stopped = False

        def __init__(self, rng: np.random.Generator) -> None:
            pass

        def select(self) -> int:
            raise NotImplementedError

        update = recommend = select

        def run_batch(self, table: Table, rng: np.random.Generator, runs: int) -> npt.NDArray[np.integer]:
            return play(table, rng, runs)

    Policy.__name__ = play.__name__
    return Policy


def additive(scale: float, statistics: Callable[[Table], Any]) -> Callable[[Table, Table], float]:
    """Return the law of independent Laplace noise of one scale on statistics: the L1 distance over the scale."""
    return lambda first, second: float(np.abs(np.subtract(statistics(first), statistics(second))).sum()) / scale


def largest_log_ratio(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the pure loss of two laws on the same finite set of outputs."""
    one, two = np.asarray(first), np.asarray(second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmax(np.abs(np.log(one / two))))
