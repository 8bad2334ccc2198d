"""The exact privacy of Wishart noise under the change of one row: two chi-square laws, one of them shifted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privcheck.enclosure import Enclosure
from privcheck.errors import PrivcheckError, words

ROUNDING = 1e-10
"""Relative surplus of every probability, and of every bound made of them: `tails` agrees with 50-digit arithmetic to
1e-11 on the laws in use.
"""

TAIL_ERROR = 1e-11
"""Relative error of a probability that `tails` computes."""

_LARGE = 1e5
"""Degrees of freedom from which on scipy's incomplete gamma functions are not used: five standard deviations below the
mean they are 1e-8 off for 1e6 degrees, and far too small for 1e8.
"""

_FEW = "give more degrees of freedom, or set a larger delta aside"


def delta_of(epsilon: float, shift: float, freedom: float) -> float:
    r"""Return the smallest delta with which adding or removing one row is (epsilon, delta)-DP, rounded up.

    With X chi-square of nu degrees of freedom, it is the hockey stick of X and X + r, the larger of both directions:
    P(X < t) - e^epsilon P(X < t - r) at t = r / (1 - exp(-(epsilon + r / 2) / a)), a = nu / 2 - 1, and
    P(X > u - r) - e^epsilon P(X > u) at u = r / (1 - exp(-(r / 2 - epsilon) / a)), which is 0 for epsilon >= r / 2.

    Parameters
    ----------
    epsilon : >= 0.
    shift : r > 0, the squared norm of the row over the scale of the noise.
    freedom : nu > 2, the degrees of freedom k - p + 1.

    Source: the loss of a row is a ln(x / (x - r)) - r / 2 at X = x, which falls with x (see `Wishart`).

    Examples
    --------
    >>> round(delta_of(0.0, 1.0, 50.0), 6)
    0.040558
    >>> delta_of(0.5, 1.0, 50.0) < 1e-4 < delta_of(0.4, 1.0, 50.0)
    True
    """
    power = freedom / 2.0 - 1.0
    low = -shift / math.expm1(-(epsilon + shift / 2.0) / power)
    one, two = tails(low, freedom)[0], math.exp(epsilon) * tails(_minus(low, shift), freedom)[0]
    found = one - two + ROUNDING * (one + two)
    if epsilon < shift / 2.0:
        high = -shift / math.expm1((epsilon - shift / 2.0) / power)
        one, two = tails(_minus(high, shift), freedom)[1], math.exp(epsilon) * tails(high, freedom)[1]
        found = max(found, one - two + ROUNDING * (one + two))
    return min(1.0, found)


def epsilon_of(delta: float, shift: float, freedom: float, *, copies: int = 1) -> float:
    """Return the smallest epsilon with which one row costs (epsilon, delta), rounded up.

    With `copies=2` a row is replaced: it is removed, and another one added, which costs (2 e, (1 + exp(e)) d) if each
    of the two costs (e, d).

    >>> round(epsilon_of(1e-6, 1.0, 50.0), 4), round(epsilon_of(1e-6, 1.0, 50.0, copies=2), 4)
    (0.8408, 1.9105)
    """
    from scipy.optimize import brentq

    def excess(epsilon: float) -> float:
        factor = 1.0 if copies == 1 else 1.0 + math.exp(epsilon)
        return factor * delta_of(epsilon, shift, freedom) - delta

    high = shift / 2.0
    while excess(high) > 0.0:
        high *= 2.0
        if high > 300.0:
            raise _too_few(delta)
    low = 0.0
    if excess(low) <= 0.0:
        return 0.0
    found = float(brentq(excess, low, high, xtol=1e-300, rtol=1e-13))
    while excess(found) > 0.0:
        found *= 1.0 + 1e-12
    return copies * found * (1.0 + ROUNDING)


def mu_of(delta: float, shift: float, freedom: float, *, copies: int = 1) -> float:
    r"""Return a mu with which one row costs mu-GDP once an event of probability delta is set aside, rounded up.

    Let F be the law of X, h = Phi^-1(F) and P(X <= c) = delta. Tests of X against X + r reject large values, because
    their likelihood ratio is monotone: errors alpha = 1 - F(x) and beta = F(x - r) = Phi(h(x - r)). The normal law
    precedes every gamma law in van Zwet's convex order, so h is concave and h(x) - h(x - r) falls with x. Hence
    beta >= G_mu(alpha) for mu = h(c) - h(c - r) and alpha <= 1 - delta, so that
    beta >= (1 - delta) G_mu(alpha / (1 - delta)) for every alpha: by Blackwell's theorem the two laws come from N(0, 1)
    and N(mu, 1) with probability 1 - delta.
    Replacing a row (`copies=2`) chains two such curves: 2 mu once Phi(Phi^-1(delta_0) + mu) = Phi(h(c) + mu) is set
    aside.

    Parameters
    ----------
    delta : in (0, 1/2].
    shift, freedom : as in `delta_of`.
    copies : 1 if a row is added or removed, 2 if it is replaced.

    Source: Dong, Roth and Su (2022), Theorem 2.10 (Blackwell) and Theorem 2.14 (groups); van Zwet (1964), Convex
    transformations of random variables, Section 4.3.

    Examples
    --------
    >>> round(mu_of(1e-6, 1.0, 1000.0), 5), round(1 / math.sqrt(2 * 1000.0), 5)
    (0.02596, 0.02236)
    """
    from scipy.special import ndtri

    most = float(ndtri(delta))
    aside, gap = most, 0.0
    for _ in range(100):
        cut = _quantile(aside, freedom)
        if not cut > shift:
            raise _too_few(delta)
        gap = _score(cut, freedom) - _score(_minus(cut, shift), freedom)
        last, aside = aside, most - (copies - 1) * gap - 1e-8
        if abs(last - aside) < 1e-10:
            break
    if not _score(cut, freedom) + (copies - 1) * gap < most:
        raise _too_few(delta)
    return copies * gap * (1.0 + ROUNDING) + ROUNDING


def _score(x: float, freedom: float) -> float:
    """Return Phi^-1(P(X <= x)), for x in the lower half of the law of X."""
    from scipy.special import ndtri_exp

    probability = tails(x, freedom)[0]
    return float(ndtri_exp(math.log(probability))) if probability > 0.0 else -math.inf


def _quantile(score: float, freedom: float) -> float:
    """Return x with this `_score`, up to 1e-9 or the spacing of floats."""
    from scipy.special import gammaincinv, ndtr

    if freedom < _LARGE:
        return 2.0 * float(gammaincinv(freedom / 2.0, ndtr(score)))
    x = freedom + score * math.sqrt(2.0 * freedom)
    for _ in range(20):  # the score is nearly linear, with this slope
        x += (score - _score(x, freedom)) * math.sqrt(2.0 * freedom)
    return x


def _minus(x: float, shift: float) -> float:
    """Return x - shift, rounded down, and 0 if it is negative: the spacing of floats may be a large part of `shift`."""
    return max(0.0, math.nextafter(x - shift, -math.inf))


def tails(x: float, freedom: float) -> tuple[float, float]:
    """Return P(X <= x) and P(X > x), for many degrees of freedom by two terms of Temme's uniform expansion.

    Source: Temme (1979), The asymptotic expansion of the incomplete gamma functions; DLMF 8.12.

    >>> [round(tails(99_000.0, freedom)[0], 6) for freedom in (99_999.0, 100_000.0, 100_001.0)]
    [0.012551, 0.012478, 0.012406]
    """
    from scipy.special import chdtr, chdtrc

    if freedom < _LARGE:
        return float(chdtr(freedom, x)), float(chdtrc(freedom, x))
    half, offset = freedom / 2.0, (x - freedom) / freedom
    if abs(offset) > 0.3:  # more than 60 standard deviations
        return (0.0, 1.0) if offset < 0.0 else (1.0, 0.0)
    exponent = math.fsum((-offset) ** power / power for power in range(2, 40))  # offset - ln(1 + offset)
    eta = math.copysign(math.sqrt(2.0 * exponent), offset)
    near = -1.0 / 3.0 + eta / 12.0 - 2.0 * eta**2 / 135.0 + eta**3 / 864.0 + eta**4 / 2835.0
    first = near if abs(offset) < 1e-3 else 1.0 / offset - 1.0 / eta
    second = -1.0 / 540.0 - eta / 288.0 + eta**2 / 378.0
    rest = math.exp(-half * exponent) / math.sqrt(2.0 * math.pi * half) * (first + second / half)
    root = eta * math.sqrt(half / 2.0)
    return math.erfc(-root) / 2.0 - rest, math.erfc(root) / 2.0 + rest


def _too_few(delta: float) -> PrivcheckError:
    got = words(f"a probability of {delta:g}, which is less than that of an infinite loss")
    return PrivcheckError("delta", got, "a probability that the noise can keep", _FEW)


@dataclass(frozen=True)
class ShiftedChiSquare:
    """The law of X against that of X + shift, X chi-square with `freedom` > 2 degrees of freedom.

    The loss at X = x is a ln(x / (x - r)) - r / 2 with a = freedom / 2 - 1: it falls with x, from infinity at r. The
    events with the largest hockey sticks are therefore {X < t} and {X > t}.

    >>> law = ShiftedChiSquare(shift=1.0, freedom=50.0)
    >>> law.loss().value, round(law.delta(0.4).value, 7)
    (inf, 0.0002428)
    """

    shift: float
    freedom: float

    def loss(self) -> Enclosure:
        """Return infinity: below the shift only one law has a density."""
        return Enclosure(math.inf, math.inf)

    def delta(self, epsilon: float) -> Enclosure:
        """Return the larger of the two directed hockey sticks."""
        power, half = self.freedom / 2.0 - 1.0, self.shift / 2.0
        found = self._stick(0, -self.shift / math.expm1(-(epsilon + half) / power), 0.0, epsilon)
        if epsilon < half:
            above = self._stick(1, -self.shift / math.expm1((epsilon - half) / power), self.shift, epsilon)
            found = max(found, above, key=lambda stick: stick.value)
        return found

    def _stick(self, side: int, at: float, shift: float, epsilon: float) -> Enclosure:
        one, two = (tails(max(0.0, at - moved), self.freedom)[side] for moved in (shift, self.shift - shift))
        two *= math.exp(epsilon)
        return Enclosure.around(max(0.0, one - two), absolute=TAIL_ERROR * (one + two))
