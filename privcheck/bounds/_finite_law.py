"""A law with finitely many atoms, such as the empirical law of observed rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array, checked_array
from privcheck.declared import UNIT_INTERVAL, Real
from privcheck.errors import PrivcheckError, words

_WEIGHT = Real(0.0)


@dataclass(frozen=True, eq=False)
class FiniteLaw:
    """Probabilities `weights` on the points `atoms` of [0, 1].

    Parameters
    ----------
    atoms : shape (n,), n at least 1, in [0, 1]; in any order, repetitions allowed.
    weights : shape (n,), at least 0; they must add up to 1 within 1e-6 and are then normalised.

    Raises
    ------
    PrivcheckError : atoms outside [0, 1], negative weights, a sum far from 1, different lengths.

    Examples
    --------
    >>> FiniteLaw((0.0, 0.5, 1.0), (0.1, 0.7, 0.2)).mean
    0.55
    >>> FiniteLaw.empirical([1.0, 0.0, 1.0, 1.0]).mean
    0.75
    """

    atoms: Any
    weights: Any

    def __post_init__(self) -> None:
        atoms = checked_array("atoms", self.atoms, UNIT_INTERVAL)
        weights = checked_array("weights", self.weights, _WEIGHT)
        if atoms.ndim != 1 or atoms.shape != weights.shape or not len(atoms):
            shapes = words(f"shapes {atoms.shape} and {weights.shape}")
            raise PrivcheckError("atoms and weights", shapes, "two lists of the same length, at least 1")
        total = float(weights.sum())
        if abs(total - 1) > 1e-6:
            raise PrivcheckError("weights", words(f"a sum of {total:.9g}"), "probabilities that add up to 1")
        object.__setattr__(self, "atoms", atoms)
        object.__setattr__(self, "weights", weights / total)

    @classmethod
    def empirical(cls, rewards: ArrayLike) -> FiniteLaw:
        """Return the empirical law of the rewards, each in [0, 1] and with the same probability."""
        atoms = checked_array("rewards", rewards, UNIT_INTERVAL)
        return cls(atoms, np.full(atoms.shape, 1 / max(atoms.size, 1)))

    @property
    def mean(self) -> float:
        """Mean of the law."""
        return float((self.weights * self.atoms).sum())  # no BLAS, whose threads wait on a busy machine


def on_common_atoms(p: Any, q: Any) -> tuple[Array, Array]:
    """Return the weights of two laws on the union of their atoms.

    >>> first, second = on_common_atoms(FiniteLaw((0.0, 1.0), (0.5, 0.5)), FiniteLaw((0.5,), (1.0,)))
    >>> first.tolist(), second.tolist()
    ([0.5, 0.0, 0.5], [0.0, 1.0, 0.0])
    """
    for name, law in (("p", p), ("q", q)):
        check_law(name, law)
    atoms, places = np.unique(np.concatenate((p.atoms, q.atoms)), return_inverse=True)
    first, second = np.zeros(len(atoms)), np.zeros(len(atoms))
    np.add.at(first, places[: len(p.atoms)], p.weights)
    np.add.at(second, places[len(p.atoms) :], q.weights)
    return first, second


def check_law(name: str, law: Any) -> FiniteLaw:
    """Return `law` if it is a `FiniteLaw`; refuse anything else."""
    if not isinstance(law, FiniteLaw):
        raise PrivcheckError(name, law, "a privcheck.bounds.FiniteLaw", "give FiniteLaw(atoms, weights)")
    return law
