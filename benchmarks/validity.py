"""How often audits are wrong where they may be: `python benchmarks/validity.py --json FILE [--page PAGE]`.

Every target's loss is exactly its claim, so that each bound above the claim is wrong, and each `violation` as well. The
pair of inputs is one that shows the whole loss; with `--search` it is searched. The first table counts bounds at a
confidence of 0.95, which each has for itself, and verdicts at an error of 0.05 in `--audits` audits. The second counts
verdicts at an error of 0.001 in `--verdicts` others. Seeds begin at `--seed`, and no two audits have the same. The file
is written after every hundred audits, and what is in it is not done again.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom, binomtest, norm
from written_tables import hand_out

import privcheck
from privcheck.mechanisms import Laplace
from privcheck.progress import progress

LEVEL = 0.05
TRUTH = math.e / (1.0 + math.e)
DELTA, SIGMA = 0.05, 1.2
GAUSSIAN_DELTA = float(norm.cdf(0.5 / SIGMA - SIGMA) - math.e * norm.cdf(-0.5 / SIGMA - SIGMA))
"""The exact delta of Gaussian noise of scale SIGMA at epsilon 1 (Balle and Wang 2018, Theorem 5)."""
ORDERS = np.linspace(1.0 + 1e-6, 20.0, 200_001)
RHO = float(
    np.max(
        np.log(TRUTH**ORDERS * (1.0 - TRUTH) ** (1.0 - ORDERS) + (1.0 - TRUTH) ** ORDERS * TRUTH ** (1.0 - ORDERS))
        / ((ORDERS - 1.0) * ORDERS)
    )
)
"""The exact rho of randomised response: the largest Renyi divergence over its order."""


def bit(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Randomised response."""
    return (np.sum(data) > 0.5) ^ (rng.random(runs) >= TRUTH)


