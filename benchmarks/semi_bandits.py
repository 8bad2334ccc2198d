"""Speed of the algorithms for semi-bandits: compiled kernels against the references and a loop over numpy arrays.

    python benchmarks/semi_bandits.py [--horizon 1e6] [--repeats 3]

Single thread, 4 of 20 Bernoulli base arms (top K), epsilon = 1, ties at random. CPU times, medians over repeats. The
numpy loop is CUCB-DP as one would write it without a compiler: all base arms at once, `argpartition` for the oracle.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from privcheck.bandits import ALGORITHMS
from privcheck.bandits.cucb_dp import CUCBDP
from privcheck.environments import TopKArms
from privcheck.kernels import generators
from privcheck.simulation._engine import compile_kernel, play_chunk

PLACE = TopKArms(tuple(np.linspace(0.95, 0.0, 20)), size=4)
SHORT = 4000
"""Rounds of the loops in Python."""

TARGETS = {"cucb-dp": "1 M/s"}


def timed(work: Callable[[], object], repeats: int) -> float:
    """Return the median CPU time."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


def reference(spec: object, horizon: int) -> None:
    """Play one run of the readable reference."""
    streams = generators(0)
    table = PLACE.table(streams.rewards, horizon)
    policy = spec.build(streams.coins, noise=streams.noise, oracle=PLACE.oracle)
    for row in table:
        chosen = policy.select()
        policy.update(chosen, row[list(chosen)])


def numpy_loop(spec: CUCBDP, horizon: int) -> float:
    """Play one run of CUCB-DP with an array operation for every step, and return its regret."""
    rng, means, size = np.random.default_rng(0), np.array(PLACE.means), spec.size
    sampling, privacy = spec.bonuses
    best, scale, lost = np.sort(means)[-size:].sum(), spec.tree.scale, 0.0
    sums, pulls, index = np.zeros(len(means)), np.zeros(len(means)), np.ones(len(means))
    nodes = np.zeros((spec.horizon.bit_length(), len(means)))
    for t in range(1, horizon + 1):
        chosen = np.argpartition(index - 1e-9 * rng.random(len(means)), -size)[-size:]
        sums[chosen] += rng.random(size) < means[chosen]
        pulls[chosen] += 1
        lost += best - means[chosen].sum()
        level = (t & -t).bit_length() - 1
        nodes[level] = rng.laplace(0.0, scale, len(means))
        nodes[:level] = 0.0
        played = np.maximum(pulls, 1)
        index = np.minimum((sums + nodes.sum(axis=0)) / played + sampling / np.sqrt(played) + privacy / played, 1.0)
        index[pulls == 0] = 1.0
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=float, default=1e6)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    horizon = int(arguments.horizon)
    table = Table("algorithm", "rounds a second", "target", "against the reference", "against the numpy loop")
    for name in ALGORITHMS:
        cls = ALGORITHMS[name]
        if cls.feedback != "semi-bandit":
            continue
        values = {"arms": 20, "size": 4, "epsilon": 1.0, "horizon": horizon, "ties": "random"}
        spec = cls(**{key: value for key, value in values.items() if cls.declares(key)})
        compile_kernel(spec, PLACE)
        last = np.array([horizon])
        speed = horizon / timed(lambda spec=spec, last=last: play_chunk(spec, PLACE, last, 1, 0, ()), arguments.repeats)
        slow = SHORT / timed(lambda spec=spec: reference(spec, SHORT), arguments.repeats)
        ratios = [f"{speed / slow:,.0f}", ""]
        if isinstance(spec, CUCBDP):
            loop = SHORT / timed(lambda spec=spec: numpy_loop(spec, SHORT), arguments.repeats)
            ratios[1] = f"{speed / loop:,.0f}"
        table.add_row(name, f"{speed / 1e6:.2f} M", TARGETS.get(name, ""), *ratios)
    Console().print(table)


if __name__ == "__main__":
    main()
