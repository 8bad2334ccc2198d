"""Lower limits on privacy from the guesses of one run: which canaries, each included by a coin, were in the data.

An observer of one output guesses for `guesses` of the canaries whether they were in, and abstains on the others; the
number of guesses is fixed in advance. The coins of all canaries have one probability q, fair or not: `bias` is
abs(ln(q / (1 - q))), or an upper limit of it. The proofs are in docs/evidence/one-run-bounds.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from privcheck.arrays import Array, Bools
from privcheck.declared import Integer, Real, check
from privcheck.errors import PrivcheckError
from privcheck.inference._counts import DELTA, EPSILON, LEVEL, check_count
from privcheck.inference._limits import chance_lower, tails_upper

BIAS = Real(0.0)

STEP = 0.005
"""Distance of the claims on epsilon that are tested one after another, where the test is not known to be monotone."""

BLOCK = 1.02
"""Of guesses that would have been fewer, this many times as many are taken together, and the p-value is rounded up."""

LARGEST = 64.0
"""Largest claim that is tested: to refute it takes more than 1e27 correct guesses."""

CLAIMS = 65
"""Claims that are tested at once, evenly spaced; the interval between the last refuted one and the next is divided in
the same way, so that four times give a limit to about 4e-6.
"""


def binomial_p_value(correct: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0) -> float:
    """Return the p-value of the claim of (epsilon, delta)-DP for one canary, from the number of correct guesses.

    Parameters
    ----------
    correct, guesses, canaries : integers of at least 0, each at most the next.
    epsilon, delta : the claim.

    Below 1e-100 this is an upper bound on the p-value, by Chernoff's inequality.

    Source
    ------
    Steinke, Nasr and Jagielski 2023, theorem 5.2.

    Examples
    --------
    >>> binomial_p_value(10, 10, 100, 0.0) == 0.5**10
    True
    """
    correct, guesses, canaries = _counts(correct, guesses, canaries)
    claims = np.array([check("epsilon", epsilon, EPSILON)])
    return float(_binomial_p_values(correct, guesses, canaries, claims, check("delta", delta, DELTA))[0])


LARGEST_LEVEL = 0.25
"""A binomial law is above its mean with a larger probability: Hoeffding's inequality holds for all counts beyond."""


def even_lower(correct: int, guesses: int, level: float) -> float:
    """Return a lower limit on epsilon at delta = 0 that holds for every coin, if half of the guesses say "in".

    A guess "in" is right with probability sigma(epsilon + l) at most, a guess "out" with sigma(epsilon - l), l the
    log-odds of the coin. Their mean is sigma(epsilon) at most, and many correct guesses are likeliest if all guesses
    have the mean.

    Source
    ------
    Hoeffding 1956, theorem 4; docs/evidence/one-run-bounds.md has the proof.

    Examples
    --------
    >>> even_lower(100, 100, 0.05) == binomial_lower(100, 100, 1000, 0.05)
    True
    """
    return binomial_lower(correct, guesses, guesses, min(check("level", level, LEVEL), LARGEST_LEVEL))


def binomial_lower(
    correct: int, guesses: int, canaries: int, level: float, delta: float = 0.0, bias: float = 0.0
) -> float:
    """Return the lower limit on epsilon, given delta, that the test of `binomial_p_value` gives.

    The claims 0, `STEP`, ... are tested up to the first that is not refuted, so the test need not be monotone. With a
    biased coin, epsilon + `bias` is tested: a guess of the likelier side is right as often as that.

    >>> 3.4 < binomial_lower(100, 100, 1000, 0.05) < 3.5
    True
    """
    from scipy.stats import binom

    correct, guesses, canaries = _counts(correct, guesses, canaries)
    level, delta = check("level", level, LEVEL), check("delta", delta, DELTA)
    if guesses == 0:
        return 0.0
    most = max(0.0, math.log(guesses / -math.log(level))) + 1.0  # not even certainty refutes this claim
    claims = np.arange(0.0, most, STEP)
    exact = binom.sf(correct - 1, guesses, expit(claims))
    claims = claims[: int(np.argmax(exact > level)) + 1]  # delta refutes no further claim
    refuted = _binomial_p_values(correct, guesses, canaries, claims, delta) <= level
    return max(0.0, float(claims[np.argmin(refuted)]) - STEP - float(check("bias", bias, BIAS)))


