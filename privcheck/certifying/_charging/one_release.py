"""What one release moves, and what it is charged alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from privcheck.accounting import ByDatum, Charge, check_charges
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import COMPARISON_SLACK, Mechanism, charge_with_pairs
from privcheck.private_values import Private, check_whole, with_rounding

NOTIONS = ("pure", "approximate", "gaussian", "zcdp")
WITHOUT_EPSILON = ("gaussian", "zcdp")
"""Notions whose charges bound no epsilon: a finite one would be a number of another kind, under the wrong name."""

RANGE = "range of score differences"
NORMS = {"L1": "l1", "L2": "l2", "Frobenius": "frobenius", RANGE: "range"}
NORMS |= {"number of changed entries": "changed", "trace of one outer product": "outer"}
NORMS |= {"L2 norms of items, summed": "l1"}  # the L2 norm of an item is at most its L1 norm


def computed_sensitivities(mechanism: Mechanism, value: Private) -> Mapping[Any, float] | None:
    """Return how far each datum can move a value, in the norm of a mechanism; None in a norm that is not computed."""
    norm = NORMS.get(mechanism.sensitivity_norm)
    return None if norm is None else value.sensitivities(norm)


def sensitivities_of(mechanism: Mechanism, value: Private) -> ByDatum[float]:
    if mechanism.sensitivity_norm not in NORMS:
        got = words(f"{name_of(mechanism)}, whose sensitivity is a {mechanism.sensitivity_norm}")
        hint = "sensitivities of private values are computed in these norms"
        raise PrivcheckError("mechanism", got, f"a mechanism for {', '.join(NORMS)}", hint)
    found = value.sensitivities(NORMS[mechanism.sensitivity_norm])
    if mechanism.integers is None:
        return ByDatum.of(with_rounding(value, found, getattr(mechanism, "sensitivity", None), mechanism.rounding))
    check_whole(value, *mechanism.integers)
    moved = ByDatum(tuple((s, data) for s, data in ByDatum.of(found).groups if s > 0.0))
    return moved.map(_whole_square if mechanism.sensitivity_norm in ("L2", "Frobenius") else _whole)


def _whole(sensitivity: float) -> float:
    """Return the largest change that integers can make: an integer, so that any fraction in its bound is slack."""
    return float(math.floor(sensitivity * (1.0 + COMPARISON_SLACK)))


def _whole_square(sensitivity: float) -> float:
    """Return the largest L2 distance of integers: the root of an integer, which need not be one."""
    return math.sqrt(_whole(sensitivity * sensitivity * (1.0 + COMPARISON_SLACK)))


def charges_of(mechanism: Mechanism, sensitivities: ByDatum[float], *, with_pairs: bool = False) -> ByDatum[Charge]:
    """Return the charge of each datum; data of equal sensitivity get the same charge.

    Dominating pairs are those of shipped classes, which `examined` found unchanged: a derived class may draw otherwise.
    """
    charges = sensitivities.map(partial(charge_with_pairs, mechanism) if with_pairs else mechanism.charge)
    check_charges(charges.different)
    for charge in charges.different:
        if mechanism.notion not in NOTIONS or (mechanism.notion in WITHOUT_EPSILON and 0.0 < charge.epsilon < math.inf):
            got = words(f"{name_of(mechanism)}, a mechanism of {mechanism.notion} privacy that charges {charge!r}")
            hint = "name the strongest of pure, approximate, gaussian and zcdp that its `charge` bounds"
            raise PrivcheckError("mechanism", got, "a notion of privacy and a charge that agree", hint)
        if mechanism.notion == "approximate" and charge.delta == 0.0 < charge.epsilon < math.inf:
            got = words(f"{name_of(mechanism)}, a mechanism of approximate privacy that charges no delta")
            hint = "return Charge(epsilon, delta=...) from its `charge`: `loss` alone says that it is pure"
            raise PrivcheckError("mechanism", got, "a charge with the delta that is set aside", hint)
    return charges


def name_of(mechanism: Mechanism) -> str:
    """Return the id of a mechanism, or the name of its class."""
    return getattr(mechanism, "id", type(mechanism).__name__)
