"""The distribution of the total privacy loss of a plan, with both ends: delta at an epsilon, and the reverse."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from privcheck.accounting._dominating_pairs import DominatingPair, GaussianPair
from privcheck.accounting._gaussian_profile import ROUNDING, epsilon_of, exp_up, log_delta
from privcheck.accounting._tilted_sum import Part, TiltedSum, log_highest, tilted_sum
from privcheck.arrays import Array

RATIO = 1.5
"""Of one tilt to the next; a tilt that is off by half of it moves the weights by less than two standard deviations."""

LEAST, LARGEST = 1e-4, 1e15
"""Between which all tilts are."""

REACH = 512.0
"""Largest product of a tilt and the distance by which it moves the mean: exponentials of such products are floats, and
a tilted weight changes little from one loss of the grid to the next.
"""

SCAN = 256
"""Values of epsilon at which a lower end of delta is looked at, which does not fall everywhere, before the search."""

HALVINGS = 200
"""Most bisections of an epsilon; they end when no float is between the two."""

UP = 1.0 + 2.0**-44
"""The distance of all Gaussian pairs together is multiplied by this, or divided, for the rounding of its sum."""

ABOVE = 1.0 + 1e-9
"""The largest possible loss is multiplied by this, for the rounding of its sum."""


Composition = Sequence[tuple[DominatingPair, int]]


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """One end of the law of a total privacy loss.

    Parameters
    ----------
    parts : different pairs with their numbers; a single Gaussian pair stands for all of them.
    upper : whether delta and epsilon are bounded from above, or from below.
    """

    parts: tuple[Part, ...]
    upper: bool
    _sums: dict[float, TiltedSum | None] = field(default_factory=dict, repr=False)

    def delta(self, epsilon: float) -> float:
        """Return a bound on the smallest delta >= 0 for which the releases are (epsilon, delta)-DP."""
        if epsilon >= self.most:
            return 0.0
        log = self._log_delta(self._tilt(lambda tilts, exact: exact - tilts * epsilon), epsilon)
        log = min(0.0, log)
        return min(1.0, exp_up(log)) if self.upper else math.exp(log)

    def epsilon(self, delta: float) -> float:
        """Return a bound on the smallest epsilon >= 0 for which the releases are (epsilon, delta)-DP."""
        if delta <= 0.0:
            return self.most
        target = math.log(delta)
        if self._mu is not None:
            return epsilon_of(self._mu, delta, upper=self.upper)
        tilt = self._tilt(lambda tilts, exact: (exact - target) / tilts)
        total = self._sum(tilt)
        if total is None:
            return math.inf if self.upper else 0.0
        low, high = 0.0, min(self.most, max(1.0, total.last))
        while self.upper and high < self.most and total.log_delta(high) > target:
            high = min(self.most, 2.0 * high)
        if not self.upper:
            places = np.linspace(0.0, max(0.0, min(high, total.last)), SCAN)
            high_enough = [place for place in places.tolist() if total.log_delta(place) > target]
            low = max(high_enough, default=0.0)
        return min(self.most, self._searched(tilt, target, low, high))

    @property
    def known(self) -> bool:
        """Whether there is such a law: not for more releases of a pair than its totals fit into a transform."""
        return self._mu is not None or self._sum(self._tilts[0][len(self._tilts[0]) // 2]) is not None

    @cached_property
    def most(self) -> float:
        """The largest possible total loss."""
        if any(isinstance(part.pair, GaussianPair) for part in self.parts):
            return math.inf
        largest = math.fsum(part.count * float(part.pair.atoms[0][-1]) for part in self.parts)
        return largest * (ABOVE if self.upper else 1.0 / ABOVE)

    @property
    def _mu(self) -> float | None:
        """The distance of the Gaussian pair that is all there is; None if there is anything else."""
        pair = self.parts[0].pair
        return pair.mu if len(self.parts) == 1 and isinstance(pair, GaussianPair) else None

    @cached_property
    def _tilts(self) -> tuple[Array, Array]:
        """Possible tilts, and for each ln of the bound on delta(0) that Chernoff's inequality gives with it."""
        tilts: Array = LEAST * RATIO ** np.arange(float(math.ceil(math.log(LARGEST / LEAST) / math.log(RATIO))))
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.zeros_like(tilts)
            for part in self.parts:
                total += part.count * tilts * part.pair.renyi(tilts)
            means = np.diff(total) / np.diff(tilts)
            within = tilts[:-1] * (means - means[0]) <= REACH
        number = max(1, len(within) if within.all() else int(np.argmin(within)))
        return tilts[:number], total[:number] + np.array([log_highest(tilt) for tilt in tilts[:number].tolist()])

    def _tilt(self, bound: Callable[[Array, Array], Array]) -> float:
        """Return the tilt with which the bound of Chernoff is smallest: its weights are largest where it is asked."""
        if self._mu is not None:
            return math.nan
        tilts, exact = self._tilts
        return float(tilts[int(np.argmin(bound(tilts, exact)))])

    def _sum(self, tilt: float) -> TiltedSum | None:
        if tilt not in self._sums:
            self._sums[tilt] = tilted_sum(self.parts, tilt, upper=self.upper)
        return self._sums[tilt]

    def _log_delta(self, tilt: float, epsilon: float) -> float:
        if self._mu is not None:
            log = log_delta(epsilon, self._mu)  # rounded up by a relative `ROUNDING`
            return log if self.upper else log - 2.0 * ROUNDING * (1.0 + abs(log))
        found = self._sum(tilt)
        if found is None:
            return 0.0 if self.upper else -math.inf
        return found.log_delta(epsilon)

    def _searched(self, tilt: float, target: float, low: float, high: float) -> float:
        """Return an epsilon between both at which this end of delta meets the target, from the side that is sure."""
        if self._log_delta(tilt, low) <= target:
            return 0.0
        for _ in range(HALVINGS):
            middle = low + (high - low) / 2.0
            if not low < middle < high or high - low < 1e-13 * high:
                break
            low, high = (middle, high) if self._log_delta(tilt, middle) > target else (low, middle)
        return high if self.upper else low


