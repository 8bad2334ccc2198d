"""The exact hockey stick of Gaussian noise, and its inverses."""

from __future__ import annotations

import math

from privcheck.accounting._gaussian_profile import epsilon_of, excess
from privcheck.accounting.accountants.largest import largest_within
from privcheck.declared import POSITIVE, Real, check
from privcheck.enclosure import ROUNDING, UNDERFLOW, Enclosure

_BUDGET = Real(0.0)
_PROBABILITY = Real(0.0, 1.0, low_open=True, high_open=True)


def gaussian_delta(mu: float, epsilon: float) -> Enclosure:
    r"""Return delta(epsilon) = Phi(mu / 2 - epsilon / mu) - e^epsilon Phi(-mu / 2 - epsilon / mu).

    With a = epsilon / mu - mu / 2, b = a + mu and Mills' ratio m(x) = Phi(-x) / phi(x) this is phi(a) (m(a) - m(b)),
    because e^epsilon phi(b) = phi(a): nothing overflows, and the rounding error is known from the two terms.

    Parameters
    ----------
    mu : > 0, the distance of the exact values in units of the noise's standard deviation; for independent releases, the
        Euclidean norm of these distances.
    epsilon : >= 0.

    Source: Balle and Wang (2018), Theorem 8.

    Examples
    --------
    >>> round(gaussian_delta(0.9209140, 1.0).value, 7)
    0.1

    """
    from scipy import special

    size, budget = check("mu", mu, POSITIVE), check("epsilon", epsilon, _BUDGET)
    near = budget / size - size / 2.0
    far = near + size
    if near < -5.0:
        one, two = float(special.ndtr(-near)), math.exp(budget + float(special.log_ndtr(-far)))
    else:
        density = math.exp(-near * near / 2.0) * math.sqrt(math.pi / 2.0) / math.sqrt(2.0 * math.pi)
        one, two = (density * float(special.erfcx(x / math.sqrt(2.0))) for x in (near, far))
    error = 16.0 * ROUNDING * (1.0 + near * near + budget) * (one + two) + UNDERFLOW
    found = Enclosure.around(max(0.0, one - two), absolute=error)
    return Enclosure(found.lower, min(1.0, found.upper))


def gaussian_epsilon(mu: float, delta: float) -> Enclosure:
    """Return the smallest epsilon >= 0 with delta(epsilon) <= delta.

    Parameters
    ----------
    mu : > 0, as for `gaussian_delta`.
    delta : in (0, 1).

    Examples
    --------
    >>> found = gaussian_epsilon(1 / 3.7306, 1e-5)
    >>> round(found.value, 3), found.relative_width < 1e-9
    (1.0, True)
    """
    size, target = check("mu", mu, POSITIVE), check("delta", delta, _PROBABILITY)
    return Enclosure(epsilon_of(size, target, upper=False), epsilon_of(size, target))


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return the largest mu that is (epsilon, delta)-DP, rounded down: noise of deviation sensitivity / mu is enough.

    >>> round(gaussian_mu(1.0, 0.1), 7)
    0.920914
    """
    budget, target = check("epsilon", epsilon, _BUDGET), check("delta", delta, _PROBABILITY)
    return largest_within(lambda mu: excess(budget, mu, target), 0.0)
