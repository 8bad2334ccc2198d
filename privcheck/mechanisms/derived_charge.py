"""What a class that is derived from a shipped one may charge: if it draws as its base does, no less than that does."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from privcheck.accounting import Charge, GaussianDP, delta_at
from privcheck.declared import declared_fields
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.base import Mechanism
from privcheck.mechanisms.scaled import ScaledMechanism

STATED = frozenset(
    {
        "id", "notion", "source", "hint_for_unknown", "calibrate", "sensitivity_norm", "sensitivity_name", "scale",
        "charge", "loss", "declared_sensitivity", "statistics_per_datum", "law_of_pair", "dominating_pairs",
        "log_density", "density", "log_ratio", "rounding", "samples_exactly", "release_batch",
    }
)  # fmt: skip
"""What a class states about its draws; the draws themselves do not depend on it, but for the scale of their noise."""

SLACK = 1e-8
"""Relative: charges are rounded, and noise is larger by 4e-9."""


def fault_of_derived(mechanism: Mechanism, base: type[Mechanism], sensitivities: Iterable[float]) -> str:
    """Return what a derived class charges too little, in words; nothing if it does not, or draws in its own way.

    >>> from privcheck.accounting import Charge
    >>> from privcheck.mechanisms import Laplace
    >>> class Cheap(Laplace):
    ...     def charge(self, sensitivity):
    ...         return Charge(epsilon=0.01)
    >>> fault_of_derived(Cheap(sensitivity=1.0, epsilon=1.0), Laplace, [1.0])[:46]
    'which draws as Laplace does, but charges Charg'

    Parameters
    ----------
    mechanism : of a class that derives from `base`.
    base : a shipped class.
    sensitivities : the computed sensitivities that are charged.

    Guarantee
    ---------
    If the class draws by the code of its base, its law is that of the base at the scale of its noise; then the charge
    of each sensitivity is at least the one that the base computes from that scale, in the norm of the base.
    """
    cls: Any = type(mechanism)
    own = {name for each in cls.__mro__[: cls.__mro__.index(base)] for name in vars(each)}
    fields = {field.name for field in declared_fields(base)}
    changed = {name for name in own if name in dir(base) and not name.startswith(("__", "_abc"))} - fields
    if not changed <= STATED:
        return ""
    if mechanism.sensitivity_norm != base.sensitivity_norm:
        return f"which draws as {base.__name__} does, whose sensitivity is in {base.sensitivity_norm}"
    if "rounding" in changed:
        return f"which draws as {base.__name__} does, but states another rounding"
    try:
        alike = _alike(mechanism, base, fields)
        charges = [(mechanism.charge(each), alike.charge(each)) for each in sensitivities]
    except PrivcheckError:  # what cannot be charged is not released
        return ""
    for charge, least in charges:
        if _is_less(charge, least):
            return f"which draws as {base.__name__} does, but charges {charge!r} in place of {least!r}"
    return ""


def _alike(mechanism: Mechanism, base: type[Mechanism], fields: set[str]) -> Mechanism:
    """Return a mechanism of the base that has the same noise."""
    values = {name: getattr(mechanism, name) for name in fields}
    if issubclass(base, ScaledMechanism):
        values |= {base.sensitivity_name: None, base.currency.name: None, "given_scale": mechanism.scale}
    return base(**values)


def _is_less(charge: Charge, least: Charge) -> bool:
    """Tell whether a charge is less than another one, in the currencies in which that is exact.

    Of two that set a delta aside neither is less if one has the larger delta, and the other the larger epsilon.
    """
    if least.mu < math.inf and least.epsilon == math.inf:
        if charge.delta > least.delta:  # mu and rho are then those of the rest
            least_delta = delta_at(GaussianDP(least.mu), charge.epsilon) + least.delta
            return charge.delta < least_delta * (1.0 - SLACK)
        pairs = [(charge.epsilon, least.epsilon), (charge.mu, least.mu), (charge.rho, least.rho)]
        return any(said < needed * (1.0 - SLACK) for said, needed in pairs if said < math.inf)
    return charge.epsilon < least.epsilon * (1.0 - SLACK) and charge.delta <= least.delta
