"""The base class of the mechanisms, their registry, and the recorder that their releases pass through."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, DominatingPair, LossLaw
from privcheck.arrays import Array
from privcheck.declared import Declared, by_name_only
from privcheck.errors import PrivcheckError, words
from privcheck.registry import Registry

Pairs = tuple[tuple[DominatingPair, int], ...]

NOISE_SLACK = 4e-9
"""Relative surplus of the noise scale. It covers 2e-9 for the float rounding of released values and 1e-9 for each of
two comparisons: computed with declared sensitivity, and total charge with budget.
"""

COMPARISON_SLACK = 1e-9
"""Relative slack of comparisons between computed and declared sensitivities, because 1/n is not exact in floats: far
above float rounding, and included in `NOISE_SLACK`.
"""

SCORE_RANGE_HINT = (
    "give score_range, by how much more one score (or the threshold) may change than another: 2 s if each moves by at "
    "most s, s if besides all move in the same direction; privcheck.privacy.score_range has it for sums of rewards"
)

UNSTATED = float(1)
"""A sensitivity that is 1 by default: this object, and no other 1.0, says that the caller stated none."""


class Mechanism(Declared):
    """Base of the mechanisms: a frozen dataclass that registers itself under `id`.

    A ledger, a replayed transcript and an auditor may rely on the following for every mechanism:

    - `release(value, rng)` returns one output: that of `draw(value, rng)`, or of the active recorder (see `recording`);
    - `release_batch(value, rng, runs)` draws many outputs for simulation, one per entry of the first axis; no recorder
      sees them;
    - `log_density(output, value)` is the logarithm of the output's joint density (its probability, when outputs are
      discrete) given the exact value, so that the loss of a recorded output is known (`log_ratio`);
    - `charge(sensitivity)` is the charge of data with that computed sensitivity, and `loss(sensitivity)` its epsilon;
    - `law_of_pair(value, other)` has the exact loss between two exact values, where a closed form is known;
    - `dominating_pairs(charge, sensitivity)` is at least as easy to tell apart as any release with this charge;
    - `rounding(sizes)` bounds what float rounding inside `draw` adds to a computed sensitivity;
    - a mechanism that adds independent noise also has `noise(shape, rng)`;
    - `calibrate` inverts `charge`: the least noise for a budget.

    A class defines `charge` and gets `loss` from it. A class that defines only `loss` gets `charge` from that instead,
    even if its base defines `charge`: whichever of the two comes first in the method resolution order counts.

    What a class states about its law holds for that class. A derived class has no dominating pairs unless it states
    them, and no law of a pair if it draws or rates outputs in its own way, for it may have another law.

    Most mechanisms have a noise scale and derive from `privcheck.mechanisms.scaled.ScaledMechanism`.
    """

    id: ClassVar[str]
    notion: ClassVar[str]
    sensitivity_norm: ClassVar[str]
    sensitivity_name: ClassVar[str] = "sensitivity"
    """The parameter that declares the sensitivity; another one where the word alone is read as half of it."""
    source: ClassVar[str]
    samples_exactly: ClassVar[bool] = False
    """Whether `draw(..., secure=True)` samples exactly, with randomness from the system; it belongs to `draw`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "draw" in vars(cls) and "samples_exactly" not in vars(cls):
            cls.samples_exactly = False
        if any(callable(vars(cls).get(name)) for name in _MAKE_THE_LAW) and "law_of_pair" not in vars(cls):
            cls.law_of_pair = Mechanism.law_of_pair  # type: ignore[method-assign]
        if "dominating_pairs" not in vars(cls):
            cls.dominating_pairs = Mechanism.dominating_pairs  # type: ignore[method-assign]
        _complete(cls)
        if "id" in cls.__dict__:
            MECHANISMS.register(cls.id, cls)

    @property
    def integers(self) -> tuple[int, int] | None:
        """The smallest and largest integer that a value may hold; None if it may hold any real numbers."""
        return None

    @property
    def declared_sensitivity(self) -> float | None:
        """The sensitivity of one datum that was declared, in the norm `sensitivity_norm`; None if there is none."""
        declared: float | None = getattr(self, self.sensitivity_name, None)
        return declared

    @property
    def scale(self) -> float:
        """The scale of the noise: a datum of sensitivity s in one released statistic costs s / scale."""
        raise NotImplementedError

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed sensitivity in the norm `sensitivity_norm`."""
        raise NotImplementedError

    def loss(self, sensitivity: float) -> float:
        """Return the epsilon of `charge(sensitivity)`."""
        raise NotImplementedError

    def rounding(self, sizes: Array) -> float:  # noqa: ARG002
        """Return how far rounding inside `draw`, before the noise is added, can move two neighbours apart.

        Parameters
        ----------
        sizes : the largest size of each entry of a value, in its shape.

        Returns
        -------
        What a computed sensitivity has to be increased by; 0 unless `draw` calculates with the value.

        """
        return 0.0

    @classmethod
    def hint_for_unknown(cls, name: str) -> str:
        """Return what to do about a parameter that the mechanism does not have, in words."""
        if name == "sensitivity" and cls.sensitivity_name == "score_range":
            return SCORE_RANGE_HINT
        if name == "delta" and cls.notion == "pure":
            return (
                "a pure mechanism takes no delta: use Gaussian.calibrate(epsilon=..., delta=...), or give delta where "
                "the budget is given"
            )
        if name in ("epsilon", "delta", "rho", "mu"):
            budget = "epsilon=..., delta=..." if name in ("epsilon", "delta") else f"{name}=..."
            return f"{cls.__name__}.calibrate({budget}) finds the noise for such a budget"
        if name == "scale" and hasattr(cls, "with_scale"):
            return f"{cls.__name__}.with_scale(...) takes the scale of the noise"
        return super().hint_for_unknown(name)

    @classmethod
    @by_name_only("the budget by name, such as epsilon=1, delta=1e-06, rho=0.1 or mu=0.5")
    def calibrate(
        cls,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        mu: float | None = None,
        sensitivity: float = UNSTATED,
        releases: int = 1,
        accountants: Mapping[str, float] | None = None,
        **parameters: Any,
    ) -> Self:
        """Return the mechanism with the least noise with which so many releases stay within a budget.

        Parameters
        ----------
        epsilon, delta, rho, mu : the budget, in one notion: epsilon, epsilon and delta, rho, or mu.
        sensitivity : > 0, of one datum in each release, in the norm `sensitivity_norm`; 1 by default. A mechanism that
            chooses by scores takes `score_range` in its place, without a default.
        releases : how many releases the budget is for.
        accountants : shares of delta, as for `privcheck.accounting.BudgetFilter`: by default all of it for "gdp".
        parameters : the other parameters of the mechanism, such as the horizon of a tree.

        Guarantee
        ---------
        A guard with this budget and these accountants accepts all releases, however adaptive the rest of the run is. So
        does a `BudgetFilter`, of the mechanism's `charge`; under an accountant "rdp:ALPHA" it has to be the charge of
        `privcheck.mechanisms.planned.charge_with_pairs`, which a guard uses. With the next larger budget of one
        release, as a float, the charges would not be within it.

        Raises
        ------
        PrivcheckError : no budget, or one in several notions; a number outside its domain; unknown or missing
            parameters; a budget that no noise of this mechanism keeps, such as epsilon alone for Gaussian noise.

        Examples
        --------
        >>> from privcheck.mechanisms import Gaussian, Laplace
        >>> round(Gaussian.calibrate(epsilon=1, delta=1e-6, sensitivity=2).scale, 6)
        8.449358
        >>> Laplace.calibrate(epsilon=1, releases=4).epsilon
        0.25
        >>> round(Laplace.calibrate(epsilon=1, delta=1e-6, releases=100).epsilon, 4)
        0.0189
        """
        from privcheck.mechanisms.calibration import calibrated

        budget = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}
        return calibrated(cls, budget, sensitivity, releases, accountants, parameters)

    def release(self, value: Any, rng: Any, *, secure: bool = False) -> Any:
        """Return one private release of `value`: the result of `draw`, or of the recorder if one is active."""
        recorder = active_recorder()
        if recorder is not None:
            recorder.draws_from(rng)
            return recorder.release(self, value, secure=secure)
        return self.draw(value, rng, secure=secure)

    def draw(self, value: Any, rng: Any, *, secure: bool = False) -> Any:
        """Return one release of `value` with noise from `rng`, or with OpenDP's and the system's if `secure=True`."""
        raise NotImplementedError

    def release_batch(self, value: Any, rng: np.random.Generator, runs: int) -> npt.NDArray[Any]:
        """Return `runs` independent releases of the same `value`, one per entry of the first axis."""
        raise NotImplementedError

    def log_density(self, output: Any, value: Any) -> Any:
        """Return the natural logarithm of the density (or probability) of `output` given the exact `value`."""
        raise NotImplementedError

    def log_ratio(self, output: Any, value: Any, other: Any) -> Any:
        """Return the loss of an output: ln of its density (or probability) under `value` over that under `other`."""
        raise NotImplementedError

    def law_of_pair(self, value: Any, other: Any) -> LossLaw | None:  # noqa: ARG002
        """Return the two laws of an output, given two exact values, as far as privacy is concerned.

        Parameters
        ----------
        value, other : as for `log_ratio`.

        Returns
        -------
        An object whose `loss()` and `delta(epsilon)` enclose the true privacy loss between the two values, and the true
        delta; None where no closed form is known. `privcheck.accounting._losses` has such laws.
        """
        return None

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return pairs of laws that compose to one at least as easy to tell apart as any release with this charge.

        Parameters
        ----------
        charge : what `charge(sensitivity)` returned, not `NOTHING`.
        sensitivity : of one datum, in the norm `sensitivity_norm`.

        Returns
        -------
        Pairs of `privcheck.accounting._dominating_pairs`, each with how often it is composed, with which plans are as
        tight as they can be. None of them (the default): plans use what the charge implies.
        """
        return charge.pairs


