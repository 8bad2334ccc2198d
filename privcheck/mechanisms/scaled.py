"""Mechanisms whose noise has one scale, built from (sensitivity, epsilon) or from the scale itself."""

from __future__ import annotations

import math
import sys
from typing import Any, Self

from privcheck.accounting.charge import NOTHING, Charge
from privcheck.declared import POSITIVE, Real, check, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import COMPARISON_SLACK, NOISE_SLACK, Mechanism


class ScaledMechanism(Mechanism):
    """Base of the mechanisms with a noise scale, built from a sensitivity and a budget or from the scale itself.

    Built from a sensitivity s and a budget epsilon, it draws noise at the scale m s (1 + 4e-9) / epsilon and charges
    exactly epsilon. Built from a scale b (`with_scale`), it charges m s / b for data of computed sensitivity s. Here m
    is the number of released statistics that one datum enters (`statistics_per_datum`): 1, except in trees.

    Parameters
    ----------
    sensitivity : s > 0, the declared sensitivity in the norm `sensitivity_norm`; None if a scale is given.
    epsilon : > 0, the privacy budget of one release; None if a scale is given.
    given_scale : b > 0, the noise scale; None if the other two are given.

    Guarantee
    ---------
    With noise of scale b, data of sensitivity s (in the norm `sensitivity_norm`, under the neighbour relation for which
    s was computed) cost at most m s / b in pure differential privacy. A computed s may exceed the declared one by the
    relative slack 1e-9, and (1 + 1e-9) / (1 + 4e-9) < 1, so the declared epsilon is never exceeded.

    Examples
    --------
    >>> from privcheck.mechanisms import Laplace
    >>> Laplace(sensitivity=1.0, epsilon=0.5).loss(0.3), Laplace.with_scale(4.0).loss(3.0)
    (0.5, 0.75)

    """

    sensitivity: float | None
    epsilon: float | None
    given_scale: float | None

    def __post_init__(self) -> None:
        unused = ("sensitivity", "epsilon") if self.given_scale is not None else ("given_scale",)
        for declared in declared_fields(type(self)):
            value, hint = getattr(self, declared.name), declared.metadata["hint"]
            if declared.name not in unused:
                object.__setattr__(self, declared.name, check(declared.name, value, declared.metadata["domain"], hint))
            elif value is not None:
                raise PrivcheckError(declared.name, value, "None when a scale is given", hint)
        if not sys.float_info.min <= self.scale < math.inf:
            hint = "bring sensitivity and epsilon, or the scale, to ordinary magnitudes"
            raise PrivcheckError("noise scale", self.scale, "a positive normal float", hint)

    @classmethod
    def with_scale(cls, scale: float, **parameters: Any) -> Self:
        """Return the mechanism with noise of this scale; its charge is then computed from the data's sensitivity.

        `parameters` are the mechanism's other parameters, such as `noise` or `horizon`.
        """
        return cls(given_scale=check("scale", scale, POSITIVE), **parameters)  # type: ignore[call-arg]

    @property
    def statistics_per_datum(self) -> int:
        """The largest number of released statistics, each with its own noise, that one datum enters."""
        return 1

    @property
    def scale(self) -> float:
        """The scale b of the noise: the one that was given, or m s (1 + 4e-9) / epsilon."""
        if self.given_scale is not None:
            return self.given_scale
        assert self.sensitivity is not None
        assert self.epsilon is not None
        return self.sensitivity * self.statistics_per_datum * (1.0 + NOISE_SLACK) / self.epsilon

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed sensitivity.

        Parameters
        ----------
        sensitivity : s >= 0, computed from the data's declared ranges, in the norm `sensitivity_norm`.

        Returns
        -------
        A charge of the declared epsilon, or of m s / scale if a scale was given; `NOTHING` if s = 0.

        Raises
        ------
        PrivcheckError : s exceeds the declared sensitivity by more than the relative slack 1e-9, or m s / scale is
            infinite.

        """
        computed = check("sensitivity", sensitivity, Real(0.0))
        if computed == 0.0:
            return NOTHING
        if self.sensitivity is None or self.epsilon is None:
            return Charge(computed * self.statistics_per_datum / self.scale)
        if computed > self.sensitivity * (1.0 + COMPARISON_SLACK):
            raise PrivcheckError(
                "sensitivity",
                words(f"{computed!r} computed from the data"),
                f"at most the declared {self.sensitivity!r} ({self.sensitivity_norm})",
                f"declare sensitivity={computed!r}, which needs proportionally more noise",
            )
        return Charge(self.epsilon)
