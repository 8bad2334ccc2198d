"""Years of nightly evidence at known losses: how often an alarm is false, and how many nights a leak takes.

    python benchmarks/watching.py --years 10000 --seed 0
    python benchmarks/watching.py --picture docs/images/watch.png
    python benchmarks/watching.py --year year.html

A night counts 100 pairs of runs of a mechanism with two outputs whose loss is known, against the claim epsilon = 1, at
the error .001; new code is played every third night. The event is the likelier output, as a watch would learn it. What
is printed is the share of years with an alarm and the median of its night; and, beside it, how often fresh tests every
night are wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

import privcheck
from privcheck.inference import alarms_over_nights, counted_night, wealth_over_nights
from privcheck.progress import progress
from privcheck.reporting import render_watches
from privcheck.watching import read_watches

NIGHTS, PAIRS, ERROR, EPSILON = 365, 100, 1e-3, 1.0
KNOWN = 200
"""Runs that are known before the first night."""


def law(loss: float) -> float:
    """Return the probability of the likelier output of randomised response with this loss."""
    return 1.0 / (1.0 + math.exp(-loss))


def year(losses: list[float], every: int, rng: np.random.Generator) -> int | None:
    """Return the night of the first alarm in a year; None without one.

    Parameters
    ----------
    losses : of each night.
    every : nights between versions.
    rng : draws the outputs.
    """
    p = np.array([law(loss) for loss in losses])
    more = [(rng.random((len(p), n)) < p[:, None]) for n in (PAIRS, PAIRS)]
    first = np.where(more[0], 1, -1).astype(np.int8)[:, :, None]
    second = np.where(more[1], -1, 1).astype(np.int8)[:, :, None]
    start = [np.where(rng.random((KNOWN, 1)) < p[0], sign, -sign).astype(np.int8) for sign in (1, -1)]
    nights = []
    for n in range(len(p)):
        begin = max(0, n - 20)
        known = tuple(
            np.concatenate([start[side], codes[begin:n].reshape(-1, 1)]) for side, codes in ((0, first), (1, second))
        )
        nights.append(counted_night(1 + n // every, (first[n], second[n]), (known[0], known[1])))
    alarms, _ = alarms_over_nights(nights, wealth_over_nights(nights, EPSILON), ERROR)
    return alarms[0].night if alarms else None


def fresh_tests(years: int, rng: np.random.Generator) -> float:
    """Return the share of years in which a new test of a true claim every night, at the error .001, is ever wrong.

    The test is exact: the binomial tail of the likelier outputs of both streams, at the boundary of the claim.
    """
    from scipy.stats import binom

    least = int(binom.isf(ERROR, 2 * PAIRS, law(EPSILON))) + 1
    counts = rng.binomial(2 * PAIRS, law(EPSILON), (years, NIGHTS))
    return float((counts >= least).any(axis=1).mean())


def measured(name: str, losses: list[float], every: int, years: int, rng: np.random.Generator) -> str:
    """Return a row of the table."""
    found = []
    with progress(name, years) as advance:
        for _ in range(years):
            found.append(year(losses, every, rng))
            advance(1)
    nights = [night for night in found if night is not None]
    return f"{name:44} {years:7,} {len(nights) / years:9.2%} {median(nights) if nights else '-':>8}"


class Response:
    """The first action says, by randomised response with the loss `loss`, whether the first reward was above a half."""

    loss = 0.8

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.rewards, self.round = rng, [0.0], 0

    def select(self) -> int:
        """Return the report in the second round, and 0 in all others."""
        return int((self.rewards[0] >= 0.5) ^ (self.rng.random() >= law(self.loss))) if self.round == 1 else 0

    def update(self, _: int, reward: float) -> None:
        """Keep the reward of the first round."""
        self.rewards[0] = reward if self.round == 0 else self.rewards[0]
        self.round += 1

    def run_batch(self, table: npt.NDArray[np.float64], rng: np.random.Generator, runs: int) -> npt.NDArray[np.int64]:
        """Return the actions, shape (runs, horizon)."""
        actions = np.zeros((runs, len(table)), np.int64)
        actions[:, 1] = int(table[0, 0] >= 0.5) ^ (rng.random(runs) >= law(self.loss))
        return actions


class LaterResponse(Response):
    """What replaces it in night 181."""

    loss = 1.3


YEAR: tuple[tuple[str, int, Any, Any], ...] = (
    ("adap-ucb", 2, "adap-ucb", "adap-ucb"),
    ("ldp-ucb", 2, "ldp-ucb", "ldp-ucb"),
    ("rnm-ftnl", 4, "rnm-ftnl", "rnm-ftnl"),
    ("rnm-ftnl-published", 4, "rnm-ftnl-published", "rnm-ftnl-published"),
    ("response, changed in night 181", 2, Response, LaterResponse),
)
"""Names of watches, arms, and what each of them plays up to night 180 and from night 181 on."""


def play_year(path: str) -> None:
    """Play a year of nights of three bandits that keep their claim and two that break it, and write their page.

    Parameters
    ----------
    path : of the page; the store is written beside it.
    """
    store = Path(path).with_suffix(".sqlite")
    if store.exists():
        sys.exit(f"{store}: is there already, and a year begins with a new store; give another name")
    sys.stdout.write(f"{'watch':32} {'nights':>6} {'first alarm':>11} {'seconds of CPU':>14}\n")
    for name, arms, before, after in YEAR:
        begun = time.process_time()
        with progress(name, NIGHTS) as advance:
            for night in range(1, NIGHTS + 1):
                found = privcheck.watch(
                    before if night <= 180 else after,
                    name=name,
                    version=f"release {1 + (night - 1) // 3}",
                    store=store,
                    epsilon=EPSILON,
                    arms=arms,
                    horizon=8,
                    runs=PAIRS,
                    search=20_000,
                )
                advance(1)
        first = f"night {found.alarms[0].night}" if found.alarms else "none"
        sys.stdout.write(f"{name:32} {len(found.nights):6} {first:>11} {time.process_time() - begun:14.0f}\n")
        sys.stdout.flush()
    Path(path).write_text(render_watches(read_watches(store)), encoding="utf-8")


def draw(path: str) -> None:
    """Draw 30 nights of a policy that is replaced in night 21 by the form of it that was published, which leaks."""
    with tempfile.TemporaryDirectory() as folder:
        asked = {"epsilon": 1.0, "name": "rnm-ftnl", "store": Path(folder, "watch.sqlite"), "runs": 100}
        for target, nights in (("rnm-ftnl", 20), ("rnm-ftnl-published", 10)):
            found = privcheck.watch(target, nights=nights, version=target, arms=4, horizon=8, **asked)
    found.plot(path)


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--years", type=int, default=1000, help="years at the claim; a tenth as many at other losses")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", help="draw thirty nights of a bandit into this file, and do nothing else")
    parser.add_argument("--year", help="play a year of five bandits, write its page here, and do nothing else")
    asked = parser.parse_args(arguments)
    if asked.year:
        play_year(asked.year)
        return
    if asked.picture:
        draw(asked.picture)
        return
    rng = np.random.default_rng(asked.seed)
    few = max(10, asked.years // 10)
    sys.stdout.write(f"{'loss, new code':44} {'years':>7} {'alarms':>9} {'night':>8}\n")
    for every, said in ((3, "every third night"), (1, "every night"), (NIGHTS, "never")):
        sys.stdout.write(measured(f"1 (the claim), {said}", [1.0] * NIGHTS, every, asked.years, rng) + "\n")
    for loss in (1.05, 1.1, 1.2, 1.5, 2.0):
        sys.stdout.write(measured(f"{loss:g}, every third night", [loss] * NIGHTS, 3, few, rng) + "\n")
    late = [0.8] * 180 + [1.3] * (NIGHTS - 180)
    sys.stdout.write(measured("0.8, then 1.3 from night 181, every third", late, 3, few, rng) + "\n")
    sys.stdout.write(f"{'1 (the claim), a fresh test every night':44} {10_000:7,} {fresh_tests(10_000, rng):9.2%}\n")


if __name__ == "__main__":
    main()
