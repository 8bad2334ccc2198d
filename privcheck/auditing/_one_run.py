"""An audit of a single run, from scores of canaries that coins included or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from privcheck.accounting import gaussian_epsilon
from privcheck.arrays import Array, Bools, Integers, refuse_masks
from privcheck.auditing._coins_of_their_own import NO_COINS, refuse_shared_coins
from privcheck.auditing._learned_guesses import LEAST_TO_LEARN, learned_guesses
from privcheck.declared import Choice, Integer, OrNone, Real, Switch, check
from privcheck.errors import PrivcheckError, words
from privcheck.inference import (
    DELTA,
    EPSILON,
    INCLUSION,
    LEVEL,
    binomial_lower,
    coin_p_value,
    even_lower,
    gaussian_lower,
    independent_gaussian_lower,
    largest_bias,
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

MOST_BIASED = 20.0
"""Log-odds of a coin about which nothing is said: it may include every canary, or none."""

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
    coins: str | None = None,
    inclusion: float = 0.5,
) -> OneRunBound:
    """Bound epsilon from below by a single run, for learners that are too expensive to run twice, or from a log.

    Before the run, each of m canaries (examples, users, rounds) was included by a coin of its own. After it, each has a
    score, computed from what the run put out without looking at the coins; high scores speak for inclusion. The
    canaries with the highest scores are guessed to be included, those with the lowest not to be, and the others are
    left out.

    The coins may be unfair, as long as one probability is that of all: at delta = 0 as many canaries are guessed to be
    included as not to be, and the bound holds for every such coin. Otherwise half of the level is spent on an interval
    for this probability, from the number of canaries that were included, and the bound holds for all of it.

    Parameters
    ----------
    scores : shape (m,), numbers, infinite ones included, m at least 20.
    included : shape (m,), whether each canary was in the data: True or 1, False or 0.
    delta : delta of the bound and of the claim, in [0, 1).
    epsilon : the claim; by default there is none, and no verdict.
    guesses : how many canaries are guessed about: a number, half of which are guessed to be included, or two numbers,
        (included, not included); at delta = 0 they must be equal, unless `coins="fair"` is given. It must have been
        fixed without looking at the coins. By default most of the level is for guesses by thresholds that are learned
        on some of the canaries, which do not count; the rest is divided among several numbers.
    confidence : of each bound, in [0.5, 1).
    error : a true claim is refuted with at most this probability, in (0, 0.5].
    method : "f-dp" (the default) tests trade-off functions; "steinke" the largest number of correct guesses.
    independent : whether scores are independent of each other given the coins, and each depends on its own canary
        alone, as when each is a coordinate of its own with noise of its own. Noise, a failure or a choice that several
        scores share makes this false, even if no canary affects the score of another one. It gives a much better
        `mu_lower`, and is taken on your word.
    coins : "fair" if they are: then guesses need not be as many of one kind as of the other at delta = 0, and half of
        the level is spent on how unfair the coins may be for all that is seen of them.
    inclusion : the probability with which each canary was included, in (0, 1).

    Returns
    -------
    OneRunBound : the bounds; those on epsilon hold whatever the dependence between scores.

    Raises
    ------
    PrivcheckError : scores and coins of different lengths, NaN, fewer than 20 canaries, an option out of its range, or
        coins that such coins are at most once in a million times: a number of included canaries that the probability
        `inclusion` does not have, one of each two neighbours, or each coin several times.

    Source
    ------
    Steinke, Nasr and Jagielski 2023; Mahloujifar, Melis and Chaudhuri 2024; for unfair coins
    docs/evidence/one-run-bounds.md.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> included = rng.random(1000) < 0.5
    >>> found = one_run(3.0 * included + rng.normal(size=1000), included, delta=1e-5, independent=True)
    >>> 3.0 < found.epsilon_lower < 5.0, 2.6 < found.mu_lower < 3.0
    (True, True)
    """
    values, known = _values(scores), _coins(included)
    if len(values) != len(known):
        raise PrivcheckError("included", words(f"{len(known)} coins"), f"one for each of the {len(values)} scores")
    if len(values) < LEAST_CANARIES:
        raise PrivcheckError("scores", words(f"{len(values)} canaries"), f"at least {LEAST_CANARIES}", "use more")
    delta, epsilon = check("delta", delta, DELTA), check("epsilon", epsilon, OrNone(EPSILON))
    level = 1.0 - check("confidence", confidence, Real(0.5, 1.0, high_open=True))
    error = check("error", error, LEVEL)
    method = check("method", method, Choice(("f-dp", "steinke")))
    independent = check("independent", independent, Switch())
    coins = check("coins", coins, OrNone(Choice(("fair",))))
    run = _Run(values, known, delta, method, even=delta == 0.0 and coins is None)
    inclusion = check("inclusion", inclusion, INCLUSION)
    tried = _numbers(guesses, len(values), even=run.even)
    p_value = run.coins_tested(inclusion, coins)
    refuse_shared_coins(known)
    correct = _correct(values, known, tried)
    share = SHARE_OF_FIXED if guesses is None and len(values) >= LEAST_TO_LEARN else 1.0
    limits = run.limits(correct, tried, level, share)
    best = int(np.argmax(limits))
    lower, right, number = limits[best], correct[best], sum(tried[best])
    refuted = epsilon is not None and max(run.limits(correct, tried, error, share)) > epsilon
    learned = False
    if share < 1.0:
        found = learned_guesses(values, known, (1.0 - share) * level, even=run.even)
        limit = run.learned_limit(*found, level, 1.0 - share)
        refuted = refuted or (epsilon is not None and run.learned_limit(*found, error, 1.0 - share) > epsilon)
        learned = limit > lower
        if learned:
            lower, (right, number) = limit, found
    verdict = None if epsilon is None else "violation" if refuted else "not refuted"
    mu = None if method == "steinke" else run.mu(correct, tried, level, independent=independent)
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
        coins=coins,
        inclusion=inclusion,
        included=int(known.sum()),
        coins_p_value=p_value,
        even=run.even,
        guesses_given=guesses is not None,
    )


@dataclass(frozen=True)
class _Run:
    """Scores, coins, and what is tested; `even` if all guesses are as many of one kind as of the other, which needs no
    interval for the probability of the coins.
    """

    values: Array
    coins: Bools
    delta: float
    method: str
    even: bool

    def coins_tested(self, inclusion: float, said: str | None) -> float:
        """Return the p-value of the number of included canaries, or refuse what cannot be such coins."""
        if said == "fair" and inclusion != 0.5:
            raise PrivcheckError("inclusion", inclusion, "0.5 for coins='fair'", "leave one of them out")
        included, canaries = int(self.coins.sum()), len(self.coins)
        p_value = coin_p_value(included, canaries, inclusion)
        if p_value < NO_COINS:
            kind = "fair coins" if inclusion == 0.5 else f"coins of probability {inclusion:g}"
            got = words(f"{included} of {canaries} canaries, for {kind} (p-value {p_value:.1g})")
            expected = "each canary included by a coin of its own, before the run"
            hint = "if the coins have another probability, say inclusion=; scores of chosen canaries bound nothing"
            raise PrivcheckError("included", got, expected, hint)
        return p_value

    def _bias(self, level: float) -> float:
        """Return how unfair the coins may be; a limit that is off with half of this level as probability."""
        return largest_bias(int(self.coins.sum()), len(self.coins), 0.5 * level)

    def _limit(self, uneven: Callable[..., float], right: int, number: int, level: float, share: float) -> float:
        """Return the limit from right guesses with a share of the level."""
        if self.even:
            return even_lower(right, number, share * level)
        bias = self._bias(level)
        if bias > MOST_BIASED:
            return 0.0
        return uneven(right, number, len(self.coins), 0.5 * share * level, bias=bias)

    def limits(self, correct: list[int], tried: list[tuple[int, int]], level: float, share: float) -> list[float]:
        """Return the limit from each number of guesses, among which a share of the level is divided evenly."""
        exact = self.method == "steinke" or self.delta == 0.0  # pure privacy: the binomial bound is attained
        uneven = partial(binomial_lower if exact else tradeoff_lower, delta=self.delta)
        each = share / len(tried)
        return [self._limit(uneven, right, sum(pair), level, each) for right, pair in zip(correct, tried, strict=True)]

    def learned_limit(self, right: int, number: int, level: float, share: float) -> float:
        """Return the limit from guesses whose number was learned."""
        return self._limit(partial(unfixed_lower, delta=self.delta), right, number, level, share)

    def mu(self, correct: list[int], tried: list[tuple[int, int]], level: float, *, independent: bool) -> float:
        """Return the limit on mu, always with an interval for the coins."""
        uneven = replace(self, even=False)
        if not independent:
            each = 1.0 / len(tried)
            pairs = zip(correct, tried, strict=True)
            return max(uneven._limit(gaussian_lower, right, sum(pair), level, each) for right, pair in pairs)
        order = np.random.default_rng(0).permutation(len(self.values))
        cut = int(LEARNING_SHARE * len(order))
        threshold = _threshold(self.values[order[:cut]], self.coins[order[:cut]])
        rest = order[cut:]
        right = int(((self.values[rest] >= threshold) == self.coins[rest]).sum())
        return uneven._limit(_alone, right, len(rest), level, 1.0)


def _alone(right: int, number: int, canaries: int, level: float, *, bias: float) -> float:  # noqa: ARG001
    return independent_gaussian_lower(right, number, level, bias)


def _at_delta(mu: float, delta: float) -> float:
    return gaussian_epsilon(mu, delta).lower if mu > 0.0 else 0.0


def _threshold(values: Array, coins: Bools) -> float:
    """Return the middle between the means of both groups: the best threshold for two normal laws of one variance."""
    finite = np.nan_to_num(values) / 2.0  # halves, whose sums stay finite
    if coins.all() or not coins.any():
        return float(2.0 * np.median(finite))
    return float(np.median(finite[coins]) + np.median(finite[~coins]))


def _numbers(guesses: int | tuple[int, int] | None, canaries: int, *, even: bool) -> list[tuple[int, int]]:
    if guesses is None:
        numbers, found = canaries, []
        while numbers >= LEAST_GUESSES:
            found.append((numbers // 2, numbers // 2))
            numbers = numbers * 7 // 10
        if even:
            return found
        return [*found, (max(LEAST_GUESSES, canaries // 20), 0), (max(LEAST_GUESSES, canaries // 5), 0)]
    two = guesses if isinstance(guesses, tuple | list) else None
    if two is None:
        whole = int(check("guesses", guesses, Integer(1, canaries)))
        two = ((whole if even else whole + 1) // 2, whole // 2)
    if len(two) != 2 or any(check("guesses", number, Integer(0)) < 0 for number in two):
        raise PrivcheckError("guesses", guesses, "a number, or two numbers (included, not included)")
    pair = int(two[0]), int(two[1])
    if not 1 <= sum(pair) <= canaries:
        raise PrivcheckError("guesses", guesses, f"between 1 and {canaries} guesses in all", "one guess for a canary")
    if even and pair[0] != pair[1]:
        hint = "coins='fair' allows others, and spends half of the level on how fair the coins are"
        raise PrivcheckError("guesses", guesses, "as many guesses of one kind as of the other at delta = 0", hint)
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
    refuse_masks("scores", scores)
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
    refuse_masks("included", included)
    try:
        coins = np.asarray(included)
    except ValueError:  # lists of different lengths
        coins = np.empty(0, object)
    if coins.ndim != 1 or coins.dtype.kind not in "biuf" or not np.isin(coins, (0, 1)).all():
        raise PrivcheckError("included", words("something other than coins"), "a list of True and False, or of 1 and 0")
    return coins.astype(bool)
