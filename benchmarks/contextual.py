"""Speed of contextual LinUCB, and that of a plain numpy loop: `python benchmarks/contextual.py`.

One thread, decision sets drawn as in `LinearContexts`, with the calibrated noise of (1, 0.1)-joint DP. The loop is what
one would write down from the paper: numpy's solve and inverse, a dictionary of tree nodes, decision sets by rejection.
Both draw contexts and rewards themselves. Mean regrets are printed beside each other, because the loop shares no code
with the kernel but the calibrated noise level. Times are those of the processor, so that other work does not
count.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from privcheck.bandits import ALGORITHMS
from privcheck.bandits.lin_ucb_gaussian import LinUCBGaussian
from privcheck.environments import LinearContexts
from privcheck.simulation._engine import compile_kernel, play

SIZES = ((3, 9), (5, 25), (10, 100))
VARIANTS = (
    ("lin-ucb", {}),
    ("lin-ucb-gaussian", {}),
    ("lin-ucb-gaussian", {"tree": "square-root"}),
    ("lin-ucb-wishart", {}),
)


def plain_loop(spec: LinUCBGaussian, rounds: int, rng: np.random.Generator) -> float:
    """Return the regret of one run of Gaussian LinUCB on random decision sets, gap 0.1."""
    d, count, width = spec.features, spec.arms, spec.features + 1
    theta = rng.standard_normal(d)
    theta /= np.linalg.norm(theta)
    noise_level, shift = spec.mechanism.scale / math.sqrt(2.0), spec.bounds.shift
    rho_min, rho_max, gamma = spec.bounds[1:]
    nodes: dict[int, np.ndarray] = {}
    statistics, regret = np.zeros((width, width)), 0.0
    for t in range(1, rounds + 1):
        actions: list[np.ndarray] = []
        best = rng.integers(count)
        while len(actions) < count:
            x = rng.standard_normal(d)
            x /= np.linalg.norm(x)
            if len(actions) == best:
                side = x - (x @ theta) * theta
                x = 0.75 * theta + math.sqrt(1 - 0.75**2) * side / np.linalg.norm(side)
            elif not -0.75 <= x @ theta <= 0.65:
                continue
            actions.append(x)
        decision_set = np.array(actions)
        noisy = statistics + sum(nodes.values(), np.zeros((width, width)))
        gram = noisy[:d, :d] + shift * np.eye(d)
        estimate, inverse = np.linalg.solve(gram, noisy[:d, d]), np.linalg.inv(gram)
        log_ratio = np.linalg.slogdet(gram)[1] - d * math.log(rho_min)
        beta = spec.sigma * math.sqrt(max(2 * math.log(2 * spec.horizon) + log_ratio, 0.0))
        beta += spec.theta_norm * math.sqrt(rho_max) + gamma
        widths = np.sqrt(np.einsum("ai,ij,aj->a", decision_set, inverse, decision_set))
        chosen = int(np.argmax(decision_set @ estimate + beta * widths))
        mean = float(decision_set[chosen] @ theta)
        regret += 0.75 - mean
        reward = 1.0 if rng.random() < (1 + mean) / 2 else -1.0
        row = np.append(decision_set[chosen], reward)
        statistics = statistics + np.outer(row, row)
        level = (t & -t).bit_length() - 1  # the node of 2^level items replaces those of fewer
        nodes = {size: node for size, node in nodes.items() if size > level}
        square = rng.normal(0.0, noise_level, (width, width))
        nodes[level] = (square + square.T) / math.sqrt(2.0)
    return regret


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200_000, help="rounds of the kernel")
    parser.add_argument("--loop", type=int, default=4000, help="rounds of a run of the plain loop")
    parser.add_argument("--loops", type=int, default=3, help="runs of the plain loop")
    given = parser.parse_args()
    print(f"{'algorithm':36s} {'d':>3s} {'K':>4s} {'rounds/s':>10s} {'plain loop':>10s} {'ratio':>7s}")
    for features, arms in SIZES:
        place = LinearContexts(features=features, arms=arms)
        for name, options in VARIANTS:
            cls = ALGORITHMS[name]
            budget = {"epsilon": 1.0, "delta": 0.1} if cls.private else {}
            spec = cls(arms=arms, features=features, horizon=given.rounds, **budget, **options)
            compile_kernel(spec, place)
            started = time.process_time()
            play(spec, place, checkpoints=np.array([given.rounds]), runs=1, seed=0)
            speed = given.rounds / (time.process_time() - started)
            text = f"{spec.id}{'(tree=square-root)' if options else ''}"
            if name != "lin-ucb-gaussian" or options:
                print(f"{text:36s} {features:3d} {arms:4d} {speed:10,.0f}")
                continue
            short = cls(arms=arms, features=features, horizon=given.loop, **budget)
            started = time.process_time()
            regrets = [plain_loop(short, given.loop, np.random.default_rng(run)) for run in range(given.loops)]
            loop = given.loop * given.loops / (time.process_time() - started)
            own = play(short, place, checkpoints=np.array([given.loop]), runs=100, seed=0)[:, -1]
            print(f"{text:36s} {features:3d} {arms:4d} {speed:10,.0f} {loop:10,.0f} {speed / loop:7.0f}")
            print(
                f"{'':36s} mean regret after {given.loop:,} rounds: {own.mean():.1f}, plain loop {np.mean(regrets):.1f}"
            )


if __name__ == "__main__":
    main()
