"""Privacy losses on equally spaced values: exactly, or as the two ends between which the law of one release lies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privcheck.accounting._dominating_pairs import DiscreteLaplacePair, DominatingPair, LaplacePair
from privcheck.arrays import Array

TAIL = 1e-17
"""Largest probability, under the tilted law, of a total loss below a window; and of one above it."""

WINDOW = 2**16
"""Values of the total loss that the composition of one pair is given, unless it needs more for `FEWEST` pieces."""

LONGEST = 2**20
"""Most values of a total loss; more releases than fit have no loss distribution."""

FEWEST, MOST = 8, 2048
"""Numbers of pieces into which the density of a Laplace loss is cut."""

TAUS = np.geomspace(1.0, 100.0, 30)
"""Exponents of the bounds of Chernoff that are tried, in units of one over a standard deviation."""


@dataclass(frozen=True, eq=False)
class LatticeLaw:
    """The law of a loss on the values base, base + step, ...

    Parameters
    ----------
    base : the smallest loss.
    step : > 0.
    masses : probabilities, shape (N,).

    Examples
    --------
    >>> law = LatticeLaw(-1.0, 2.0, np.array([0.25, 0.75]))
    >>> law.losses.tolist(), round(law.log_moment(1.0), 6), law.tilted(0.0).tolist()
    ([-1.0, 1.0], 0.756442, [0.25, 0.75])
    """

    base: float
    step: float
    masses: Array

    @property
    def losses(self) -> Array:
        """The values of the loss."""
        losses: Array = self.base + self.step * np.arange(len(self.masses), dtype=np.float64)
        return losses

    @property
    def reach(self) -> float:
        """The largest absolute value of the loss."""
        return max(abs(self.base), abs(float(self.losses[-1])))

    def log_moment(self, tilt: float) -> float:
        """Return ln E exp(tilt loss)."""
        return self._tilted(tilt)[1]

    def tilted(self, tilt: float) -> Array:
        """Return the probabilities in proportion to masses exp(tilt loss)."""
        return self._tilted(tilt)[0]

    def _tilted(self, tilt: float) -> tuple[Array, float]:
        exponents = tilt * (self.losses - self.losses[-1])
        weights = self.masses * np.exp(exponents)
        total = float(np.sum(weights))
        return weights / total, math.log(total) + tilt * float(self.losses[-1])

    def window(self, count: int, tilt: float) -> tuple[int, int]:
        """Return numbers between which the total of `count` losses lies, up to `TAIL` on either side when tilted.

        The losses are numbered from 0. The ends are the bounds of Chernoff at the best of several exponents.
        """
        last = count * (len(self.masses) - 1)
        if last < WINDOW:
            return 0, last
        weights = self.tilted(tilt)
        numbers = np.arange(len(weights), dtype=np.float64)
        mean = float(np.sum(weights * numbers))
        deviation = math.sqrt(count * float(np.sum(weights * (numbers - mean) ** 2)))
        taus = TAUS / max(deviation, 1e-3)
        ends = []
        for sign in (-1.0, 1.0):
            growth = count * log_moments(weights, numbers - mean, sign * taus)
            ends.append(count * mean + sign * float(np.min((growth - math.log(TAIL)) / taus)))
        return max(0, math.floor(ends[0])), min(last, math.ceil(ends[1]))


def log_moments(weights: Array, losses: Array, taus: Array) -> Array:
    """Return ln E exp(tau loss) of losses with mean 0, for each tau; infinity where it is no float.

    >>> float(log_moments(np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.array([1.0]))[0].round(6))
    0.433781
    """
    some = weights > 0.0
    with np.errstate(over="ignore"):
        sums = np.sum(weights[some] * np.expm1(taus[:, None] * losses[some]), axis=1)
    logs: Array = np.log1p(np.maximum(sums, 0.0))
    return logs


def lattice_law(pair: DominatingPair, count: int, tilt: float, *, upper: bool) -> LatticeLaw | None:
    """Return a law on a lattice that dominates a pair (or is dominated by it); None if `count` of them are too many.

    Guarantee
    ---------
    Randomised response and discrete Laplace noise have such a law. For Laplace noise at epsilon, let s = epsilon / k.
    Discrete Laplace noise with the same epsilon at the distance k dominates it: the masses under P and under Q of each
    piece of 2 s of the density, moved to its ends, are kept. From below, all losses of a piece of 2 s are merged to one
    output. Its density is exp((loss - epsilon) / 2) / 4 under P and exp((-loss - epsilon) / 2) / 4 under Q, so the loss
    of this output is the middle of the piece, and its probability exp((middle - epsilon) / 2) sinh(s / 2). Discrete
    Laplace noise at a large distance is spread over a coarser lattice from above, and dominates Laplace noise.

    Parameters
    ----------
    pair : any but a Gaussian pair.
    count : how often it will be composed, with itself.
    tilt : of the composition, which decides how long its window is.
    upper : which end.
    """
    if not isinstance(pair, LaplacePair | DiscreteLaplacePair):
        losses, masses = pair.atoms
        step = float(losses[1] - losses[0]) if len(losses) > 1 else 1.0  # one atom if the others are no floats
        law = LatticeLaw(float(losses[0]), step, masses)
        return law if _length(law, count, tilt) <= LONGEST else None
    pieces = 64
    trial = _pieces(pair.epsilon, pieces, upper=upper)
    fitting = int(pieces * WINDOW / _length(trial, count, 0.0))  # the same for every tilt, so that laws are the same
    exact = isinstance(pair, DiscreteLaplacePair) and pair.distance <= max(2 * fitting, pieces)
    if isinstance(pair, DiscreteLaplacePair) and exact:
        law = _pieces(pair.epsilon, pair.distance, upper=True)
    elif isinstance(pair, DiscreteLaplacePair) and upper:
        law = _coarser(pair, min(max(fitting, FEWEST), MOST))
    else:
        law = _pieces(pair.epsilon, min(max(fitting, FEWEST), MOST), upper=upper)
    return law if _length(law, count, tilt) <= LONGEST else None


def _length(law: LatticeLaw, count: int, tilt: float) -> int:
    low, high = law.window(count, tilt)
    return high - low + 1


def _pieces(epsilon: float, pieces: int, *, upper: bool) -> LatticeLaw:
    if upper:
        return LatticeLaw(-epsilon, 2.0 * epsilon / pieces, DiscreteLaplacePair(epsilon, pieces).atoms[1])
    step = epsilon / pieces
    masses = np.zeros(2 * pieces + 1)
    masses[0], masses[-1] = math.exp(-epsilon) / 2.0, 0.5
    masses[1::2] = np.exp(step * (np.arange(pieces) + 0.5) - epsilon) * math.sinh(step / 2.0)
    return LatticeLaw(-epsilon, step, masses)


def _coarser(pair: DiscreteLaplacePair, pieces: int) -> LatticeLaw:
    """Return a law with fewer pieces that dominates discrete Laplace noise.

    Beyond 2^20, the distance is raised to a multiple d' of the pieces, with the same scale, which costs more because
    the noise is log-concave; and at a multiple, the lattice of the pieces is a part of the one of d'.
    """
    if pair.distance > 2**20:
        multiple = pieces * -(-pair.distance // pieces)
        return _pieces(pair.epsilon * (multiple / pair.distance), pieces, upper=True)
    step = 2.0 * pair.epsilon / pieces
    losses, masses = pair.atoms
    places = np.minimum(np.arange(pair.distance + 1) * pieces // pair.distance, pieces - 1)
    into = losses + pair.epsilon - places * step
    risen = masses * np.clip(np.expm1(-into) / math.expm1(-step), 0.0, 1.0)
    kept = np.bincount(places, masses - risen, pieces + 1) + np.bincount(places + 1, risen, pieces + 1)
    return LatticeLaw(-pair.epsilon, step, kept.astype(np.float64))
