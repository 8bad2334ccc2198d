"""Which bounds are marked, and how: the best, the largest of several rates, and those that say nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privcheck.bounds import THEOREMS, UNPROVEN, Bounds, BoundValue, best_on_this_instance

STAR, HOLLOW = "★", "☆"


class BoundMarks:
    """The signs, numbers and remarks of the bounds of one instance, for tables and pages alike.

    Parameters
    ----------
    instance : what was evaluated.
    values : what `privcheck.bounds.evaluate` returned for it.
    """

    def __init__(self, instance: Any, values: Sequence[BoundValue]) -> None:
        self._values = Bounds(values, instance)
        self._horizon = getattr(instance, "horizon", None)
        self._best = best_on_this_instance(self._values)
        rates = [rate for kind in ("lower", "upper") for rate in self._values.best(kind, asymptotic=True)]
        self._rates = [rate for rate in rates if self._several(rate)]

    def _several(self, rate: BoundValue) -> bool:
        same = [of for of in self._values.applicable if (of.quantity, of.kind) == (rate.quantity, rate.kind)]
        return sum(of.constant is not None for of in same) > 1

    def sign(self, value: BoundValue) -> str:
        """Return the star of a bound that is the best, a hollow one of the best rate, or an empty text."""
        if any(value is of for of in self._best):
            return STAR
        return HOLLOW if any(value is of for of in self._rates) else ""

    def number(self, value: BoundValue) -> str:
        """Return the number of a bound, of a rate with its product at the horizon.

        >>> from privcheck.bounds import evaluate, named_instance
        >>> found = evaluate(named_instance("c2", epsilon=1.0, horizon=10**6))
        >>> BoundMarks(found.instance, found).number(found.of("azize-basu-2022/thm3-tight"))
        '7.708 ln T = 106.4'
        """
        product, shown = self.product(value), value.number_text
        if product is not None:
            shown = f"{shown.removesuffix(' (rate)')} = {value.written(product, 4)}"
        return shown if self.vacuous(value) is None else f"{shown}, vacuous"

    def product(self, value: BoundValue) -> float | None:
        """Return the coefficient of a rate times ln T; None without a horizon, and for what is no rate."""
        if value.constant is None or self._horizon is None or self._horizon <= 1:
            return None
        return value.constant * math.log(self._horizon)

    def vacuous(self, value: BoundValue) -> float | None:
        """Return what no regret exceeds if a bound is not below it; see `privcheck.bounds.Bounds.vacuous`."""
        return self._values.vacuous(value)

    def notes(self) -> list[str]:
        """Return what the signs and words mean, for those that occur."""
        applying, found = self._values.applicable, []
        if self._best:
            found.append(f"{STAR} best finite-time bound of its kind on this instance")
        if self._rates:
            found.append(f"{HOLLOW} the best of several rates")
        if any(value.asymptotic for value in applying):
            product = "; the product with ln T is shown for comparison" if self._horizon else ""
            found.append(f"A rate is the limit of regret / ln T as T grows; it is not a bound at any T{product}.")
        if any(value.provenance == UNPROVEN for value in applying):
            found.append(
                "Unproven: printed in a paper whose proof gives less. It is never marked as best; its repair is beside "
                "it."
            )
        limits = sorted({limit for value in applying if (limit := self.vacuous(value)) is not None})
        if limits:
            listed = " or ".join(f"{limit:.6g}" for limit in limits)
            found.append(
                f"Vacuous: not below T x largest gap = {listed}, which no regret exceeds. It is never the best."
            )
        return found


def bounded_policy(theorem_id: str) -> str:
    """Return the policy that an upper bound is about, which its statement begins with.

    >>> bounded_policy("azize-basu-2022/thm8-explicit"), bounded_policy("trivial/horizon-times-gap")
    ('AdaP-KLUCB', 'any policy')
    """
    if theorem_id not in THEOREMS:
        return "any policy"
    name, colon, _ = THEOREMS[theorem_id].statement.partition(":")
    return name if colon else "one policy"
