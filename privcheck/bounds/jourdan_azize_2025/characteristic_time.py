"""Characteristic time of private best-arm identification, with the allocation that attains it and a certificate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, checked_array
from privcheck.bounds._divergences import tv_bernoulli, tv_gaussian
from privcheck.bounds._instance import Instance
from privcheck.bounds.jourdan_azize_2025.optimality_certificate import shortfall
from privcheck.bounds.jourdan_azize_2025.transport import ROUNDING, Transport, transport
from privcheck.declared import POSITIVE, UNIT_INTERVAL, Choice, OrNone, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.tables import html_table

_BETA = Real(0.0, 1.0, low_open=True, high_open=True)
_STEPS = 80
"""A cap, with certified ends whenever it is hit; random instances of up to 20 arms took at most 43 steps."""
_GOAL = 1e-13
"""Relative duality gap that is aimed at: a smaller one is lost in the 1e-12 that the optimality certificate adds."""
_ABOVE_FEWEST = 1e-11
"""Relative margin above the fewest pulls of the best arm, where the demand jumps; at this margin it is still found."""

FAMILIES = Choice(("bernoulli", "gaussian"))


@dataclass(frozen=True)
class CharacteristicTime:
    """Expected number of pulls, per unit of `kl(delta, 1 - delta)`, that identifying the best arm takes.

    Parameters
    ----------
    value : certified lower end: a mixture of alternatives proves that no allocation does better.
    upper : certified upper end: what `allocation` needs against every alternative; `upper / value - 1` is the relative
        duality gap. Both ends allow for rounding.
    allocation : share of the pulls of every arm, shape (K,), in the order of the arms; sums to 1.
    """

    value: float
    upper: float
    allocation: tuple[float, ...]

    @property
    def gap(self) -> float:
        """Relative duality gap."""
        return self.upper / self.value - 1

    def _repr_html_(self) -> str:
        heading = f"characteristic time {self.value:.6g} (gap {self.gap:.1g}), with the allocation"
        return html_table(heading, [{"arm": arm, "share": share} for arm, share in enumerate(self.allocation)])


def characteristic_time(
    family: str | Instance,
    means: ArrayLike | None = None,
    epsilon: float | EllipsisType | None = ...,
    *,
    beta: float | None = None,
) -> CharacteristicTime:
    """Characteristic time `T*_epsilon`, or `T*_{epsilon, beta}` when the share of the best arm is fixed.

        1/T*_epsilon = max over shares w of min over a and u of w_{a*} d_epsilon(mu*, u) + w_a d_epsilon(mu_a, u)

    over the arms a other than the best. With `z = T w_{a*}` pulls of the best arm, arm a needs
    `f_a(z) = max_u (1 - z d_epsilon(mu*, u))/d_epsilon(mu_a, u)`, a convex function of z. Hence `T*_epsilon` is the
    minimum of `z + sum_a f_a(z)`, and `T*_{epsilon, beta}` solves `(1 - beta) T = sum_a f_a(beta T)`. Any choice of the
    u gives a line below `sum_a f_a`: two such lines, or one for fixed beta, certify the value from below, and every z
    gives an allocation that bounds it from above.

    Parameters
    ----------
    family : "bernoulli" or "gaussian" (variance 1); or an `Instance` of such arms, in place of the next two.
    means : shape (K,), K at least 2, with a unique maximum.
    epsilon : privacy budget, above 0; None for no privacy, the limit `T*_KL`.
    beta : share of the best arm, in (0, 1); None to optimise it.

    Raises
    ------
    PrivcheckError : an argument outside its range, several best arms.

    Source
    ------
    Jourdan & Azize 2025, Theorem 2 (definition); algorithm derived: the search for the cheapest u is one-dimensional.

    Examples
    --------
    >>> time = characteristic_time("bernoulli", [0.95, 0.9, 0.9, 0.9, 0.5], 1.0)
    >>> round(time.value, 1), time.gap < 1e-9
    (396.7, True)
    >>> round(characteristic_time("bernoulli", [0.95, 0.9, 0.9, 0.9, 0.5], 1.0, beta=0.5).value, 1)
    416.1
    """
    if isinstance(family, Instance):
        if means is not None or epsilon is not ...:
            raise PrivcheckError("means", words("an instance and more"), "an instance alone, or family, means, epsilon")
        if family.variance != 1:
            raise PrivcheckError("variance", family.variance, "1", "scale the means by the standard deviation")
        instance = family
        epsilon = None if math.isinf(instance.epsilon) else instance.epsilon
        family, means = instance.family, instance.means
    if means is None or epsilon is ...:
        missing = "means" if means is None else "epsilon"
        raise PrivcheckError(missing, words(f"no {missing}"), "an instance, or family, means and epsilon")
    means = _means(family, means)
    check("epsilon", epsilon, OrNone(POSITIVE))
    check("beta", beta, OrNone(_BETA))
    return _characteristic_time(family, tuple(means.tolist()), math.inf if epsilon is None else float(epsilon), beta)


@lru_cache(maxsize=256)
def _characteristic_time(family: str, row: tuple[float, ...], epsilon: float, beta: float | None) -> CharacteristicTime:
    """Cache recent results: along a curve most of them recur."""
    means = np.array(row)
    arms = transport(family, means, epsilon)
    value, best, others, places = _free_share(arms) if beta is None else _fixed_share(arms, beta)
    missing = shortfall(arms, best, others, places)
    upper = math.fsum((best, *others.tolist())) / (1 - missing) * (1 + ROUNDING) if missing < 1 else math.inf
    pulls = np.empty(len(means))
    pulls[means == means.max()], pulls[means < means.max()] = best, others
    return CharacteristicTime(value * (1 - 10 * ROUNDING), upper, tuple((pulls / pulls.sum()).tolist()))


def characteristic_time_tv(family: str, means: ArrayLike, *, beta: float | None = None) -> float:
    """Limit of `epsilon T*_epsilon`, or of `epsilon T*_{epsilon, beta}`, as epsilon tends to 0.

    Total variations take the place of the divergences. With `v_a` the total variation of arm a and the best arm:
    `T*_TV = max_a 1/v_a + sum_a 1/v_a`, and for fixed beta `max(sum_a 1/v_a / (1 - beta), max_a 1/v_a / beta)`.
    `T*_epsilon >= T*_TV / epsilon` for every epsilon.

    Parameters
    ----------
    family, means, beta : as in `characteristic_time`.

    Raises
    ------
    PrivcheckError : as `characteristic_time`.

    Source
    ------
    Jourdan & Azize 2025 (high-privacy limit); closed form derived: the cost is concave in u, so an end is cheapest.

    Examples
    --------
    >>> round(characteristic_time_tv("bernoulli", [0.75, 0.5, 0.25]), 9)
    10.0
    """
    means = _means(family, means)
    check("beta", beta, OrNone(_BETA))
    arms = transport(family, means, math.inf)
    variation = np.asarray((tv_bernoulli if family == "bernoulli" else tv_gaussian)(arms.others, arms.best))
    total, largest = float(np.sum(1 / variation)), float(np.max(1 / variation))
    return total + largest if beta is None else max(total / (1 - beta), largest / beta)


def _means(family: Any, means: ArrayLike) -> Array:
    check("family", family, FAMILIES)
    array = checked_array("means", means, UNIT_INTERVAL if family == "bernoulli" else Real())
    if array.ndim != 1 or len(array) < 2:
        raise PrivcheckError("means", means, "a list of at least two means")
    return array


@dataclass(frozen=True)
class _Demand:
    """Pulls that the other arms need when the best arm has z, and a line that lies below them for every other z."""

    z: float
    places: Array
    others: Array
    height: float
    decline: float

    @property
    def total(self) -> float:
        return math.fsum(self.others.tolist())


def _demand(arms: Transport, z: float, left: _Demand | None = None, right: _Demand | None = None) -> _Demand:
    """Demand for z pulls, between those of fewer and of more."""
    places = arms.cheapest(z, 0.0 if left is None else left.places, 1.0 if right is None else right.places)
    down, up = arms.costs(places)
    others = np.maximum(1 - z * down, 0.0) / up
    return _Demand(z, places, others, math.fsum(1 / up), math.fsum(down / up))


def _fewest(arms: Transport) -> float:
    """Pulls of the best arm without which no number of pulls of the others suffices."""
    down, _ = arms.costs(np.zeros_like(arms.others))
    return float(np.max(1 / down))


def _scale(arms: Transport, fewest: float) -> float:
    """Return a number of pulls of the best arm to begin with; `fewest` is 0 if an arm cannot have the other's mean."""
    down, _ = arms.costs(np.full_like(arms.others, 0.5))
    return fewest or float(np.max(1 / down))


