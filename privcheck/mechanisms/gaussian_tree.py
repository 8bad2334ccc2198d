"""The tree mechanism with Gaussian noise: all prefix sums of a stream of numbers, vectors or symmetric matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, GaussianPair, GaussianShifts
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Pairs, finite_array
from privcheck.mechanisms.currency import MU, Currency
from privcheck.mechanisms.gaussian import Gaussian
from privcheck.mechanisms.kary_tree import DEGREE, DEGREE_HINT, HORIZON, DegreeTree
from privcheck.mechanisms.prefix_stream import SUMMED
from privcheck.mechanisms.scaled import ScaledMechanism
from privcheck.mechanisms.symmetric_gaussian import SymmetricGaussian, packed, packing_error, unpacked


@dataclass(frozen=True, kw_only=True)
class GaussianTree(DegreeTree):
    r"""Release every prefix sum of a stream of at most T numbers or vectors, from sums of blocks with Gaussian noise.

    Step t releases N_t = (sum of the last k^v items) + normal noise of standard deviation sigma, where k^v is the
    largest power of k that divides t. The prefix sum at t is N_t plus the prefix sum at t - k^v: as many nodes as the
    sum of the digits of t in base k. sigma = sqrt(m) s (1 + 4e-9) / mu, with m the number of digits of T.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the items: how far one item can move in L2.
    mu : > 0, the budget of all prefix sums together in Gaussian differential privacy, charged exactly.
    given_scale : sigma > 0, the standard deviation of a node's noise, instead of these two;
        `GaussianTree.with_scale(sigma, horizon=T)` sets it.
    horizon : T >= 1, at most 2^25: the largest number of items.
    degree : k >= 2; 0 takes the degree with the smallest mean variance of the T prefix sums. 2 is the binary tree.

    Guarantee
    ---------
    Notion: Gaussian differential privacy, mu (sqrt(m) s / sigma if a scale was given) for all T prefix sums together.
    Neighbours: streams of equal length that differ in one item, replaced by one at L2 distance at most s.
    Released: the T nodes, and with them every prefix sum; each node's noise is drawn once and reused.
    What one datum can change: the at most m nodes that contain it, each by at most s in L2, so all nodes together by at
    most sqrt(m) s. Nodes of one size do not overlap, and there are nodes of the sizes 1, k, ..., k^(m - 1) <= T. If a
    datum moves several items, the L2 norms of their changes add up to s: in one node they may all point the same way.
    Noise: normal per node and entry, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: which items a node sums depends only on t, and a node is released when its last item has arrived. The nodes
    are independent Gaussian mechanisms, of which an item enters at most m; their squared mu add up. The next item may
    depend on earlier releases, because a composition of Gaussian mechanisms that are chosen adaptively is as private as
    a fixed one.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, more items than the horizon, an item that is not finite or has
        a shape other than that of the items before it, an `rng` that is not a Generator.

    Source: Chan, Shi and Song (2011), binary mechanism; Dong, Roth and Su (2022), Section 3, for the composition.

    Examples
    --------
    >>> import numpy as np
    >>> tree = GaussianTree(horizon=64, sensitivity=1.0, mu=1.0)
    >>> tree.degree, tree.statistics_per_datum, round(tree.scale, 6), tree.charge(1.0).mu
    (5, 3, 1.732051, 1.0)
    >>> binary = GaussianTree(horizon=64, sensitivity=1.0, mu=1.0, degree=2)
    >>> [round(float(np.sqrt(each.variances(64).mean())), 3) for each in (tree, binary)]
    [3.75, 4.594]
    >>> stream = binary.start(np.random.default_rng(0))
    >>> [round(stream.add(x), 2) for x in (1.0, 0.0, 1.0)]
    [1.33, 0.65, 3.34]
    >>> binary.release([1.0, 0.0, 1.0], np.random.default_rng(0)).round(2).tolist()
    [1.33, 0.65, 3.34]

    """

    id: ClassVar[str] = "gaussian-tree"
    notion: ClassVar[str] = "gaussian"
    currency: ClassVar[Currency] = MU
    sensitivity_norm: ClassVar[str] = SUMMED
    source: ClassVar[str] = "Chan, Shi and Song (2011), binary mechanism; Dong, Roth and Su (2022), Section 3"
    unit_variance: ClassVar[float] = 1.0
    cost_of_levels: ClassVar[int] = 1

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="s, unit of the items: L2 sensitivity of one item",
        hint="give the L2 sensitivity of one item with mu, or a scale with GaussianTree.with_scale",
    )  # fmt: skip
    mu: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="mu: Gaussian-DP budget of all prefix sums together",
        hint="give mu with the sensitivity, or a scale with GaussianTree.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="sigma, unit of the items: standard deviation of a node",
        hint="give either sensitivity and mu, or a scale",
    )  # fmt: skip
    horizon: int = parameter(
        HORIZON, typical=(1, 1000), doc="T: largest number of items", hint="declare a longer horizon"
    )
    degree: int = parameter(DEGREE, default=0, typical=(2, 16), doc="k: degree; 0 chooses", hint=DEGREE_HINT)

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return normal noise on two numbers at the charged distance: the nodes together are one normal vector."""
        return ((GaussianPair(charge.mu), 1),)

    def node_mechanism(self, scale: float) -> ScaledMechanism:
        """Return the mechanism that releases a node with noise of this standard deviation."""
        return _gaussian(scale)

    def _unit_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return rng.standard_normal(shape)

    def _log_densities(self, noise: Array, scales: Array) -> Array:
        return np.asarray(-np.square(noise / scales) / 2.0 - np.log(scales) - math.log(2.0 * math.pi) / 2.0)

    def _log_ratios(self, noise: Array, other_noise: Array, scales: Array) -> Array:
        return np.asarray((other_noise - noise) / scales * ((noise + other_noise) / scales / 2.0))

    def _law(self, shifts: Array) -> GaussianShifts:
        return GaussianShifts(shifts)