_MAKE_THE_LAW = ("draw", "noise", "release_batch", "log_density", "log_ratio")
"""Methods that say what law an output has; `release` hands over to `draw`."""


def _complete(cls: type[Mechanism]) -> None:
    """Give a class `loss` from its `charge`, or `charge` from its `loss`, whichever it defines.

    The method that is added calls this definition itself, not one that overrides it, so that `super().loss(...)` does
    not recurse without end.
    """
    depth = {
        name: next(depth for depth, base in enumerate(cls.__mro__) if name in vars(base)) for name in ("charge", "loss")
    }
    if depth["charge"] == depth["loss"]:
        return
    defined = min(depth, key=lambda name: depth[name])
    definition = vars(cls.__mro__[depth[defined]])[defined]

    def loss(self: Mechanism, *arguments: Any, **keywords: Any) -> float:
        """Return the epsilon of `charge(sensitivity)`."""
        epsilon: float = definition.__get__(self, type(self))(*arguments, **keywords).epsilon
        return epsilon

    def charge(self: Mechanism, *arguments: Any, **keywords: Any) -> Charge:
        """Return the charge whose epsilon is `loss(sensitivity)`."""
        return Charge(definition.__get__(self, type(self))(*arguments, **keywords))

    added = loss if defined == "charge" else charge
    added.__qualname__ = f"{cls.__qualname__}.{added.__name__}"
    returned = inspect.signature(added).return_annotation
    vars(added)["__signature__"] = inspect.signature(definition).replace(return_annotation=returned)
    setattr(cls, added.__name__, added)


