"""What a release is charged after others of the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privcheck.accounting import ByDatum, Charge
from privcheck.mechanisms import Gaussian, Laplace, Mechanism
from privcheck.private_values import Private, PrivateSource

_OF: dict[type[Mechanism], tuple[str, str]] = {Laplace: ("l1", "epsilon"), Gaussian: ("l2", "mu")}
"""The classes whose loss is a norm over a scale, with what they charge; a derived class may draw in another way."""


class JointCharges:
    """Lowers charges of releases that cost less after those before than alone: see `SeveralReleases`.

    Parameters
    ----------
    group_size : number of data that are protected together. Mu of such is bounded from what each release costs alone
        (`privcheck.accounting.Currency`), and is not lowered.
    source : of the private values, which remembers their releases.
    """

    def __init__(self, group_size: int, source: PrivateSource) -> None:
        self._group_size, self._source = group_size, source

    def of(
        self, mechanism: Mechanism, value: Private, charges: ByDatum[Charge]
    ) -> tuple[ByDatum[Charge], dict[Any, Any]]:
        """Return the charges of a release, the same object if none is less; and what to `keep` once it is charged."""
        norm, name = _OF.get(type(mechanism), ("", ""))
        source = self._source
        if (
            value.source is not source
            or not source.features.several
            or not norm
            or (norm == "l2" and self._group_size > 1)
        ):
            return charges, {}
        alone = {datum: getattr(charge, name) for datum, charge in charges.items()}
        losses = dict(alone)
        blocks = source.several.charged(norm, value, source.features, mechanism.scale, mechanism.rounding, losses)
        if losses == alone:
            return charges, blocks
        lower = {
            datum: charge if losses[datum] == alone[datum] else _lowered(mechanism, charge, losses[datum])
            for datum, charge in charges.items()
        }
        return ByDatum.of(lower), blocks

    def keep(self, blocks: Mapping[Any, Any]) -> None:
        """Take note of a release, once it is charged."""
        self._source.several.keep(blocks)


def _lowered(mechanism: Mechanism, charge: Charge, loss: float) -> Charge:
    """Return a charge of less epsilon, whose rho and mu stay, or of less mu, and the rho that this implies."""
    if isinstance(mechanism, Gaussian):
        return mechanism.currency.charge(loss)
    return Charge(loss, rho=charge.rho, mu=charge.mu)
