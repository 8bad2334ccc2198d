"""Evaluate every theorem on an instance, and notice when two of them contradict each other."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from bounds.errors import PrivcheckError
from bounds.instance import Instance
from bounds.theorem import THEOREMS, BoundValue

_SLACK = 1e-9


class ContradictionWarning(UserWarning):
    """A lower bound lies above an upper bound on the same quantity: a theorem, or its code, is wrong."""


def evaluate(instance: Instance) -> list[BoundValue]:
    """Evaluate every registered theorem on `instance`, in the order of registration.

    Parameters
    ----------
    instance : the arms, the privacy budget and, for finite-time bounds, the horizon.

    Returns
    -------
    One `BoundValue` for every theorem, also for those that do not apply.

    Raises
    ------
    PrivcheckError : `instance` is not an `Instance`.

    Warns
    -----
    ContradictionWarning : a lower bound lies above an upper bound; see `contradictions`.

    Examples
    --------
    >>> for bound in evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0)):
    ...     if bound.applies:
    ...         print(bound.id, round(bound.constant, 4))
    azize-basu-2022/thm3 1.738
    azize-basu-2022/thm3-tight 1.7528
    """
    if not isinstance(instance, Instance):
        raise PrivcheckError("instance", instance, "a bounds.Instance", "build one with Instance(...)")
    values = [theorem.evaluate(instance) for theorem in THEOREMS.values()]
    for lower, upper in contradictions(values):
        text = f"{lower.id} ({_number(lower):g}) is above {upper.id} ({_number(upper):g}) on {lower.quantity}"
        warnings.warn(text, ContradictionWarning, stacklevel=2)
    return values


def contradictions(values: Iterable[BoundValue]) -> list[tuple[BoundValue, BoundValue]]:
    """Return the pairs (lower, upper) on one quantity whose lower bound exceeds the upper bound.

    Only bounds that apply and carry a number are compared, finite-time with finite-time and asymptotic with asymptotic,
    with relative slack 1e-9. Both must be about the same instance.

    Parameters
    ----------
    values : evaluated bounds.

    Returns
    -------
    The contradicting pairs; empty when all is well.
    """
    usable = [value for value in values if value.applies and (value.value is not None or value.constant is not None)]
    lowers = [value for value in usable if value.kind == "lower"]
    uppers = [value for value in usable if value.kind == "upper"]
    return [
        (lower, upper)
        for lower in lowers
        for upper in uppers
        if lower.quantity == upper.quantity
        and lower.asymptotic == upper.asymptotic
        and _number(lower) > _number(upper) + _SLACK * abs(_number(upper))
    ]


def _number(bound: BoundValue) -> float:
    number = bound.constant if bound.asymptotic else bound.value
    if number is None:
        raise PrivcheckError("bound", bound.id, "a bound with a number")
    return number
