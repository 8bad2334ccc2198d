"""Releases of plans, with the dominating pairs that their mechanisms are known to have."""

from __future__ import annotations

from privcheck.accounting import NOTHING, Charge, PlannedRelease
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Mechanism


def planned(mechanism: Mechanism, sensitivity: float | None = None, count: int = 1) -> PlannedRelease:
    """Return a release of a plan: `count` times this mechanism, on data of this sensitivity.

    Parameters
    ----------
    mechanism : any `Mechanism`.
    sensitivity : >= 0, of one datum, in the mechanism's norm `sensitivity_norm`; by default the one that was declared,
        or 1 if there is none; the range of scores has no default.
    count : how often it is released, at least once.

    Guarantee
    ---------
    The charge is the mechanism's own. Laplace, discrete Laplace, Gaussian noise and randomised response are dominated
    by themselves on two numbers at the charged distance, whatever the dimension of the value. A binary or k-ary tree is
    dominated by the m Laplace nodes that one datum enters, at an m-th of epsilon each; a hybrid tree by the total and
    one node at the rest of epsilon, because one node dominates several that share its epsilon (see `LaplacePair`). The
    releases of a stream with Gaussian noise are together one Gaussian vector, at the charged distance. Of any other
    mechanism, derived classes too, only the charge is used.

    Raises
    ------
    PrivcheckError : no mechanism, or a sensitivity or a count outside its domain.

    Examples
    --------
    >>> from privcheck.accounting import Plan
    >>> from privcheck.mechanisms import Gaussian, Laplace
    >>> plan = Plan([planned(Gaussian.with_scale(4.0), 1.0, count=20)])
    >>> account = plan.at_delta(1e-6)
    >>> account.best, round(account.epsilon, 6)
    ('gdp', 5.55086)
    >>> round(Plan([planned(Laplace.with_scale(4.0), count=20)]).at_delta(1e-6).epsilon, 3)
    4.671
    """
    if not isinstance(mechanism, Mechanism):
        raise PrivcheckError("mechanism", mechanism, "a Mechanism", "for example Laplace.with_scale(4.0)")
    if sensitivity is None:
        declared = mechanism.declared_sensitivity
        if declared is None and mechanism.sensitivity_name != "sensitivity":
            hint = mechanism.hint_for_unknown("sensitivity")
            raise PrivcheckError(mechanism.sensitivity_name, words("nothing"), "a number of at least 0", hint)
        sensitivity = 1.0 if declared is None else declared
    charge = charge_with_pairs(mechanism, sensitivity)
    return PlannedRelease(charge.with_pairs(), count, charge.pairs, mechanism.id)


def charge_with_pairs(mechanism: Mechanism, sensitivity: float) -> Charge:
    """Return the charge of data with this sensitivity, with the dominating pairs that the release is known to have.

    >>> from privcheck.mechanisms import Laplace
    >>> charge_with_pairs(Laplace.with_scale(4.0), 1.0).pairs
    ((LaplacePair(epsilon=0.25), 1),)
    """
    charge = mechanism.charge(sensitivity)
    return charge if charge == NOTHING else charge.with_pairs(mechanism.dominating_pairs(charge, sensitivity))
