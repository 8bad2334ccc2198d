"""Runs of a one-shot mechanism: a function of (data, rng), a shipped mechanism, or an OpenDP measurement."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.errors import PolicyError, words
from privcheck.mechanisms.base import Mechanism
from privcheck.targets.generator import generator, own_generator
from privcheck.targets.location import Location, describe_exception
from privcheck.targets.outputs import MISSING, Outputs, padded
from privcheck.targets.time_limit import limited

DATA_NAMES = ("rng", "generator", "random_state")


def is_mechanism(target: Any) -> bool:
    """Return whether a target is a one-shot mechanism: `f(data, rng)`, `f(data, rng, runs)`, or a declared one.

    A factory of policies takes the Generator first; a mechanism takes it after the data.

    >>> is_mechanism(lambda data, rng: data), is_mechanism(lambda rng: None)
    (True, False)
    """
    if isinstance(target, Mechanism) or is_measurement(target):
        return True
    if isinstance(target, type) or not callable(target):
        return False
    try:
        parameters = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return False
    return len(parameters) in (2, 3) and parameters[1] in DATA_NAMES and parameters[2:] in ([], ["runs"])


def is_measurement(target: Any) -> bool:
    """Return whether a target is an OpenDP measurement, without importing OpenDP."""
    return type(target).__module__.startswith("opendp") and hasattr(target, "map") and hasattr(target, "invoke")


@dataclass
class MechanismRunner:
    """Runs a one-shot mechanism on an input.

    Parameters
    ----------
    mechanism : `f(data, rng)`; `f(data, rng, runs)`, which returns an array with one output per row; a shipped
        mechanism; or an OpenDP measurement, which draws from the system's randomness.
    location : where worker processes load the function from; None if it is pickled by value.

    """

    mechanism: Any
    location: Location | None = None
    chunk_runs: ClassVar[int] = 50_000

    def __post_init__(self) -> None:
        self._batch = self._batched()

    def __getstate__(self) -> dict[str, Any]:
        return {"location": self.location, "mechanism": None if self.location else self.mechanism}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.location = state["location"]
        self.mechanism = self.location.load_once() if self.location else state["mechanism"]
        self._batch = self._batched()

    def _batched(self) -> Callable[..., Any] | None:
        if isinstance(self.mechanism, Mechanism):
            return self.mechanism.release_batch
        if is_measurement(self.mechanism):
            return None
        return self.mechanism if len(inspect.signature(self.mechanism).parameters) == 3 else None

    @property
    def name(self) -> str:
        """The name in reports."""
        if self.location:
            return str(self.location)
        return str(getattr(self.mechanism, "__name__", getattr(self.mechanism, "id", type(self.mechanism).__name__)))

    @property
    def engine(self) -> str:
        """What plays the runs."""
        return "run_batch" if self._batch else "python"

    @property
    def claim(self) -> float | None:
        """The epsilon that an OpenDP measurement's map gives at distance 1, if its privacy is pure; None otherwise."""
        if not is_measurement(self.mechanism) or str(self.mechanism.output_measure) != "MaxDivergence":
            return None
        epsilon = float(self.mechanism.map(1))
        return epsilon if 0.0 < epsilon < math.inf else None

    @property
    def joblib_backend(self) -> str:
        """Threads for code that runs outside Python and for measurements, which cannot be sent to another process."""
        return "threading" if self._batch or is_measurement(self.mechanism) else "loky"

    @property
    def reproducible(self) -> bool:
        """Whether all randomness comes from the seed."""
        return not is_measurement(self.mechanism)

    def play(self, table: Any, runs: int, seed: np.random.SeedSequence, other: Any = None) -> Outputs:  # noqa: ARG002
        """Return the outputs of independent runs on one input."""
        rng = generator(seed)
        plain = not self.reproducible
        try:
            with limited(batch=runs if self._batch else 0) as clock:
                if self._batch is not None:
                    return outputs_from_batch(np.asarray(self._batch(_data(table, plain=plain), rng, runs)), runs)
                outputs = []
                for _ in range(runs):
                    clock.next_run()
                    data = _data(table, plain=plain)  # afresh: a mechanism may change its input
                    outputs.append(self.mechanism(data) if plain else self.mechanism(data, own_generator(rng)))
            return outputs_from_list(outputs)
        except (PolicyError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise PolicyError(
                "target", words(describe_exception(error)), "a mechanism that returns an output"
            ) from None


def _data(table: Any, *, plain: bool) -> Any:
    """Return a copy of an input: an array without axes as a number, and everything as lists if `plain`, for OpenDP."""
    if not isinstance(table, np.ndarray):
        return table
    return table.tolist() if plain or table.ndim == 0 else table.copy()


def outputs_from_batch(outputs: np.ndarray[tuple[int, ...], np.dtype[Any]], runs: int) -> Outputs:
    """Return the rows of an array of numbers as outputs.

    >>> len(outputs_from_batch(np.zeros(3), 3))
    3
    """
    if outputs.shape[:1] != (runs,) or outputs.dtype.kind not in "biuf":
        got = words(f"shape {outputs.shape} of {outputs.dtype}")
        raise PolicyError("output", got, f"an array of numbers with {runs} rows, one per run")
    flat = outputs.reshape(runs, -1)
    if flat.dtype.kind == "f":
        return Outputs.of_numbers(_no_nan(flat.astype(np.float64)))
    small = flat.dtype.kind == "b" or -128 <= flat.min(initial=0) <= flat.max(initial=0) <= 127
    return Outputs.of_symbols(flat.astype(np.int8 if small else np.int64))


def outputs_from_list(outputs: list[Any]) -> Outputs:
    """Return outputs as symbols (integers, booleans) and numbers (reals), each in their order within an output."""
    if isinstance(outputs[0], bool | np.bool_ | numbers.Integral) and len({type(o) for o in outputs}) == 1:
        return Outputs.of_symbols(np.asarray(outputs, np.int64)[:, None])
    if isinstance(outputs[0], float) and len({type(o) for o in outputs}) == 1:
        return Outputs.of_numbers(_no_nan(np.asarray(outputs, np.float64)[:, None]))
    symbols, reals, kinds = [], [], set()
    for output in outputs:
        whole: list[int] = []
        real: list[float] = []
        kinds.add(_flatten(output, whole, real))
        symbols.append(np.array(whole, np.int64)[None, :])
        reals.append(np.array(real, np.float64)[None, :])
    lengths = {(s.shape[1], r.shape[1]) for s, r in zip(symbols, reals, strict=True)}
    if len(kinds) > 1 or len({real for _, real in lengths}) > 1:
        raise PolicyError(
            "output", words("outputs of different types or lengths"), "the same type and length in every run"
        )
    return Outputs(np.concatenate(padded(symbols, MISSING)), _no_nan(np.concatenate(reals)))


def _flatten(output: Any, whole: list[int], real: list[float]) -> str:
    """Append the parts of an output to the two lists and return the kind of output that they make up."""
    if isinstance(output, bool | np.bool_ | numbers.Integral):
        whole.append(int(output))
        return "discrete"
    if isinstance(output, numbers.Real):
        real.append(float(output))
        return "real"
    if isinstance(output, np.ndarray) and output.dtype.kind in "biuf":
        (real if output.dtype.kind == "f" else whole).extend(output.ravel().tolist())
        return "real" if output.dtype.kind == "f" else "discrete"
    if isinstance(output, list | tuple):
        return "+".join(sorted({_flatten(part, whole, real) for part in output}))
    hint = "return a category's number instead of the category itself"
    got = words(f"an object of type {type(output).__name__}")
    raise PolicyError("output", got, "numbers, booleans, arrays, or tuples and lists of these", hint)


def _no_nan(values: Array) -> Array:
    if np.isnan(values).any():
        raise PolicyError("output", words("NaN"), "numbers", "a mechanism must return a number on every input")
    return values
