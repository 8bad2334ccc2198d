"""Is a claimed regret possible? A claim beside every lower bound, and beside what is proven from above."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privcheck.bounds._bounds_of_instance import SLACK, Bounds
from privcheck.bounds._evaluation import trivial_bounds
from privcheck.bounds._quantity import QUANTITIES
from privcheck.bounds._theorem import UNPROVEN, BoundValue
from privcheck.declared import POSITIVE, check
from privcheck.errors import PrivcheckError, words
from privcheck.tables import Result, Row

IMPOSSIBLE, POSSIBLE, SILENT = "impossible", "not refuted", "says nothing"
_RATE = re.compile(r"\s*([\d.eE+-]+)\s*\*?\s*(?:ln|log)\s*\(?\s*T\s*\)?\s*")
EXPECTED = 'a regret at the horizon, such as 500, or a coefficient of ln T, such as "16 ln T"'


@dataclass(frozen=True, repr=False)
class ClaimedRegret(Result):
    """What the theorems say of a claimed upper bound on the regret on one instance.

    Parameters
    ----------
    claimed : the claim, a regret at the horizon or a coefficient of ln T.
    rate : whether it is a coefficient of ln T.
    verdict : "impossible" if a proven lower bound of the same kind is above the claim, otherwise "not refuted".
    comparisons : a row for each lower bound on the regret and for the best upper ones: "id", "kind", "bound", "about"
        (feedback, privacy and instances), "verdict" and "why".
    """

    claimed: float
    rate: bool
    verdict: str
    comparisons: tuple[Row, ...]

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "comparisons", a row for every bound that applies."""
        return {"comparisons": lambda: [dict(row) for row in self.comparisons]}

    def __repr__(self) -> str:
        said = f"{self.claimed:g} ln T, for T to infinity" if self.rate else f"{self.claimed:g} at the horizon"
        rows = [
            f"  {row['verdict']}: {row['kind']} bound {row['id']}, {row['bound']}: {row['why']}"
            for row in self.comparisons
        ]
        return "\n".join([f"claimed regret of at most {said}: {self.verdict}", *rows])


def claimed_regret(values: Bounds, claimed: float | str | None = None) -> ClaimedRegret:
    """Compare a claimed upper bound on the regret of a private policy with every bound that applies.

    Guarantee
    ---------
    "impossible" if a proven lower bound on the regret on this instance is above the claim: a finite-time bound above a
    claimed regret, or the coefficient of a rate above a claimed coefficient. Rates are proven for consistent policies,
    whose regret is below every power of T on every instance: a policy that favours the best arm of this one may have
    less. A rate says nothing about one horizon, and a minimax bound nothing about one instance. "not refuted" is no
    proof that a policy exists.

    Parameters
    ----------
    values : what `evaluate` returned for the instance.
    claimed : a regret at the horizon, such as 500; or text such as "16 ln T", for a coefficient of ln T.

    Raises
    ------
    PrivcheckError : a claim that is neither, a regret without a horizon, values without a bound on a regret.

    Examples
    --------
    >>> from privcheck.bounds import evaluate, named_instance
    >>> found = evaluate(named_instance("c2", epsilon=0.5, horizon=10**6))
    >>> claimed_regret(found, "5 ln T").verdict, claimed_regret(found, "20 ln T").verdict
    ('impossible', 'not refuted')
    """
    if not isinstance(values, Bounds):
        raise PrivcheckError(
            "values",
            words(f"an object of type {type(values).__name__}"),
            "what `evaluate` returns",
            "as in claimed_regret(evaluate(instance), 500)",
        )
    if claimed is None:
        raise PrivcheckError("claimed", None, "a regret at the horizon, or text such as '5 ln T'")
    amount, rate = _read(claimed)
    horizon = getattr(values.instance, "horizon", None)
    if not rate and horizon is None:
        expected = "a coefficient of ln T, or an instance with a horizon"
        raise PrivcheckError("claimed", claimed, expected, "as in '5 ln T'")
    lowers = [of for of in values.applicable if of.kind == "lower" and _usable(of)]
    uppers = [of for of in values.best("upper", asymptotic=rate) if _usable(of)]
    if not lowers and not uppers:
        raise PrivcheckError("claimed", claimed, "an instance on whose regret there are bounds")
    here = [of.quantity for of in [*lowers, *uppers] if not QUANTITIES[of.quantity].minimax]
    uppers += [] if rate else trivial_bounds(values.instance, here[:1])
    rows = [_row(of, _lower(of, amount, rate, horizon)) for of in lowers] + [
        _row(of, _upper(of, amount)) for of in uppers
    ]
    rows.sort(key=lambda row: (IMPOSSIBLE, POSSIBLE, SILENT).index(row["verdict"]))
    verdict = IMPOSSIBLE if any(row["verdict"] == IMPOSSIBLE for row in rows) else POSSIBLE
    return ClaimedRegret(amount, rate, verdict, tuple(rows))


def _row(of: BoundValue, said: tuple[str, str]) -> Row:
    quantity = QUANTITIES[of.quantity]
    about = of.quantity.removeprefix(f"{quantity.measure}; ")
    return {
        "id": of.id, "kind": of.kind, "bound": of.number_text, "about": about, "verdict": said[0], "why": said[1],
    }  # fmt: skip


def _read(claimed: Any) -> tuple[float, bool]:
    """Return the number of a claim, and whether it is a coefficient of ln T."""
    found = _RATE.fullmatch(claimed) if isinstance(claimed, str) else None
    try:
        value = float(found[1] if found else claimed)
    except (TypeError, ValueError, OverflowError):
        raise PrivcheckError("claimed", claimed, EXPECTED) from None
    check("claimed", value, POSITIVE)
    return value, found is not None


def _usable(bound: BoundValue) -> bool:
    quantity = QUANTITIES.get(bound.quantity)
    number = bound.constant if bound.asymptotic else bound.value
    ours = quantity is not None and quantity.measure == "pseudo-regret" and bound.provenance != UNPROVEN
    return ours and number is not None


def _lower(bound: BoundValue, claimed: float, rate: bool, horizon: float | None) -> tuple[str, str]:
    """Return what a lower bound says of a claim, and why."""
    number = bound.constant if bound.asymptotic else bound.value
    assert number is not None
    if QUANTITIES[bound.quantity].minimax:
        return SILENT, "it is about the worst instance, and not about this one"
    if "local DP" in QUANTITIES[bound.quantity].privacy:
        return SILENT, "it is about policies that see private reports only, and not about all private ones"
    if bound.asymptotic and not rate:
        side = "above" if horizon is not None and number * math.log(horizon) > claimed else "not above"
        return SILENT, f"its product with ln T is {side} the claim, but a rate bounds nothing at one horizon"
    if rate and not bound.asymptotic:
        return SILENT, "it holds at this horizon, and not in the limit"
    if number > claimed * (1 + SLACK):
        return IMPOSSIBLE, "it is proven, and above the claim"
    return POSSIBLE, "the claim is not below it"


def _upper(bound: BoundValue, claimed: float) -> tuple[str, str]:
    """Return what an upper bound of the same kind says of a claim, and why."""
    number = bound.constant if bound.asymptotic else bound.value
    assert number is not None
    trivial = bound.id.startswith("trivial/")
    if number <= claimed:
        return POSSIBLE, "no policy has more" if trivial else "a private policy is proven to keep below the claim"
    return (
        POSSIBLE,
        "no regret exceeds it" if trivial else "the best that is proven for a policy; the claim is below it",
    )
