"""The tapes of record and replay: calls of primitives beside the releases of our own mechanisms, in one order."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

import numpy as np

from privcheck.accounting import NOTHING, Charge
from privcheck.certifying._primitives.measured_distance import METRICS, metric_of, numbers
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import DivergenceError, ForcedTape, Mechanism, Tape

HERE = str(Path(__file__).parent)
OURS = str(Path(__file__).parents[2])
LIBRARIES = (
    "numpy", "random", "secrets", "uuid", "tempfile", "functools", "scipy", "pandas", "torch", "jax", "statistics",
    "sklearn", "diffprivlib",
)  # fmt: skip
"""Packages whose frames are passed over on the way from a draw to the line that asked for it."""

ROUNDING = 1e-9
"""The relative difference of two numbers that float rounding may make."""

ONE_BY_ONE = "what answers queries is not replayed: call each measurement that it makes by itself"
"""What to do about an output that cannot be copied."""

PUBLIC = (bool, int, float, str, bytes, type(None), np.generic)


@dataclass(frozen=True)
class Made:
    """A release that a run makes through a primitive.

    Parameters
    ----------
    name : the primitive.
    law : what it costs: a mechanism or a law; None if that is not known.
    value : the private input.
    declared : the sensitivity that the code states; None if it states none.
    metric : the metric of inputs, or a function; None where neither the law nor the declaration has one.
    public : what else it was called with, as text; it must be the same on both streams.
    location : file and line of the code that called it.
    read : how and where noise was read to which nothing had been added, in words; "" for other releases.
    arguments, private : what it was called with, as texts by name, and which of them is declared to be private.
    is_ours : whether the code would have read it later, and privcheck takes the noise itself for the release.
    """

    name: str
    law: Any
    value: Any
    declared: float | None
    metric: Any
    public: str
    location: str
    read: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    private: str = ""
    is_ours: bool = False


@dataclass(frozen=True)
class Measured:
    """One release on two neighbouring streams.

    Parameters
    ----------
    made : the release on the neighbouring stream.
    round : the round in which it was made; 0 outside rounds.
    distance : how far apart the two inputs are; None if the metric is not known.
    charge : what that costs; None if the law is not known.
    log_ratio : ln of the density of the output on the recorded stream over that on the neighbouring one, where the law
        is a mechanism of privcheck; 0.0 elsewhere.
    """

    made: Made
    round: int
    distance: float | None
    charge: Charge | None
    log_ratio: float = 0.0


@dataclass
class CallTape(Tape):
    """Records the releases of one run, those of primitives too."""

    made: list[Made] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    rests: list[tuple[float, float]] = field(default_factory=list)

    def rest(self, number: float, size: float, place: str, is_coin: bool = False) -> float:  # noqa: ARG002
        """Record what a number has beside noise that was released before with something else, and return it."""
        self.rests.append((number, size))
        return number

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:  # noqa: ARG002
        """Draw a release of a mechanism of ours, record it and return it."""
        exact = np.array(value, float)
        given = exact.astype(np.int64) if mechanism.integers is not None else (exact if exact.ndim else float(exact))
        return self.make(of_mechanism(mechanism, exact), lambda: mechanism.draw(given, self.noise))

    def make(self, made: Made, draw: Callable[[], Any]) -> Any:
        """Draw a release, record it and return it."""
        output = draw()
        self.made.append(made)
        try:
            self.outputs.append(copy.deepcopy(output))
        except Exception:
            got = words(f"an output of {made.name} at {made.location} that cannot be copied, {type(output).__name__}")
            raise PrivcheckError("primitive", got, "numbers, text, or lists of these", ONE_BY_ONE) from None
        return output


@dataclass
class ForcedCalls(ForcedTape):
    """Returns the recorded outputs in order, and measures how far apart the inputs of each release are.

    Parameters
    ----------
    tape : the recorded releases.
    anew : the 0-based numbers of releases that are drawn again, not forced.
    """

    tape: CallTape = field(default_factory=lambda: CallTape(np.random.default_rng(0)))
    measured: list[Measured] = field(default_factory=list)
    rests: int = 0
    anew: frozenset[int] = frozenset()
    uncharged: set[str] = field(default_factory=set)
    """Where noise was drawn that was released with other noise, and then protects a number that differs."""
    divergence: DivergenceError | None = None
    """The first divergence, also if the code caught it."""
    ended: int = 0
    """Its round."""

    @property
    def is_finished(self) -> bool:
        """Whether every recorded release was made again."""
        return self.position == len(self.tape.made)

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:  # noqa: ARG002
        """Return the recorded output of a mechanism of ours."""
        exact = np.array(value, float)
        given = exact.astype(np.int64) if mechanism.integers is not None else (exact if exact.ndim else float(exact))

        def draw() -> Any:
            return mechanism.draw(given, self.tape.noise) if self.position - 1 in self.anew else None

        return self.make(of_mechanism(mechanism, exact), draw)

    def rest(self, number: float, size: float, place: str, is_coin: bool = False) -> float:
        """Compare what a number has beside noise that was released before; return the recorded one if they agree.

        Nothing protects it, unless that noise was released only because other noise was added to it. The last bits of a
        number that agrees must not differ either: an iteration would end elsewhere, and then all that follows differs.
        """
        was, then = self.tape.rests[self.rests] if self.rests < len(self.tape.rests) else (number, size)
        self.rests += 1
        if abs(number - was) > ROUNDING * max(size, then):
            if is_coin:
                self.uncharged.add(place)
                return number
            self._diverge(f"{place}: the noise drawn here is in several numbers, and nothing protects their difference")
        return was

    def make(self, made: Made, draw: Callable[[], Any]) -> Any:
        """Compare a release with the recorded one, and return the recorded output."""
        number = self.position + 1
        if self.position >= len(self.tape.made):
            self._diverge(f"{made.location}: {made.name} is called on one stream only (release {number})")
        was, output = self.tape.made[self.position], self.tape.outputs[self.position]
        self.position += 1
        if (was.name, was.location) != (made.name, made.location):
            self._diverge(
                f"release {number} is made by {was.name} at {was.location} on one stream and by {made.name} at "
                f"{made.location} on the other"
            )
        if was.public != made.public or was.declared != made.declared or not _equal(was.law, made.law):
            self._diverge(
                f"{made.location}: {made.name} is called with other parameters on the other stream (release "
                f"{number}){_other_arguments(was, made)}"
            )
        drawn = draw()  # what it draws or does to its object has to stay in step; its output is rarely used
        try:
            distance = _distance(made, was.value)
        except DivergenceError as error:
            self._diverge(f"{made.location}: {made.name}: {error}")
        charge = NOTHING if distance == 0.0 else None
        if distance and made.law is not None and distance < math.inf:
            charge = made.law.charge(distance)
        elif distance == math.inf:
            charge = Charge.total(math.inf, math.inf, math.inf)
        loss = 0.0
        if distance and isinstance(made.law, Mechanism) and _is_numeric(output, made.value):
            loss = float(made.law.log_ratio(output, was.value, made.value))
        self.log_ratio += loss
        self.measured.append(Measured(made, self.clock(), distance, charge, loss))
        return drawn if number - 1 in self.anew else copy.deepcopy(output)

    def _diverge(self, reason: str) -> NoReturn:
        if self.divergence is None:
            self.divergence, self.ended = DivergenceError(reason), self.clock()
        raise self.divergence

    def raise_divergence(self) -> None:
        """Raise the first divergence, which the code may have caught, with what was played until then."""
        if self.divergence is not None:
            self.divergence.actions = self.played[: self.ended]
            raise self.divergence from None


def of_mechanism(mechanism: Mechanism, value: Any) -> Made:
    """Return a release of a mechanism of ours."""
    declared = getattr(mechanism, "sensitivity", None)
    name = f"privcheck.mechanisms.{type(mechanism).__name__}"
    return Made(name, mechanism, value, declared, metric_of(mechanism), "", caller(()))


Operation = tuple[CodeType, int]
"""An operation of code: its code object, and the place of the instruction in it."""


def caller(libraries: tuple[str, ...]) -> str:
    """Return file:line of the innermost frame outside privcheck and the libraries, by the names of their packages."""
    frame = _calling_frame(libraries)
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def operation() -> Operation | None:
    """Return which operation of the code, outside privcheck and `LIBRARIES`, is being executed."""
    frame = _calling_frame(LIBRARIES)
    return None if frame is None else (frame.f_code, frame.f_lasti)


def _calling_frame(libraries: tuple[str, ...]) -> FrameType | None:
    """Return the innermost frame outside privcheck and the libraries, or else the innermost outside privcheck."""
    frame, nearest = sys._getframe(2), None
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_filename.startswith((OURS, "<frozen")):
            continue
        nearest = nearest or frame
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in libraries:
            return frame
    return nearest


def is_by_privcheck(frame: FrameType | None) -> bool:
    """Tell whether privcheck makes the call there, outside this folder, or numpy copies a generator.

    Numpy seeds a copy from the system before it gives it the state of the original: nothing is drawn from that seed.
    """
    while frame is not None and (
        frame.f_globals.get("__name__") in ("random", "secrets") or frame.f_code.co_filename.startswith(HERE)
    ):
        frame = frame.f_back
    if frame is None or frame.f_globals.get("__name__") == "numpy.random._pickle":
        return True
    return frame.f_code.co_filename.startswith(OURS)


def public_text(arguments: Any) -> str:
    """Return public arguments as text, by which those of two runs are compared.

    >>> public_text({"scale": 2.0, "owner": object()})
    "{'scale': '2.0', 'owner': 'object'}"
    """
    if isinstance(arguments, PUBLIC):
        return repr(arguments)
    if isinstance(arguments, np.ndarray):
        return f"{arguments.dtype}{arguments.tolist()}"
    if isinstance(arguments, dict):
        return str({key: public_text(value) for key, value in arguments.items()})
    if isinstance(arguments, list | tuple | set | frozenset):
        return str([public_text(value) for value in arguments])
    return type(arguments).__name__


def _is_numeric(*values: Any) -> bool:
    """Tell whether an output and an input are finite numbers of one shape, so that a mechanism compares them."""
    found = [numbers(value) for value in values]
    alike = len({np.shape(value) for value in found}) == 1
    return alike and all(value is not None and np.isfinite(value).all() for value in found)


def _other_arguments(was: Made, made: Made) -> str:
    """Return which public arguments of a call differ, in words: the declaration may name the wrong one as private."""
    names = [
        name for name in {**was.arguments, **made.arguments} if was.arguments.get(name) != made.arguments.get(name)
    ]
    if not names:
        return ""
    verb = "differs" if len(names) == 1 else "differ"
    return (
        f": {' and '.join(names)} {verb}, and only {made.private} is declared to be private (`value` of the primitive)"
    )


def _equal(one: Any, two: Any) -> bool:
    return type(one) is type(two) and bool(one == two)


def _distance(made: Made, other: Any) -> float | None:
    metric = METRICS.get(made.metric) if isinstance(made.metric, str) else made.metric
    return None if metric is None else float(metric(other, made.value))
