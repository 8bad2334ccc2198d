"""How near the truth an audit comes on two kinds of fault: `python benchmarks/fault_power.py --json FILE [--seeds 20]`.

Both learners play blocks of four rounds, release a noisy sum of each, and play arm 1 in the next block if it is high.

- *scale*: location and scale of the noise are confused, so that the sum is the scale. What tells is a rare event; the
  true loss is 1, between blocks of which no reward or one is high.
- *mean*: the noise is that of a mean, and the block's sum is released. The true loss is 2 between any two blocks whose
  sums are on one side of the threshold; that of sums of 1 and 2 shows in the most frequent event.

Each is there as a class in Python and as a twin that plays all runs at once (with four times the runs of the search);
both follow the same law. The file is written after each audit, and what is in it is not done again. With `--set
NAME=VALUE` a constant of `privcheck.auditing._search.successive_halving` has another value.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import privcheck
from privcheck.auditing._search import successive_halving

BLOCK, ARMS, HORIZON = 4, 2, 16

TRUTHS = {"scale": 1.0, "mean": 2.0}


def released_high(kind: str, sums: Any, rng: np.random.Generator) -> Any:
    """Return whether the release of each sum is high."""
    if kind == "scale":
        return rng.laplace(1.0, 1.0 + np.asarray(sums)) > 3.0
    return np.asarray(sums) + rng.laplace(scale=1.0 / (0.5 * BLOCK), size=np.shape(sums)) > 2.0


class Blocks:
    """Plays an arm for four rounds, then the one that the release says."""

    kind = "scale"

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.t, self.arm, self.total = rng, 0, 0, 0.0

    def select(self) -> int:
        """Return the arm of this block."""
        return self.arm

    def update(self, action: int, reward: float) -> None:  # noqa: ARG002
        """Add a reward to the sum of this block."""
        self.t, self.total = self.t + 1, self.total + reward
        if self.t % BLOCK == 0:
            self.arm, self.total = int(released_high(self.kind, self.total, self.rng)), 0.0


class BlocksTogether(Blocks):
    """The same for all runs at once."""

    def run_batch(self, table: Any, rng: np.random.Generator, runs: int) -> Any:
        """Return the actions, shape (runs, T)."""
        actions, arm = np.zeros((runs, len(table)), np.int8), np.zeros(runs, int)
        for start in range(0, len(table), BLOCK):
            actions[:, start : start + BLOCK] = arm[:, None]
            arm = released_high(self.kind, table[start : start + BLOCK].sum(axis=0)[arm], rng).astype(int)
        return actions


class BlocksOfMeans(Blocks):
    """With the noise of a mean."""

    kind = "mean"


class BlocksOfMeansTogether(BlocksTogether):
    """With the noise of a mean."""

    kind = "mean"


FORMS = {
    "scale, class": Blocks,
    "scale, twin": BlocksTogether,
    "mean, class": BlocksOfMeans,
    "mean, twin": BlocksOfMeansTogether,
}


def main() -> None:
    """Parse the command line, run the audits that are not in the file, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="constants")
    arguments = parser.parse_args()
    for name, _, value in (each.partition("=") for each in arguments.constants):
        setattr(successive_halving, name, int(value))
    said = {"runs": arguments.runs, "constants": arguments.constants}
    done = json.loads(arguments.json.read_text("utf-8")) if arguments.json.exists() else {"options": said, "rows": {}}
    if done["options"] != said:
        parser.error(f"{arguments.json} was begun with {done['options']}: name another file")
    for seed in range(arguments.seeds):
        for form in arguments.forms:
            if (key := f"{form}: {seed}") not in done["rows"]:
                begun = time.process_time()
                report = privcheck.audit(
                    FORMS[form], epsilon=1.0, arms=ARMS, horizon=HORIZON, runs=arguments.runs, seed=seed
                )
                done["rows"][key] = [report.epsilon_lower, round(time.process_time() - begun, 2)]
                arguments.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    print("form | truth | seeds | mean | 5 % quantile | least | CPU s (median)")
    for form in arguments.forms:
        rows = np.array([row for key, row in done["rows"].items() if key.startswith(f"{form}:")])
        bounds, seconds = rows.T
        figures = [bounds.mean(), np.quantile(bounds, 0.05), bounds.min(), float(np.median(seconds))]
        error = bounds.std(ddof=1) / math.sqrt(len(bounds)) if len(bounds) > 1 else math.nan
        shown = " | ".join(f"{figure:.3f}" for figure in figures)
        print(f"{form} | {TRUTHS[form.partition(',')[0]]} | {len(bounds)} | {shown} (standard error {error:.3f})")


if __name__ == "__main__":
    main()