def _binomial_p_values(correct: int, guesses: int, canaries: int, claims: Array, delta: float) -> Array:
    from scipy.stats import binom

    chances = expit(claims)
    tails = tails_upper(correct, guesses, chances)
    if delta == 0.0:
        return tails
    exact = binom.sf(correct - 1, guesses, chances)  # 0 where floats are too small, which makes the differences larger
    most = np.zeros(len(claims))
    fewer = 0
    while fewer < correct and (fewer + 1) * most.min() < 1.0:  # no later term is larger than 1 / (fewer + 1)
        least, fewer = fewer + 1, min(correct, max(fewer + 1, int(fewer * BLOCK)))
        most = np.maximum(most, (tails_upper(correct - fewer, guesses, chances) - exact) / least)
    return np.asarray(np.minimum(tails + 2 * canaries * delta * most, 1.0))


def tradeoff_lower(
    correct: int, guesses: int, canaries: int, level: float, delta: float = 0.0, bias: float = 0.0
) -> float:
    """Return the lower limit on epsilon, given delta, for the trade-off function of (epsilon, delta)-DP.

    Source
    ------
    Mahloujifar, Melis and Chaudhuri 2024; docs/evidence/one-run-bounds.md has a proof.

    Examples
    --------
    >>> 3.4 < tradeoff_lower(100, 100, 1000, 0.05) < 3.6
    True
    """
    level, delta = check("level", level, LEVEL), check("delta", delta, DELTA)
    likelier = float(expit(check("bias", bias, BIAS)))

    def lines(claims: Array) -> Lines:
        """Each side of the coin has two lines, which end where they are of no use; steeper ones come first."""
        corner = (1.0 - delta) / (1.0 + np.exp(claims))
        slopes, lengths = [], []
        for one, other in ((likelier, 1.0 - likelier), (1.0 - likelier, likelier)):
            slopes += [np.exp(claims) * one / other, np.exp(-claims) * one / other]
            lengths += [other * corner, other * (1.0 - delta - corner)]
        steep, long = np.concatenate(slopes, axis=1), np.concatenate(lengths, axis=1)
        order = np.argsort(-steep, axis=1)
        steep, long = np.take_along_axis(steep, order, axis=1), np.take_along_axis(long, order, axis=1)
        right, wrong = delta + np.cumsum(steep * long, axis=1), np.cumsum(long, axis=1)
        return Lines(right, wrong, steep)

    return _last_refuted(correct, guesses, canaries, level, lambda claims: lines(claims).least)


SHARE_OF_DELTA = 0.25
"""Share of the level for what delta adds to the chance of so many correct guesses, if their number is not fixed."""

WIDER = 1.25
"""Ratio of the deltas between which a test is made for all deltas at once."""


def unfixed_lower(
    correct: int, guesses: int, canaries: int, level: float, delta: float = 0.0, bias: float = 0.0
) -> float:
    """Return a lower limit on epsilon, given delta, that holds even if the number of guesses depends on the output.

    Source
    ------
    docs/evidence/one-run-bounds.md has the proof. With delta = 0 this is `binomial_lower`.

    Examples
    --------
    >>> 3.2 < unfixed_lower(100, 100, 1000, 0.05, 1e-5) < tradeoff_lower(100, 100, 1000, 0.05, 1e-5)
    True
    """
    level, delta = check("level", level, LEVEL), check("delta", delta, DELTA)
    if delta == 0.0:
        return binomial_lower(correct, guesses, canaries, level, bias=bias)
    fixed, added = (1.0 - SHARE_OF_DELTA) * level, SHARE_OF_DELTA * level
    most = (1.0 - fixed) / added  # from here on the level is 1
    times = np.concatenate(([0.0, 0.5], WIDER ** np.arange(0.0, 1.0 + math.log(most) / math.log(WIDER))))
    levels, deltas = fixed + added * times[:-1], np.minimum(delta * times[1:], 1.0)

    def least(claims: Array) -> Callable[[Array], Array]:
        return lambda chance: np.asarray(np.maximum(0.0, np.exp(-claims) * (chance - deltas)))

    return max(0.0, _last_refuted(correct, guesses, canaries, levels, least) - float(check("bias", bias, BIAS)))


THRESHOLDS = np.linspace(-6.0, 6.0, 81)
"""Thresholds of a Gaussian test, in standard deviations, at which its trade-off has a tangent: with these, limits are
at most .001 below those of the curve.
"""

STEEPEST = 600.0
"""Largest logarithm of a slope. Those below -10 are left out too: rounding would be divided by them."""


