"""The cost of a guarded round: `python benchmarks/guard.py`.

Each policy plays the same stream as it is, with ordinary rewards, and under a guard with numpy's noise. The times of
a round (`select` and `update`) are those of the processor, medians over rounds. Certificates are timed in full.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import privcheck
from privcheck.bandits import ALGORITHMS
from privcheck.mechanisms import GaussianTree, Laplace

FEATURES, ARMS, BATCH = 20, 10, 10
NOISY_BANDITS = Path(__file__).parents[1] / "tests" / "certifying" / "noisy_bandits.py"


class NumpyLinUCB:
    """LinUCB on the sums of all rounds so far, in numpy alone; each batch of rounds is released once."""

    def __init__(self, rng: Any) -> None:
        self.rng, self.rounds = rng, 0
        self.gram, self.right = np.eye(FEATURES) * 1000.0, np.zeros(FEATURES)
        self._start()

    def _start(self) -> None:
        self.batch_gram, self.batch_right = 0.0, 0.0

    def select(self, context: Any) -> int:
        inverse = np.linalg.inv(self.gram)
        widths = np.sqrt(np.abs(np.einsum("ai,ij,aj->a", context, inverse, context)))
        return int(np.argmax(context @ (inverse @ self.right) + widths))

    def update(self, context: Any, action: Any, reward: Any) -> None:
        x = context[action]
        self.batch_gram = self.batch_gram + np.outer(x, x)
        self.batch_right = self.batch_right + reward * x
        self.rounds += 1
        if self.rounds % BATCH == 0:
            noisy = self.batch_gram + self.rng.normal(0.0, 10.0, (FEATURES, FEATURES))
            self.gram = self.gram + np.asarray(noisy)
            self.right = self.right + np.asarray(self.batch_right + self.rng.normal(0.0, 10.0, FEATURES))
            self._start()


class RunningSums:
    """A sum of each arm, released through a mechanism in blocks."""

    def __init__(self, rng: Any) -> None:
        self.rng, self.mechanism, self.rounds = rng, Laplace(sensitivity=1.0, epsilon=1.0), 0
        self.sums, self.pulls, self.means = [0.0] * ARMS, [0] * ARMS, [0.0] * ARMS

    def select(self) -> int:
        return self.rounds % ARMS if self.rounds < 2 * ARMS else int(np.argmax(self.means))

    def noised(self, total: Any) -> float:
        return float(self.mechanism.release(total, self.rng))

    def update(self, action: int, reward: Any) -> None:
        self.rounds += 1
        self.sums[action] += reward
        self.pulls[action] += 1
        if self.pulls[action] % BATCH == 0:
            self.means[action] = self.noised(self.sums[action]) / BATCH
            self.sums[action] = 0.0


class NumpySums(RunningSums):
    """The same with noise from numpy."""

    def noised(self, total: Any) -> float:
        return float(total + self.rng.laplace(0.0, 1.0))


class Trees(RunningSums):
    """A tree for each arm."""

    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        tree = GaussianTree.calibrate(epsilon=1.0, delta=0.1, horizon=2**20, sensitivity=1.0)
        self.streams = [tree.start(rng) for _ in range(ARMS)]

    def update(self, action: int, reward: Any) -> None:
        self.rounds += 1
        self.pulls[action] += 1
        self.means[action] = float(self.streams[action].add(reward)) / self.pulls[action]


def times(policy: Any, rounds: int, *, contextual: bool) -> list[float]:
    """Return the processor times of the rounds of one run, in milliseconds, without the first tenth."""
    rng, found = np.random.default_rng(0), []
    for _ in range(rounds):
        context = rng.standard_normal((ARMS, FEATURES))
        context /= 1.0000001 * np.linalg.norm(context, axis=1)[:, None]
        reward = float(rng.random())
        started = time.thread_time()
        if contextual:
            policy.update(context, policy.select(context), reward)
        else:
            policy.update(policy.select(), reward)
        found.append(1000.0 * (time.thread_time() - started))
    return found[rounds // 10 :]


def linear(_: Any) -> Any:
    """Return the shipped Gaussian LinUCB."""
    spec = ALGORITHMS["lin-ucb-gaussian"](arms=ARMS, features=FEATURES, epsilon=1.0, delta=0.1, horizon=2**16)
    return spec.build(np.random.default_rng(0))


def main() -> None:
    """Measure, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300, help="contextual rounds; ten times as many others")
    given = parser.parse_args()
    place = privcheck.Contexts(shape=(ARMS, FEATURES), norm=1.0)
    joint = {"feedback": "contextual", "neighbours": "context-reward", "contexts": place}
    cases: list[tuple[str, Callable[[Any], Any], dict[str, Any]]] = [
        (f"lin-ucb-gaussian, d = {FEATURES}, K = {ARMS}", linear, joint | {"epsilon": 1.0, "delta": 0.1}),
        (f"LinUCB in numpy, d = {FEATURES}, K = {ARMS}", NumpyLinUCB, joint | {"epsilon": 1.0, "delta": 0.1}),
        (f"sums of {ARMS} arms, a mechanism", RunningSums, {"epsilon": 1.0}),
        (f"sums of {ARMS} arms, numpy's noise", NumpySums, {"epsilon": 1.0}),
        (f"trees of {ARMS} arms", Trees, {"epsilon": 1.0, "delta": 0.1}),
    ]
    print(f"{'policy':34s} {'alone, ms':>10s} {'guarded, ms':>12s} {'ratio':>7s} {'mean, ms':>9s}")
    for name, build, options in cases:
        contextual = "contexts" in options
        rounds = given.rounds if contextual else 10 * given.rounds
        alone = statistics.median(times(build(np.random.default_rng(0)), rounds, contextual=contextual))
        target = build(None) if build is linear else build
        under = privcheck.guard(target, arms=ARMS, noise="float", rng=np.random.default_rng(1), **options)
        found = times(under, rounds, contextual=contextual)
        guarded = statistics.median(found)
        print(f"{name:34s} {alone:10.4f} {guarded:12.3f} {guarded / alone:7.1f} {statistics.fmean(found):9.3f}")
    print(f"\ncertify, 20 bandits of {NOISY_BANDITS.name}: {certificates():.2f} s")


def certificates() -> float:
    """Return the seconds that the certificates of the test's twenty bandits take together."""
    file = NOISY_BANDITS.with_name("test_noisy_bandits.py")
    spec = importlib.util.spec_from_file_location("test_noisy_bandits", file)
    assert spec is not None
    assert spec.loader is not None
    tests: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tests)
    started = time.thread_time()
    for name in (*tests.CORRECT, *tests.CHARGED, *tests.LEAKS):
        tests.certified(name)
    return time.thread_time() - started


if __name__ == "__main__":
    main()
