"""Theorems evaluated on many instances at once, with arrays where closed forms allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, broadcast
from privcheck.bounds._evaluation import number
from privcheck.bounds._instance import Instance
from privcheck.bounds._private_divergence import d_epsilon_from_complements
from privcheck.bounds._theorem import THEOREMS
from privcheck.bounds.families import family
from privcheck.bounds.families.base import MeanFamily
from privcheck.bounds.families.bernoulli import Bernoulli
from privcheck.declared import POSITIVE, Choice, Real, check
from privcheck.errors import PrivcheckError, words

_ROUNDS = Real(1.0)


@dataclass(frozen=True)
class _Batch:
    """N instances with K arms: means and gaps of shape (N, K), the rest of shape (N, 1)."""

    kind: MeanFamily
    means: Array
    epsilon: Array
    horizon: Array | None
    alpha: float

    @property
    def best(self) -> Array:
        return np.asarray(self.means.max(axis=1, keepdims=True), dtype=np.float64)

    @property
    def gaps(self) -> Array:
        return self.best - self.means

    def total(self, terms: Array) -> Array:
        """Add up over the arms with a positive gap."""
        return np.asarray(np.where(self.gaps > 0, terms, 0.0).sum(axis=1), dtype=np.float64)


def sweep(
    means: ArrayLike,
    epsilon: ArrayLike,
    *,
    family: str = "bernoulli",
    horizon: ArrayLike | None = None,
    alpha: float = 3.1,
    variance: float = 1.0,
    theorems: Sequence[str] | None = None,
) -> dict[str, Array]:
    """Evaluate theorems on N instances with K arms each.

    Parameters
    ----------
    means : shape (N, K), in the family's range; one row serves all budgets and horizons.
    epsilon : privacy budgets, a number or shape (N,), above 0.
    family : a family whose laws are determined by their means.
    horizon : rounds T, a number or shape (N,); None when only asymptotics are wanted.
    alpha : width of the confidence bounds of AdaP-UCB.
    variance : of Gaussian rewards.
    theorems : ids; by default those with an array form (`VECTORISED`). The others are evaluated one instance at a time.

    Returns
    -------
    By id, the value (finite-time) or the constant of ln T (asymptotic), shape (N,); NaN where the bound does not apply.

    Raises
    ------
    PrivcheckError : an unknown id, a value outside its range, shapes that do not match.

    Examples
    --------
    >>> found = sweep([[0.75, 0.5], [0.8, 0.1]], epsilon=[1.0, 0.1])
    >>> found["azize-basu-2022/thm3-tight"].round(3).tolist()
    [1.753, 10.118]
    """
    names = tuple(VECTORISED) if theorems is None else tuple(theorems)
    for name in names:
        check("theorems", name, Choice(tuple(THEOREMS)))
    batch = _batch(means, epsilon, family, horizon, alpha, variance)
    return {name: VECTORISED[name](batch) if name in VECTORISED else _one_by_one(name, batch) for name in names}


def _batch(means: ArrayLike, epsilon: ArrayLike, name: str, horizon: Any, alpha: float, variance: float) -> _Batch:
    kind = family(name, variance=variance) if name == "gaussian" else family(name)
    if not isinstance(kind, MeanFamily):
        raise PrivcheckError("family", name, "a family determined by its means", "build instances one by one")
    (table,) = broadcast(means=(means, kind.domain))
    if table.ndim != 2 or table.shape[1] < 2:
        raise PrivcheckError("means", words(f"shape {table.shape}"), "shape (N, K) with K of at least 2")
    column, limits = np.zeros(len(table)), Real()
    given = {"epsilon": (epsilon, POSITIVE)} | ({} if horizon is None else {"horizon": (horizon, _ROUNDS)})
    budgets, *rounds, _ = broadcast(**given, means=(column, limits))
    if budgets.ndim != 1:
        raise PrivcheckError("epsilon", words(f"shape {budgets.shape}"), "a number or shape (N,)")
    wide = np.broadcast_to(table, (len(budgets), table.shape[1]))
    horizons = rounds[0][:, None] if rounds else None
    return _Batch(kind, wide, budgets[:, None], horizons, check("alpha", alpha, POSITIVE))


def _one_by_one(name: str, batch: _Batch) -> Array:
    extra = {"variance": batch.kind.variance} if hasattr(batch.kind, "variance") else {}
    found = np.full(len(batch.means), math.nan)
    for i, row in enumerate(batch.means):
        rounds = None if batch.horizon is None else int(batch.horizon[i, 0])
        budget = float(batch.epsilon[i, 0])
        instance = Instance(batch.kind.id, tuple(row.tolist()), budget, rounds, alpha=batch.alpha, **extra)
        value = number(THEOREMS[name].evaluate(instance))
        found[i] = math.nan if value is None else value
    return found


def _lower_bound(batch: _Batch, denominators: Callable[[_Batch, Array], Array]) -> Array:
    """Add up gap/denominator; NaN where no law of the family is better than the best arm."""
    below = np.where(batch.gaps > 0, batch.means, np.min(batch.means, axis=1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = batch.total(batch.gaps / denominators(batch, below))
    return np.where((batch.best[:, 0] < batch.kind.highest_mean) & np.isfinite(found), found, math.nan)


def _printed(batch: _Batch, means: Array) -> Array:
    divergence, variation = batch.kind.kl(means, batch.best), batch.kind.tv(means, batch.best)
    return np.asarray(np.minimum(divergence, 6 * batch.epsilon * variation), dtype=np.float64)


def _tight(batch: _Batch, means: Array) -> Array:
    best, epsilon = (np.broadcast_to(x, means.shape) for x in (batch.best, batch.epsilon))
    if isinstance(batch.kind, Bernoulli):
        shares = *batch.kind.shares(means), *batch.kind.shares(best)
        return d_epsilon_from_complements(*shares, batch.kind.share_gap(means, best), epsilon)
    one = np.vectorize(lambda p, q, e: batch.kind.d_epsilon(p, q, e).upper, otypes=[np.float64])
    return np.asarray(one(means, best, epsilon), dtype=np.float64)


def _adap_ucb(batch: _Batch, leading: Callable[[_Batch, Array], Array]) -> Array:
    low, high = batch.kind.reward_range
    if batch.horizon is None or batch.alpha <= 3 or low < 0 or high > 1:
        return np.full(len(batch.means), math.nan)
    gaps = np.where(batch.gaps > 0, batch.gaps, 1.0)
    return batch.total(leading(batch, gaps) * np.log(batch.horizon) + 3 * batch.alpha / (batch.alpha - 3))


def _theorem_7(batch: _Batch) -> Array:
    return _adap_ucb(batch, lambda batch, gaps: 16 * batch.alpha / np.minimum(gaps, batch.epsilon))


def _theorem_7_corrected(batch: _Batch) -> Array:
    return _adap_ucb(batch, lambda b, gaps: 2 * b.alpha / gaps * (1 + np.sqrt(1 + 4 * gaps / b.epsilon)) ** 2)


VECTORISED: dict[str, Callable[[_Batch], Array]] = {
    "azize-basu-2022/thm3": lambda batch: _lower_bound(batch, _printed),
    "azize-basu-2022/thm3-tight": lambda batch: _lower_bound(batch, _tight),
    "azize-basu-2022/thm7": _theorem_7,
    "azize-basu-2022/thm7-corrected": _theorem_7_corrected,
}
"""Array forms of theorems, by id; each agrees with the theorem itself."""