MECHANISMS: Registry[Mechanism] = Registry("mechanism", "privcheck.mechanisms")
"""The shipped mechanisms by id, in alphabetical order."""


class Recorder:
    """What stands between a mechanism and its caller: a ledger or a tape."""

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:
        """Return the output of this release; `mechanism.draw` draws one."""
        raise NotImplementedError

    def draws_from(self, rng: Any) -> None:
        """Take note, before a release, of the Generator that the mechanism is given."""


_RECORDER: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


def active_recorder() -> Recorder | None:
    """Return the recorder of the innermost `recording` block of this thread or task, or None outside such blocks."""
    return _RECORDER.get()


class recording:  # noqa: N801 - a block; a generator would cost a microsecond more in each call of a guarded policy
    """Send every `release` of every mechanism to `recorder` inside the block.

    >>> from privcheck.mechanisms import Laplace
    >>> class Loud(Recorder):
    ...     def release(self, mechanism, value, *, secure):
    ...         return f"{mechanism.id} of {value}"
    >>> with recording(Loud()):
    ...     Laplace.with_scale(1.0).release(0.5, None)
    'laplace of 0.5'
    """

    __slots__ = ("_recorder", "_token")

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        self._token = _RECORDER.set(self._recorder)

    def __exit__(self, *_: object) -> None:
        _RECORDER.reset(self._token)


