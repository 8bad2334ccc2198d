"""An audit of a single run, from scores of canaries that fair coins included or not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from privcheck.accounting import epsilon_of
from privcheck.arrays import Array, Bools, Integers
from privcheck.auditing._learned_guesses import LEAST_TO_LEARN, learned_guesses
from privcheck.declared import Choice, Integer, OrNone, Real, Switch, check
from privcheck.errors import PrivcheckError, words
from privcheck.inference import (
    DELTA,
    EPSILON,
    LEVEL,
    binomial_lower,
    gaussian_lower,
    independent_gaussian_lower,
    tradeoff_lower,
    unfixed_lower,
)
from privcheck.results import OneRunBound

LEAST_CANARIES = 20
"""With fewer, not even certain guesses show much: epsilon 1.8 at confidence .95."""

LEAST_GUESSES = 8
"""Smallest number of guesses that is tried."""

SHARE_OF_FIXED = 0.1
"""Share of the level for numbers of guesses that are fixed, where another number is learned."""

LEARNING_SHARE = 0.1
"""Share of independent canaries from which a threshold of their scores is learned."""

Lower = Callable[[int, int, int, float], float]


def one_run(
    scores: npt.ArrayLike,
    included: npt.ArrayLike,
    *,
    delta: float = 0.0,
    epsilon: float | None = None,
    guesses: int | tuple[int, int] | None = None,
    confidence: float = 0.95,
    error: float = 1e-3,
    method: str = "f-dp",
    independent: bool = False,
) -> OneRunBound:
    """Bound epsilon from below by a single run, for learners that are too expensive to run twice, or from a log.

    Before the run, each of m canaries (examples, users, rounds) was included by its own fair coin. After it, each has a
    score, computed from what the run put out without looking at the coins; high scores speak for inclusion. The
    canaries with the highest scores are guessed to be included, those with the lowest not to be, and the others are
    left out.

    Parameters
    ----------
    scores : shape (m,), numbers, infinite ones included, m at least 20.
    included : shape (m,), whether each canary was in the data: True or 1, False or 0.
    delta : delta of the bound and of the claim, in [0, 1).
    epsilon : the claim; by default there is none, and no verdict.
    guesses : how many canaries are guessed about: a number, half of which are guessed to be included, or two numbers,
        (included, not included). It must have been fixed without looking at the coins. By default most of the level is
        for guesses by thresholds that are learned on some of the canaries, which do not count; the rest is divided
        among several numbers.
    confidence : of each bound, in [0.5, 1).
    error : a true claim is refuted with at most this probability, in (0, 0.5].
    method : "f-dp" (the default) tests trade-off functions; "steinke" the largest number of correct guesses.
    independent : whether scores are independent of each other given the coins, and each depends on its own canary
        alone, as when each is a coordinate of its own with noise of its own. Noise, a failure or a choice that several
        scores share makes this false, even if no canary affects the score of another one. It gives a much better
        `mu_lower`, and is taken on your word.

    Returns
    -------
    OneRunBound : the bounds; those on epsilon hold whatever the dependence between scores.

    Raises
    ------
    PrivcheckError : scores and coins of different lengths, NaN, fewer than 20 canaries, or an option out of its range.

    Source
    ------
    Steinke, Nasr and Jagielski 2023; Mahloujifar, Melis and Chaudhuri 2024.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> included = rng.random(1000) < 0.5
    >>> found = one_run(3.0 * included + rng.normal(size=1000), included, delta=1e-5, independent=True)
    >>> 3.0 < found.epsilon_lower < 5.0, 2.6 < found.mu_lower < 3.0
    (True, True)
    """
    values, coins = _values(scores), _coins(included)
    if len(values) != len(coins):
        raise PrivcheckError("included", words(f"{len(coins)} coins"), f"one for each of the {len(values)} scores")
    if len(values) < LEAST_CANARIES:
        raise PrivcheckError("scores", words(f"{len(values)} canaries"), f"at least {LEAST_CANARIES}", "use more")
    delta, epsilon = check("delta", delta, DELTA), check("epsilon", epsilon, OrNone(EPSILON))
    level = 1.0 - check("confidence", confidence, Real(0.5, 1.0, high_open=True))
    error = check("error", error, LEVEL)
    method = check("method", method, Choice(("f-dp", "steinke")))
    independent = check("independent", independent, Switch())
    tried = _numbers(guesses, len(values))
    correct = _correct(values, coins, tried)
    bound, counts = _bound(method, delta), (correct, tried, len(values))
    share = SHARE_OF_FIXED if guesses is None and len(values) >= LEAST_TO_LEARN else 1.0
    limits = _limits(bound, *counts, share * level)
    best = int(np.argmax(limits))
    lower, right, number = limits[best], correct[best], sum(tried[best])
    refuted = epsilon is not None and max(_limits(bound, *counts, share * error)) > epsilon
    learned = False
    if share < 1.0:
        found = learned_guesses(values, coins, (1.0 - share) * level)
        unfixed = partial(unfixed_lower, *found, len(values), delta=delta)
        limit = unfixed((1.0 - share) * level)
        refuted = refuted or (epsilon is not None and unfixed((1.0 - share) * error) > epsilon)
        learned = limit > lower
        if learned:
            lower, (right, number) = limit, found
    verdict = None if epsilon is None else "violation" if refuted else "not refuted"
    mu = None
    if method != "steinke":
        mu = _independent_mu(values, coins, level) if independent else max(_limits(gaussian_lower, *counts, level))
    return OneRunBound(
        epsilon_lower=lower,
        delta=delta,
        confidence=1.0 - level,
        mu_lower=mu,
        epsilon_if_gaussian=None if mu is None or delta == 0.0 else _at_delta(mu, delta),
        epsilon=epsilon,
        verdict=verdict,
        error=error,
        method=method,
        canaries=len(values),
        guesses=number,
        correct=right,
        tried=tuple(tried),
        learned=learned,
        independent=independent,
    )


def _bound(method: str, delta: float) -> Lower:
    exact = method == "steinke" or delta == 0.0  # pure privacy: the binomial bound is attained
    return partial(binomial_lower if exact else tradeoff_lower, delta=delta)


def _limits(bound: Lower, correct: list[int], tried: list[tuple[int, int]], canaries: int, level: float) -> list[float]:
    """Return the limit from each number of guesses, among which the level is divided evenly."""
    each = level / len(tried)
    return [bound(right, sum(pair), canaries, each) for right, pair in zip(correct, tried, strict=True)]


def _at_delta(mu: float, delta: float) -> float:
    return epsilon_of(mu, delta) * (1.0 - 1e-9) if mu > 0.0 else 0.0  # rounded down, where `epsilon_of` rounds up


def _independent_mu(values: Array, coins: Bools, level: float) -> float:
    order = np.random.default_rng(0).permutation(len(values))
    cut = int(LEARNING_SHARE * len(values))
    threshold = _threshold(values[order[:cut]], coins[order[:cut]])
    rest = order[cut:]
    return independent_gaussian_lower(int(((values[rest] >= threshold) == coins[rest]).sum()), len(rest), level)


def _threshold(values: Array, coins: Bools) -> float:
    """Return the middle between the means of both groups: the best threshold for two normal laws of one variance."""
    finite = np.nan_to_num(values) / 2.0  # halves, whose sums stay finite
    if coins.all() or not coins.any():
        return float(2.0 * np.median(finite))
    return float(np.median(finite[coins]) + np.median(finite[~coins]))


def _numbers(guesses: int | tuple[int, int] | None, canaries: int) -> list[tuple[int, int]]:
    if guesses is None:
        numbers, found = canaries, []
        while numbers >= LEAST_GUESSES:
            found.append((numbers // 2, numbers // 2))
            numbers = numbers * 7 // 10
        return [*found, (max(LEAST_GUESSES, canaries // 20), 0), (max(LEAST_GUESSES, canaries // 5), 0)]
    two = guesses if isinstance(guesses, tuple | list) else None
    if two is None:
        whole = int(check("guesses", guesses, Integer(1, canaries)))
        two = ((whole + 1) // 2, whole // 2)
    if len(two) != 2 or any(check("guesses", number, Integer(0)) < 0 for number in two):
        raise PrivcheckError("guesses", guesses, "a number, or two numbers (included, not included)")
    pair = int(two[0]), int(two[1])
    if not 1 <= sum(pair) <= canaries:
        raise PrivcheckError("guesses", guesses, f"between 1 and {canaries} guesses in all", "one guess for a canary")
    return [pair]


def _correct(values: Array, coins: Bools, tried: list[tuple[int, int]]) -> list[int]:
    """Return the correct guesses for each of the numbers. Equal scores are ordered at random, not as they were given:
    a list that begins with the included canaries would tell.
    """
    order = np.lexsort((np.random.default_rng(0).permutation(len(values)), -values))
    right: Integers = np.concatenate(([0], np.cumsum(coins[order])))
    wrong: Integers = np.concatenate(([0], np.cumsum(~coins[order[::-1]])))
    return [int(right[first] + wrong[second]) for first, second in tried]


def _values(scores: npt.ArrayLike) -> Array:
    try:
        given = np.asarray(scores)
        if given.dtype.kind not in "biufO":
            raise TypeError(given.dtype)
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PrivcheckError("scores", words("something other than numbers"), "a list of numbers") from None
    if given.dtype.kind == "O" and any(isinstance(score, str | bytes) for score in given.flat):
        raise PrivcheckError("scores", words("strings"), "a list of numbers", "convert them first")
    if values.ndim != 1 or np.isnan(values).any():
        nan = " with NaN" if np.isnan(values).any() else ""
        raise PrivcheckError("scores", words(f"an array of shape {values.shape}{nan}"), "a list of numbers, none NaN")
    return values


def _coins(included: npt.ArrayLike) -> Bools:
    try:
        coins = np.asarray(included)
    except ValueError:  # lists of different lengths
        coins = np.empty(0, object)
    if coins.ndim != 1 or coins.dtype.kind not in "biuf" or not np.isin(coins, (0, 1)).all():
        raise PrivcheckError("included", words("something other than coins"), "a list of True and False, or of 1 and 0")
    return coins.astype(bool)
