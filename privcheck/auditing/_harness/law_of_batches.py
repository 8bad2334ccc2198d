"""Whether `run_batch` chooses as `select` and `update` do: an audit plays the one, and users deploy the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Table
from privcheck.errors import PolicyError, words
from privcheck.targets import PolicyRunner, Runner

FALSE_REFUSAL = 1e-6
"""Probability, at most, with which a policy is refused whose two ways of playing have one law."""

RUNS, MOST_ROUNDS = 100, 200
"""Runs on each input in which the two are compared, and the first rounds to which that is confined."""

NOTE = (
    "run_batch() was played; that select() and update() choose by the same law is taken on your word, beyond a few "
    "runs in which they are compared"
)


def batch_note(runner: Runner) -> tuple[str, ...]:
    """Return what an audit of `run_batch` takes on trust; nothing for other runners."""
    return (NOTE,) if isinstance(runner, PolicyRunner) and runner.engine == "run_batch" else ()


def refuse_another_law(runner: PolicyRunner, inputs: list[Table], seed: int) -> None:
    """Refuse a policy whose `run_batch` chooses otherwise than its `select` and `update`.

    Compared is how often each action is chosen in each round, and how often another one than in the round before, by
    Fisher's exact test. Policies whose other methods raise exist only as `run_batch`, and are not compared.

    Raises
    ------
    PolicyError : the two have different laws; wrong with probability at most `FALSE_REFUSAL`.
    """
    one_by_one = replace(runner)
    one_by_one.engine = "python"
    compared = []
    for place, table in enumerate(inputs):
        whole = runner.kind.length(len(table)) != len(table)
        few = table if whole else table[:MOST_ROUNDS]
        keys = [np.random.SeedSequence(seed, spawn_key=(0, 2, RUNS, place, 0, side)) for side in (0, 1)]
        try:
            alone = one_by_one.play(few, RUNS, keys[0]).symbols
        except PolicyError:
            return
        compared.append((alone, runner.play(table, RUNS, keys[1]).symbols[:, : alone.shape[1]]))
    tests = [(*named, *counts) for alone, batch in compared for named, counts in _counts(alone, batch)]
    for what, number, k, l in tests:
        if _differ(k, l, FALSE_REFUSAL / len(tests)):
            got = f"{what} in round {number} in {l} of {RUNS} runs, and in {k} of {RUNS} by select() and update()"
            error = PolicyError("run_batch", words(got), "the law of select() and update()", HINT)
            error.is_of_every_input = True
            raise error


HINT = "an audit plays run_batch(): let it do what the other methods do, or leave it out"


def _counts(alone: npt.NDArray[Any], batch: npt.NDArray[Any]) -> Iterator[tuple[tuple[str, int], tuple[int, int]]]:
    """Yield each event with its counts among the runs that are made one by one, and among those of a batch."""
    for place in range(alone.shape[1]):
        columns = alone[:, place], batch[:, place]
        for action in np.unique(np.concatenate(columns)):
            yield (f"action {action}", place + 1), tuple(int((one == action).sum()) for one in columns)  # type: ignore[misc]
        if place:
            changed = tuple(int((one[:, place] != one[:, place - 1]).sum()) for one in (alone, batch))
            yield ("another action than before", place + 1), changed  # type: ignore[misc]


def _differ(k: int, l: int, level: float) -> bool:
    if abs(k - l) < RUNS // 6:
        return False  # p is above 1e-5 then
    from scipy.stats import fisher_exact

    return float(fisher_exact([[k, RUNS - k], [l, RUNS - l]]).pvalue) < level
