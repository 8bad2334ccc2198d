"""The currencies in which charges of one datum, and of a group of data, are added up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from privcheck.accounting._charge import UP, Charge, sum_up


@dataclass(frozen=True)
class Currency:
    r"""One number of a charge, how it adds up over releases, and over the data of a group.

    Parameters
    ----------
    name : "epsilon", "rho", "mu", "delta" or "rdp:ALPHA".
    of : the number of a charge; infinity if it has none.
    add : a total and the number of one more charge -> their sum, rounded up; for floats and arrays.
    joint : the totals of the data of a group -> that of the group, rounded up; None if no rule is known.
    apart : the total of a group in some releases, and those of its data in releases of one datum each -> that in all of
        them, rounded up; None if it is the sum.

    Guarantee
    ---------
    *Over releases.* The sums hold for releases that are chosen adaptively, because they are taken for each execution.

    *Over a group of k data.* Let D_0, ..., D_k be streams that differ in one datum each, and let a release, given all
    that was released before it, cost the i-th of these data epsilon_i, rho_i or mu_i. It is then

    - sum(epsilon_i)-DP on (D_0, D_k): multiply the likelihood ratios;
    - (sum sqrt(rho_i))^2-zCDP: for two steps D_alpha(P || Q) <= (alpha - t) / (alpha - 1) D_(alpha / t)(P || R)
      + D_((alpha - t) / (1 - t))(R || Q) for every t in (0, 1). With r = sqrt(rho_1 / rho_2) and
      t = alpha r / (alpha (1 + r) - 1) the right hand side is alpha (sqrt(rho_1) + sqrt(rho_2))^2; then by induction;
    - sum(mu_i)-GDP: trade-off functions of consecutive steps compose, G_a after G_b to G_(a + b).

    With the charges of all releases of one execution as vectors, the triangle inequality of the Euclidean norm gives
    sum_t (sum_i sqrt(rho_it))^2 <= (sum_i sqrt(sum_t rho_it))^2, and the same for mu. So the totals of the data, joined
    in this way, are never below the group's own total, on every execution.

    Events that are set aside have no such rule: on the stream in the middle of two steps the two events differ, so
    that the two conditional laws there are not the same, and neither rho nor mu adds up. For epsilon alone they could
    be added with factors of e^epsilon. Groups of two or more data therefore refuse charges with a delta above 0.
    Renyi privacy at one order has no such rule either: it would need higher orders.

    Source: Bun and Steinke 2016, Lemma 5.2 and Proposition 1.9; Mironov 2017, Proposition 11; Dong, Roth and Su 2022,
    Theorem 2.14.

    Examples
    --------
    >>> EPSILON.of(Charge(0.5)), EPSILON.add(0.5, 0.25), EPSILON.joint([0.5, 0.25])
    (0.5, 0.75, 0.75)
    >>> round(float(MU.add(3.0, 4.0)), 9), round(MU.joint([3.0, 4.0]), 9), round(RHO.joint([1.0, 4.0]), 9)
    (5.0, 7.0, 9.0)
    """

    name: str
    of: Callable[[Charge], float]
    add: Callable[[Any, Any], Any]
    joint: Callable[[Iterable[float]], float] | None = None
    apart: Callable[[float, list[float]], float] | None = None


def rho_of(charge: Charge) -> float:
    """Return the smaller of rho and what mu implies.

    >>> round(rho_of(Charge(mu=1.0)), 9)
    0.5
    """
    return min(charge.rho, math.nextafter(charge.mu * charge.mu / 2.0 * UP, math.inf)) if charge.mu else 0.0


def add_up(total: Any, added: float) -> Any:
    """Return a sum of numbers of at least 0 that is never below the exact one; of floats, or of an array and a float.

    >>> add_up(np.array([0.25, 1.0]), 1e-30).tolist(), add_up(0.25, 0.5)
    ([0.25000000000000006, 1.0000000000000002], 0.75)
    """
    if not isinstance(total, np.ndarray):
        return sum_up(float(total), added)
    with np.errstate(invalid="ignore"):
        found = total + added
        of_added = found - total
        error = (total - (found - of_added)) + (added - of_added)
        return np.where(error > 0.0, np.nextafter(found, math.inf), found)


def _hypot_up(total: Any, added: float) -> Any:
    return np.nextafter(np.hypot(total, added) * UP, math.inf)  # the factor alone does not round the smallest floats up


def _root_sum(totals: Iterable[float]) -> float:
    found = list(totals)
    if sum(total > 0.0 for total in found) < 2:
        return sum(found)
    return math.nextafter(math.fsum(math.sqrt(total) for total in found) ** 2 * UP, math.inf)


def _sum(totals: Iterable[float]) -> float:
    return reduce(sum_up, totals, 0.0)


def _sum_up(totals: Iterable[float]) -> float:
    found = list(totals)
    return sum(found) if sum(total > 0.0 for total in found) < 2 else math.fsum(found) * UP


def _root_of_squares(total: float, alone: list[float]) -> float:
    return math.nextafter(math.hypot(total, *alone) * UP, math.inf)


def _sum_of_all(total: float, alone: list[float]) -> float:
    return math.nextafter(math.fsum([total, *alone]) * UP, math.inf)


def _epsilon_of(charge: Charge) -> float:  # functions with names, as a lambda could not be pickled with a ledger
    return charge.epsilon


def _mu_of(charge: Charge) -> float:
    return charge.mu


def _delta_of(charge: Charge) -> float:
    return charge.delta


EPSILON = Currency("epsilon", _epsilon_of, add_up, _sum)
RHO = Currency("rho", rho_of, add_up, _root_sum, _sum_of_all)
MU = Currency("mu", _mu_of, _hypot_up, _sum_up, _root_of_squares)
DELTA = Currency("delta", _delta_of, add_up)
ALL = (EPSILON, RHO, MU, DELTA)
"""The numbers of a charge."""
