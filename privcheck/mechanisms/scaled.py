"""Mechanisms whose noise has one scale, built from a sensitivity and a budget or from the scale itself."""

from __future__ import annotations

import math
import sys
from typing import Any, ClassVar, Self

from privcheck.accounting import NOTHING, Charge
from privcheck.declared import POSITIVE, Real, check, fields_of_objects
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import COMPARISON_SLACK, NOISE_SLACK, Mechanism
from privcheck.mechanisms.currency import EPSILON, Currency


class ScaledMechanism(Mechanism):
    """Base of the mechanisms with a noise scale, built from a sensitivity and a budget or from the scale itself.

    Built from a sensitivity s and a budget epsilon, it draws noise at the scale m s (1 + 4e-9) / epsilon, and charges
    exactly epsilon for data of computed sensitivity s, and in proportion where that is smaller. Built from a scale b
    (`with_scale`), it charges m s / b for data of computed sensitivity s. Here m is the number of released statistics
    that one datum enters (`statistics_per_datum`): 1, except in trees. A budget in another `currency` is mu, the same
    with sqrt(m) in the place of m, or rho = mu^2 / 2.

    Parameters
    ----------
    sensitivity : s > 0, the declared sensitivity in the norm `sensitivity_norm`, or another parameter that
        `sensitivity_name` names; None if a scale is given.
    epsilon : > 0, the privacy budget of one release; None if a scale is given; or mu, or rho.
    given_scale : b > 0, the noise scale; None if the other two are given.

    Guarantee
    ---------
    With noise of scale b, data of sensitivity s (in the norm `sensitivity_norm`, under the neighbour relation for which
    s was computed) cost at most m s / b in pure differential privacy; in Gaussian differential privacy, where squares
    add up, at most mu = sqrt(m) s / b; in zero-concentrated differential privacy at most rho = m (s / b)^2 / 2. A
    computed s may exceed the declared one by the relative slack 1e-9, and (1 + 1e-9) / (1 + 4e-9) < 1, so the declared
    budget is never exceeded. A datum whose computed sensitivity s' is smaller costs at most m s' / b =
    epsilon (s' / s) / (1 + 4e-9), and is charged the smaller of epsilon and epsilon (s' / s) (1 + 1e-9): the relative
    1e-9 makes it exactly epsilon where s' is below s by rounding only. The same holds of mu, and of rho with the square
    of the last two factors. A computed sensitivity includes the rounding r of the released value wherever r exceeds
    2e-9 of it (see `privcheck.private_values._float_rounding`); below that, (1 + 2e-9) / (1 + 4e-9) < 1. So a datum
    that the value depends on is never charged nothing, even if its coefficients cancel but for rounding. A given scale
    has no surplus: there the loss may exceed the charge by a share of 2e-9, by rounding.

    Examples
    --------
    >>> from privcheck.mechanisms import Gaussian, Laplace
    >>> Laplace(sensitivity=1.0, epsilon=0.5).loss(1.0), Laplace.with_scale(4.0).loss(3.0)
    (0.5, 0.75)
    >>> round(Laplace(sensitivity=1.0, epsilon=0.5).loss(0.25), 6)
    0.125
    >>> Gaussian(sensitivity=1.0, mu=0.5).charge(1.0).mu, Gaussian.with_scale(4.0).charge(3.0).mu
    (0.5, 0.75)

    """

    currency: ClassVar[Currency] = EPSILON
    """The currency of the budget, which names the parameter that holds it."""

    given_scale: float | None

    def __post_init__(self) -> None:
        unused = (self.sensitivity_name, self.currency.name) if self.given_scale is not None else ("given_scale",)
        for declared in fields_of_objects(type(self)):
            value, hint = getattr(self, declared.name), declared.metadata["hint"]
            if declared.name not in unused:
                object.__setattr__(self, declared.name, check(declared.name, value, declared.metadata["domain"], hint))
            elif value is not None:
                raise PrivcheckError(declared.name, value, "None when a scale is given", hint)
        if not sys.float_info.min <= self.scale < math.inf:
            hint = f"bring {self.sensitivity_name} and {self.currency.name}, or the scale, to ordinary magnitudes"
            raise PrivcheckError("noise scale", self.scale, "a positive normal float", hint)

    @classmethod
    def with_scale(cls, scale: float, **parameters: Any) -> Self:
        """Return the mechanism with noise of this scale; its charge is then computed from the data's sensitivity.

        `parameters` are the mechanism's other parameters, such as `noise` or `horizon`.
        """
        return cls(
            given_scale=check("scale", scale, POSITIVE, "the scale of the noise, in the unit of the value"),
            **parameters,
        )  # type: ignore[call-arg]

    @property
    def statistics_per_datum(self) -> int:
        """The largest number of released statistics, each with its own noise, that one datum enters."""
        return 1

    @property
    def scale(self) -> float:
        """The scale b of the noise: the one that was given, or that of the declared sensitivity and budget."""
        if self.given_scale is not None:
            return self.given_scale
        declared = self.declared_sensitivity
        assert declared is not None
        assert self._budget is not None
        return declared * self._together * (1.0 + NOISE_SLACK) / self.currency.to_ratio(self._budget)

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed sensitivity.

        Parameters
        ----------
        sensitivity : s >= 0, computed from the data's declared ranges, in the norm `sensitivity_norm`.

        Returns
        -------
        A charge of the declared budget, less in proportion if s is below the declared sensitivity, or if a scale was
        given of m s / scale; `NOTHING` if s = 0.

        Raises
        ------
        PrivcheckError : s exceeds the declared sensitivity by more than the relative slack 1e-9, or m s / scale is
            infinite.

        """
        computed = check("sensitivity", sensitivity, Real(0.0))
        if computed == 0.0:
            return NOTHING
        declared = self.declared_sensitivity
        if declared is None or self._budget is None:
            return self.currency.charge(self.currency.of_ratio(computed * self._together / self.scale))
        if computed > declared * (1.0 + COMPARISON_SLACK):
            raise PrivcheckError(
                "sensitivity",
                words(f"{computed!r} computed from the data"),
                f"at most the declared {declared!r} ({self.sensitivity_norm})",
                f"declare {self.sensitivity_name}={computed!r}, which needs proportionally more noise",
            )
        share = computed / declared * (1.0 + COMPARISON_SLACK)
        if share >= 1.0:
            return self.currency.charge(self._budget)
        partial = self.currency.of_ratio(self.currency.to_ratio(self._budget) * share)
        return self.currency.charge(max(min(partial, self._budget), sys.float_info.min))

    @property
    def _budget(self) -> float | None:
        budget: float | None = getattr(self, self.currency.name)
        return budget

    @property
    def _together(self) -> float:
        return self.currency.together(self.statistics_per_datum)