def _free_share(arms: Transport) -> tuple[float, float, Array, Array]:
    """Minimise `z + total(z)` between two lines, one falling and one rising: `decline` is 1 at the minimum.

    Found in the logarithms of `z - fewest` and of `decline` by false position, its Illinois form, and bisection.
    """
    fewest = _fewest(arms)
    scale = _scale(arms, fewest)
    low, high = math.log(_ABOVE_FEWEST), 1.0
    while (right := _demand(arms, fewest + scale * math.exp(high))).decline > 1:
        high += 2.0
    left: _Demand | None = None
    best = right
    value = _meeting(left, right, fewest)
    above, below, last = math.inf, _log(right.decline), math.nan
    for step in range(_STEPS):
        if best.z + best.total - value <= _GOAL * value:
            break
        middle = low + (high - low) / 2
        if left is not None and step % 4:
            guess = low + (high - low) * (above / (above - below))
            middle = guess if low < guess < high else middle
        here = _demand(arms, fewest + scale * math.exp(middle), left, right)
        if here.decline > 1:
            above, below = _log(here.decline), below / 2 if left is not None and low == last else below
            low, left = middle, here
        else:
            above, below = above / 2 if high == last else above, _log(here.decline)
            high, right = middle, here
        last = middle
        best = min(best, here, key=lambda demand: demand.z + demand.total)
        value = max(value, _meeting(left, right, fewest))
    return value, best.z, best.others, best.places


