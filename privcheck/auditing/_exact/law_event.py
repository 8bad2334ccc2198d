"""The event on which two given laws differ by more than a claim: the outputs with a larger log-ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array, Bools
from privcheck.auditing._exact.box_integrals import integrals
from privcheck.auditing._exact.given_density import LARGEST, SAFETY, Density, Law, common_cuts, with_cuts
from privcheck.auditing._exact.given_laws import ROUNDING, changes
from privcheck.auditing._exact.scan import fine_points

CLEARLY = 1e-9
"""How far a log-ratio is above epsilon at least. Laws often have a loss of epsilon on whole intervals, and rounding
would put every second point of these into the event.
"""


@dataclass(frozen=True)
class LikelierOutputs:
    """The outputs at which the log-density of one law is clearly above that of the other by more than epsilon.

    Parameters
    ----------
    law, other : the two laws.
    epsilon : the least log-ratio.
    """

    law: Density
    other: Density
    epsilon: float

    def contains(self, points: Array) -> Bools:
        """Tell which points, shape (n, d), are in the event; a point that neither law has is in none."""
        with np.errstate(invalid="ignore"):
            found: Bools = self.law.normalised(points) - self.other.normalised(points) > self.epsilon + CLEARLY
        return found

    def probabilities(self) -> tuple[tuple[float, float], float]:
        """Return the probability of the event by the law and by the other one, and how far each may be off."""
        cuts = common_cuts(self.law, self.other)
        if self.law.dimensions == 1:
            points = fine_points(cuts[0])
            edges = changes(points, lambda x: self.contains(x[:, None]).astype(float), np.array([0.5]))
            cuts = [with_cuts(cuts[0], edges)]

        def inside(points: Array) -> Array:
            here = self.contains(points)[:, None]
            logs = [density.normalised(points) for density in (self.law, self.other)]
            return np.where(here, np.exp(np.minimum(np.stack(logs, axis=1), LARGEST)), 0.0)

        found, errors = integrals(inside, cuts)
        off = float((SAFETY * errors).max()) + self.law.relative_error + self.other.relative_error + ROUNDING
        one, two = (min(1.0, max(0.0, float(value))) for value in found)
        return (one, two), off


def likelier_outputs(first: Law, second: Law, epsilon: float) -> tuple[LikelierOutputs, LikelierOutputs]:
    """Return the outputs that are likelier by the first law, and those that are likelier by the second.

    Examples
    --------
    >>> from scipy import stats
    >>> event, _ = likelier_outputs(stats.laplace(0.0, 2.0), stats.laplace(1.0, 2.0), 0.4)
    >>> event.contains(np.array([[-3.0], [0.2]])).tolist()
    [True, False]
    >>> [round(probability, 3) for probability in event.probabilities()[0]]
    [0.524, 0.319]
    """
    one, two = Density(first, "first").with_jumps(), Density(second, "second").with_jumps()
    cuts = common_cuts(one, two)
    one, two = one.weighed(cuts), two.weighed(cuts)
    return LikelierOutputs(one, two, epsilon), LikelierOutputs(two, one, epsilon)
