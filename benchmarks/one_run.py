"""How much of epsilon one run with canaries shows: medians over seeds, and how often a bound is above the truth.

Run from the repository: `python benchmarks/one_run.py --seeds 200`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import privcheck
from privcheck.accounting import epsilon_of

CANARIES, DELTA, GUESSES = 1000, 1e-5, 300


def main() -> None:
    """Print a table: a Gaussian mechanism with a coordinate for each canary, so that the truth is mu."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    print(f"{CANARIES} canaries, {GUESSES} guesses, delta {DELTA:g}, confidence .95, seeds 0 to {seeds - 1}; medians\n")
    print(
        "| mu | epsilon | epsilon_lower | if Gaussian (share) | if Gaussian and independent (share) | above the truth |"
    )
    print("|---|---|---|---|---|---|")
    started = time.perf_counter()
    for mu in (0.25, 0.5, 1.0, 2.0, 3.0):
        found = [[bound(mu, seed, independent=alone) for alone in (False, True)] for seed in range(seeds)]
        truth = epsilon_of(mu, DELTA)
        lower = np.median([one.epsilon_lower for one, _ in found])
        means = [float(np.median([both[place].epsilon_if_gaussian for both in found])) for place in (0, 1)]
        over = [sum(both[place].mu_lower > mu for both in found) for place in (0, 1)]
        shares = " | ".join(f"{mean:.2f} ({mean / truth:.2f})" for mean in means)
        print(f"| {mu:g} | {truth:.2f} | {lower:.2f} | {shares} | {over[0]}, {over[1]} |")
    print(f"\n{(time.perf_counter() - started) / (10 * seeds):.3f} s a bound")


def bound(mu: float, seed: int, *, independent: bool) -> privcheck.OneRunBound:
    """Return the bound of one simulated run."""
    rng = np.random.default_rng(seed)
    included = rng.random(CANARIES) < 0.5
    scores = mu * included + rng.normal(size=CANARIES)
    return privcheck.one_run(scores, included, delta=DELTA, guesses=GUESSES, independent=independent)


if __name__ == "__main__":
    main()