def gaussian_lower(correct: int, guesses: int, canaries: int, level: float, bias: float = 0.0) -> float:
    """Return the lower limit on mu for the trade-off function of mu-GDP, whatever the dependence between canaries.

    Source
    ------
    As for `tradeoff_lower`.

    Examples
    --------
    >>> 0.53 < gaussian_lower(80, 100, 100, 0.05) < 0.54
    True
    """
    odds = check("bias", bias, BIAS)
    likelier = float(expit(odds))

    def tangents(claims: Array) -> Lines:
        """Where the likelihood ratio of the better test of both sides passes a slope, and that slope."""
        mu = np.maximum(claims, 1e-9)
        middle = mu * (mu / 2.0 - THRESHOLDS)
        slopes = np.concatenate([middle + odds, middle - odds] if odds else [middle], axis=1)
        slopes = np.clip(slopes, -10.0, STEEPEST)
        right = wrong = np.zeros(1)
        for one, other, own in ((likelier, 1.0 - likelier, odds), (1.0 - likelier, likelier, -odds)):
            place = (slopes - own) / mu
            right = right + one * ndtr(mu / 2.0 - place)
            wrong = wrong + other * ndtr(-mu / 2.0 - place)
        return Lines(right, wrong, np.exp(slopes))

    level = check("level", level, LEVEL)
    return _last_refuted(correct, guesses, canaries, level, lambda claims: tangents(claims).least)


def independent_gaussian_lower(correct: int, guesses: int, level: float, bias: float = 0.0) -> float:
    """Return the lower limit on mu if each guess depends on its own canary alone: it is right with probability at most
    Phi(mu / 2), the largest for mu-GDP and a fair coin, or what the best test of a biased one has.

    >>> 1.1 < independent_gaussian_lower(80, 100, 0.05) < 1.2
    True
    """
    correct, guesses, _ = _counts(correct, guesses, guesses)
    level, odds = check("level", level, LEVEL), check("bias", bias, BIAS)
    chance = chance_lower(correct, guesses, level)
    likelier = float(expit(odds))
    low, high = 0.0, LARGEST
    if chance <= likelier:
        return 0.0
    for _ in range(60):
        mu = 0.5 * (low + high)
        right = likelier * ndtr(mu / 2.0 + odds / mu) + (1.0 - likelier) * ndtr(mu / 2.0 - odds / mu)
        low, high = (mu, high) if right < chance else (low, mu)
    return low


class Lines(NamedTuple):
    """Lines nowhere below the largest probability of a right guess, given that of a wrong one, by claims (rows).

    Parameters
    ----------
    right, wrong : a point of each line.
    slope : its slope.
    """

    right: Array
    wrong: Array
    slope: Array

    def least(self, chance: Array) -> Array:
        """Return the least probability of a wrong guess, shape (claims, 1), given that of a right one."""
        found = (self.wrong + (chance - self.right) / self.slope).max(axis=1, keepdims=True)
        return np.asarray(np.maximum(0.0, found))


Least = Callable[[Array], Callable[[Array], Array]]
"""For claims, a function of the probability of an event: its least probability on a neighbouring input."""


def _last_refuted(correct: int, guesses: int, canaries: int, level: float | Array, least: Least) -> float:
    """Return a limit that exceeds the true claim with probability at most `level`; refutation is monotone in claims.

    With several levels a claim is refuted if it is at each of them.
    """
    correct, guesses, canaries = _counts(correct, guesses, canaries)
    levels = np.atleast_1d(level)
    low, high = 0.0, LARGEST
    if guesses == 0:
        return 0.0
    for _ in range(4):
        claims = np.linspace(low, high, CLAIMS)
        kept = ~_refuted(correct, guesses, canaries, levels, claims[:, None], least).all(axis=1)
        first = int(np.argmax(kept)) if kept.any() else CLAIMS
        if first in (0, CLAIMS):
            return low if first == 0 else high
        low, high = float(claims[first - 1]), float(claims[first])
    return low


def _refuted(correct: int, guesses: int, canaries: int, levels: Array, claims: Array, least: Least) -> Bools:
    """Tell for each claim (a row) and level (a column) whether so many correct guesses have a probability below it.

    If they had at least this probability, all numbers of correct guesses together would have at least the probability
    that the recursion finds; more than 1 is a contradiction. `right` and `wrong` are the expected shares of canaries
    that are guessed rightly and wrongly while at least `number` guesses are correct.
    """
    least_wrong = least(claims)
    right, wrong = (
        np.broadcast_to(levels * (number / canaries), (len(claims), len(levels))).copy()
        for number in (correct, guesses - correct)
    )
    for number in range(correct, 0, -1):
        needed = np.maximum(wrong, least_wrong(np.minimum(right, 1.0)))
        if np.array_equal(needed, wrong):
            break
        right += (number - 1) / (guesses - number + 1) * (needed - wrong)
        wrong = needed
    return np.asarray(right + wrong > guesses / canaries * (1.0 + 1e-9))


def _counts(correct: int, guesses: int, canaries: int) -> tuple[int, int, int]:
    canaries = int(check("canaries", canaries, Integer(1)))
    guesses = int(check("guesses", guesses, Integer(0)))
    if guesses > canaries:
        raise PrivcheckError("guesses", guesses, f"at most the {canaries} canaries", "guess once for a canary")
    return check_count("correct", correct, guesses), guesses, canaries