def one_of_eight(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Randomised response among eight answers: the true one is e times as probable as each other."""
    shown = rng.integers(7, size=runs) + 1
    return np.where(rng.random(runs) < math.e / (math.e + 7.0), 0, shown) ^ (7 * int(np.sum(data) > 0.5))


def laplace(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Every threshold outside of the two sums has a ratio of e."""
    return np.sum(data) + rng.laplace(size=runs)


def geometric(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Two-sided geometric noise on a count."""
    p = -math.expm1(-1.0)
    return np.sum(data) + rng.geometric(p, runs) - rng.geometric(p, runs)


def two_numbers(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Two releases with half of the budget each: only their corner has a ratio of e."""
    return np.sum(data) + rng.laplace(scale=2.0, size=(runs, 2))


def group(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Laplace noise for groups of two data."""
    return np.sum(data) + rng.laplace(scale=2.0, size=runs)


def leaky_bit(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Randomised response that shows the bit itself, as 2 or 3, with probability DELTA: exactly (1, DELTA)."""
    truth = int(np.sum(data) > 0.5)
    outputs = truth ^ (rng.random(runs) >= TRUTH)
    return np.where(rng.random(runs) < DELTA, 2 + truth, outputs)[:, np.newaxis]


def gaussian(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Exactly (1, GAUSSIAN_DELTA): one threshold shows it."""
    return np.sum(data) + rng.normal(scale=SIGMA, size=runs)


def unit_gaussian(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Exactly 1-GDP."""
    return np.sum(data) + rng.normal(size=runs)


def of_the_system(data: Any, rng: np.random.Generator, runs: int) -> Any:  # noqa: ARG001
    """Laplace noise that no seed determines."""
    return np.sum(data) + np.random.default_rng().laplace(size=runs)


class Response:
    """Plays arm 0, then always a randomised response to the first reward."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.arm, self.played = rng, 0, 0

    def select(self) -> int:
        """Return the arm of all rounds from the second."""
        return self.arm

    def update(self, action: int, reward: float) -> None:  # noqa: ARG002
        """Answer after the first round."""
        if self.played == 0:
            self.arm = int((reward > 0.5) ^ (self.rng.random() >= TRUTH))
        self.played += 1


class RareResponse(Response):
    """Answers in 3 of 10 runs, and plays a coin in the others; all runs at once."""

    def run_batch(self, table: Any, rng: np.random.Generator, runs: int) -> Any:
        """Return the actions, shape (runs, T)."""
        answers = rng.random(runs) < 0.3
        answer = (table[0, 0] > 0.5) ^ (rng.random(runs) >= TRUTH)
        actions = np.zeros((runs, len(table)), int)
        actions[:, 1:] = np.where(answers, answer, 0)[:, np.newaxis]
        actions[:, 2:] = np.where(answers, 1, 0)[:, np.newaxis]
        return actions

    def update(self, action: int, reward: float) -> None:  # noqa: ARG002
        """Do as the batch does."""
        if self.played == 0:
            self.answers = self.rng.random() < 0.3
            self.arm = int((reward > 0.5) ^ (self.rng.random() >= TRUTH)) if self.answers else 0
        elif self.played == 1:
            self.arm = int(self.answers)
        self.played += 1


class Release(Response):
    """Releases its first reward once, with Laplace noise for epsilon = 1."""

    def update(self, action: int, reward: float) -> None:  # noqa: ARG002
        """Play by what was released."""
        if self.played == 0:
            self.arm = int(Laplace(sensitivity=1.0, epsilon=1.0).release(reward, self.rng) > 0.5)
        self.played += 1


class Context:
    """From the second round on plays a randomised response to the sign of the first context."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.plan, self.played = rng, 0, 0

    def select(self, context: Any) -> int:  # noqa: ARG002
        """Return the arm of all rounds from the second."""
        return self.plan

    def update(self, context: Any, action: int, reward: float) -> None:  # noqa: ARG002
        """Answer after the first round."""
        if self.played == 0:
            self.plan = int((context[0] > 0.0) ^ (self.rng.random() >= TRUTH))
        self.played += 1

    def run_batch(self, table: Any, rng: np.random.Generator, runs: int) -> Any:
        """Return the actions, shape (runs, T)."""
        answer = (table[0, 2] > 0.0) ^ (rng.random(runs) >= TRUTH)
        return np.stack([np.zeros(runs, int), *[answer.astype(int)] * (len(table) - 1)], axis=1)


class Kind(NamedTuple):
    """What is audited, on which pair, with which claim and options, and runs a side."""

    target: Callable[..., Any]
    pair: Any
    claim: dict[str, float]
    options: dict[str, Any]
    runs: int


NUMBERS = np.zeros(3), np.array([1.0, 0.0, 0.0])
TWO = np.zeros(3), np.array([1.0, 1.0, 0.0])
REWARDS = tuple(np.array([[first, first], [0.0, 0.0], [0.0, 0.0]]) for first in (0.0, 1.0))
CONTEXTS = privcheck.Contexts(shape=(1,))
SHOWN = tuple(np.array([[0.0, 0.0, first], [0.0, 0.0, 1.0]]) for first in (-1.0, 1.0))
JOINT = {"arms": 2, "feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}
PURE, POLICY = {"epsilon": 1.0}, {"arms": 2}
KINDS = {
    "one bit": Kind(bit, NUMBERS, PURE, {}, 1000),
    "one bit, sequential": Kind(bit, NUMBERS, PURE, {"sequential": True}, 1000),
    "one of eight answers": Kind(one_of_eight, NUMBERS, PURE, {}, 2000),
    "Laplace noise": Kind(laplace, NUMBERS, PURE, {}, 1000),
    "Laplace noise, groups of two": Kind(group, TWO, PURE, {"neighbours": "group:2"}, 1000),
    "Laplace noise of the system": Kind(of_the_system, NUMBERS, PURE, {"randomness": "independent"}, 300),
    "geometric noise": Kind(geometric, NUMBERS, PURE, {}, 1000),
    "two numbers": Kind(two_numbers, NUMBERS, PURE, {}, 1000),
    "delta, one bit": Kind(leaky_bit, NUMBERS, PURE | {"delta": DELTA}, {}, 1000),
    "delta, Gaussian noise": Kind(gaussian, NUMBERS, PURE | {"delta": GAUSSIAN_DELTA}, {}, 1000),
    "rho, one bit": Kind(bit, NUMBERS, {"rho": RHO}, {}, 1000),
    "mu, Gaussian noise": Kind(unit_gaussian, NUMBERS, {"mu": 1.0}, {}, 1000),
    "policy": Kind(Response, REWARDS, PURE, POLICY, 200),
    "policy, rare answer, all runs at once": Kind(RareResponse, REWARDS, PURE, POLICY, 2000),
    "policy, its releases": Kind(Release, REWARDS, PURE, POLICY | {"observe": "releases"}, 200),
    "contextual policy": Kind(Context, SHOWN, PURE, JOINT, 400),
}


COUNTS = ("audits", "violations", "bounds above the claim", "deltas above the claim", "bounds above half of it")


def counted(kind: str, error: float, seeds: range, search: bool) -> list[int]:
    """Return how often each of COUNTS happened."""
    target, pair, claim, options, runs = KINDS[kind]
    where = {"horizon": len(pair[0])} if search else {"streams": pair}
    ((name, most),) = [(name, value) for name, value in claim.items() if name != "delta"]
    found = np.zeros(len(COUNTS), int)
    for seed in seeds:
        report = privcheck.audit(target, runs=runs, error=error, seed=seed, **claim, **options, **where)
        bound = report.epsilon_lower if name == "epsilon" else report.claim_lower
        delta = (report.delta_lower or 0.0) > claim.get("delta", 0.0)
        found += 1, report.verdict == "violation", bound > most, delta, bound > most / 2.0
    return found.tolist()


def table(done: dict[str, Any], error: float) -> str:
    """Return the counts of one error as a table in Markdown."""
    rows = [f"| target | {' | '.join(COUNTS)} |", "|" + "---|" * (len(COUNTS) + 1)]
    total = np.sum(list(done.values()), axis=0)
    rows += [f"| {kind} | {' | '.join(f'{n:,}' for n in counts)} |" for kind, counts in [*done.items(), ("all", total)]]
    names = COUNTS[1:4] if error == LEVEL else COUNTS[1:2]  # bounds keep their confidence at every error
    limits = [binomtest(int(n), int(total[0])).proportion_ci(0.95) for n in total[1 : 1 + len(names)]]
    shown = ", ".join(f"{100 * one.low:.3f} to {100 * one.high:.3f} %" for one in limits)
    most = int(binom.isf(1e-3, total[0], error))
    end = f"more than {most:,} of {total[0]:,} would be with probability 0.001 at most"
    return "\n".join([*rows, "", f"Shares of {', '.join(names)}, 95 % limits: {shown}. At {error:g} each, {end}."])


def main() -> None:
    """Parse the command line, make the audits that are not in the file, hand out the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--audits", type=int, default=10_000)
    parser.add_argument("--verdicts", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=10_000_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--search", action="store_true", help="search for the pair of inputs")
    parser.add_argument("--page", type=Path, help="write the tables between the marks of this page")
    arguments = parser.parse_args()
    said = {"seed": arguments.seed, "search": arguments.search}
    done = {"options": said, "bounds": {}, "verdicts": {}}
    if arguments.json.exists():
        done = json.loads(arguments.json.read_text("utf-8"))
    if done["options"] != said:
        parser.error(f"{arguments.json} was begun with {done['options']}: name another file")
    parts = (("bounds", LEVEL, arguments.audits), ("verdicts", 0.001, arguments.verdicts))
    each = {part: math.ceil(most / len(arguments.kinds)) for part, _, most in parts}
    with progress("auditing", sum(each.values()) * len(arguments.kinds)) as advance:
        for number, (part, error, _) in enumerate(parts):
            for kind in arguments.kinds:
                counts = done[part].setdefault(kind, [0] * len(COUNTS))
                advance(min(counts[0], each[part]))
                first = arguments.seed + (2 * list(KINDS).index(kind) + number) * 1_000_000
                while counts[0] < each[part]:
                    more = min(100, each[part] - counts[0])
                    seeds = range(first + counts[0], first + counts[0] + more)
                    for place, count in enumerate(counted(kind, error, seeds, arguments.search)):
                        counts[place] += count
                    arguments.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
                    advance(more)
    told = [f"At an error of {error:g}:\n\n{table(done[part], error)}" for part, error, _ in parts]
    hand_out("\n\n".join(told), arguments.page)


if __name__ == "__main__":
    main()
