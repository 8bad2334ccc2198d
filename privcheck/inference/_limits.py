r"""Confidence limits for the log-ratio of two event probabilities, from independent counts.

An event was seen k times in n runs on one stream and l times in n runs on the other, with probabilities p and q. Pure
epsilon-DP requires p <= e^epsilon q for every event, so a lower limit of ln(p / q) is a lower limit of epsilon.
"""

from __future__ import annotations

import math

from scipy.special import betaincinv, betaln, xlog1py, xlogy

from privcheck.declared import check
from privcheck.inference._counts import LEVEL


def conditional_binomial_lower(k: int, l: int, level: float) -> float:
    r"""Return the one-sided lower limit of ln(p / q) by the conditional binomial.

    If p = r q with rare events, K given K + L = s is Binomial(s, r / (1 + r)); the Clopper-Pearson limit of that share
    is turned into a limit of ln r. For events that are not rare the two binomials vary less than the Poissons behind
    this argument and the test is conservative: its size is enumerated in the tests over p, q, n and level, and never
    exceeds the level.

    Parameters
    ----------
    k, l : counts of the event in the same fixed number of independent runs on the first and on the second stream.
    level : one-sided error probability, in (0, 0.5].

    Returns
    -------
    The limit, -inf when k = 0.

    Source
    ------
    Przyborowski and Wilenski 1940 (conditional test of two Poisson rates); Clopper and Pearson 1934.

    Examples
    --------
    >>> round(conditional_binomial_lower(500, 184, 0.05), 3)
    0.855

    """
    level = check("level", level, LEVEL)
    if k == 0:
        return -math.inf
    share = float(betaincinv(k, l + 1, level))
    return math.log(share) - math.log1p(-share) if share > 0.0 else -math.inf


def clopper_pearson(k: int, n: int, level: float) -> tuple[float, float]:
    """Return the lower and the upper Clopper-Pearson limit of a probability, each one-sided at `level`.

    >>> clopper_pearson(0, 10, 0.05)[0]
    0.0
    """
    level = check("level", level, LEVEL)
    low = float(betaincinv(k, n - k + 1, level)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1.0 - level)) if k < n else 1.0
    return low, high


def anytime_limits(k: int, n: int, level: float) -> tuple[float, float]:
    """Return limits of a probability that hold for all n simultaneously: the probability that any of them misses is at
    most 2 `level`.

    The likelihood averaged uniformly over p, divided by the likelihood of the true p, is a test martingale.

    Source
    ------
    Ville 1939; Robbins 1970 (Statistical methods related to the law of the iterated logarithm).

    Examples
    --------
    >>> [round(limit, 3) for limit in anytime_limits(500, 1000, 0.025)]
    [0.444, 0.556]

    """
    from scipy.optimize import brentq

    level = check("level", level, LEVEL)
    least = float(betaln(k + 1, n - k + 1)) + math.log(2.0 * level)

    def excess(p: float) -> float:
        return float(xlogy(k, p) + xlog1py(n - k, -p)) - least

    tiny = 1e-300
    low = float(brentq(excess, tiny, k / n)) if k > 0 and excess(tiny) < 0.0 else 0.0
    high = float(brentq(excess, k / n, 1.0 - 1e-16)) if k < n and excess(1.0 - 1e-16) < 0.0 else 1.0
    return low, high


def clopper_pearson_lower(
    k: int, l: int, n: int, level: float, delta: float = 0.0, mirrored: tuple[int, int] | None = None
) -> float:
    """Return the lower limit of ln((p - delta) / q) by two Clopper-Pearson limits at half the level each; -inf when p
    - delta may be 0.

    With the counts of a mirror image on the second and on the first stream, p and q are sums of two probabilities with
    limits at a quarter of the level each.

    >>> clopper_pearson_lower(500, 184, 1000, 0.05) < conditional_binomial_lower(500, 184, 0.05)
    True
    """
    level = check("level", level, LEVEL)
    tails = [(k, l)] if mirrored is None else [(k, l), mirrored]
    each = level / (2.0 * len(tails))
    p = sum(clopper_pearson(more, n, each)[0] for more, _ in tails) - delta
    q = sum(clopper_pearson(less, n, each)[1] for _, less in tails)
    return math.log(p / q) if p > 0.0 else -math.inf
