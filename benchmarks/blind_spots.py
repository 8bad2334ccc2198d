"""What was not seen once, with and without what sees it now: `python benchmarks/blind_spots.py --json FILE`.

Each row is a leak of what a view, a family of pairs or an option shows, and its correct twin: the leak is audited with
that and without, the twin with it, at a claim of epsilon = 1 with 20,000 runs per stream, 4,000 with an option, and
seeds from 0. The file is written after each audit, and what is in it is not done again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import privcheck
from privcheck.auditing._scoring import numeric
from privcheck.auditing._search import stream_families
from privcheck.feedback import _semi_bandit

HORIZON = 12
TRUTH = 1.0 / (1.0 + np.exp(-1.0))


class InOrder:
    """Plays both base arms, in an order that tells whether the first reward was high."""

    def __init__(self, rng: np.random.Generator, share: float) -> None:
        self.rng, self.share, self.chosen, self.played = rng, share, (0, 1), 0

    def select(self) -> tuple[int, int]:
        """Return the two in their order."""
        return self.chosen

    def update(self, chosen: Any, rewards: Any) -> None:  # noqa: ARG002
        """Answer after the first round, truly with a probability."""
        if self.played == 0:
            told = bool(rewards[0] > 0.5) == bool(self.rng.random() < self.share)
            self.chosen = (1, 0) if told else (0, 1)
        self.played += 1


class AtLast:
    """Its last action tells the reward of the round before."""

    def __init__(self, rng: np.random.Generator, share: float) -> None:
        self.rng, self.share, self.arm, self.played = rng, share, 0, 0

    def select(self) -> int:
        """Return arm 0 but in the last round."""
        return self.arm

    def update(self, action: int, reward: float) -> None:  # noqa: ARG002
        """Answer after the last round but one."""
        self.played += 1
        if self.played == HORIZON - 1:
            self.arm = int((reward > 0.5) == (self.rng.random() < self.share))


def atom(share: float) -> Callable[..., Any]:
    """Return a function with noise, but for half of the runs, which have one of eight numbers that are close."""

    def release(data: Any, rng: np.random.Generator, runs: int) -> Any:
        told = (np.sum(data) > 0.5) == (rng.random(runs) < share)
        near = 0.3 + 1e-5 * (2 * rng.integers(4, size=runs) + told)
        return np.where(rng.random(runs) < 0.5, near, rng.laplace(size=runs))

    return release


def rounded_bins(histogram: Any, values: Any) -> Any:
    """Return the bins of a histogram in which numbers that are close are one."""
    return np.searchsorted(histogram.edges, np.round(values, 3), side="left")


def refusal(scale: float) -> Callable[..., Any]:
    """Return a function that raises an error in half of the runs, whose text has the count, with noise of a scale."""

    def release(data: Any, rng: np.random.Generator) -> str:
        count = int(np.sum(data)) + (rng.laplace(scale=scale) if scale else 0.0)
        if rng.random() < 0.5:
            raise ValueError(f"{object()!r} has {count} rows, which are too few")
        return "enough"

    return release


def exact_value(data: Any, rng: np.random.Generator) -> float:
    """Return a count that is bare if the third row is .3718."""
    count = float(np.sum(data))
    return count if data[2] == 0.3718 else count + float(rng.laplace())


def noisy_value(data: Any, rng: np.random.Generator) -> float:
    """Return the count with noise."""
    return float(np.sum(data)) + float(rng.laplace())


def without_last_place(horizon: int, shown_later: bool) -> list[int]:
    """Return the rounds in which structured pairs change, without the last one that can show."""
    return [place for place in PLACES(horizon, shown_later) if place < horizon - 2]


PLACES = stream_families._places


class Spot(NamedTuple):
    """What leaks, its twin, what an audit is told, and what it is told, or lacks, in the comparison."""

    leak: Callable[..., Any]
    twin: Callable[..., Any]
    options: dict[str, Any]
    without: dict[str, Any]
    lacking: Callable[[], AbstractContextManager[Any]] = nullcontext


SEMI = {"feedback": "semi-bandit", "arms": 2, "horizon": 3}
BANDIT = {"arms": 2, "horizon": HORIZON}
COUNTS = {"streams": ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0]), "runs": 4000}
SPOTS = {
    "order within super arms": Spot(
        lambda rng: InOrder(rng, 1.0),
        lambda rng: InOrder(rng, TRUTH),
        SEMI,
        SEMI,
        lambda: mock.patch.object(_semi_bandit, "_order", return_value=0),
    ),
    "structured pairs that change in round T - 1": Spot(
        lambda rng: AtLast(rng, 1.0),
        lambda rng: AtLast(rng, TRUTH),
        BANDIT,
        BANDIT,
        lambda: mock.patch.object(stream_families, "_places", without_last_place),
    ),
    "numbers that many runs have in common": Spot(
        atom(1.0),
        atom(TRUTH),
        {"horizon": 3},
        {"horizon": 3},
        lambda: mock.patch.object(numeric.Histogram, "_bin", rounded_bins),
    ),
    "messages of exceptions, `messages`": Spot(refusal(0.0), refusal(1.0), COUNTS | {"messages": True}, COUNTS),
    "values in code, `read_code`": Spot(exact_value, noisy_value, {"runs": 4000, "read_code": True}, {"runs": 4000}),
}


def audited(target: Callable[..., Any], options: dict[str, Any], seed: int) -> list[Any]:
    """Return whether the claim is refuted, the lower bound, and the processor time."""
    begun = time.process_time()
    found = privcheck.audit(target, epsilon=1.0, seed=seed, **{"runs": 20_000} | options)
    return [found.verdict == "violation", round(found.epsilon_lower or 0.0, 2), round(time.process_time() - begun, 2)]


def main() -> None:
    """Parse the command line, make the audits that are not in the file, hand out the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
    audited(atom(1.0), {"horizon": 3}, 0)  # imports what is imported late
    for name, spot in SPOTS.items():
        for seed in range(asked.seeds):
            for how in ("with", "without", "twin"):
                if (key := f"{name}, {how}: {seed}") not in done:
                    with spot.lacking() if how == "without" else nullcontext():
                        target = spot.twin if how == "twin" else spot.leak
                        done[key] = audited(target, spot.without if how == "without" else spot.options, seed)
                    asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    print(table(done, asked.seeds))


def table(done: dict[str, list[Any]], seeds: int) -> str:
    """Return the table in Markdown."""
    lines = [
        "| what is seen | found with it | found without | twins accused | CPU s with, without |",
        "|---|---|---|---|---|",
    ]
    for name in SPOTS:
        rows = {how: [done[f"{name}, {how}: {seed}"] for seed in range(seeds)] for how in ("with", "without", "twin")}
        counts = " | ".join(f"{sum(row[0] for row in found)} of {seeds}" for found in rows.values())
        seconds = ", ".join(f"{np.mean([row[2] for row in rows[how]]):.1f}" for how in ("with", "without"))
        lines.append(f"| {name} | {counts} | {seconds} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
