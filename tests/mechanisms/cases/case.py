"""What the contract of `test_contract.py` needs to know about a mechanism."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from privcheck.mechanisms import Mechanism, ScaledMechanism

REALS = st.floats(0.1, 10.0)

RATIOS = {"epsilon": lambda loss: loss, "mu": lambda loss: loss, "rho": lambda loss: math.sqrt(2 * loss)}
"""The ratio of sensitivity and noise scale for a budget in each currency."""


@dataclass(frozen=True)
class Case:
    """How to exercise one mechanism; its loss is in its currency, the strongest that its noise bounds.

    `worst_loss(mechanism, s)`: loss of the worst pair of data of sensitivity s under the law that the mechanism claims
    (by scipy where it can). `change(rng, s)`: an output, data, data at distance s. `p_value(mechanism, draws)`:
    goodness of fit of draws of `value` to the exact law. `opendp_map(b, s)`: OpenDP's loss map at noise scale b, None
    where OpenDP has no sound one. `options`: further parameters. `sensitivities`: what the contract draws from. `pair`:
    two neighbours for an audit, and how far they are apart in the mechanism's norm. `exact`: whether
    `law_of_pair` has the law of a pair; False only where no closed form is known.
    `largest_ratio(mechanism, s, output, value, other)`: what no log-ratio of these exceeds; by default the loss.
    `column_norm(mechanism)`: the ratio of all statistics together, where a datum enters them with different weights.
    """

    mechanism: type[Mechanism]
    value: Any
    bad_values: tuple[Any, ...]
    worst_loss: Callable[[Mechanism, float], float]
    change: Callable[[np.random.Generator, float], tuple[Any, Any, Any]]
    p_value: Callable[[Mechanism, np.ndarray], float]
    opendp_map: Callable[[float, float], float] | None
    options: dict[str, Any] = field(default_factory=dict)
    sensitivities: st.SearchStrategy = REALS
    pair: tuple[Any, Any, float] = field(kw_only=True)
    exact: bool = True
    largest_ratio: Callable[[Mechanism, float, Any, Any, Any], float] | None = None
    column_norm: Callable[[Mechanism], float] | None = None

    @property
    def scaled(self) -> bool:
        return issubclass(self.mechanism, ScaledMechanism)

    @property
    def currency(self) -> str:
        return self.mechanism.currency.name if self.scaled else "epsilon"

    def ratio(self, loss: float) -> float:
        """Return the ratio of sensitivity and scale at which one statistic has this loss."""
        return RATIOS[self.currency](loss)

    def together(self, mechanism: Mechanism) -> float:
        """Return the ratio of all statistics that a datum enters together, for a ratio of 1 of each."""
        if self.column_norm is not None:
            return self.column_norm(mechanism)
        entered = mechanism.statistics_per_datum
        return entered if self.currency == "epsilon" else math.sqrt(entered)

    def loss(self, mechanism: Mechanism, sensitivity: float) -> float:
        return getattr(mechanism.charge(sensitivity), self.currency)

    def declare(self, sensitivity: float = 1, budget: float = 1.0) -> Mechanism:
        given = {self.currency: budget, **self.options}
        stated = {self.mechanism.sensitivity_name: sensitivity}
        return self.mechanism(**stated, **given) if self.scaled else self.mechanism(**given)

    def with_scale(self, scale: float) -> Mechanism:
        if self.scaled:
            return self.mechanism.with_scale(scale, **self.options)
        return self.mechanism(epsilon=1 / scale, **self.options)
