"""How a target is checked whose runs have no seeds, because its random numbers come from elsewhere.

No run can be played again. Instead two inputs take turns, those that differ most: what a target remembers of a run then
shows in the next ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privcheck.auditing._harness.exchangeable_runs import SMALL, Layout
from privcheck.targets import Outputs, Runner, StreamPair

MOST_TURNS, RUNS_PER_TURN, LEAST_TURNS = 300, 15, 8
"""Most calls on each input in which the inputs take turns after two runs, and planned runs per stream for each, but no
fewer calls than the last number: what is left of the run before then shows in the first of the two.
"""

CONTRASTED = 40
"""Candidates among which the two inputs are chosen that take turns."""

ALIKE_WITHOUT_SEEDS = (
    "a hundred runs gave the same output: if the target is meant to add noise, the noise comes from a generator with a "
    "fixed seed, or is kept from an earlier run"
)


def turns(runs: int) -> Layout:
    """Return the layout of calls in which the inputs take turns, for a number of planned runs per stream.

    >>> turns(15_000)
    Layout(calls=300, runs=2, columns=64)
    """
    return SMALL._replace(calls=min(MOST_TURNS, max(LEAST_TURNS, runs // RUNS_PER_TURN)), runs=2)


def outputs_in_turn(
    runner: Runner, inputs: int, layout: Layout, attempt: int, play: Callable[[int, int, tuple[int, ...]], Outputs]
) -> list[list[Outputs]]:
    """Return the outputs of the calls on each input, which take turns; programs are started again before them.

    Parameters
    ----------
    runner : plays the target.
    inputs : their number.
    layout : calls on each input, and runs of a call.
    attempt : the number of such sets of calls before this one.
    play : returns the outputs of the runs on an input, with a key.
    """
    begin_afresh = getattr(runner, "begin_afresh", None)
    if begin_afresh is not None:
        begin_afresh()
    found: list[list[Outputs]] = [[] for _ in range(inputs)]
    for call in range(layout.calls):
        for place, of_input in enumerate(found):
            of_input.append(play(place, layout.runs, (0, 2, layout.runs, attempt, place, call)))
    return found


def far_apart(pairs: Sequence[StreamPair]) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the two inputs that differ most, among some of the candidates, each as its own neighbour."""
    some = [pair.first for pair in pairs[:: max(1, len(pairs) // CONTRASTED)]] + [pairs[0].second]
    one, two = max(itertools.combinations(some, 2), key=lambda both: _distance(*both))
    return (one, one), (two, two)


def _distance(one: Any, two: Any) -> float:
    """Return how much two tables differ, and how much the differences between their arms do."""
    tables = isinstance(one, np.ndarray) and isinstance(two, np.ndarray) and one.shape == two.shape
    if not tables or one.dtype.kind not in "biuf":
        return 0.0
    apart = np.subtract(one, two, dtype=np.float64)
    between = apart - apart.mean(axis=1, keepdims=True) if apart.ndim == 2 else apart
    return float(np.abs(apart).sum() + np.abs(between).sum())