def finite_array(name: str, value: Any) -> Array:
    """Return `value` as a float array, or refuse it if it is empty, ragged, not real, NaN or infinite.

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


def holds_integers(array: npt.NDArray[Any]) -> bool:
    """Return whether an array is non-empty and holds only integers; floats without a fraction count as integers.

    >>> holds_integers(np.array([1.0, 2.0])), holds_integers(np.array(1.5)), holds_integers(np.array([]))
    (True, False, False)
    """
    if array.dtype.kind not in "iuf" or array.size == 0:
        return False
    return bool(np.isfinite(array).all() and (array == np.floor(array)).all())


def generator(rng: object) -> np.random.Generator:
    """Return `rng` if it is a numpy Generator, and refuse anything else."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise PrivcheckError("rng", rng, "a numpy.random.Generator", "make one with numpy.random.default_rng(seed)")


def distances(output: npt.ArrayLike, exact: Array) -> Array:
    """Return |output - exact| entry by entry; `output` has the shape (..., *shape of exact).

    >>> distances([[1.0, 2.0], [4.0, 0.0]], np.array([1.0, 1.0])).tolist()
    [[0.0, 1.0], [3.0, 1.0]]
    """
    return np.abs(differences(output, exact))


def differences(output: npt.ArrayLike, exact: Array) -> Array:
    """Return output - exact entry by entry; `output` has the shape (..., *shape of exact).

    >>> differences([[1.0, 2.0], [4.0, 0.0]], np.array([1.0, 1.0])).tolist()
    [[0.0, 1.0], [3.0, -1.0]]
    """
    outputs = finite_array("output", output)
    if outputs.ndim < exact.ndim or outputs.shape[outputs.ndim - exact.ndim :] != exact.shape:
        raise PrivcheckError("output", words(f"shape {outputs.shape}"), f"shape (..., *{exact.shape}) as the value")
    return outputs - exact


def inner_sum(terms: Array, inner: int) -> Any:
    """Return the sum over the last `inner` axes: a float if no axes are left, otherwise an array.

    >>> inner_sum(np.ones((2, 3)), 1).tolist(), inner_sum(np.ones((2, 3)), 2)
    ([3.0, 3.0], 6.0)
    """
    total = np.sum(terms, axis=tuple(range(terms.ndim - inner, terms.ndim)))
    return float(total) if np.ndim(total) == 0 else total


def same_shape(value: npt.NDArray[Any], other: npt.NDArray[Any]) -> None:
    """Refuse two exact values of different shapes."""
    if value.shape != other.shape:
        raise PrivcheckError("other", words(f"shape {other.shape}"), f"the shape {value.shape} of value")
