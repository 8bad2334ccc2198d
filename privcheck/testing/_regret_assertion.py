"""`assert_regret_below`: a statistical test of a policy's mean regret."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privcheck.arrays import Array, Table
from privcheck.declared import POSITIVE, Integer, check
from privcheck.environments import Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import FEEDBACKS
from privcheck.inference import LEVEL
from privcheck.targets import CertifySettings, Claim, Game, load_policy
from privcheck.testing._assertion import (
    ERROR,
    asked,
    assertion,
    by_chance,
    failed,
    failure,
    name_of,
    nothing,
    passed,
)
from privcheck.testing._project import setting

REGRET_RUNS = 400
"""Runs where the test does not say: it takes seconds; more runs notice smaller excesses of the regret."""

REPEATS = 8
"""How often the first run is played again: without seeds, these differ from each other."""

MOST_STAKED = 0.75
"""Share of the capital that a bet may lose."""


@assertion
def assert_regret_below(
    target: Any,
    bound: float,
    environment: str | Environment | Sequence[float],
    *,
    horizon: int,
    epsilon: float | None = None,
    delta: float = 0.0,
    rho: float | None = None,
    mu: float | None = None,
    runs: int = REGRET_RUNS,
    error: float | None = None,
    seed: int | None = None,
) -> float:
    r"""Fail when the expected pseudo-regret of a policy after `horizon` rounds exceeds `bound`, or no test could tell.

    The pseudo-regret of a run is sum_{t<=T} (max_b mu_b - mu_{A_t}).

    Parameters
    ----------
    target : a policy as for `privcheck.audit`: a shipped one with bandit or full-information feedback, or your own with
        bandit feedback.
    bound : upper bound on the expected regret, > 0.
    environment : the id of a named instance, Bernoulli means, or an `Environment`.
    horizon : T, at least the number of arms.
    epsilon, delta, rho, mu : for factories that take them.
    runs : independent runs, at least 2.
    error : a policy within the bound fails this test with at most this probability, in (0, 0.5]; by default that of the
        project's settings, or 1e-6.
    seed : by default that of `--privcheck-seed`, or 0.

    Returns
    -------
    The mean regret of the runs.

    Raises
    ------
    PrivacyFailure : the expected regret is shown to be above the bound; or the runs are too few, or the horizon too
        short, for any policy to fail. A mean that exceeds the bound by chance does not fail the test.
    PrivcheckError : bad input, such as policies that keep what they learned for later runs.

    Source: Waudby-Smith and Ramdas (2024), bets on means, for regrets in [0, T max_a Delta_a].

    Examples
    --------
    >>> assert_regret_below("ucb", 60.0, (0.9, 0.5), horizon=200) < 20.0
    True
    """
    nothing(target)
    how = asked(seed, check("runs", runs, Integer(2)))
    place, limit = make_environment(environment), check("bound", bound, POSITIVE, "a regret is positive")
    length = check("horizon", horizon, Integer(place.arms), "every arm has to be played once")
    level = check("error", setting("error", error, ERROR), LEVEL, "1e-06 is usual")
    most = length * float(place.gaps().max())
    name = name_of(target)
    if most <= limit or evidence(np.ones(how.runs), limit / most, level) < 1.0 / level:
        why = f"no policy has a regret above {most:.4g}" if most <= limit else f"{how.runs:,} runs are not enough"
        hint = "give it a smaller bound" if most <= limit else "give it more runs or a longer horizon"
        raise failed(f"{name}: this test could not have failed: {why} and the bound is {limit:g}; {hint}")
    settings = CertifySettings.of(epsilon=epsilon, delta=delta, rho=rho, mu=mu, seed=how.seed)
    regrets = _regrets(target, place, settings.claim, length, how.runs, how.seed)
    mean = float(regrets.mean())
    about = f"{name}: mean regret {mean:.4g} in {how.runs:,} runs of {length:,} rounds"
    if evidence(regrets / most, limit / most, level) >= 1.0 / level:
        told = f"{about}: the expected regret is above the bound {limit:g}"
        call = f"privcheck.testing.assert_regret_below({name}, {limit:g}, ..., horizon={length}, seed={how.seed})"
        witness = [f"Means of the arms: {', '.join(f'{mu:g}' for mu in place.means)}"]
        raise failure(told, witness, by_chance(level, "a policy within the bound"), how, call)
    near, far = (most * found(regrets / most, limit / most, level) for found in (noticed, noticed_failures))
    passed(
        f"{about}, not shown to exceed {limit:g} in expectation; that would have taken a mean of about {near:.4g}, had "
        f"every run lost as much more, or of {far:.4g}, had more runs lost all that they can"
    )
    return mean


def evidence(values: Array, mean: float, level: float) -> float:
    """Return the largest capital reached by bets against "the expectation is at most `mean`"; when this is true, it
    reaches 1 / level with probability at most `level`.

    Parameters
    ----------
    values : independent numbers in [0, 1], shape (n,).
    mean : in (0, 1).
    level : what the size of the bets aims at, in (0, 0.5].

    Source: Waudby-Smith and Ramdas (2024), Section 4.1 (predictable plug-in bets), with Ville's inequality.

    Examples
    --------
    >>> evidence(np.full(100, 0.9), 0.5, 1e-6) > 1e6, evidence(np.full(100, 0.5), 0.5, 1e-6)
    (True, 1.0)
    """
    before = np.arange(1, len(values) + 1)
    guesses = (0.5 + np.cumsum(values)) / (before + 1)
    spreads = (0.25 + np.cumsum(np.square(values - guesses))) / (before + 1)
    predicted = np.concatenate([[0.25], spreads[:-1]])
    bets = np.minimum(np.sqrt(2.0 * math.log(1.0 / level) / (len(values) * predicted)), MOST_STAKED / mean)
    capital = np.cumsum(np.log1p(bets * (values - mean)))
    return math.exp(min(max(0.0, float(capital.max())), 700.0))


def noticed(values: Array, mean: float, level: float) -> float:
    """Return about the mean from which `evidence` would have reached 1 / level: that of the values, all moved up as far
    as it takes, and none above 1.

    >>> round(noticed(np.full(100, 0.5), 0.5, 1e-6), 3)
    0.599
    """
    return _least_mean(lambda share: np.minimum(1.0, values + share), mean, level)


def noticed_failures(values: Array, mean: float, level: float) -> float:
    """Return about the mean from which `evidence` would have reached 1 / level: that of the values, of which as many as
    it takes, evenly spread, are 1. No other values of this mean spread as much.

    >>> round(noticed_failures(np.full(100, 0.5), 0.5, 1e-6), 3)
    0.625
    """
    number = np.arange(len(values) + 1)

    def failing(share: float) -> Array:
        return np.where(np.diff(np.floor(share * number)) > 0, 1.0, values)

    return _least_mean(failing, mean, level)


def _least_mean(moved: Callable[[float], Array], mean: float, level: float) -> float:
    low, high = 0.0, 1.0  # values that are all 1 are enough, or no test was made
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if evidence(moved(middle), mean, level) >= 1.0 / level else (middle, high)
    return float(moved(high).mean())


def _regrets(target: Any, place: Environment, claim: Claim, horizon: int, runs: int, seed: int) -> Array:
    loaded = load_policy(target)
    policy = loaded.target(claim, Game(), horizon, loaded.arms(place.arms))
    if policy.feedback not in FEEDBACKS or not FEEDBACKS[policy.feedback].one_arm_a_round:
        raise PrivcheckError("target", words(policy.feedback), "a policy with bandit or full-information feedback")
    rng, gaps = np.random.default_rng([seed, 0]), place.gaps()
    regrets = np.empty(runs)

    def played(table: Table, run: int) -> Array:
        found: Array = policy.runner.play(table, 1, np.random.SeedSequence(seed, spawn_key=(1, run))).symbols[0]
        return found

    first: list[Array] = []
    for run in range(runs):
        table = place.table(rng, horizon)
        actions = played(table, run)
        regrets[run] = gaps[actions].sum()
        first = first or [table, actions]
    again = [played(first[0], 0) for _ in range(REPEATS)]
    if not np.array_equal(again[0], first[1]) and all(np.array_equal(again[0], other) for other in again):
        got = words("other actions when the first run is played again, after the others")
        hint = "it keeps what it learned: runs are not independent then, and their mean says nothing of a new policy"
        raise PrivcheckError("target", got, "a factory that builds a new policy for every run", hint)
    return regrets
