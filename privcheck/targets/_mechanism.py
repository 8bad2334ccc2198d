"""Runs of a one-shot mechanism: a function of (data, rng), a shipped mechanism, or an OpenDP measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import refuse_masks
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.generators import generator, global_generators_seeded, own_generator
from privcheck.mechanisms import Mechanism
from privcheck.scheduling import one_thread
from privcheck.targets._location import Location, describe_exception
from privcheck.targets._output_parts import Raised, outputs_of
from privcheck.targets._outputs import Outputs
from privcheck.targets._parameters import BY_POSITION, open_parameters
from privcheck.targets._stream_pair import Given, StreamPair
from privcheck.targets._time_limit import limited

DATA_NAMES = ("rng", "generator", "random_state")


def is_mechanism(target: Any) -> bool:
    """Return whether a target is a one-shot mechanism: `f(data, rng)`, `f(data, rng, runs)`, `f(data)`, or declared.

    A factory of policies takes the Generator first; a mechanism takes it after the data.

    >>> is_mechanism(lambda data, rng: data), is_mechanism(lambda rng: None)
    (True, False)
    """
    if isinstance(target, Mechanism) or is_measurement(target):
        return True
    if isinstance(target, type) or not callable(target):
        return False
    parameters = open_parameters(target) or []
    names = [each.name for each in parameters]
    if not all(each.kind in BY_POSITION for each in parameters):
        return False
    return names == ["data"] or (len(names) in (2, 3) and names[1] in DATA_NAMES and names[2:] in ([], ["runs"]))


def refuse_mechanism(found: Any, parameter: str) -> None:
    """Refuse a mechanism where only a policy can be played, in the words for functions of data."""
    if is_mechanism(found):
        got = words(f"{getattr(found, '__name__', type(found).__name__)}, a mechanism that is given data")
        hint = (
            "audit it, or certify it with primitives='numpy', which records and replays its noise; there horizon is "
            "the number of rows of the data, arms that of their columns"
        )
        raise PrivcheckError(parameter, got, "a policy with select() and update()", hint)


def refuse_further_parameters(found: Any) -> None:
    """Refuse a function of (data, rng) that takes more, which would be taken for a factory of policies."""
    parameters = [] if isinstance(found, type) else [each.name for each in open_parameters(found) or ()]
    if parameters[:1] == ["data"] and parameters[1:2] and parameters[1] in DATA_NAMES:
        name, given = getattr(found, "__name__", "f"), ", ".join(parameters[2:])
        hint = f"write a function of (data, rng) that calls it with values for {given}"
        raise PrivcheckError("target", words(f"{name}({', '.join(parameters)})"), "a function of (data, rng)", hint)


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
    encode : turns each output into one that can be read; None to read outputs as they are.
    randomness : "seeded" or "independent", if the user said so: the function may then be `f(data)`.
    time_limit : seconds for a run; None for the usual limit.
    messages : whether what a log shows of an exception is part of the output: its message, its notes and its causes.

    Attributes
    ----------
    raised : the last exception that was an output in this process, in words; only a message of bad input shows it.

    """

    mechanism: Any
    location: Location | None = None
    encode: Callable[[Any], Any] | None = None
    randomness: str | None = None
    time_limit: float | None = None
    messages: bool = False
    chunk_runs: ClassVar[int] = 50_000

    def __post_init__(self) -> None:
        self._batch = self._batched()
        self.raised = ""
        if self.encode is not None and self._batch is not None:
            hint = "call it where the array of outputs is made"
            raise PrivcheckError("encode", self.encode, "None for a target that makes many runs at once", hint)
        if self.messages and (self._batch is not None or is_measurement(self.mechanism)):
            hint = "an exception ends all its runs"
            raise PrivcheckError("messages", True, "False for a target whose exceptions are no outputs", hint)

    def __getstate__(self) -> dict[str, Any]:
        names = ("location", "encode", "randomness", "time_limit", "messages")
        return {name: getattr(self, name) for name in names} | {"mechanism": None if self.location else self.mechanism}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.location, self.encode, self.raised = state["location"], state["encode"], ""
        self.randomness, self.time_limit, self.messages = state["randomness"], state["time_limit"], state["messages"]
        self.mechanism = self.location.load_once() if self.location else state["mechanism"]
        self._batch = self._batched()

    def _batched(self) -> Callable[..., Any] | None:
        if isinstance(self.mechanism, Mechanism):
            return self.mechanism.release_batch
        if is_measurement(self.mechanism):
            return None
        return self.mechanism if len(open_parameters(self.mechanism) or ()) == 3 else None

    @cached_property
    def _bare(self) -> bool:
        """Whether it is called with the data alone."""
        if isinstance(self.mechanism, Mechanism) or is_measurement(self.mechanism):
            return is_measurement(self.mechanism)
        return len(open_parameters(self.mechanism) or ()) == 1

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
        return self.randomness != "independent" and not is_measurement(self.mechanism)

    def check_parameters(self) -> None:
        """Refuse a function of the data alone if the user has not said where its random numbers come from."""
        if self.randomness is None and self._bare and not is_measurement(self.mechanism):
            got = words(f"{self.name}(data), which is given no Generator")
            hint = "say randomness='seeded' if it draws from a global generator of numpy or Python, and 'independent' "
            raise PrivcheckError("randomness", got, "f(data, rng)", hint + "if from the operating system")

    def play(self, table: Any, runs: int, seed: np.random.SeedSequence, other: Any = None) -> Outputs:  # noqa: ARG002
        """Return the outputs of independent runs on one input."""
        rng = generator(seed)
        try:
            batch = runs if self._batch else 0
            with limited(batch=batch, of_a_run=self.time_limit) as clock, one_thread(), global_generators_seeded(seed):
                if self._batch is not None:
                    found = self._batch(input_of(table, plain=False), rng, runs)
                    refuse_masks("output", found)
                    return outputs_from_batch(np.asarray(found), runs)
                outputs = []
                for _ in range(runs):
                    clock.next_run()
                    outputs.append(self._output(table, rng))
            return outputs_of(outputs)
        except (PrivcheckError, KeyboardInterrupt):
            raise
        except BaseException as error:
            got = words(describe_exception(error))
            raise PolicyError("target", got, "a mechanism that returns an output", StreamPair.hint_on(table)) from None

    def _output(self, table: Any, rng: np.random.Generator) -> Any:
        """Return the output of one run, which may be an exception that the function raises."""
        if is_measurement(self.mechanism):
            return self._encoded(self.mechanism(input_of(table, plain=True)))
        data = input_of(table, plain=False)  # afresh: a mechanism may change its input
        try:
            output = self.mechanism(data) if self._bare else self.mechanism(data, own_generator(rng))
        except (PrivcheckError, MemoryError):
            raise
        except Exception as error:
            self.raised = describe_exception(error)
            return Raised.by(error, message=self.messages)
        return self._encoded(output)

    def _encoded(self, output: Any) -> Any:
        if self.encode is None:
            return output
        try:
            return self.encode(output)
        except Exception as error:
            hint = "encode receives every output that the target returns; exceptions are outputs by themselves"
            raise PolicyError("encode", words(describe_exception(error)), "a function of one output", hint) from None


