"""Releases of plans, with the dominating pairs that their mechanisms are known to have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privcheck.accounting import (
    NOTHING,
    Charge,
    DiscreteLaplacePair,
    DominatingPair,
    GaussianPair,
    LaplacePair,
    PlannedRelease,
    ResponsePair,
)
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.base import Mechanism
from privcheck.mechanisms.binary_tree import BinaryTree
from privcheck.mechanisms.discrete_laplace import DiscreteLaplace
from privcheck.mechanisms.factorised_stream import FactorisedStream
from privcheck.mechanisms.gaussian import Gaussian
from privcheck.mechanisms.gaussian_tree import GaussianTree, SymmetricGaussianTree
from privcheck.mechanisms.hybrid_tree import HybridTree
from privcheck.mechanisms.kary_tree import KaryTree
from privcheck.mechanisms.laplace import Laplace
from privcheck.mechanisms.randomised_response import RandomisedResponse
from privcheck.mechanisms.symmetric_gaussian import SymmetricGaussian

Pairs = tuple[tuple[DominatingPair, int], ...]

LARGEST_DISTANCE = 10_000
"""Above it a discrete Laplace pair has too many atoms, and what its epsilon implies is taken."""


def planned(mechanism: Mechanism, sensitivity: float | None = None, count: int = 1) -> PlannedRelease:
    """Return a release of a plan: `count` times this mechanism, on data of this sensitivity.

    Parameters
    ----------
    mechanism : any `Mechanism`.
    sensitivity : >= 0, of one datum, in the mechanism's norm `sensitivity_norm`; by default the one that was declared,
        or 1 if there is none.
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
        declared = getattr(mechanism, "sensitivity", None)
        sensitivity = 1.0 if declared is None else declared
    charge = charge_with_pairs(mechanism, sensitivity)
    return PlannedRelease(charge.with_pairs(), count, charge.pairs, mechanism.id)


def charge_with_pairs(mechanism: Mechanism, sensitivity: float) -> Charge:
    """Return the charge of data with this sensitivity, with the dominating pairs that the release is known to have.

    >>> charge_with_pairs(Laplace.with_scale(4.0), 1.0).pairs
    ((LaplacePair(epsilon=0.25), 1),)
    """
    charge = mechanism.charge(sensitivity)
    law = LAWS.get(type(mechanism))
    return charge if law is None or charge == NOTHING else charge.with_pairs(law(mechanism, charge, sensitivity))


def _discrete(_: DiscreteLaplace, charge: Charge, sensitivity: float) -> Pairs:
    if not float(sensitivity).is_integer() or sensitivity > LARGEST_DISTANCE:
        return ()
    return ((DiscreteLaplacePair(charge.epsilon, int(sensitivity)), 1),)


def _hybrid_tree(mechanism: HybridTree, charge: Charge, _: float) -> Pairs:
    total = mechanism.total_share * charge.epsilon
    return (LaplacePair(total), 1), (LaplacePair(charge.epsilon - total), 1)


def _tree(mechanism: BinaryTree | KaryTree, charge: Charge, _: float) -> Pairs:
    nodes = mechanism.statistics_per_datum
    return ((LaplacePair(charge.epsilon / nodes), nodes),)


def _normal(_: Mechanism, charge: Charge, __: float) -> Pairs:
    return ((GaussianPair(charge.mu), 1),)


LAWS: dict[type[Mechanism], Callable[[Any, Charge, float], Pairs]] = {
    Laplace: lambda _, charge, __: ((LaplacePair(charge.epsilon), 1),),
    Gaussian: _normal,
    SymmetricGaussian: _normal,
    GaussianTree: _normal,
    SymmetricGaussianTree: _normal,
    FactorisedStream: _normal,
    RandomisedResponse: lambda mechanism, charge, _: ((ResponsePair(charge.epsilon, mechanism.categories), 1),),
    DiscreteLaplace: _discrete,
    BinaryTree: _tree,
    KaryTree: _tree,
    HybridTree: _hybrid_tree,
}
"""The dominating pairs of one release, for exactly these classes: a derived class may have another law."""
