"""The cheapest exploration of a linear bandit that an epsilon-DP policy cannot avoid, as a certified convex programme.

Let alpha_j be the pulls of arm j divided by ln T. A consistent policy must distinguish the instance from every
parameter `theta + lambda` that makes another arm best. If the best arm, whose pulls are free, reveals nothing
about lambda (`<a*, lambda> = 0`) and arm a becomes best (`<a, lambda> = Delta_a`), the other arms must reveal enough:
`sum_j alpha_j C(<a_j, lambda>) >= 1`, where C bounds what one round reveals. With `b = epsilon/sqrt(2 pi)` the Huber
function

    C(x) = x^2/2 for |x| <= b,  b |x| - b^2/2 otherwise

is such a bound: `inf_z KL(N(z, 1) || N(x, 1)) + epsilon TV(N(0, 1), N(z, 1))` is at most C(x), since
`TV <= |z|/sqrt(2 pi)`. It is convex, so finding the worst lambda for given alpha and a is a convex problem, and so is
minimising `sum_j alpha_j Delta_j`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._gaussian_private_divergence import gaussian_private_divergence

_ROUNDS = 200
"""A cap, with a valid enclosure whenever it is hit; twelve random instances of up to 50 arms took at most 26."""
_STALLED = 12
"""Rounds without halving the duality gap after which the search stops; one of those instances did, at a gap of 2e-8."""
_GOAL = 1e-9
"""Relative duality gap that is aimed at: ten times the feasibility tolerance of the linear programmes."""
_PARALLEL = 1e-12
"""Relative length below which what is left of an arm after projection is rounding error."""
_NEWTON = 100
"""A cap on the steps; fewer steps leave a less tight, still certified, bound."""
_FLAT = 1e-9
"""A small number: curvature where the Huber function is linear, least step size, tolerance of dual feasibility."""


@dataclass(frozen=True)
class Exploration:
    """The cheapest exploration, between certified bounds.

    Parameters
    ----------
    value : lower bound on its cost, certified by weights on `alternatives`.
    upper : upper bound on its cost, certified by `pulls`.
    pulls : alpha, pulls of every arm divided by ln T, shape (K,); 0 for the best arm, whose pulls cost nothing.
    alternatives : the lambda that certify `value`, shape (n, d).
    """

    value: float
    upper: float
    pulls: Array
    alternatives: Array

    @property
    def gap(self) -> float:
        """Relative duality gap; 0 when no exploration is needed."""
        return self.upper / self.value - 1 if self.value else 0.0


def cheapest_exploration(vectors: Array, gaps: Array, epsilon: float, *, targets: Array | None = None) -> Exploration:
    """Minimise the regret `sum_j alpha_j Delta_j` of an exploration that rules out all alternatives.

    Cutting planes: a linear programme over the alternatives found so far gives alpha; the worst alternative for a point
    between that and the best exploration known is added, for each arm. Both ends are proven by duality, whatever the
    solver returns: weights scaled until they are feasible for every arm, and an exploration scaled until it rules out
    every alternative.

    Parameters
    ----------
    vectors : arms, shape (K, d).
    gaps : of the arms, shape (K,), with one 0.
    epsilon : privacy budget, above 0; infinite for none, which gives the bound of Graves & Lai.
    targets : what `<a, lambda>` is for the alternatives of each arm, shape (K,), above 0 where the gap is; the gaps by
        default.

    Examples
    --------
    >>> found = cheapest_exploration(np.eye(2), np.array([0.0, 0.5]), math.inf)
    >>> round(found.value, 9), found.pulls.tolist()
    (4.0, [0.0, 8.0])
    """
    search = _Search(vectors, gaps, epsilon, gaps if targets is None else targets)
    return search.run()


def exploration_with_exact_divergence(found: Exploration, vectors: Array, gaps: Array, epsilon: float) -> float:
    """Bound from the same alternatives with the exact private divergence in place of the Huber function.

    The divergence is never larger, so the bound is never smaller. The divergence is not convex: the bound is
    valid, but not the best one.

    >>> found = cheapest_exploration(np.eye(2), np.array([0.0, 2.0]), 0.5)
    >>> exploration_with_exact_divergence(found, np.eye(2), np.array([0.0, 2.0]), 0.5) > 1.1 * found.value
    True
    """
    others = gaps > 0
    if not len(found.alternatives):
        return 0.0
    cost, _ = gaussian_private_divergence(np.abs(found.alternatives @ vectors[others].T), epsilon)
    return _certified(cost, gaps[others], _master(cost, gaps[others])[1])


class _Search:
    def __init__(self, vectors: Array, gaps: Array, epsilon: float, targets: Array) -> None:
        self.width = epsilon / math.sqrt(2 * math.pi)
        self.others = gaps > 0
        self.gaps, self.targets = gaps[self.others], targets[self.others]
        best = vectors[~self.others][0]
        self.basis = _orthogonal_to(best, vectors)
        self.rows = vectors[self.others] @ self.basis
        scale = np.linalg.norm(vectors[self.others], axis=1)
        self.noticed = np.flatnonzero(np.linalg.norm(self.rows, axis=1) > _PARALLEL * np.maximum(scale, 1e-300))

    def run(self) -> Exploration:
        pulls = np.zeros(len(self.others))
        if not len(self.noticed):
            return Exploration(0.0, 0.0, pulls, np.zeros((0, len(self.basis))))
        best = np.zeros(len(self.gaps))
        best[self.noticed] = 1 / self.huber(self.targets[self.noticed])
        cuts = [self.rows[a] * self.targets[a] / (self.rows[a] @ self.rows[a]) for a in self.noticed]
        best, upper = best / self.least(best, cuts), math.inf
        value, progress, gap = 0.0, 0, math.inf
        for step in range(_ROUNDS):
            cost = self.huber(np.array(cuts) @ self.rows.T)
            proposal, weights = _master(cost, self.gaps)
            value = max(value, _certified(cost, self.gaps, weights))
            for candidate in ((best + proposal) / 2, proposal):
                enough = self.least(candidate, cuts)
                if enough > 0 and candidate @ self.gaps / enough < upper:
                    best, upper = candidate / enough, float(candidate @ self.gaps / enough)
            if upper - value < gap / 2:
                progress, gap = step, upper - value
            if upper - value <= _GOAL * upper or step > progress + _STALLED:
                break
        pulls[self.others] = best
        return Exploration(value, max(upper, value), pulls, np.array(cuts) @ self.basis.T)

    def huber(self, x: Array) -> Array:
        size = np.abs(x)
        if math.isinf(self.width):
            return size**2 / 2
        inner = np.minimum(size, self.width)
        return inner * (size - inner / 2)

    def least(self, pulls: Array, cuts: list[Array]) -> float:
        """Certified least information over all alternatives; the worst alternative of every arm joins the cuts."""
        found = []
        for arm in self.noticed:
            cut, least = self.worst(pulls, int(arm))
            cuts.append(cut)
            found.append(least)
        return min(found)

    def worst(self, pulls: Array, arm: int) -> tuple[Array, float]:
        """Minimise `sum_j alpha_j C(<row_j, mu>)` over `<row_arm, mu> = target` by Newton's method."""
        row = self.rows[arm]
        start, free = row * self.targets[arm] / (row @ row), _null_space(row)
        design, offset = self.rows @ free, self.rows @ start
        step = np.zeros(free.shape[1])
        for _ in range(_NEWTON):
            x = offset + design @ step
            gradient = design.T @ (pulls * np.clip(x, -self.width, self.width))
            curvature = pulls * np.where(np.abs(x) < self.width, 1.0, _FLAT)
            move = -np.linalg.lstsq((design.T * curvature) @ design, gradient, rcond=None)[0]
            size, descent, here = 1.0, gradient @ move, pulls @ self.huber(x)
            while size > _FLAT and pulls @ self.huber(x + size * (design @ move)) > here + 1e-4 * size * descent:
                size /= 2
            step = step + size * move
            if size <= _FLAT or -descent <= 1e-15 * here:
                break
        return start + free @ step, self.dual(pulls, arm, design, offset + design @ step)

    def dual(self, pulls: Array, arm: int, design: Array, x: Array) -> float:
        """Lower bound from slopes y, `|y| <= b`, for which `sum_j alpha_j y_j row_j` is a multiple of the arm's row."""
        y = np.clip(x, -self.width, self.width)
        y = y - design @ np.linalg.lstsq((design.T * pulls) @ design, design.T @ (pulls * y), rcond=None)[0]
        y = y * min(1.0, self.width / max(float(np.abs(y).max()), 1e-300))
        if np.abs(design.T @ (pulls * y)).max(initial=0.0) > _FLAT * float(pulls @ np.abs(y)):
            return 0.0
        row = self.rows[arm]
        multiple = row @ (self.rows.T @ (pulls * y)) / (row @ row)
        return float(multiple * self.targets[arm] - pulls @ y**2 / 2)


