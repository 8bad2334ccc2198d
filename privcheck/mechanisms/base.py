"""What every mechanism declares: a scale, the loss that it charges, and its place in the registry."""

from __future__ import annotations

import math
import sys
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from bounds.domains import POSITIVE, Declared, Real, check, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.registry import Registry

NOISE_SLACK = 4e-9
"""Relative surplus of the noise scale: it pays for the float rounding of computed sensitivities."""

COMPARISON_SLACK = 1e-9
"""Relative slack of comparisons between computed and declared sensitivities; smaller than `NOISE_SLACK`."""

Array = npt.NDArray[np.float64]


class Mechanism(Declared):
    """Base of the mechanisms: a frozen dataclass that registers itself under `id`.

    A mechanism is made in one of two ways. From a sensitivity s and a budget epsilon it draws noise at the scale
    s (1 + 4e-9) / epsilon and charges exactly epsilon. From a scale b (`with_scale`) it charges s / b for data of
    computed sensitivity s.

    Parameters
    ----------
    sensitivity : s > 0, the declared sensitivity in the norm `sensitivity_norm`; None when a scale is given.
    epsilon : > 0, the privacy budget of one release; None when a scale is given.
    given_scale : b > 0, the noise scale; None when the other two are given.

    Guarantee
    ---------
    With noise of scale b, data of sensitivity s (in the norm `sensitivity_norm`, under the neighbour relation for which
    s was computed) cost at most s / b in pure differential privacy. A computed s may exceed the declared one by the
    relative slack 1e-9, and (1 + 1e-9) / (1 + 4e-9) < 1, so the declared epsilon is never exceeded.

    """

    id: ClassVar[str]
    notion: ClassVar[str]
    sensitivity_norm: ClassVar[str]
    source: ClassVar[str]

    sensitivity: float | None
    epsilon: float | None
    given_scale: float | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "id" in cls.__dict__:
            MECHANISMS.register(cls.id, cls)

    def __post_init__(self) -> None:
        unused = ("sensitivity", "epsilon") if self.given_scale is not None else ("given_scale",)
        for declared in declared_fields(type(self)):
            value, hint = getattr(self, declared.name), declared.metadata["hint"]
            if declared.name not in unused:
                object.__setattr__(self, declared.name, check(declared.name, value, declared.metadata["domain"], hint))
            elif value is not None:
                raise PrivcheckError(declared.name, value, "None when a scale is given", hint)
        if not sys.float_info.min <= self.scale < math.inf:
            hint = "bring sensitivity and epsilon, or the scale, to ordinary magnitudes"
            raise PrivcheckError("noise scale", self.scale, "a positive normal float", hint)

    @classmethod
    def with_scale(cls, scale: float) -> Self:
        """Return the mechanism with noise of this scale; its charge is then computed as sensitivity / scale."""
        return cls(given_scale=check("scale", scale, POSITIVE))  # type: ignore[call-arg]

    @property
    def scale(self) -> float:
        """The scale b of the noise: the one that was given, or sensitivity (1 + 4e-9) / epsilon."""
        if self.given_scale is not None:
            return self.given_scale
        assert self.sensitivity is not None
        assert self.epsilon is not None
        return self.sensitivity * (1.0 + NOISE_SLACK) / self.epsilon

    def loss(self, sensitivity: float) -> float:
        """Return the pure-DP loss charged for data of this computed sensitivity.

        Parameters
        ----------
        sensitivity : s >= 0, computed from the data's declared ranges, in the norm `sensitivity_norm`.

        Returns
        -------
        epsilon of the declaration, or s / scale when a scale was given; 0 when s = 0.

        Raises
        ------
        PrivcheckError : s exceeds the declared sensitivity by more than the relative slack 1e-9.

        """
        computed = check("sensitivity", sensitivity, Real(0.0))
        if computed == 0.0:
            return 0.0
        if self.sensitivity is None or self.epsilon is None:
            return float(computed / self.scale)
        if computed > self.sensitivity * (1.0 + COMPARISON_SLACK):
            raise PrivcheckError(
                "sensitivity",
                words(f"{computed!r} computed from the data"),
                f"at most the declared {self.sensitivity!r} ({self.sensitivity_norm})",
                f"declare sensitivity={computed!r}, which needs proportionally more noise",
            )
        return self.epsilon

    def release(self, value: Any, rng: Any, *, secure: bool = False) -> Any:
        """Return one private release of `value`, its noise drawn from `rng`."""
        raise NotImplementedError

    def release_batch(self, value: Any, rng: np.random.Generator, runs: int) -> npt.NDArray[Any]:
        """Return `runs` independent releases of the same `value`, the run being the first axis."""
        raise NotImplementedError

    def log_ratio(self, output: Any, value: Any, other: Any) -> Any:
        """Return the loss of an output: ln of its probability (density) under `value` over that under `other`."""
        raise NotImplementedError


MECHANISMS: Registry[Mechanism] = Registry("mechanism", "privcheck.mechanisms")


def finite_array(name: str, value: Any) -> Array:
    """Return `value` as a float array, or refuse what is empty, ragged, not real, NaN or infinite.

    >>> finite_array("value", [1, 2]).tolist()
    [1.0, 2.0]
    """
    expected = "a finite real number or a non-empty array of them"
    try:
        array = np.asarray(value)
    except ValueError:
        raise PrivcheckError(name, words("a ragged sequence"), expected, "give rows of equal length") from None
    if array.dtype.kind not in "iuf":
        raise PrivcheckError(name, value, expected, "convert it with numpy.asarray(value, dtype=float)")
    array = array.astype(np.float64)
    if array.size == 0 or not np.isfinite(array).all():
        raise PrivcheckError(name, value, expected, "clip or drop such entries by a rule that ignores the data")
    return array


def generator(rng: object) -> np.random.Generator:
    """Return `rng` if it is a numpy Generator, and refuse anything else."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise PrivcheckError("rng", rng, "a numpy.random.Generator", "make one with numpy.random.default_rng(seed)")
