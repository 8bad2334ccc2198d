"""Numbers that have one value on each of two streams, and know where code reads them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from privcheck.private_values import Leak, find_leak

Place = tuple[str, int]


class Readings:
    """The readings in one run of numbers that differ between two streams.

    Parameters
    ----------
    forced : the lines, by file and number, at which the outcome is that on the first stream.

    Attributes
    ----------
    found : the lines at which outcomes differ.
    read : what was compared or converted on the second stream when outcomes first differed, by line and by the number
        of actions so far.
    """

    def __init__(self, forced: frozenset[Place] = frozenset()) -> None:
        self.forced, self.found = forced, dict[Place, Leak]()
        self.actions = 0
        self.read = dict[tuple[Place, int], tuple[float, ...]]()

    def outcome(
        self, kind: str, operation: str, rounds: tuple[int, ...], first: Any, second: Any, values: tuple[float, ...]
    ) -> Any:
        """Return the outcome of a reading of values, which is the second one except where the first one is forced."""
        if first == second:
            return second
        leak = find_leak(kind, operation, rounds, "")
        self.read.setdefault(((leak.file, leak.line), self.actions), tuple(map(float, values)))
        self.found.setdefault((leak.file, leak.line), leak)
        return first if (leak.file, leak.line) in self.forced else second


class PairedNumber(float):
    """A number that is computed for two streams at once; as a float it is the one on the second stream.

    Parameters
    ----------
    second, first : its values on the two streams.
    rounds : the rounds that it depends on, of those in which the streams differ.
    readings : where comparisons and conversions whose outcomes differ are kept.

    Examples
    --------
    >>> readings = Readings()
    >>> number = PairedNumber(0.0, 1.0, (3,), readings)
    >>> 2.0 * number + 1.0 > 2.0
    False
    >>> [leak.operation for leak in readings.found.values()]
    ['>']
    """

    first: float
    rounds: tuple[int, ...]
    readings: Readings

    def __new__(cls, second: float, first: float, rounds: tuple[int, ...], readings: Readings) -> PairedNumber:
        self = super().__new__(cls, second)
        self.first, self.rounds, self.readings = float(first), rounds, readings
        return self

    def __bool__(self) -> bool:
        return bool(self._read("branch", "truth value", bool))

    def __int__(self) -> int:
        return int(self._read("conversion", "int()", int))

    def __round__(self, digits: Any = None) -> Any:
        return self._read("function", "round()", lambda value: round(value, digits))

    def __trunc__(self) -> int:
        return int(self._read("function", "math.trunc()", int))

    def __hash__(self) -> int:
        return float.__hash__(self)

    def __reduce__(self) -> Any:
        return float, (float(self),)

    def __deepcopy__(self, memo: dict[int, Any]) -> PairedNumber:
        return self

    __copy__ = __pos__ = lambda self: self

    def _read(self, kind: str, operation: str, function: Callable[[float], Any]) -> Any:
        return self.readings.outcome(
            kind, operation, self.rounds, function(self.first), function(float(self)), (float(self),)
        )


def _values(value: Any) -> tuple[float, float]:
    """Return the values of any number on the two streams."""
    return (value.first, float(value)) if isinstance(value, PairedNumber) else (value, value)


def _arithmetic(name: str) -> Callable[..., Any]:
    method = getattr(float, name)

    def compute(self: PairedNumber, *others: Any) -> Any:
        ones, twos = zip(_values(self), *map(_values, others), strict=True)
        second = method(*twos)
        if not isinstance(second, float):
            return second
        try:
            first = method(*ones)
        except (ArithmeticError, ValueError):
            return second
        if not isinstance(first, float):
            return second
        rounds = {number for part in (self, *others) for number in getattr(part, "rounds", ())}
        return PairedNumber(second, first, tuple(sorted(rounds)), self.readings)

    compute.__name__ = name
    return compute


def _comparison(symbol: str, function: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    method = f"__{function.__name__}__"

    def compare(self: PairedNumber, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            return getattr(float, method)(self, other)
        ones, twos = zip(_values(self), _values(other), strict=True)
        return self.readings.outcome("comparison", symbol, self.rounds, function(*ones), function(*twos), twos)

    compare.__name__ = method
    return compare


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
for _name in (*_OPERATORS, *(f"r{name}" for name in _OPERATORS), "neg", "abs"):
    setattr(PairedNumber, f"__{_name}__", _arithmetic(f"__{_name}__"))
for _symbol, _function in (
    ("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge), ("==", operator.eq),
    ("!=", operator.ne),
):  # fmt: skip
    setattr(PairedNumber, f"__{_function.__name__}__", _comparison(_symbol, _function))
