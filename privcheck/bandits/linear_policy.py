"""The reference of LinUCB with changing regularisers, and the sums that it plays on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.linear_kernel import TIED, LinearSetup, grown
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import FactorisedStream, SymmetricGaussian, SymmetricGaussianTree, WishartTree, unpacked
from privcheck.private_values import clip_norm, decision_set, told_row


class RowSums:
    """The sum of the outer products v v' of the rows so far, noisy or not."""

    total: Array
    """The sum, shape (p, p); all that a policy reads."""

    releases: int = 1
    """The number of batches that were released; 1 for sums that are not made of batches."""

    def add(self, row: Any) -> None:
        """Add the outer product of a row of shape (p,), private or not."""
        raise NotImplementedError


class ExactSums(RowSums):
    """Sums without noise.

    >>> sums = ExactSums(2)
    >>> sums.add(np.array([1.0, 2.0]))
    >>> sums.total.tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """

    def __init__(self, width: int) -> None:
        self.total: Any = np.zeros((width, width))

    def add(self, row: Any) -> None:
        """Add v v'."""
        self.total = self.total + np.outer(row, row)


class TreeSums(RowSums):
    """Sums from a tree whose nodes have symmetric Gaussian noise; before the first item there is none."""

    def __init__(self, tree: SymmetricGaussianTree, width: int, rng: np.random.Generator) -> None:
        self.total: Any = np.zeros((width, width))
        self.stream = tree.start(rng)

    def add(self, row: Any) -> None:
        """Add v v', and release one node."""
        self.total = self.stream.add(np.outer(row, row))


class FactorisedSums(RowSums):
    """Sums from a factorisation: its rows are the diagonals and sqrt(2) times the upper triangles of the matrices."""

    def __init__(self, mechanism: FactorisedStream, width: int, rng: np.random.Generator) -> None:
        self.total: Any = np.zeros((width, width))
        self.stream = mechanism.start(rng)
        self.places = np.triu_indices(width)
        self.weights = np.where(self.places[0] == self.places[1], 1.0, math.sqrt(2.0))

    def add(self, row: Any) -> None:
        """Add v v', and release one row of the factorisation."""
        self.total = unpacked(self.stream.add(np.outer(row, row)[self.places] * self.weights))


class BatchSums(RowSums):
    """Sums of disjoint batches of rows, each `ratio` times as long as the last and released once, when it is full."""

    def __init__(self, mechanism: SymmetricGaussian, width: int, setup: LinearSetup, rng: np.random.Generator) -> None:
        self.total: Any = np.zeros((width, width))
        self.mechanism, self.ratio, self.length, self.rng = mechanism, setup.ratio, setup.first, rng
        self.open: Any = np.zeros((width, width))
        self.rows, self.releases = 0, 0

    def add(self, row: Any) -> None:
        """Add v v' to the open batch; when it is full, release its sum and add it to those before."""
        self.open = self.open + np.outer(row, row)
        self.rows += 1
        if self.rows == self.length:
            self.total = self.total + self.mechanism.release(self.open, self.rng)
            self.open, self.rows, self.releases = np.zeros_like(self.total), 0, self.releases + 1
            self.length = math.ceil(self.ratio * self.length)


class WishartSums(RowSums):
    """Sums whose noise always is that of exactly m Wishart nodes, before the first item too."""

    def __init__(self, tree: WishartTree, rng: np.random.Generator) -> None:
        self.total: Any = tree.draw_missing(tree.levels, rng)
        self.stream = tree.start(rng)

    def add(self, row: Any) -> None:
        """Add v v', release one node, and draw the noise of the missing ones anew."""
        self.total = self.stream.add(np.outer(row, row))


class LinUCBPolicy:
    """LinUCB on sums of outer products (x, y)(x, y)', which may be private.

    Parameters
    ----------
    sums : the sums, of width d + 1.
    setup : the constants of the confidence width, and the bound on the norm of a row.
    arms : K.
    limits : the largest norm of an action and the largest absolute reward that are accepted; None to clip.

    Guarantee
    ---------
    `select` reads the decision set of its own round and what `sums` has released, and keeps nothing. `update` gives one
    row to `sums` in each of the first `setup.items` rounds, and does nothing else.
    """

    def __init__(self, sums: RowSums, setup: LinearSetup, arms: int, limits: tuple[float, float] | None) -> None:
        self.sums, self.setup, self.arms, self.limits = sums, setup, arms, limits
        self.size = sums.total.shape[0] - 1
        self.rounds = 0

    def select(self, context: Any) -> int:
        """Return the action x with the largest theta' x + beta |x| in the norm of V^-1, 0-based; ties go to the lowest.

        Parameters
        ----------
        context : the decision set, shape (K, d): one action per row.
        """
        norm = None if self.limits is None else self.limits[0]
        actions = decision_set(context, (self.arms, self.size), norm)
        setup, size = self.setup, self.size
        shift, log_rho_min, offset = grown(setup, self.sums.releases)
        gram = self.sums.total[:size, :size] + shift * np.eye(size)
        try:
            root = np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:
            raise not_definite(self.rounds + 1) from None
        factor = np.linalg.inv(root)
        theta = factor.T @ (factor @ self.sums.total[:size, size])
        log_det = 2.0 * float(np.log(np.diag(root)).sum())
        spread = setup.log_failure + log_det - size * log_rho_min
        beta = setup.sigma * math.sqrt(max(spread, 0.0)) + offset
        indices = actions @ theta + beta * np.linalg.norm(actions @ factor.T, axis=1)
        chosen, highest = 0, -math.inf
        for arm, index in enumerate(indices.tolist()):
            if arm == 0 or index > highest + TIED * max(1.0, abs(highest)):
                chosen, highest = arm, index
        return chosen

    def update(self, context: Any, action: Any, reward: Any) -> None:
        """Add the chosen row and its reward to the sums."""
        context, action, reward = told_row(context, action, reward, (self.arms, self.size), self.limits)
        self.rounds += 1
        if self.rounds <= self.setup.items:
            self.sums.add(self.row(context, action, reward))

    def row(self, context: Any, action: Any, reward: Any) -> Any:
        """Return (x, y), the chosen action and its reward, shape (d + 1,)."""
        return np.hstack([context[action], reward])


class PrivateLinUCBPolicy(LinUCBPolicy):
    """LinUCB on private sums: rows are clipped to the largest norm before they are added."""

    def row(self, context: Any, action: Any, reward: Any) -> Any:
        """Return (x, y), scaled down to the norm `setup.norm` if it is longer."""
        return clip_norm(super().row(context, action, reward), self.setup.norm)


def not_definite(rounds: int) -> PrivcheckError:
    """Return the error for a noisy Gram matrix with an eigenvalue of 0 or below.

    >>> str(not_definite(7)).split(":")[0]
    'noise'
    """
    got = words(f"a Gram matrix that is not positive definite in round {rounds}")
    hint = "it has probability alpha / (2 n) at most: give another seed"
    return PrivcheckError("noise", got, "a positive definite one", hint)
