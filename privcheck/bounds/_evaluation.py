"""Evaluate every theorem on an instance, and detect bounds that contradict each other."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from privcheck.bounds._bounds_of_instance import SLACK, Bounds
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import QUANTITIES, THIS_INSTANCE
from privcheck.bounds._theorem import THEOREMS, BoundValue, ConditionCheck
from privcheck.bounds.settings.setting import Setting
from privcheck.errors import PrivcheckError

_REGRET = "pseudo-regret"


class ContradictionWarning(UserWarning):
    """A lower bound lies above an upper bound on the same quantity: a theorem, or its code, is wrong."""


def evaluate(instance: Any) -> Bounds:
    """Evaluate every registered theorem on `instance`, in the order of registration.

    Parameters
    ----------
    instance : the arms, the privacy budget and, for finite-time bounds, the horizon; an `Instance`, or an instance of
        another setting that some theorem is about.

    Returns
    -------
    One `BoundValue` for every theorem, including those that do not apply, in a list that also knows the best ones.

    Raises
    ------
    PrivcheckError : `instance` does not belong to the setting of any theorem.

    Warns
    -----
    ContradictionWarning : a lower bound lies above an upper bound; see `contradictions`.

    Examples
    --------
    >>> from privcheck.bounds import Instance
    >>> for bound in evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0))[:2]:
    ...     print(bound.id, round(bound.constant, 4))
    azize-basu-2022/thm3 1.738
    azize-basu-2022/thm3-tight 1.7528
    """
    if not isinstance(instance, Instance | Setting):
        hint = 'as in bounds.Instance("bernoulli", means=(0.75, 0.5), epsilon=1.0, horizon=10**6)'
        raise PrivcheckError("instance", instance, "a privcheck.bounds.Instance", hint)
    values = Bounds((theorem.evaluate(instance) for theorem in THEOREMS.values()), instance)
    for lower, upper in values.contradictions:
        warnings.warn(describe_contradiction(lower, upper), ContradictionWarning, stacklevel=2)
    return values


def contradictions(values: Iterable[BoundValue], instance: Any = None) -> list[tuple[BoundValue, BoundValue]]:
    """Return the pairs (lower, upper) on one quantity whose lower bound exceeds the upper bound.

    Only bounds that apply and carry a number are compared, finite-time with finite-time and asymptotic with asymptotic,
    with relative slack 1e-9. All must be evaluated on the same instance.

    Parameters
    ----------
    values : evaluated bounds.
    instance : the instance they were evaluated on; if given, they are also compared with `trivial_bounds`.

    Returns
    -------
    The contradicting pairs; empty when there are none.
    """
    usable = [value for value in values if value.applies and number(value) is not None]
    lowers = [value for value in usable if value.kind == "lower"]
    uppers = [value for value in usable if value.kind == "upper"]
    uppers += trivial_bounds(instance, {value.quantity for value in lowers})
    return [
        (lower, upper)
        for lower in lowers
        for upper in uppers
        if lower.quantity == upper.quantity
        and lower.asymptotic == upper.asymptotic
        and _known(lower) > _known(upper) + SLACK * abs(_known(upper))
    ]


def describe_contradiction(lower: BoundValue, upper: BoundValue) -> str:
    """Describe a contradiction in words, with the sources of both bounds."""
    return (
        f"{lower.id} ({_known(lower):g}) is above {upper.id} ({_known(upper):g}) on {lower.quantity}; "
        f"sources: {lower.source}, against {upper.source}"
    )


def trivial_bounds(instance: Any, quantities: Iterable[str]) -> list[BoundValue]:
    """Return the regret that no policy can exceed: the horizon times the largest gap, on an instance or in a class.

    Parameters
    ----------
    instance : its horizon and gaps, where it has them.
    quantities : the quantities to bound, as text; those that are not a regret are left out.

    Examples
    --------
    >>> from privcheck.bounds import Instance
    >>> instance = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)
    >>> [bound.value for bound in trivial_bounds(instance, QUANTITIES) if bound.quantity.endswith("this instance")][:1]
    [25.0]
    """
    horizon = getattr(instance, "horizon", None)
    if horizon is None:
        return []
    found = []
    for text in sorted(quantities):
        quantity = QUANTITIES.get(text)
        if quantity is None or quantity.measure != _REGRET:
            continue
        gap, where = quantity.largest_gap, quantity.scope
        if quantity.scope == THIS_INSTANCE:
            gap, where = max(getattr(instance, "gaps", ()), default=None), "on this instance"
        if gap is not None:
            found.append(_trivial(text, horizon * gap, where))
    return found


def best_on_this_instance(values: Iterable[BoundValue]) -> list[BoundValue]:
    """Return the largest lower and the smallest upper finite-time bound of every quantity of this instance.

    Minimax bounds are about the worst instance of a class, the proof of a bound of provenance "unproven" gives less
    than the printed bound, and an upper bound on the regret that is not below the horizon times the largest gap is
    vacuous: none of these is ever among the best. The last is known only if `values` are what `evaluate` returned.

    Examples
    --------
    >>> from privcheck.bounds import Instance
    >>> values = evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1000))
    >>> any("minimax" in bound.quantity for bound in best_on_this_instance(values))
    False
    """
    found = Bounds(values, getattr(values, "instance", None))
    return [*found.best("lower"), *found.best("upper")]


def number(bound: BoundValue) -> float | None:
    """Return the constant of an asymptotic bound, or the value of any other; None when there is no number."""
    return bound.constant if bound.asymptotic else bound.value


def _known(bound: BoundValue) -> float:
    found = number(bound)
    if found is None:
        raise PrivcheckError("bound", bound.id, "a bound with a number")
    return found


def _trivial(quantity: str, value: float, where: str) -> BoundValue:
    source = f"definition of regret: at most T times the largest gap {where}"
    conditions = (ConditionCheck("the instance has a horizon T", True),)
    return BoundValue(
        "trivial/horizon-times-gap", "upper", quantity, value, None, False, True, conditions, "derived", source, source
    )
