"""Regret of the private index bandits on the same instances: mean, median and upper quantiles, as a Markdown table.

    python benchmarks/private_index_bandits.py [--environments c2 c1 0.6,0.5] [--epsilons 0.1 1] [--horizons 1e7]
                                               [--runs 10000] [--orders 0] [--policies dp-imed] [--seed 0] [--jobs 1]

The last rows of an instance are what uniform play loses, and sum_a gap_a / d_epsilon(mu_a, mu*) ln T: the asymptotic
rate of uniformly good private policies, which is not a bound at any finite T. With --orders N the runs are divided
among N random orders of the arms.
"""

from __future__ import annotations

import argparse
import math
import platform

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits import ALGORITHMS, Algorithm
from privcheck.bounds import d_epsilon
from privcheck.environments import Bernoulli, Environment, environment
from privcheck.simulation._engine import play

POLICIES: list[tuple[str, dict[str, float]]] = [
    ("dp-glr-imed", {}),
    ("dp-imed", {}),
    ("dp-imed", {"ratio": 1.5}),
    ("dp-kl-ucb", {}),
    ("dp-kl-ucb", {"ratio": 1.5}),
    ("adap-kl-ucb", {}),
    ("adap-ucb", {}),
    ("dp-glr-imed", {"first": 10.0}),
]
"""The random streams of a policy depend on its position: new ones go to the end."""


def place_of(text: str) -> Environment:
    """Return a named instance, or Bernoulli arms from means with commas between them."""
    return Bernoulli(tuple(float(mean) for mean in text.split(","))) if "," in text else environment(text)


def rate(place: Environment, epsilon: float) -> float:
    """Return the sum over suboptimal arms of gap / d_epsilon(mu_a, mu*)."""
    best = max(place.means)
    return sum((best - mean) / d_epsilon(mean, best, epsilon) for mean in place.means if mean < best)


def losses(spec: Algorithm, place: Environment, number: int, arguments: argparse.Namespace) -> Array:
    """Return the regret at the horizons, shape (runs, H)."""
    checkpoints = np.array(sorted(int(horizon) for horizon in arguments.horizons))
    given = {"checkpoints": checkpoints, "seed": arguments.seed, "jobs": arguments.jobs}
    if not arguments.orders:
        return play(spec, place, runs=arguments.runs, key=(number,), **given)
    parts = []
    for order in range(arguments.orders):
        means = np.random.default_rng([arguments.seed, order]).permutation(place.means)
        shuffled = Bernoulli(tuple(means.tolist()))
        parts.append(play(spec, shuffled, runs=arguments.runs // arguments.orders, key=(number, order), **given))
    return np.concatenate(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", nargs="+", default=["c2"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.1, 0.25, 0.5, 1.0])
    parser.add_argument("--horizons", nargs="+", type=float, default=[1e7])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--orders", type=int, default=0, help="random orders of the arms, which must be Bernoulli")
    parser.add_argument("--policies", nargs="+", help="only these ids, with all their options")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    versions = f"Python {platform.python_version()}, numpy {np.__version__}"
    print(f"{arguments.runs} runs, {arguments.orders or 'no'} orders, seed {arguments.seed}, {versions}\n")
    print("| instance | epsilon | T | algorithm | mean | se | median | 95 % | 99 % | 99.9 % | largest |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    checkpoints = np.array(sorted(int(horizon) for horizon in arguments.horizons))
    for name in arguments.environments:
        place = place_of(name)
        for epsilon in arguments.epsilons:
            rows: dict[int, list[str]] = {int(horizon): [] for horizon in checkpoints}
            for number, (policy, options) in enumerate(POLICIES):
                if policy not in (arguments.policies or [policy]):
                    continue
                regret = losses(
                    ALGORITHMS[policy](arms=place.arms, epsilon=epsilon, **options), place, number, arguments
                )
                title = policy + "".join(f", {option} {value:g}" for option, value in options.items())
                for horizon, column in zip(checkpoints.tolist(), regret.T, strict=True):
                    numbers = [column.mean(), column.std(ddof=1) / math.sqrt(len(column))]
                    numbers += [*np.quantile(column, [0.5, 0.95, 0.99, 0.999]), column.max()]
                    cells = " | ".join(f"{number:.4g}" if number < 1000 else f"{number:.0f}" for number in numbers)
                    rows[horizon].append(f"| {title} | {cells} |")
            for horizon, lines in rows.items():
                place_cells = f"| {name} | {epsilon:g} | {horizon:.0e} ".replace("e+0", "e")
                uniform, best = horizon * float(place.gaps().mean()), rate(place, epsilon) * math.log(horizon)
                for what, loss in (("uniform play", uniform), ("rate x ln T", best)):
                    lines.append(f"| {what} | {loss:.4g} | | | | | | |")
                for line in lines:
                    print(place_cells + line, flush=True)


if __name__ == "__main__":
    main()
