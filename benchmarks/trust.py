"""Audits that rest on what is said of a target, where it is wrong: `python benchmarks/trust.py --json FILE`.

- *Memory*: functions of one number with Laplace noise, whose loss is their claim of 1, and which keep something of
  earlier runs, or whose noise has a law that drifts. They are audited as independent: how often is that refused, and
  how often is one called a violation? Each is audited twice more, with 95 % confidence: without the refusals, so that
  only the coins that decide about inputs protect the bound, and also with turns of fifty runs in place of coins.
- *Coins*: scores of one run that tell nothing of its canaries, which were included by coins that are not fair. How
  often are they refused, and how often is a bound above 0?
- *Laws*: functions whose loss is their claim, with a law that is wrong: how often is that a violation?

Seeds of targets and audits begin at `--seed`. The file is written after every ten audits, and what is in it is not done
again. With `--page` the tables are written between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from scipy import stats
from written_tables import hand_out

import privcheck
from privcheck.auditing import _play
from privcheck.progress import progress
from privcheck.targets import _sampling

PAIR = [0.0], [1.0]
CANARIES = 400

Memory = Callable[[list[float], list[float]], float]
"""What is added to an output, from the inputs and outputs of the runs before."""


def moving_mean(rate: float) -> Memory:
    """Return what follows a moving mean of the inputs, twice."""
    kept = {"mean": 0.5}

    def added(inputs: list[float], outputs: list[float]) -> float:  # noqa: ARG001
        kept["mean"] += rate * (inputs[-1] - kept["mean"]) if inputs else 0.0
        return 2.0 * kept["mean"]

    return added


def of_last(share: float) -> Memory:
    """Return a share of the last input."""
    return lambda inputs, outputs: share * inputs[-1] if inputs else 0.0  # noqa: ARG005


def of_last_output(share: float) -> Memory:
    """Return a share of the last output."""
    return lambda inputs, outputs: share * outputs[-1] if outputs else 0.0  # noqa: ARG005


DRIFT = 3.0
"""By how much a law drifts: three scales of the noise."""

TAKEN: dict[str, Callable[[], Memory]] = {
    "independent": lambda: lambda inputs, _: 0.0,  # noqa: ARG005
    "drifts by waves": lambda: lambda inputs, _: DRIFT * math.sin(len(inputs) / 1500.0),
    "drifts along a line": lambda: lambda inputs, _: DRIFT * len(inputs) / 12_000.0,
    "jumps": lambda: lambda inputs, _: DRIFT * (len(inputs) > 9_000),
}
"""Nothing of earlier inputs is kept."""

KEPT: dict[str, Callable[[], Memory]] = {
    **{f"{share:g} of the last input": lambda share=share: of_last(share) for share in (0.9, 0.5, 0.2, 0.1)},
    **{f"{share:g} of the last output": lambda share=share: of_last_output(share) for share in (0.9, 0.5, 0.2)},
    **{
        f"twice a mean of the inputs, of rate {rate:g}": lambda rate=rate: moving_mean(rate)
        for rate in (0.3, 0.1, 0.02, 0.005)
    },
}
"""What is kept."""


def mechanism(made: Callable[[], Memory], seed: int) -> Callable[..., float]:
    """Return a function whose noise comes from a generator of its own: no seed of the audit reaches it."""
    rng, added, inputs, outputs = np.random.default_rng([seed, CANARIES]), made(), list[float](), list[float]()

    def noisy(data: Any) -> float:
        x = float(np.sum(data))
        outputs.append(x + added(inputs, outputs) + float(rng.laplace()))
        inputs.append(x)
        return outputs[-1]

    return noisy


def in_turns(runs: int, seed: Any) -> Any:  # noqa: ARG001
    """Return fifty runs on one input, then fifty on the other: the broken twin of coins."""
    return np.arange(2 * math.ceil(runs / 50) * 50) // 50 % 2 == 1


@contextmanager
def unrefused(coins: Callable[..., Any] | None = None) -> Iterator[None]:
    """Refuse nothing inside the block; with other coins, if they are given."""
    nothing = SimpleNamespace(hints=(), again=lambda: None, seconds=0.0, released=False)
    with (
        mock.patch.object(_play, "check_runs", return_value=nothing),
        mock.patch.object(_play, "refuse_earlier_inputs", return_value=None),
        mock.patch.object(_sampling, "coins", coins or _sampling.coins),
    ):
        yield


MEMORY = ("audits", "refused", "violations", "above 1 unrefused", "violations unrefused", "violations in turns of 50")


def remembered(made: Callable[[], Memory], seed: int, runs: int) -> list[int]:
    """Return what happened in the three audits of a target, as in `MEMORY`."""

    def audited() -> Any:
        options = {"epsilon": 1.0, "streams": PAIR, "runs": runs, "randomness": "independent", "seed": seed}
        return privcheck.audit(mechanism(made, seed), **options)

    try:
        verdict = audited().verdict
    except privcheck.PolicyError:
        verdict = "refused"
    with unrefused():
        alone = audited()
    with unrefused(in_turns):
        turns = audited()
    shown = verdict == "refused", verdict == "violation", alone.epsilon_lower > 1.0, alone.verdict == "violation"
    return [1, *map(int, shown), int(turns.verdict == "violation")]


COINS = ("runs", "refused", "bounds above 0", "bounds above 0 at delta = 1e-5", "bounds above 0 for fair coins")


def tossed(q: float, seed: int) -> list[int]:
    """Return what one run with canaries shows whose coins are of probability q, as in `COINS`."""
    rng = np.random.default_rng(seed)
    scores, included = rng.normal(size=CANARIES), rng.random(CANARIES) < q
    found = list[int]()
    for options in ({}, {"delta": 1e-5}, {"coins": "fair"}):
        try:
            found.append(int(privcheck.one_run(scores, included, **options).epsilon_lower > 0.0))
        except privcheck.PrivcheckError:
            return [1, 1, 0, 0, 0]
    return [1, 0, *found]


class Stray:
    """Laplace noise, with a mass far out that the first input does not have."""

    def __init__(self, centre: float, mass: float) -> None:
        self.centre, self.mass = centre, mass

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        bump = np.where((x > 8.0) & (x < 8.5), 2.0 * self.mass, 0.0)
        return np.log((1.0 - self.mass) * np.exp(-np.abs(x - self.centre)) / 2.0 + bump)

    def support(self) -> tuple[float, float]:
        """Return where it lives."""
        return -math.inf, math.inf


WRONG: dict[str, Callable[[float], Any]] = {
    **{
        f"scale {scale:g} in place of 1": lambda x, scale=scale: stats.laplace(x, scale)
        for scale in (0.5, 0.8, 0.9, 0.95, 0.98, 0.999)
    },
    **{
        f"a stray mass of {mass:g}": lambda x, mass=mass: Stray(x, mass if x > 0.0 else 1e-20 * mass)
        for mass in (1e-2, 1e-3, 1e-4, 1e-6)
    },
}

LAWS = ("audits", "violations", "suspicions", "law rejected")


def laplace(data: Any, rng: np.random.Generator, runs: int) -> Any:
    """Return a number with noise of scale 1: a loss of 1."""
    return np.sum(data) + rng.laplace(size=runs)


def by_law(law: Callable[[float], Any], seed: int, runs: int, error: float = 1e-3) -> list[int]:
    """Return what an audit with a law says, as in `LAWS`."""
    given = {"streams": PAIR, "runs": runs, "seed": seed, "error": error, "law": lambda data: law(float(np.sum(data)))}
    found = privcheck.audit(laplace, epsilon=1.0, **given)
    return [1, int(found.verdict == "violation"), int(found.suspicion is not None), int(not found.by_law.follows)]


def table(first: str, columns: tuple[str, ...], rows: dict[str, list[int]]) -> str:
    """Return counts in Markdown.

    >>> print(table("q", ("runs", "refused"), {"0.7": [60, 60]}))
    | q | runs | refused |
    |---|---|---|
    | 0.7 | 60 | 60 |
    """
    lines = [f"| {first} | {' | '.join(columns)} |", "|" + "---|" * (len(columns) + 1)]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(str, counts))} |" for name, counts in rows.items())])


Part = tuple[str, tuple[str, ...], dict[str, tuple[int, Callable[[int], list[int]]]]]


def parts(runs: int, audits: int) -> dict[str, Part]:
    """Return for each table its first column, the others, and how often what of each row is done."""
    memory = {
        name: (number * audits, lambda seed, made=made: remembered(made, seed, runs))
        for number, kinds in ((2, TAKEN), (1, KEPT))
        for name, made in kinds.items()
    }
    coins = {
        f"{q:g}": (6 * audits, lambda seed, q=q: tossed(q, seed)) for q in (0.5, 0.53, 0.56, 0.6, 0.65, 0.7, 0.9, 1.0)
    }
    laws = {name: (2 * audits, lambda seed, law=law: by_law(law, seed, 20_000)) for name, law in WRONG.items()}
    return {
        "memory": ("target", MEMORY, memory),
        "coins": ("probability of the coins", COINS, coins),
        "laws": ("law", LAWS, laws),
    }


def main() -> None:
    """Parse the command line, do what is not in the file, hand out the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument(
        "--audits", type=int, default=10, help="of what keeps something; twice as many of other targets"
    )
    parser.add_argument("--runs", type=int, default=6000, help="on each input, of targets with memory")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=("memory", "coins", "laws"), default=["memory", "coins", "laws"])
    parser.add_argument("--page", type=Path, help="write the tables between the marks of this page")
    asked = parser.parse_args()
    said = {"seed": asked.seed, "runs": asked.runs}
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {"options": said}
    if done["options"] != said:
        parser.error(f"{asked.json} was begun with {done['options']}: name another file")
    told = []
    for part in asked.only:
        first, columns, rows = parts(asked.runs, asked.audits)[part]
        counted = done.setdefault(part, {})
        with progress(part, sum(number for number, _ in rows.values())) as advance:
            for name, (number, one) in rows.items():
                counts = counted.setdefault(name, [0] * len(columns))
                while counts[0] < number:
                    for _ in range(min(10, number - counts[0])):
                        counts[:] = [a + b for a, b in zip(counts, one(asked.seed + counts[0]), strict=True)]
                        advance(1)
                    asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
        told.append(table(first, columns, counted))
    hand_out("\n\n".join(told), asked.page)


if __name__ == "__main__":
    main()
