"""How tight audits are: `python benchmarks/tightness.py [--seeds 20] [--write docs/evidence/tightness.md] [NAME ...]`.

Each row is one mechanism or policy, audited with seeds 0, 1, ... on one core, whose true privacy loss on the pair of
inputs that is played is known: mean, standard deviation, median and 5 % quantile of the lower bounds at confidence
0.95, how many exceed the truth (at most one in twenty is expected), and the median time. Rows marked "held out" were
not looked at while the auditor was developed.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from true_losses import bits_above, blocks_of_sums, first_above, gumbel_max, noisy_max, noisy_max_of_sums

import privcheck

NUMBER = (np.zeros(1), np.ones(1))
SIGMA = 3.7306  # epsilon 1 at delta 1e-5 for sensitivity 1 (Balle and Wang 2018, theorem 8)


@dataclass(frozen=True)
class Row:
    """One audit, the true loss, and the mean lower bound that it should reach, if any.

    The truth is a number, a function of the two inputs, or None where the report has it as `exact_loss`.
    """

    name: str
    target: Any
    truth: float | Callable[[Any, Any], float] | None
    runs: int
    aim: float | None = None
    held_out: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def laplace(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Loss 1."""
    return data.sum() + rng.laplace(size=runs)


def gaussian(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Loss 1 at delta 1e-5."""
    return data.sum() + rng.normal(scale=SIGMA, size=runs)


def noisy_counts(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """The largest of given counts with Laplace(1) noise."""
    return np.argmax(data + rng.laplace(size=(runs, len(data))), axis=1)


def noisy_argmax(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """The same for the sums of a table whose rows are replaced: the loss is below 2, how far depends on the pair."""
    return np.argmax(data.sum(axis=0) + rng.laplace(size=(runs, data.shape[1])), axis=1)


def sparse_vector_6(answers: Any, rng: np.random.Generator, runs: int) -> Any:
    """Lyu, Su and Li 2017, algorithm 6, at claim 1: which of the answers are above the threshold."""
    threshold = rng.laplace(scale=2.0, size=(runs, 1))
    return (answers + rng.laplace(scale=2.0, size=(runs, len(answers))) >= threshold).astype(int)


def randomised_response(value: Any, rng: np.random.Generator, runs: int) -> Any:
    """Loss 1."""
    return np.where(rng.random(runs) < math.e / (1.0 + math.e), int(value.sum()), 1 - int(value.sum()))


class SumAsMean:
    """Two arms, one per block of 1, 1, 2, 4, 8 rounds; the sum of a block gets the Laplace noise of its mean."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.round, self.block, self.start = rng, 0, 1, 0
        self.scores, self.sum, self.arm = np.zeros(2), 0.0, 0

    def select(self) -> int:
        """Return the arm of the block."""
        return self.arm

    def update(self, action: int, reward: float) -> None:
        """Add the reward; at the end of a block release its sum and choose the next arm."""
        self.sum, self.round = self.sum + reward, self.round + 1
        if self.round == self.start + self.block:
            self.scores[action] = self.sum + self.rng.laplace(scale=1.0 / self.block)
            self.start, self.block, self.sum = self.round, max(1, self.round), 0.0
            self.arm = 1 if self.start == 1 else int(np.argmax(self.scores))


def staircase(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Geng and Viswanath 2014 at epsilon 1, gamma 1/2: loss 1, in steps."""
    b, gamma = math.exp(-1.0), 0.5
    steps = rng.geometric(1.0 - b, size=runs) - 1
    near = rng.random(runs) < gamma / (gamma + (1.0 - gamma) * b)
    u = rng.random(runs)
    size = np.where(near, (steps + gamma * u), steps + gamma + (1.0 - gamma) * u)
    return data.sum() + np.where(rng.random(runs) < 0.5, size, -size)


def geometric(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """The two-sided geometric mechanism at epsilon 1."""
    share = 1.0 - math.exp(-1.0)
    return int(data.sum()) + rng.geometric(share, size=runs) - rng.geometric(share, size=runs)


def two_sums(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Two sums of the same number, each with a budget of one half: loss 1."""
    return data.sum() + rng.laplace(scale=2.0, size=(runs, 2))


def exponential(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Exponential mechanism on five scores of sensitivity 1 with the monotone scale, though scores move both ways."""
    return np.argmax(data + rng.gumbel(size=(runs, len(data))), axis=1)


def sparse_vector_4(answers: Any, rng: np.random.Generator, runs: int) -> Any:
    """Lyu, Su and Li 2017, algorithm 4 with c = 1 at claim 1: threshold budget 1/4, answers Laplace(4/3).

    With one positive answer allowed, its guarantee over all pairs is (1 + 6c) / 4 times the claim (their figure 2).
    """
    threshold = rng.laplace(scale=4.0, size=(runs, 1))
    above = answers + rng.laplace(scale=4.0 / 3.0, size=(runs, len(answers))) >= threshold
    return np.where(above.any(axis=1), np.argmax(above, axis=1), len(answers))


def _rows() -> list[Row]:
    ballots = ([0, 0], [-1, 1])
    five = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    rows = []
    for runs, aims in ((10**5, (0.975, 0.60, 1.28, 2.9, 0.99)), (10**6, (0.991, None, 1.297, 3.7, 0.99))):
        rows += [
            Row("laplace", laplace, 1.0, runs, aims[0], options={"streams": NUMBER}),
            Row("gaussian", gaussian, 1.0, runs, aims[1], options={"streams": NUMBER, "delta": 1e-5}),
            Row("noisy-max-2", noisy_counts, noisy_max, runs, aims[2], options={"streams": ballots}),
            Row("sparse-vector-6", sparse_vector_6, bits_above, runs, aims[3], options={"streams": (five, 1 - five)}),
            Row(
                "randomised-response",
                randomised_response,
                1.0,
                runs,
                aims[4],
                options={"streams": (np.zeros(1), np.ones(1))},
            ),
        ]
    for arms in (4, 5):
        rows.append(
            Row(f"noisy-max-{arms}-searched", noisy_argmax, noisy_max_of_sums, 10**5, 1.92, options={"arms": arms})
        )
    rows += [
        Row("adap-ucb", "adap-ucb", None, 10**6, 0.97, options={"epsilon": 1.0, "arms": 2, "horizon": 12}),
        Row("sum-as-mean", SumAsMean, blocks_of_sums, 10**5, 3.5, options={"arms": 2, "horizon": 17}),
    ]
    for runs in (10**5, 10**6):
        rows += [
            Row("staircase", staircase, 1.0, runs, held_out=True, options={"streams": NUMBER}),
            Row("geometric", geometric, 1.0, runs, held_out=True, options={"streams": NUMBER}),
            Row("two-sums", two_sums, 1.0, runs, held_out=True, options={"streams": NUMBER}),
            Row(
                "exponential-5",
                exponential,
                gumbel_max,
                runs,
                held_out=True,
                options={"streams": ([3] * 5, [2] + [4] * 4)},
            ),
            Row(
                "sparse-vector-4",
                sparse_vector_4,
                first_above,
                runs,
                held_out=True,
                options={"streams": ([0] * 10, [1] * 10)},
            ),
        ]
    return rows


HEADER = (
    "mechanism",
    "truth",
    "runs per stream",
    "aim",
    "mean",
    "sd",
    "median",
    "5 %",
    "above the truth",
    "median s",
    "",
)

PAGE = """# How tight an audit is

The lower bounds that whole audits report, including the search for events, on mechanisms and bandits whose true privacy
loss on the pair of inputs that is played is known. Each row summarises {seeds} seeds ({first}, {second}, ...):

- *truth*: the largest log-ratio of an output's two probabilities on that pair, in closed form, by quadrature or by
  enumeration (`benchmarks/true_losses.py`; for `adap-ucb` the report's exact loss). Other pairs may have a larger one.
  Where the auditor found the pair, which depends on the seed, it is the median;
- *mean*, *sd*, *median* and *5 %*: mean, standard deviation, median and 5 % quantile of the lower bounds at confidence
  0.95. The standard error of a mean is sd / sqrt({seeds});
- *aim*: the mean that the auditor is meant to reach, where there is one;
- *above the truth*: how many of the bounds exceed the truth of their pair; at most one in twenty is expected;
- *median s*: the median time of an audit on one core, in seconds.

Rows marked "held out" are mechanisms that were not looked at while the auditor was developed. In rows named "-searched"
and for the bandits (`adap-ucb`, `sum-as-mean`) the auditor also found the pair of inputs.

Printed by `{command}` on {today}, Python {python}, privcheck {version}.

{table}

`gaussian` is at delta = 1e-5. `sum-as-mean` is a bandit that adds the noise of a mean to a sum. All audits together
took {minutes:.0f} minutes.
"""


def main() -> None:
    """Parse the command line, run the audits, print the table."""
    rows = _rows()
    names = list(dict.fromkeys(row.name for row in rows))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--most-runs", type=int, default=10**6, help="leave out rows with more runs per stream")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table as a Markdown page as well")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    begun = time.perf_counter()
    lines = [
        _line(row, range(arguments.first, arguments.first + arguments.seeds))
        for row in rows
        if row.name in arguments.names and row.runs <= arguments.most_runs
    ]
    table = Table(*HEADER)
    for line in lines:
        table.add_row(*line)
    Console(width=120).print(table)
    if arguments.write:
        cells = [HEADER, ("---",) * len(HEADER), *lines]
        page = PAGE.format(
            seeds=arguments.seeds,
            first=arguments.first,
            second=arguments.first + 1,
            command=" ".join(["python", *sys.argv]),
            today=date.today(),
            python=platform.python_version(),
            version=privcheck.__version__,
            minutes=(time.perf_counter() - begun) / 60.0,
            table="\n".join("| " + " | ".join(line) + " |" for line in cells),
        )
        arguments.write.write_text(page, encoding="utf-8")


def _line(row: Row, seeds: range) -> tuple[str, ...]:
    reports = _audits(row, seeds)
    found, truths = [float(report.epsilon_lower or 0.0) for report in reports], [_truth(row, r) for r in reports]
    mean, above = statistics.mean(found), sum(x > truth for x, truth in zip(found, truths, strict=True))
    return (
        row.name, f"{statistics.median(truths):.3f}", f"{row.runs:,}", "" if row.aim is None else f"{row.aim:g}",
        f"{mean:.3f}",
        f"{statistics.pstdev(found):.3f}", f"{statistics.median(found):.3f}", f"{np.quantile(found, 0.05):.3f}",
        str(above), f"{statistics.median(report.seconds for report in reports):.2f}", _remark(row, mean),
    )  # fmt: skip


def _remark(row: Row, mean: float) -> str:
    return "held out" if row.held_out else "below the aim" if row.aim and mean < row.aim else ""


def _truth(row: Row, report: Any) -> float:
    """Return the true loss on the pair that was played."""
    if row.truth is None:
        return float(report.exact_loss)
    if not callable(row.truth):
        return row.truth
    pair = (report.witness.first, report.witness.second)
    return row.truth(*(side[:, 0] if side.shape[1] == 1 else side for side in pair))


def _audits(row: Row, seeds: range) -> list[Any]:
    steps = track(seeds, description=f"{row.name} {row.runs:,}", console=Console(stderr=True))
    audited: Callable[..., Any] = privcheck.audit
    return [audited(row.target, runs=row.runs, seed=seed, **row.options) for seed in steps]


if __name__ == "__main__":
    main()