def composed(releases: Composition) -> tuple[LossDistribution, LossDistribution]:
    """Return an upper and a lower end of the law of the total loss of pairs, each composed as often as given.

    Guarantee
    ---------
    The upper end is at least as easy to tell apart as the composition, and the composition at least as easy as the
    lower end: both are compositions of laws of single releases of which this is shown (`lattice_law`, `tilted_sum`),
    and the errors of the transform, of losses outside of its window, and of rounding are added to delta, or subtracted.
    Every law is multiplied by exp(tilt loss) before the transform, so that these errors are relative to delta. Both
    ends are numbers about a fixed sequence of releases: they say nothing when a parameter of a release depends on
    earlier ones. Gaussian pairs alone have the closed form. The errors are those of a transform that rounds as
    `docs/evidence/accounting.md` says; its constant is compared there with 50-digit arithmetic.

    Source: Koskela, Jalko and Honkela 2020, for the transform; Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022,
    "Connect the dots", for the split; Zhu, Dong and Wang 2022, Theorem 10, for the composition.

    Examples
    --------
    >>> from privcheck.accounting._dominating_pairs import LaplacePair
    >>> upper, lower = composed([(LaplacePair(0.25), 20)])
    >>> round(lower.epsilon(1e-6), 4), round(upper.epsilon(1e-6), 4)
    (4.6709, 4.6709)
    """
    counts: dict[DominatingPair, int] = {}
    distances = []
    for pair, count in releases:
        if isinstance(pair, GaussianPair):
            distances.append(pair.mu * math.sqrt(count))
        else:
            counts[pair] = counts.get(pair, 0) + count
    mu = math.hypot(*distances)
    others = tuple(Part(pair, count) for pair, count in counts.items())
    ends = [((Part(GaussianPair(mu * factor), 1), *others) if mu else others) for factor in (UP, 1.0 / UP)]
    return LossDistribution(ends[0], True), LossDistribution(ends[1], False)
