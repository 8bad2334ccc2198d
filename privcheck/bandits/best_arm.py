"""The common base of algorithms that identify the best arm, and what their kernels share.

When they stop is each one's own: `threshold` in `exact_stopping_threshold.py` (DP-Exact-TT
and Top Two), `log_evidence` in
`dp_tt.py`, `is_separated` in `adap_tt.py`, and the widths of `epoch_schedule` in `dp_se.py`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from privcheck.arrays import Actions, Array, Integers, Table
from privcheck.bandits.base import Algorithm
from privcheck.declared import Real, declared_fields, parameter
from privcheck.kernels import Generators, Laws, compiled

LEAST_DELTA = 1e-9
"""The smallest probability of error: the events of probability 1e-12 that are set aside do not count beside it."""

DELTA = Real(LEAST_DELTA, 0.5, high_open=True)


class IdentifyingPolicy(Protocol):
    """A policy that plays until it has stopped, and then recommends an arm."""

    stopped: bool

    def select(self) -> int:
        """Return the arm to play, 0-based; once stopped, the recommended arm."""

    def update(self, action: int, reward: float) -> None:
        """Observe the reward of the arm that was played; once stopped, nothing is kept."""

    def recommend(self) -> int:
        """Return the arm that is held to be the best."""


class BestArmAlgorithm(Algorithm):
    """Base of the algorithms that stop and recommend an arm.

    Their kernels have the signature of `privcheck.kernels._building_blocks` up to three arrays:

    - `actions` (int8, (runs, T + 1), or (0, 0)) receives the symbols of `privcheck.feedback._identification`: the arm
      of each round, K once stopped, and the recommendation, or K if the run did not stop;
    - `deltas` (float64, (D,)) takes the place of the checkpoints: one run is scored against each of them, until it has
      stopped at all;
    - `stops` (int64, (runs, D, 2)) takes the place of the regret: the round after which the run stops at each delta, 0
      if it does not, and the recommendation, -1 if there is none.
    """

    feedback: ClassVar[str] = "identification"
    simulation_engine: ClassVar[str] = "event"
    reads_delta: ClassVar[bool] = False
    """Whether delta decides what is played, so that one run can be scored against one delta only."""

    delta: float

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> IdentifyingPolicy:
        raise NotImplementedError

    def at(self, delta: float) -> Self:
        """Return the same algorithm with another delta."""
        values = {declared.name: getattr(self, declared.name) for declared in declared_fields(type(self))}
        return type(self)(**values | {"delta": delta})

    def symbols(self, table: Table, runs: int, streams: Generators) -> Actions:
        """Return the symbols of independent runs on a reward table, shape (runs, T + 1)."""
        shown = np.empty((runs, len(table) + 1), np.int8)
        self.stops(table, np.zeros(table.shape[1]), streams, len(table), runs, np.array([self.delta]), shown)
        return shown

    def stops(
        self,
        source: Table | Laws,
        means: Array,
        streams: Generators,
        horizon: int,
        runs: int,
        deltas: Array,
        symbols: Actions | None = None,
    ) -> Integers:
        """Return the stopping times and recommendations of runs on a source of rewards, shape (runs, D, 2)."""
        found = np.empty((runs, len(deltas), 2), np.int64)
        shown = np.zeros((0, 0), np.int8) if symbols is None else symbols
        self.kernel(self.kernel_parameters(), source, means, *streams, horizon, runs, shown, deltas, found)
        return found


def delta_parameter(default: float = 0.01) -> Any:
    """Declare the probability with which a wrong arm may be recommended."""
    return parameter(
        DELTA,
        typical=(0.01, 0.3),
        default=default,
        doc="the largest probability of recommending an arm that is not the best",
        hint="a probability of error, not the delta of (epsilon, delta)-DP",
    )


@compiled
def record_symbols(actions: Actions, run: int, symbol: int, start: int, stop: int) -> None:
    """Write a symbol to the rounds start, ..., stop - 1 of a run, if symbols are wanted."""
    if actions.shape[0] > 0:
        for t in range(start, stop):
            actions[run, t] = symbol


@compiled
def record_end(actions: Actions, run: int, arms: int, stops: Integers, played: int, horizon: int) -> None:
    """Write the symbols that follow the last round: the run has stopped if it has at the last delta."""
    last = stops.shape[1] - 1
    recommended = stops[run, last, 1]
    record_symbols(actions, run, arms, played, horizon)
    record_symbols(actions, run, recommended if recommended >= 0 else arms, horizon, horizon + 1)


@compiled
def forced_arm(pulls: Integers, t: int) -> int:
    """Return the arm with the fewest pulls if these are fewer than max(sqrt(t / K), t / (10 K)), otherwise -1.

    >>> forced_arm(np.array([900, 9, 91]), 1000), forced_arm(np.array([400, 300, 300]), 1000)
    (1, -1)
    """
    fewest = 0
    for a in range(pulls.shape[0]):
        if pulls[a] < pulls[fewest]:
            fewest = a
    share = t / pulls.shape[0]
    return fewest if pulls[fewest] < max(math.sqrt(share), 0.1 * share) else -1
