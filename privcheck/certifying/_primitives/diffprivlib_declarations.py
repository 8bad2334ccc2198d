"""The declarations of diffprivlib's mechanisms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.accounting import Charge
from privcheck.certifying._primitives.declaration import Call, primitive
from privcheck.certifying._primitives.recorded_calls import public_text
from privcheck.mechanisms import DivergenceError, Gaussian, Laplace


@dataclass(frozen=True)
class StatedLaw:
    """What a mechanism costs whose object says: its epsilon for its sensitivity, and no more in between.

    Parameters
    ----------
    epsilon, delta, sensitivity : what the object says. A larger distance costs whole multiples, as a group of data
        does; with a delta no bound is given.
    metric : of its inputs.
    public : what else the object was built with, as text: it has to be the same on both streams.
    """

    epsilon: float
    delta: float
    sensitivity: float
    metric: str = "L1"
    public: str = ""

    def charge(self, sensitivity: float) -> Charge:
        """Return epsilon times the number of steps of `sensitivity` that the distance takes."""
        steps = 1 if sensitivity <= self.sensitivity * (1.0 + 1e-9) else math.ceil(sensitivity / self.sensitivity)
        if self.delta and steps > 1:
            return Charge.total(math.inf, math.inf, math.inf)
        return Charge(self.epsilon * steps, delta=self.delta)


def _stated(call: Call) -> StatedLaw | None:
    """Return the law that an object with a sensitivity states."""
    owner = call.owner
    return StatedLaw(float(owner.epsilon), float(owner.delta), float(owner.sensitivity)) if owner.sensitivity else None


def _laplace(call: Call) -> Any:
    """Return the Laplace mechanism; None if the object has a delta, or sensitivity 0."""
    owner = call.owner
    if owner.delta or not owner.sensitivity or not owner.epsilon or math.isinf(owner.epsilon):
        return None
    return Laplace.with_scale(owner.sensitivity / owner.epsilon)


def _gaussian(call: Call) -> Any:
    """Return the Gaussian mechanism."""
    scale = float(call.owner._scale)
    return Gaussian.with_scale(scale) if scale > 0.0 else None


def _of_one_value(call: Call) -> StatedLaw:
    """Return the law of an object that draws one of several values beside the true one: epsilon for any change."""
    owner = call.owner
    domain = getattr(owner, "_domain_values", None) or [owner.value0, owner.value1]
    return StatedLaw(float(owner.epsilon), float(owner.delta), 1.0, "discrete", public_text(sorted(domain)))


def _of_utilities(call: Call) -> StatedLaw | None:
    """Return the law of an object that chooses by utilities, each of which moves by its sensitivity at most."""
    owner = call.owner
    public = public_text([owner.candidates, owner.measure, owner.monotonic])
    stated = float(owner.epsilon), 0.0, float(owner.sensitivity)
    return StatedLaw(*stated, "Linf", public) if owner.sensitivity else None


def spectral(one: Any, two: Any) -> float:
    """Return the spectral norm of the difference of two matrices.

    >>> spectral(np.eye(2), np.diag([1.0, 3.0]))
    2.0
    """
    first, second = np.asarray(one, np.float64), np.asarray(two, np.float64)
    if first.shape != second.shape:
        raise DivergenceError(f"the input has shape {first.shape} on one stream and {second.shape} on the other")
    return float(np.linalg.norm(first - second, 2))


_NUMBERS = (
    "LaplaceTruncated", "LaplaceFolded", "LaplaceBoundedDomain", "LaplaceBoundedNoise", "GaussianDiscrete", "Geometric",
    "GeometricTruncated", "GeometricFolded", "Snapping", "Staircase", "Uniform",
)  # fmt: skip

LAWS = {"Laplace": _laplace, "Gaussian": _gaussian, "GaussianAnalytic": _gaussian} | dict.fromkeys(_NUMBERS, _stated)
"""The mechanisms that add noise to a number, and the function that returns the law of a call."""

NOT_REPLAYED = {
    "Vector": "its input and output are functions, which take the raw data again when they are called: what is private "
    "is the minimiser that is found with them"
}
"""Mechanisms that cannot be recorded and replayed, with the reason: their noise is undeclared randomness."""


def _name(mechanism: str) -> str:
    return f"diffprivlib.mechanisms.{mechanism}.randomise"


DIFFPRIVLIB = (
    *(primitive(_name(name), value="value", sensitivity="sensitivity", law=law) for name, law in LAWS.items()),
    *(
        primitive(_name(name), value="value", sensitivity=1.0, law=_of_one_value, metric="discrete")
        for name in ("Binary", "ExponentialCategorical", "ExponentialHierarchical")
    ),
    *(
        primitive(_name(name), value="self.utility", sensitivity="sensitivity", law=_of_utilities, metric="Linf")
        for name in ("Exponential", "PermuteAndFlip")
    ),
    primitive(_name("Bingham"), value="value", sensitivity="sensitivity", law=_stated, metric=spectral),
)
"""All mechanisms of diffprivlib that can be recorded and replayed."""
