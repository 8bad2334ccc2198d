"""What a release is charged after others of the same data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privcheck.accounting import ByDatum, Charge
from privcheck.certifying._recorded.values import decoded_charges, encoded_charges
from privcheck.mechanisms import NOISE_SLACK, Gaussian, Laplace, Mechanism
from privcheck.private_values import Private, PrivateSource

if TYPE_CHECKING:
    from privcheck.certifying._recorded.draw_log import DrawLog

_OF: dict[type[Mechanism], tuple[str, str]] = {Laplace: ("l1", "epsilon"), Gaussian: ("l2", "mu")}
"""The classes whose loss is a norm over a scale, with what they charge; a derived class may draw in another way."""


@dataclass(frozen=True)
class Charged:
    """What a release is charged.

    Parameters
    ----------
    charges : of each datum.
    joint : by what it is known again, a hash of what it costs alone, and which release of its event it is, counting
        those that were refused; empty if it is not bounded together with others.
    blocks : the releases of its data, with this one: what to keep once it is charged.
    losses : what is charged for this one.
    """

    charges: ByDatum[Charge]
    joint: tuple[Any, ...] = ()
    blocks: Mapping[Any, Any] = field(default_factory=dict)
    losses: Mapping[Hashable, float] = field(default_factory=dict)


class JointCharges:
    """Lowers charges of releases that cost less after those before than alone: see `SeveralReleases`.

    Parameters
    ----------
    group_size : number of data that are protected together. Mu of such is bounded from what each release costs alone
        (`privcheck.accounting.Currency`), and is not lowered.
    source : of the private values, which remembers their releases.

    Guarantee
    ---------
    *With a log.* What a release was charged is recorded with its draw, and stands, whoever plays it again. What a new
    one is charged depends on the blocks of its data, which are not recorded: they grow again while the log is played,
    and are in snapshots. So that they hold what was released, and not what other code releases now, `joint` is recorded
    beside the charges: a release is added to its blocks only if it is known again by that, with what was charged for it
    as what was paid. Otherwise the blocks of its data are dropped, and later ones are charged as if none were before.

    A block can begin at any moment. By induction over the log, all charges of a datum before it are at least what any
    one change loses before it. From then on, a release is in the block, or is charged what it costs alone; if one that
    was charged less cannot be added, the block is dropped, and the next one begins after it. So the charges outside of
    the block are at least what is lost outside, and a release that is charged what the block owes, or what it costs
    alone, keeps this, whatever the blocks were with which the others were charged. No charge that is recorded is
    lowered, and a worker that knows less of the past charges more: one with other code or another version, of functions
    by `privcheck.feature`, which are not compared, and one that has forgotten features at other times than another
    worker, which took a snapshot, if the policy makes them again.

    What it takes: 70 bytes in each such draw, and in a snapshot the blocks of at most 256 data, of 32 entries each.

    Of releases without `joint`, by an older version or not bounded together with others, charges are what they cost
    alone; they are in no block. If a log is played in which nothing was drawn where a release comes, that was refused:
    it is charged alone, so that it is refused again, whatever the blocks are.
    """

    def __init__(self, group_size: int, source: PrivateSource) -> None:
        self._group_size, self._source = group_size, source

    def of(
        self,
        mechanism: Mechanism,
        value: Private,
        alone: ByDatum[Charge],
        rounded: Callable[[Charge], Charge] = lambda charge: charge,
        log: DrawLog | None = None,
    ) -> Charged:
        """Return what a release is charged.

        Parameters
        ----------
        mechanism : draws the noise.
        value : what is released.
        alone : what it costs each datum.
        rounded : rounds a charge up, as those of `alone` are.
        log : of the draws.
        """
        number, recorded = (0, None) if log is None else log.next_release()
        if recorded is not None and ("joint" not in recorded or recorded["joint"][2] != number):
            return Charged(alone)
        norm, name = _OF.get(type(mechanism), ("", ""))
        source, parts = self._source, dict[Any, Any]()
        if value.source is source and source.features.several and norm and not (norm == "l2" and self._group_size > 1):
            parts = source.several.parts_of(
                norm, value, source.features, _charged_scale(mechanism), mechanism.rounding, alone
            )
        joint: tuple[Any, ...] = ()
        if recorded is not None or (parts and log is not None):
            joint = source.several.identity(parts, source.features), _hash_of(alone), number
        blocks: Mapping[Any, Any]
        if recorded is not None:
            charges = decoded_charges(recorded["charges"])
            if joint[0] != recorded["joint"][0]:
                source.several.drop(charges)
                return Charged(charges, joint)
            blocks = source.several.again(parts)
        else:
            charges, blocks = self._lowered(mechanism, name, parts, alone, rounded)
        paid = {datum: getattr(charge, name) for datum, charge in charges.items()} if blocks else {}
        return Charged(charges, joint, blocks, paid)

    def _lowered(
        self,
        mechanism: Mechanism,
        name: str,
        parts: Mapping[Any, Any],
        alone: ByDatum[Charge],
        rounded: Callable[[Charge], Charge],
    ) -> tuple[ByDatum[Charge], Mapping[Any, Any]]:
        """Return the charges of a new release, the same object if none is less, and the blocks with it."""
        if not parts:
            return alone, {}
        before = {datum: getattr(charge, name) for datum, charge in alone.items()}
        losses = dict(before)
        blocks = self._source.several.charged(parts, losses)
        if losses == before:
            return alone, blocks
        lower = {
            datum: charge if losses[datum] == before[datum] else rounded(_less(mechanism, charge, losses[datum]))
            for datum, charge in alone.items()
        }
        return ByDatum.of(lower), blocks

    def keep(self, charged: Charged) -> None:
        """Take note of a release, once it is charged."""
        self._source.several.keep(charged.blocks, charged.losses)


def _charged_scale(mechanism: Any) -> float:
    """Return the scale that is charged, below that of the noise if it was computed from a declared sensitivity."""
    scale: float = mechanism.scale
    return scale if mechanism.given_scale is not None else scale / (1.0 + NOISE_SLACK)


def _less(mechanism: Mechanism, charge: Charge, loss: float) -> Charge:
    """Return a charge of less epsilon, whose rho and mu stay, or of less mu, and the rho that this implies."""
    if isinstance(mechanism, Gaussian):
        return mechanism.currency.charge(loss)
    return Charge(loss, rho=charge.rho, mu=charge.mu)


def _hash_of(charges: ByDatum[Charge]) -> str:
    return hashlib.blake2b(repr(encoded_charges(charges)).encode(), digest_size=8).hexdigest()
