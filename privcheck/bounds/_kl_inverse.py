"""Upper inverse of the Bernoulli divergence: the optimistic mean of a KL-UCB index."""

from __future__ import annotations

import math
from typing import Any

from privcheck.declared import UNIT_INTERVAL, Real, check

_LEVEL = Real(0.0, math.inf)


def kl_upper_inverse(p: Any, level: Any) -> float:
    """Largest mean that an observed mean does not rule out: `max{q in [p, 1] : kl(p, q) <= level}`.

    `kl(p, .)` increases on [p, 1], so bisection between p (inside) and 1 (outside) keeps the answer bracketed; it stops
    when no float lies between the ends and returns the inner one.

    Parameters
    ----------
    p : observed mean, in [0, 1]. A noisy mean is clipped to [0, 1] by the caller.
    level : allowed divergence, in nats, a finite number of at least 0; KL-UCB uses `ln(t) / n`.

    Returns
    -------
    A mean in [p, 1]; p itself at level 0, and 1 only when p is 1.

    Raises
    ------
    PrivcheckError : `p` outside [0, 1], `level` negative, infinite or not a number.

    Source
    ------
    Azize & Basu 2022, eq. (8); Garivier & Cappe 2011.

    Examples
    --------
    >>> round(kl_upper_inverse(0.5, 0.143841036), 9)
    0.75
    >>> kl_upper_inverse(1.0, 0.2)
    1.0
    """
    p, level = check("p", p, UNIT_INTERVAL), check("level", level, _LEVEL)
    inside: float = p
    if p == 1 or level == 0:
        return inside
    if p == 0:
        return min(-math.expm1(-level), math.nextafter(1.0, 0.0))
    outside = 1.0
    while inside < (middle := inside + (outside - inside) / 2) < outside:
        gap = middle - p
        rise = math.log1p(gap / p) if gap / p < math.inf else math.log(gap) - math.log(p)
        divergence = -p * rise - (1 - p) * math.log1p(-gap / (1 - p))
        if divergence <= level:
            inside = middle
        else:
            outside = middle
    return inside
