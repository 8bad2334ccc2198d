"""Shipped algorithms named by the user: an id, with or without parameters in parentheses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privcheck.bandits.base import ALGORITHMS, Algorithm, split_description
from privcheck.errors import PrivcheckError


@dataclass(frozen=True)
class ShippedId:
    """An id and the parameters that were given with it.

    Parameters
    ----------
    text : the user's text: "adap-ucb", "adap-ucb(alpha=2.0)" or what `Algorithm.describe` returns.
    name : the id.
    given : the parameters in parentheses.

    Examples
    --------
    >>> ShippedId.read("adap-ucb(alpha=2.0)").spec(arms=3, epsilon=1.0, horizon=16)
    AdaPUCB(arms=3, epsilon=1.0, alpha=2.0)
    """

    text: str
    name: str
    given: dict[str, Any]

    @classmethod
    def read(cls, text: str) -> ShippedId:
        """Read an id; PrivcheckError if its parameters are wrong."""
        return cls(text, *split_description(text))

    @property
    def algorithm(self) -> type[Algorithm]:
        """The algorithm with this id; PrivcheckError if there is none."""
        return ALGORITHMS[self.name]

    @property
    def lacks_epsilon(self) -> bool:
        """Whether the algorithm has a budget epsilon that was not given with the id."""
        return self.algorithm.declares("epsilon") and "epsilon" not in self.given

    @property
    def lacks_rho(self) -> bool:
        """Whether the algorithm has a budget in zCDP that was not given with the id."""
        return self.algorithm.declares("rho") and "rho" not in self.given

    def spec(
        self,
        *,
        arms: int,
        epsilon: float | None,
        horizon: int,
        delta: float | None = None,
        rho: float | None = None,
        mu: float | None = None,
        features: int | None = None,
    ) -> Algorithm:
        """Return the spec; parameters given with the id take precedence over the arguments.

        Parameters
        ----------
        arms : K.
        epsilon : the budget, > 0; it has to be given when `lacks_epsilon`.
        horizon : T, for an algorithm that declares it.
        delta : of (epsilon, delta)-DP, above 0, for an algorithm that is not private in pure DP.
        rho, mu : the budget of an algorithm with Gaussian noise, in zCDP or in Gaussian DP (rho = mu^2 / 2), > 0; one
            of them has to be given when `lacks_rho`.
        features : d, for an algorithm that receives the features of each arm.
        """
        parameters: dict[str, Any] = {"arms": arms}
        if self.algorithm.declares("horizon"):
            parameters["horizon"] = horizon
        if self.lacks_epsilon:
            parameters["epsilon"] = epsilon
        if self.lacks_rho:
            parameters["rho"] = 0.5 * mu * mu if rho is None and mu is not None else rho
        if self.algorithm.declares("features"):
            parameters["features"] = features
        if self.algorithm.approximate and "delta" not in self.given:
            if not delta:
                hint = f"{self.name} is (epsilon, delta)-DP: give its delta, for example delta=1e-6"
                raise PrivcheckError("delta", delta, "a number above 0", hint)
            parameters["delta"] = delta
        return self.algorithm(**parameters | self.given)
