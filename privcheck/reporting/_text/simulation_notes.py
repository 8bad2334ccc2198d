"""What has to be said beside the regret of simulated policies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privcheck.reporting._text.audit_sentences import plural
from privcheck.results import OwnPolicy, Simulation

UNTESTED = (
    "Regret is compared at the privacy that each policy claims. Claims are not tested here: a policy that adds too "
    "little noise has less regret."
)

CONFIDENCE = 0.95
"""Of the intervals that `Simulation.compare` gives unless it is told otherwise."""


def too_few_runs(simulation: Simulation, pairs: int) -> str:
    """Return a note where runs are too few for an upper limit of a quantile; nothing otherwise.

    The largest of n runs is below the q-quantile with probability q^n, which an interval may miss with a quarter of its
    error: it has two ends, at each of two samples.

    >>> from privcheck.simulation._simulate import simulate
    >>> print(too_few_runs(simulate(["ucb", "kl-ucb"], [0.75, 0.5], horizon=100, runs=50), 1))
    50 runs give no upper limit of a 95 % quantile and a 99 % quantile, so these intervals reach to the largest \
possible regret: 437 runs give all.
    """
    least = min(len(result.regret) for result in simulation.results)
    error = (1.0 - CONFIDENCE) / pairs / 4.0
    needed = {f"a {q:.0%} quantile".replace("%", " %"): math.ceil(math.log(error) / math.log(q)) for q in (0.95, 0.99)}
    lacking = [name for name, runs in needed.items() if least < runs]
    if not lacking:
        return ""
    return (
        f"{plural(least, 'run')} give no upper limit of {' and '.join(lacking)}, so these intervals reach to the "
        f"largest possible regret: {max(needed.values()):,} runs give all."
    )


def order_note(simulation: Simulation) -> str:
    """Return a note where policies are compared with the best arm in the first place in every run.

    >>> from privcheck.simulation._simulate import simulate
    >>> print(order_note(simulate(["ucb", "kl-ucb"], [0.75, 0.5], horizon=100, runs=5)))
    the best arm is arm 0 in every run, which favours policies that begin with it or break ties for it: shuffle_arms=\
True, or --shuffle-arms, plays them in a random order.
    >>> order_note(simulate("ucb", [0.5, 0.75], horizon=100, runs=5))
    ''
    """
    means = list(simulation.environment.means or ())
    own = any(isinstance(result.algorithm, OwnPolicy) for result in simulation.results)
    if simulation.shuffle_arms or (len(simulation.results) < 2 and not own) or not means or means[0] < max(means):
        return ""
    return (
        "the best arm is arm 0 in every run, which favours policies that begin with it or break ties for it: "
        "shuffle_arms=True, or --shuffle-arms, plays them in a random order."
    )


def budgets_words(simulation: Simulation) -> str:
    """Return the budgets of the policies; "" if none has one.

    >>> from privcheck.simulation._simulate import simulate
    >>> budgets_words(simulate(["adap-ucb", "ucb"], [0.75, 0.5], horizon=100, runs=5, epsilon=1.0))
    'epsilon = 1 (ucb: not private)'
    """
    by_budget: dict[str, list[str]] = {}
    for result in simulation.results:
        spec = result.algorithm
        told = [(name, getattr(spec, name, None)) for name in ("epsilon", "delta", "rho", "mu")]
        told = [pair for pair in told if pair[1] and (pair[0] != "delta" or spec.feedback != "identification")]
        budget = ", ".join(f"{name} = {amount:g}" for name, amount in told) if spec.private else ""
        if budget and getattr(spec, "local", False):
            budget += " (local DP)"
        elif budget and spec.feedback == "contextual" and getattr(spec, "id", ""):
            budget += " (joint DP)"
        by_budget.setdefault(budget or "not private", []).append(result.policy)
    private = [budget for budget in by_budget if budget != "not private"]
    if len(private) == 1:
        rest = ", ".join(by_budget.get("not private", ()))
        return private[0] + (f" ({rest}: not private)" if rest else "")
    return "; ".join(f"{', '.join(names)}: {budget}" for budget, names in by_budget.items()) if private else ""


def runs_words(counts: Sequence[int]) -> str:
    """Return how many runs there are of a policy, in words; some have fewer where the time was up.

    >>> runs_words([50, 50]), runs_words([34, 50])
    ('50 runs', '34 to 50 runs')
    """
    least, most = min(counts, default=0), max(counts, default=0)
    return plural(most, "run") if least == most else f"{least:,} to {plural(most, 'run')}"


def described(algorithm: Any) -> str:
    """Return what was played: an algorithm with its parameters, or the place of a policy of the user's.

    >>> described(OwnPolicy("bandit.py:Mine", "bandit", epsilon=1.0))
    'bandit.py:Mine, epsilon = 1, bandit feedback'
    """
    if not isinstance(algorithm, OwnPolicy):
        return repr(algorithm)
    told = [(name, getattr(algorithm, name)) for name in ("epsilon", "delta", "rho", "mu")]
    claim = "".join(f", {name} = {amount:g}" for name, amount in told if amount or (name == "delta" and amount == 0.0))
    return f"{algorithm.name}{claim}, {algorithm.feedback} feedback"
