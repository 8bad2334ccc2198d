"""Every setting: the best published rule, ours, the one without privacy, and a lower bound where one is known.

    python benchmarks/settings.py [--runs 2000] [--seed 0] [--only local ...] [--write docs/evidence/settings.md]

Regret after T rounds, or rounds until a best arm is recommended, over runs of each policy; slow policies play a share
of --runs, which the table states. With --write the table in the page is replaced. `--runs 20` takes some seconds, after
compilation.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privcheck import bounds, identify, simulate
from privcheck.arrays import Array
from privcheck.bandits import ALGORITHMS
from privcheck.environments import Environment, LinearContexts, TopKArms, environment

C2 = (0.75, 0.625, 0.5, 0.375, 0.25)
MU1 = (0.95, 0.9, 0.9, 0.9, 0.5)
TOP_K = (0.9, 0.8, 0.7, 0.3, 0.2, 0.1)
EPSILON, RHO, ERROR = 0.1, 0.5 * 0.1 * math.tanh(0.05) * 2.0, 0.01
"""RHO is epsilon tanh(epsilon / 2): what pure epsilon-DP amounts to in zCDP."""


@dataclass(frozen=True)
class Entry:
    """One policy of a row.

    Parameters
    ----------
    role : "published", "ours" or "not private".
    policy, options : its id, and what it is built with besides the number of arms.
    share : the share of the runs that it plays, if it is slow.
    """

    role: str
    policy: str
    options: dict[str, Any]
    share: float = 1.0


@dataclass(frozen=True)
class Setting:
    """One row: where policies play, for how long, and the lower bound.

    `horizon` is None where policies stop by themselves, with a wrong arm with probability at most `ERROR`.
    """

    name: str
    words: str
    place: Callable[[], Environment | Sequence[float]]
    horizon: int | None
    entries: tuple[Entry, ...]
    bound: Callable[[], float] | None = None


def least(identifier: str, instance: Any) -> float:
    """Return a lower bound by its id."""
    return next(float(found.value) for found in bounds.evaluate(instance) if found.id == identifier)


def least_rounds(means: Sequence[float], epsilon: float, *, local: bool = False) -> float:
    """Return T* ln(1 / (2.4 delta)) of Bernoulli arms, or of their best local reports."""
    if local:
        low = 1.0 / (1.0 + math.exp(epsilon))
        means, epsilon = [low + (1.0 - 2.0 * low) * mean for mean in means], math.inf
    instance = bounds.Instance("bernoulli", means=tuple(means), epsilon=epsilon)
    return bounds.characteristic_time(instance).value * math.log(1.0 / (2.4 * ERROR))


def bernoulli(means: Sequence[float], horizon: int, epsilon: float) -> Any:
    return bounds.Instance("bernoulli", means=tuple(means), epsilon=epsilon, horizon=horizon)


LINEAR = {"features": 3, "epsilon": 1.0, "delta": 0.1, "horizon": 20_000}
SETTINGS = (
    Setting(
        "pure epsilon", "C2, epsilon 0.1, T = 1e6", lambda: environment("c2"), 10**6,
        (
            Entry("published", "dp-imed", {"epsilon": EPSILON}),
            Entry("published", "dp-kl-ucb", {"epsilon": EPSILON}),
            Entry("published", "adap-kl-ucb", {"epsilon": EPSILON}),
            Entry("ours", "dp-glr-imed", {"epsilon": EPSILON}),
            Entry("not private", "imed", {}, 0.02),
        ),
        lambda: least("finite-time/pure", bernoulli(C2, 10**6, EPSILON)),
    ),
    Setting(
        "zCDP", "C2, rho 0.005, T = 1e6", lambda: environment("c2"), 10**6,
        (
            Entry("published", "adac-ucb", {"rho": RHO}),
            Entry("ours", "gaussian-glr-imed", {"rho": RHO}),
            Entry("not private", "imed", {}, 0.02),
        ),
        lambda: least(
            "concentrated-privacy/finite-time",
            bounds.ConcentratedInstance("bernoulli", means=C2, rho=RHO, horizon=10**6),
        ),
    ),
    Setting(
        "local", "C2, epsilon 1, T = 1e5", lambda: environment("c2"), 10**5,
        (
            Entry("published", "ldp-ucb", {"epsilon": 1.0}, 0.1),
            Entry("ours", "ldp-kl-ucb", {"epsilon": 1.0}, 0.1),
            Entry("ours", "ldp-imed", {"epsilon": 1.0}, 0.1),
            Entry("not private", "imed", {}, 0.1),
        ),
        lambda: least("finite-time/local", bernoulli(C2, 10**5, 1.0)),
    ),
    Setting(
        "linear, joint", "d = 3, K = 9, (1, 0.1), T = 2e4", lambda: LinearContexts(arms=9, features=3), 20_000,
        (
            Entry("published", "lin-ucb-gaussian", LINEAR, 0.02),
            Entry("ours", "lin-ucb-batches", LINEAR, 0.02),
            Entry("ours", "lin-ucb-gaussian", LINEAR | {"tree": "square-root"}, 0.02),
            Entry("not private", "lin-ucb", {"features": 3, "horizon": 20_000}, 0.02),
        ),
    ),
    Setting(
        "semi-bandit", "top 2 of 6, epsilon 1, T = 2e4", lambda: TopKArms(TOP_K, size=2), 20_000,
        (
            Entry("published", "cucb-dp", {"size": 2, "epsilon": 1.0, "horizon": 20_000}, 0.1),
            Entry("ours", "cucb-batches", {"size": 2, "epsilon": 1.0}, 0.1),
            Entry("not private", "cucb", {"size": 2, "index": "kl"}, 0.1),
        ),
    ),
    Setting(
        "best arm", "mu1, epsilon 0.1, delta 0.01", lambda: MU1, None,
        (
            Entry("published", "dp-se-bai", {"epsilon": EPSILON}),
            Entry("published", "dp-tt", {"epsilon": EPSILON}, 0.02),
            Entry("ours", "dp-exact-tt", {"epsilon": EPSILON}, 0.1),
            Entry("not private", "top-two", {}, 0.1),
        ),
        lambda: least_rounds(MU1, EPSILON),
    ),
    Setting(
        "best arm, local", "C2, epsilon 1, delta 0.01", lambda: C2, None,
        (
            Entry("published", "ctb-tt", {"epsilon": 1.0}, 0.01),
            Entry("ours", "ldp-tt", {"epsilon": 1.0}, 0.1),
            Entry("not private", "top-two", {}, 0.1),
        ),
        lambda: least_rounds(C2, 1.0, local=True),
    ),
    Setting(
        "full information", "Hu's setting 1, epsilon 0.1, T = 1e5", lambda: environment("hhmh-setting1"), 10**5,
        (
            Entry("published", "rnm-ftnl", {"epsilon": EPSILON}),
            Entry("not private", "rnm-ftnl", {"epsilon": 1e9}),
        ),
    ),
)  # fmt: skip


def measured(setting: Setting, entry: Entry, runs: int, seed: int) -> Array:
    """Return the regret, or the stopping time, of every run."""
    place = setting.place()
    arms = len(place) if isinstance(place, Sequence) else place.arms
    spec = ALGORITHMS[entry.policy](arms=arms, **entry.options)
    if setting.horizon is None:
        (stopped,) = identify(spec, place, horizon=10**9, delta=ERROR, runs=runs, seed=seed).results
        return stopped.times()[:, 0]
    played = simulate(spec, place, horizon=setting.horizon, runs=runs, seed=seed, checkpoints=2)
    return np.asarray(played.results[0].regret[:, -1])


def shown(number: float) -> str:
    """Return four digits of a number.

    >>> shown(109577.0), shown(0.5)
    ('109,600', '0.5')
    """
    return f"{float(f'{number:.4g}'):,.10g}"


def row(setting: Setting, entry: Entry, values: Array) -> str:
    """Return a row of the table in Markdown."""
    se = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    upper = "" if len(values) < 100 else shown(np.quantile(values, 0.99, method="inverted_cdf"))
    chosen = ", ".join(f"{name}={value}" for name, value in entry.options.items() if name in ("tree", "index"))
    name = f"`{entry.policy}`" + (f", {chosen}" if chosen else "")
    if entry.role == "not private" and entry.options.get("epsilon") == 1e9:
        name += ", epsilon = 1e9"
    error = f"{float(f'{se:.2g}'):,.10g}"
    numbers = f"{shown(values.mean())} ± {error} | {shown(np.median(values))} | {upper} | {shown(values.max())}"
    return f"| {setting.name}: {setting.words} | {entry.role} | {name} | {len(values):,} | {numbers} |"


def table(runs: int, seed: int, only: Sequence[str] = ()) -> list[str]:
    """Return the rows of the table, the lower bound of each setting last."""
    rows = ["| setting | | policy | runs | mean ± se | median | 99 % | largest |", "|---|---|---|---|---|---|---|---|"]
    for setting in SETTINGS:
        if only and setting.name not in only:
            continue
        for entry in setting.entries:
            played = max(round(runs * entry.share), min(runs, 20))
            rows.append(row(setting, entry, measured(setting, entry, played, seed)))
            print(rows[-1], flush=True)
        if setting.bound is not None:
            rows.append(f"| {setting.name}: {setting.words} | lower bound | | | {shown(setting.bound())} | | | |")
            print(rows[-1], flush=True)
    return rows


def write(page: Path, rows: Sequence[str]) -> None:
    """Replace the table of the page."""
    text = page.read_text(encoding="utf-8")
    found = re.sub(r"(?m)^\| setting \|.*\n(?:\|.*\n)*", lambda _: "\n".join(rows) + "\n", text, count=1)
    page.write_text(found, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[], choices=[setting.name for setting in SETTINGS])
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    given = parser.parse_args()
    rows = table(given.runs, given.seed, given.only)
    if given.write is not None:
        write(given.write, rows)


if __name__ == "__main__":
    main()