@dataclass(frozen=True, kw_only=True)
class SymmetricGaussianTree(GaussianTree):
    r"""Release every prefix sum of a stream of at most T symmetric matrices, from sums of blocks with symmetric noise.

    The nodes are those of `GaussianTree`. The noise of a node is symmetric, with variance sigma^2 on the diagonal and
    sigma^2 / 2 off it: half the variance of independent entries. Of matrices that are not symmetric, the symmetric
    parts are summed. For the matrix (Z + Z^T) / sqrt(2) of Shariff and Sheffet, whose Z has the standard deviation
    sigma_N, sigma is sqrt(2) sigma_N.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the items: how far one item can move in the Frobenius norm. For outer products
        v v^T with |v| <= r that is r^2 if a row is added or removed, and sqrt(2) r^2 if it is replaced.
    mu : > 0, the budget of all prefix sums together in Gaussian differential privacy, charged exactly.
    given_scale : sigma > 0, the standard deviation on the diagonal of a node, instead of these two;
        `SymmetricGaussianTree.with_scale(sigma, horizon=T)` sets it.
    horizon : T >= 1, at most 2^25: the largest number of items.
    degree : k >= 2; 0 takes the degree with the smallest mean variance of the T prefix sums. 2 is the binary tree.

    Guarantee
    ---------
    Notion: Gaussian differential privacy, mu (sqrt(m) s / sigma if a scale was given) for all T prefix sums together.
    Neighbours: streams of equal length that differ in one item, replaced by one at Frobenius distance at most s.
    Released: the T nodes, and with them every prefix sum; each node's noise is drawn once and reused.
    What one datum can change: the at most m nodes that contain it, each by at most s in the Frobenius norm; if it moves
    several items, s is the sum of their norms.
    Noise: normal and symmetric, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: that of `GaussianTree`, with nodes that are released by `SymmetricGaussian`.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, more items than the horizon, an item that is no finite square
        matrix or has a shape other than that of the items before it, an `rng` that is not a Generator.

    Source: Shariff and Sheffet (2018), Section 4.2; Dong, Roth and Su (2022), Section 3, for the composition.

    Examples
    --------
    >>> import numpy as np
    >>> tree = SymmetricGaussianTree(horizon=64, sensitivity=1.0, mu=1.0, degree=2)
    >>> stream = tree.start(np.random.default_rng(0))
    >>> stream.add([[1.0, 0.0], [0.0, 0.0]]).round(2).tolist()
    [[1.33, -0.25], [-0.25, 1.69]]
    >>> tree.charge(1.0).mu, tree.charge(1.0).epsilon
    (1.0, inf)

    """

    id: ClassVar[str] = "symmetric-gaussian-tree"
    source: ClassVar[str] = "Shariff and Sheffet (2018), Section 4.2; Dong, Roth and Su (2022), Section 3"
    samples_exactly: ClassVar[bool] = True
    law_of_pair, dominating_pairs = GaussianTree.law_of_pair, GaussianTree.dominating_pairs

    def node_mechanism(self, scale: float) -> ScaledMechanism:
        """Return the mechanism that releases a node with noise of this standard deviation on the diagonal."""
        return _symmetric(scale)

    def rounding(self, sizes: Array) -> float:
        """Return what rounding can add to the sensitivity: of the nodes' sums and of their coordinates."""
        return super().rounding(sizes) + self.statistics_per_datum * packing_error(sizes)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the private prefix sums of a whole stream of shape (t, d, d), in that shape."""
        items = self._items("value", value)
        vectors = GaussianTree.with_scale(self.scale, horizon=self.horizon, degree=self.degree)
        return unpacked(vectors.draw(items, rng, secure=secure))

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return the private prefix sums of `runs` independent runs on one stream, shape (runs, t, d, d)."""
        return unpacked(super().release_batch(value, rng, runs))

    def noisy_nodes(self, output: npt.ArrayLike, items: Array) -> Array:
        """Return the coordinates of the noisy nodes behind released prefix sums, given those of the items."""
        return super().noisy_nodes(packed("output", output, several=True), items)

    def _items(self, name: str, value: npt.ArrayLike) -> Array:
        """Return the coordinates of the items, in which their sums have independent noise."""
        items = finite_array(name, value)
        if items.ndim != 3 or items.shape[1] != items.shape[2]:
            got = words(f"shape {items.shape}")
            raise PrivcheckError(name, got, "a stream of square matrices, shape (t, d, d)", "give one matrix per item")
        self.check_length(len(items))
        return packed(name, items, several=True)


@lru_cache(maxsize=1024)
def _gaussian(scale: float) -> Gaussian:
    return Gaussian.with_scale(scale)


@lru_cache(maxsize=1024)
def _symmetric(scale: float) -> SymmetricGaussian:
    return SymmetricGaussian.with_scale(scale)