def _master(cost: Array, gaps: Array) -> tuple[Array, Array]:
    """Return the cheapest alpha with `cost alpha >= 1`, and the weights of the alternatives; or zeros."""
    from scipy.optimize import linprog

    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    per_regret = cost / gaps
    scale = per_regret.max()
    solved = linprog(
        np.ones(len(gaps)), A_ub=-per_regret / scale, b_ub=-np.ones(len(cost)), method="highs", options=options
    )
    if solved.x is None:
        return np.zeros(len(gaps)), np.zeros(len(cost))
    return np.asarray(solved.x) / gaps / scale, -np.asarray(solved.ineqlin.marginals) / scale


def _certified(cost: Array, gaps: Array, weights: Array) -> float:
    """Return the sum of the weights, scaled until `weights @ cost <= gaps` holds for every arm."""
    weights = np.maximum(weights, 0.0)
    return float(weights.sum() / max(float(np.max(weights @ cost / gaps)), 1e-300))


def _orthogonal_to(best: Array, vectors: Array) -> Array:
    """Return an orthonormal basis, shape (d, r), of the part of the arms' span orthogonal to the best arm."""
    length = best @ best
    rest = vectors - np.outer(vectors @ best, best) / length if length else vectors
    _, sizes, directions = np.linalg.svd(rest, full_matrices=False)
    return np.asarray(directions[sizes > _PARALLEL * max(float(sizes.max(initial=0.0)), 1e-300)].T)


def _null_space(row: Array) -> Array:
    """Return an orthonormal basis of the orthogonal complement of a nonzero vector."""
    return np.asarray(np.linalg.qr(np.column_stack((row, np.eye(len(row)))))[0][:, 1:])
