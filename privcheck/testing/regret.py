"""`assert_regret_below`: a statistical test of a policy's mean regret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bounds.domains import POSITIVE, Integer, check
from privcheck.auditing.settings import PROBABILITY, Settings
from privcheck.auditing.targets import number_of_arms, resolve
from privcheck.environments import Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.testing.running import (
    ERROR,
    PrivacyFailure,
    asked,
    assertion,
    by_chance,
    failure,
    name_of,
    nothing,
    passed,
)

REGRET_RUNS = 400


@assertion
def assert_regret_below(
    target: Any,
    bound: float,
    environment: str | Environment | Sequence[float],
    *,
    horizon: int,
    epsilon: float | None = None,
    runs: int = REGRET_RUNS,
    error: float = ERROR,
    seed: int | None = None,
) -> float:
    r"""Fail when the expected pseudo-regret of a policy after `horizon` rounds is above `bound`, or nobody could tell.

    The pseudo-regret of a run is sum_{t<=T} (max_b mu_b - mu_{A_t}).

    Parameters
    ----------
    target : a policy as for `privcheck.audit`, with bandit or full-information feedback if it is shipped, with bandit
        feedback if it is your own.
    bound : what the expected regret must not exceed, > 0.
    environment : the id of a named instance, Bernoulli means, or an `Environment`.
    horizon : T, at least the number of arms.
    epsilon : for factories that ask for it.
    runs : independent runs, at least 2.
    error : a policy within the bound fails this test with at most this probability, in (0, 1).
    seed : by default that of `--privcheck-seed`, or 0.

    Returns
    -------
    The mean regret of the runs.

    Raises
    ------
    PrivacyFailure : the lower confidence limit of the expected regret is above the bound; or the runs are too few, or
        the horizon too short, for any policy to fail.

    Source: Maurer and Pontil (2009), Theorem 4 (empirical Bernstein bound), for regrets in [0, T max_a Delta_a].

    Examples
    --------
    >>> assert_regret_below("ucb", 60.0, (0.9, 0.5), horizon=200) < 20.0
    True
    """
    nothing(target)
    how = asked(seed, check("runs", runs, Integer(2)), REGRET_RUNS)
    place, limit = make_environment(environment), check("bound", bound, POSITIVE, "a regret is positive")
    length = check("horizon", horizon, Integer(place.arms), "every arm has to be played once")
    level = check("error", error, PROBABILITY, "1e-6 is usual")
    most = length * float(place.gaps().max())
    least = most - margin(0.0, how.runs, most, level)
    name = name_of(target)
    if least <= limit:
        hint = "lower the bound" if most <= limit else f"raise runs above {how.runs:,}, or the horizon"
        raise PrivacyFailure(
            f"{name}: this test could not fail: the regret of {how.runs:,} runs of {length:,} rounds shows at most that "
            f"the expected regret is above {max(least, 0.0):.4g}, and the bound is {limit:g}. Give {hint}."
            if most > limit
            else f"{name}: this test could not fail: no policy has a regret above {most:g}. Give it a lower bound."
        )
    regrets = _regrets(target, place, epsilon, length, how.runs, how.seed)
    mean, spread = float(regrets.mean()), margin(float(regrets.var(ddof=1)), how.runs, most, level)
    about = f"{name}: mean regret {mean:.4g} in {how.runs:,} runs of {length:,} rounds"
    if mean - spread > limit:
        told = f"{about}: the expected regret is above {mean - spread:.4g}, and the bound is {limit:g}"
        call = f"privcheck.testing.assert_regret_below({name}, {limit:g}, ..., horizon={length}, seed={how.seed})"
        witness = [f"Means of the arms: {', '.join(f'{mu:g}' for mu in place.means)}"]
        raise failure(told, witness, by_chance(level, "a policy within the bound"), how, call)
    passed(f"{about}, bound {limit:g}; a mean above {limit + spread:.4g} would have failed")
    return mean


def margin(variance: float, runs: int, most: float, level: float) -> float:
    """Return how far the mean of independent numbers in [0, most] may lie above their expectation at a level.

    Parameters
    ----------
    variance : of the sample, with n - 1 in the denominator.
    runs : n, at least 2.
    most : the largest possible number.
    level : error probability.

    Examples
    --------
    >>> round(margin(0.25, 1000, 1.0, 0.05), 4)
    0.0516
    """
    logarithm = math.log(2.0 / level)
    return math.sqrt(2.0 * variance * logarithm / runs) + 7.0 * most * logarithm / (3.0 * (runs - 1))


def _regrets(
    target: Any, place: Environment, epsilon: float | None, horizon: int, runs: int, seed: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    arms = number_of_arms(target, place.arms)
    policy = resolve(target, Settings(epsilon=epsilon, seed=seed), horizon, arms)
    if policy.feedback not in ("bandit", "full"):
        raise PrivcheckError("target", words(policy.feedback), "a policy with bandit or full-information feedback")
    rng, gaps = np.random.default_rng([seed, 0]), place.gaps()
    regrets = np.empty(runs)
    for run in range(runs):
        played = policy.runner.play(place.table(rng, horizon), 1, np.random.SeedSequence(seed, spawn_key=(1, run)))
        regrets[run] = gaps[played.symbols[0]].sum()
    return regrets
