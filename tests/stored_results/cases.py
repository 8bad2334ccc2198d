"""Small audits, certificates, simulations and bounds with fixed seeds, and what they gave.

`python tests/stored_results/cases.py` writes `results.json` anew. It was first written by the code as it was before the
package was rearranged, so that the comparison shows that moving code changed no digit, and again when the search
changed.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import privcheck

HERE = Path(__file__).parent
STORED = HERE / "results.json"
EXAMPLES = HERE.parents[1] / "examples"

VERSIONS = {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")}


class NoisyLeader:
    """Follows the leader with fresh noise on all of the past: a violation."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.sums = rng, epsilon, [0.0] * arms

    def select(self):
        noisy = [s + self.rng.laplace(0.0, 1.0 / self.epsilon) for s in self.sums]
        return noisy.index(max(noisy))

    def update(self, action, reward):
        self.sums[action] += reward


class NoisyLeaderOfAll(NoisyLeader):
    def update(self, action, rewards):
        self.sums = [s + float(r) for s, r in zip(self.sums, rewards, strict=True)]


class TwoBest(NoisyLeader):
    def select(self):
        noisy = [s + self.rng.laplace(0.0, 1.0 / self.epsilon) for s in self.sums]
        return tuple(sorted(range(len(noisy)), key=lambda arm: -noisy[arm])[:2])

    def update(self, arms, outcomes):
        for arm, outcome in zip(arms, outcomes, strict=True):
            self.sums[arm] += float(outcome)


class StopsAtFour(NoisyLeader):
    stopped = False
    rounds = 0

    def select(self):
        return self.rounds % len(self.sums)

    def update(self, action, reward):
        super().update(action, reward)
        self.rounds += 1
        self.stopped = self.rounds >= 4

    def recommend(self):
        return super().select()


class Thresholded:
    """Keeps the noisy sum of x r and plays arm 1 where it is positive: contextual, private at its epsilon."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.total, self.released = 0.0, 0.0

    def select(self, context):
        return int(self.released * float(context[0]) > 0.0)

    def update(self, context, action, reward):
        from privcheck.mechanisms import Laplace

        statistic = reward * context[0]
        self.released = Laplace(sensitivity=2.0, epsilon=self.epsilon).release(statistic, self.rng)


def mean(data, rng, runs):
    return data.sum() + rng.laplace(0.0, 0.5, runs)


def theory(**instance: Any) -> list[Any]:
    from privcheck import bounds

    return bounds.evaluate(bounds.Instance(**instance))


def simulated(*policies: str, environment: Any, **options: Any) -> dict[str, Any]:
    result = privcheck.simulate(list(policies), environment, **options)
    return {"summary": result.summary(), "curves": result.to_arrays()}


def contexts() -> Any:
    return privcheck.Contexts((1,), -1.0, 1.0)


CASES: dict[str, Callable[[], Any]] = {
    "audit of a kernel": lambda: privcheck.audit("adap-ucb", epsilon=1.0, arms=2, horizon=12, runs=8000, seed=1),
    "audit of a violation": lambda: privcheck.audit(
        "rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=8000, seed=2
    ),
    "audit of a class": lambda: privcheck.audit(NoisyLeader, epsilon=1.0, arms=2, horizon=8, runs=2000, seed=3),
    "audit in a file": lambda: privcheck.audit(
        f"{EXAMPLES / 'running_mean_bandit.py'}:RunningMeanBandit", epsilon=1.0, arms=2, horizon=6, runs=2000, seed=4
    ),
    "audit under full information": lambda: privcheck.audit(
        NoisyLeaderOfAll, epsilon=1.0, arms=2, horizon=5, runs=1500, feedback="full", seed=5
    ),
    "audit of a semi-bandit": lambda: privcheck.audit(
        TwoBest, epsilon=1.0, arms=3, horizon=5, runs=1500, feedback="semi-bandit", seed=6
    ),
    "audit of identification": lambda: privcheck.audit(
        StopsAtFour, epsilon=1.0, arms=2, horizon=6, runs=1500, feedback="identification", seed=7
    ),
    "audit with contexts": lambda: privcheck.audit(
        Thresholded, epsilon=1.0, arms=2, horizon=4, runs=1500, feedback="contextual", neighbours="context-reward",
        contexts=contexts(), seed=8,
    ),
    "audit of releases": lambda: privcheck.audit(
        Thresholded, epsilon=1.0, arms=2, horizon=3, runs=1000, feedback="contextual", neighbours="context-reward",
        contexts=contexts(), observe="releases", seed=9,
    ),
    "sequential audit": lambda: privcheck.audit(
        NoisyLeader, epsilon=0.5, arms=2, horizon=6, runs=4000, sequential=True, seed=10
    ),
    "audit of a mechanism": lambda: privcheck.audit(mean, epsilon=2.0, runs=20_000, seed=11),
    "audit with delta": lambda: privcheck.audit(mean, epsilon=1.0, delta=1e-3, runs=20_000, seed=12),
    "certificate": lambda: privcheck.certify("adap-ucb", epsilon=1.0, arms=2, horizon=16, seed=1),
    "certificate of a tree": lambda: privcheck.certify(
        "dp-ucb(tree=binary)", epsilon=1.0, arms=2, horizon=16, seed=2
    ),
    "certificate of a k-ary tree": lambda: privcheck.certify("dp-ucb", epsilon=1.0, arms=2, horizon=16, seed=2),
    "certificate refused": lambda: privcheck.certify(
        f"{EXAMPLES / 'running_mean_released.py'}:RunningMeanReleased", epsilon=1.0, arms=2, horizon=12, seed=3
    ),
    "certificate with contexts": lambda: privcheck.certify(
        Thresholded, epsilon=1.0, arms=2, horizon=8, feedback="contextual", neighbours="context-reward",
        contexts=contexts(), seed=4,
    ),
    "simulation": lambda: simulated(
        "adap-ucb(epsilon=1)", "dp-se(epsilon=1)", "ucb", environment="c2", horizon=3000, runs=20, seed=1,
        checkpoints=12,
    ),
    "bounds": lambda: theory(family="bernoulli", means=(0.75, 0.625, 0.5), epsilon=1.0, horizon=1e7),
    "bounds of Gaussian rewards": lambda: theory(family="gaussian", means=(1.0, 0.5, 0.0), epsilon=0.3, horizon=1e5),
}  # fmt: skip


PROSE = {"notes", "conditions", "hint", "streams", "event", "mirror", "refusals", "reason", "statement", "operation"}
"""Fields that hold sentences, which may be worded better one day."""


def digits(result: Any) -> Any:
    """Return a result as plain values, without what a clock says or what depends on where the files are."""
    from privcheck.serialise import plain

    text = json.dumps(plain(result), allow_nan=False)
    text = text.replace(str(EXAMPLES) + "/", "").replace("examples/", "").replace("tests/stored_results/", "")
    text = re.sub(r"\.py:\d+", ".py", text)
    return without(json.loads(text), {"seconds", "line", "faults", *PROSE})


def without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


def computed(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return digits(CASES[name]())


if __name__ == "__main__":
    results = {name: computed(name) for name in CASES}
    STORED.write_text(json.dumps({"versions": VERSIONS, "results": results}, indent=0) + "\n", encoding="utf-8")