def input_of(table: Any, *, plain: bool) -> Any:
    """Return a copy of an input: an array without axes as a number, and everything as lists if `plain`, for OpenDP."""
    if isinstance(table, Given):
        return table.afresh()
    if not isinstance(table, np.ndarray):
        return table
    return table.tolist() if plain or table.ndim == 0 else table.copy()


def outputs_from_batch(outputs: np.ndarray[tuple[int, ...], np.dtype[Any]], runs: int) -> Outputs:
    """Return the rows of an array as outputs.

    >>> len(outputs_from_batch(np.zeros(3), 3))
    3
    """
    if outputs.shape[:1] != (runs,) or outputs.dtype.kind not in "biufUSO":
        got = words(f"shape {outputs.shape} of {outputs.dtype}")
        raise PolicyError("output", got, f"an array of numbers or texts with {runs} rows, one per run")
    if outputs.dtype.kind in "USO":
        return outputs_of(list(outputs))
    flat = outputs.reshape(runs, -1)
    if flat.dtype.kind == "f":
        flat = flat.astype(np.float64)
        return outputs_of(list(flat)) if np.isnan(flat).any() else Outputs.of_numbers(flat)
    small = flat.dtype.kind == "b" or -128 <= flat.min(initial=0) <= flat.max(initial=0) <= 127
    return Outputs.of_symbols(flat.astype(np.int8 if small else np.int64))
