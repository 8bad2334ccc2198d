"""The exact law of the actions of two-armed AdaP-UCB, and its worst pair of streams."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privcheck.accounting import FiniteLaws
from privcheck.arrays import Array
from privcheck.auditing._exact.comparisons import RELATIVE_ERROR, SMALLEST, chain_probabilities
from privcheck.bandits import AdaPUCB
from privcheck.enclosure import ROUNDING
from privcheck.mechanisms import NOISE_SLACK

LONGEST_HORIZON = 64
"""Longest horizon at which the laws of a pair are computed: it takes half a second, or 0.01 s up to 12 rounds."""

LONGEST_SEARCH = 40
"""Longest horizon at which the worst pair is searched for: it takes 5 seconds, or half a second up to 20 rounds."""

_WIDEST = 2.0e4
"""Largest spread of the centres times total rate, which bounds the number of panels: only an extreme epsilon or alpha
exceeds it.
"""


@dataclass(frozen=True, eq=False)
class Path:
    """One complete sequence of actions, as the comparisons of private means that lead to it.

    A decision compares the newest private mean with the mean held for the other arm, plus the difference of the two
    bonuses. Measured in units of 1 / epsilon and shifted by the bonuses, the means are the variables of
    `comparisons.chain_probabilities`: the winning arm is played next, so its mean is replaced, and the loser's is held.

    Parameters
    ----------
    actions : arm of every round, T of them.
    blocks : (arm, first round, stop) of every released block, from round 0.
    offsets : what is added to each block's mean, in units of 1 / epsilon.
    replaced : for each decision, whether the held mean won and is replaced.

    """

    actions: tuple[int, ...]
    blocks: tuple[tuple[int, int, int], ...]
    offsets: tuple[float, ...]
    replaced: tuple[bool, ...]

    @property
    def rates(self) -> tuple[int, ...]:
        """The lengths of the blocks: a mean of n rewards has noise of scale 1 / (n epsilon)."""
        return tuple(stop - start for _, start, stop in self.blocks)

    def means(self, table: Array) -> Array:
        """Return the exact means of the blocks, shape (m + 1,), on a table of shape (T, 2)."""
        return np.array([table[start:stop, arm].mean() for arm, start, stop in self.blocks])

    def probabilities(self, means: Array, unit: float) -> Array | None:
        """Return P(path) for block means of shape (B, m + 1); None if it is too small, or the means too far apart, for
        an accurate result.
        """
        centres = unit * means + np.array(self.offsets[: means.shape[1]])
        if not self.replaced:
            return np.ones(len(means))
        if np.ptp(centres) * sum(self.rates) > _WIDEST:
            return None
        found = chain_probabilities(centres, self.rates, self.replaced)
        return found if found.min() > SMALLEST else None


def unit_of(algorithm: AdaPUCB) -> float:
    """Return 1 / (noise scale of a block of one reward)."""
    return algorithm.epsilon / (1.0 + NOISE_SLACK)


@lru_cache(maxsize=8)
def paths(algorithm: AdaPUCB, horizon: int) -> tuple[Path, ...]:
    """Return all sequences of `horizon` actions that the two-armed policy can play.

    >>> [path.actions for path in paths(AdaPUCB(arms=2, epsilon=1.0), 4)]
    [(0, 1, 0, 0), (0, 1, 0, 1), (0, 1, 1, 0), (0, 1, 1, 1)]
    """
    if horizon <= 2:
        return (Path((0, 1)[:horizon], (), (), ()),)
    first = Path((0, 1), ((0, 0, 1), (1, 1, 2)), (0.0,), ())
    found = sorted(_extended(algorithm, horizon, first, 0, 0.0), key=lambda path: path.actions)
    return tuple(found)


def _extended(algorithm: AdaPUCB, horizon: int, path: Path, held: int, held_offset: float) -> Iterator[Path]:
    """Yield the complete continuations of a path whose newest block is next compared with that of the arm `held`."""
    fresh, t = 1 - held, len(path.actions)
    length = {arm: stop - start for arm, start, stop in path.blocks}
    ahead = _bonus(algorithm, length[held], t) - _bonus(algorithm, length[fresh], t)
    offset = held_offset - unit_of(algorithm) * ahead
    for winner in (0, 1):
        replaced = winner == held
        stop = min(horizon, t + path.actions.count(winner))
        longer = Path(
            path.actions + (winner,) * (stop - t),
            (*path.blocks, (winner, t, stop)),
            (*path.offsets, offset),
            (*path.replaced, replaced),
        )
        if stop == horizon:
            yield Path(longer.actions, path.blocks, longer.offsets, longer.replaced)
        else:
            yield from _extended(algorithm, horizon, longer, *((fresh, offset) if replaced else (held, held_offset)))


def _bonus(algorithm: AdaPUCB, length: int, rounds: int) -> float:
    """Return what the index adds to the private mean of a block of this length after this many rounds."""
    level = algorithm.alpha * math.log(rounds + 1)
    return math.sqrt(level / (2.0 * length)) + level / (algorithm.epsilon * length)


def action_laws(algorithm: AdaPUCB, first: Array, second: Array) -> FiniteLaws | None:
    """Return the laws of the action sequences on two tables of shape (T, 2); None beyond `LONGEST_HORIZON`.

    Also None if a probability is below 1e-280, which happens only for an extreme epsilon or alpha.

    Source: Azize and Basu (2022), Algorithm 1; every decision is a comparison of independent Laplace variables.

    Examples
    --------
    >>> import numpy as np
    >>> tables = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]]), np.ones((3, 2))
    >>> laws = action_laws(AdaPUCB(arms=2, epsilon=1.0), *tables)
    >>> np.exp(laws.log_first).round(4).tolist(), np.exp(laws.log_second).round(4).tolist()
    ([0.2759, 0.7241], [0.5, 0.5])

    """
    horizon = len(first)
    if algorithm.arms != 2 or horizon > LONGEST_HORIZON:
        return None
    logs, errors = [], []
    for path in paths(algorithm, horizon):
        means = np.array([path.means(first), path.means(second)])
        same = bool((means[0] == means[1]).all())
        found = path.probabilities(means[:1] if same else means, unit_of(algorithm))
        if found is None:
            return None
        logs.append(np.log(found[[0, -1]]))
        errors.append(0.0 if same else RELATIVE_ERROR + 4.0 * ROUNDING * float(np.abs(logs[-1]).max()))
    one, two = np.array(logs).T
    return FiniteLaws(one, two, np.array(errors))


def worst_tables(algorithm: AdaPUCB, horizon: int) -> tuple[Array, Array] | None:
    """Return the two tables in [0, 1] that differ in one row and have the largest loss; None beyond `LONGEST_SEARCH`.

    P(path) is a function of the block sums s, one factor per block, and only one of them differs. It is

    - log-concave in s: log-concave densities integrated over linear inequalities (Prékopa 1973);
    - log-supermodular in s: a product of log-concave functions of differences of two coordinates, integrated over the
      noisy means (Karlin and Rinott 1980).

    The change of ln P(path) when s_j rises by one therefore decreases in s_j and increases in every other sum: it is
    largest at s_j = 0 with all other rewards 1, and smallest at the highest s_j with all other rewards 0. These two
    cases are compared for each block and path; rewards between 0 and 1 cannot give a larger loss. Among losses equal to
    nine digits, the one with the likeliest path is taken.
    """
    if algorithm.arms != 2 or not 2 < horizon <= LONGEST_SEARCH:
        return None
    worst, found = (-1.0, 0.0), None
    for path in paths(algorithm, horizon):
        blocks, rates = len(path.blocks), np.array(path.rates)
        low = np.ones((blocks, blocks)) - np.eye(blocks)
        means = np.concatenate([low, low + np.diag(1.0 / rates), 1.0 - low, 1.0 - low - np.diag(1.0 / rates)])
        probabilities = path.probabilities(means, unit_of(algorithm))
        if probabilities is None:
            return None
        before, after, lowered, down = np.log(probabilities).reshape(4, blocks)
        losses = np.abs(np.concatenate([after - before, down - lowered])).round(9).tolist()
        likelier = np.concatenate([np.maximum(after, before), np.maximum(down, lowered)]).tolist()
        for place, candidate in enumerate(zip(losses, np.exp(likelier).tolist(), strict=True)):
            if candidate > worst:
                worst, found = candidate, (path.blocks[place % blocks], 1.0 if place < blocks else 0.0)
    assert found is not None
    (arm, start, stop), others = found
    one = np.full((horizon, 2), others)
    one[start:stop, arm] = 1.0 - others
    two = one.copy()
    two[start, arm] = others
    return one, two