def _log(decline: float) -> float:
    return math.log(decline) if decline > 0 else -math.inf


def _meeting(left: _Demand | None, right: _Demand, fewest: float) -> float:
    """Height at which the two lines meet, each with z added; without a left one the end of the domain bounds."""
    if left is None:
        return right.height + (1 - right.decline) * fewest
    share = (1 - right.decline) / (left.decline - right.decline)
    return share * left.height + (1 - share) * right.height


def _fixed_share(arms: Transport, beta: float) -> tuple[float, float, Array, Array]:
    """Solve `(1 - beta) T = total(beta T)` by Newton's method: every step's line crosses below the solution."""
    fewest = _fewest(arms)
    low, high = fewest / beta, math.inf
    least = low * (1 + _ABOVE_FEWEST)
    here = _demand(arms, beta * least)
    if here.total <= (1 - beta) * least:
        return low, beta * least, here.others * ((1 - beta) * least / here.total), here.places
    low = least
    time, value = 2 * _scale(arms, fewest) / beta, low
    upper, others, places = math.inf, arms.others, arms.others
    for _ in range(_STEPS):
        here = _demand(arms, beta * time)
        enough = max(time, here.total / (1 - beta))
        if enough < upper:
            upper, places = enough, here.places
            others = here.others * ((1 - beta) * enough / here.total)
        value = max(value, here.height / (1 - beta + beta * here.decline))
        if upper - value <= _GOAL * value:
            break
        low, high = (max(low, time), high) if here.total > (1 - beta) * time else (low, min(high, time))
        time = value if low < value < high else low + (min(high, 4 * time) - low) / 2
    return value, beta * upper, others, places
