"""Declared parameters: one declaration drives validation, documentation and random draws in tests."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Protocol

from privcheck.errors import PrivcheckError


class Domain(Protocol):
    """A set of legal values that can say what it contains."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""

    def normalise(self, value: Any) -> Any:
        """Return `value` in its canonical type, or raise ValueError or TypeError when it is not in the domain."""


@dataclass(frozen=True)
class Real:
    """A finite interval of real numbers.

    >>> Real(0.0, math.inf, low_open=True).text
    'a finite number above 0'
    >>> Real(0.0, 1.0).text
    'a number in [0, 1]'
    """

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False

    @property
    def text(self) -> str:
        if self.high == math.inf:
            if self.low == -math.inf:
                return "a finite number"
            return f"a finite number {'above' if self.low_open else 'of at least'} {self.low:g}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"a number in {left}{self.low:g}, {self.high:g}{right}"

    def normalise(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError
        number = float(value)
        above = number > self.low if self.low_open else number >= self.low
        below = number < self.high if self.high_open else number <= self.high
        if not (math.isfinite(number) and above and below):
            raise ValueError
        return number


@dataclass(frozen=True)
class Budget:
    """A privacy budget: 0 and infinity are budgets too, about which few theorems say anything.

    >>> Budget().normalise(math.inf)
    inf
    """

    @property
    def text(self) -> str:
        return "a number of at least 0, or infinity"

    def normalise(self, value: Any) -> float:
        return math.inf if value == math.inf else Real(0.0).normalise(value)


@dataclass(frozen=True)
class Integer:
    """A range of integers.

    >>> Integer(2).text
    'an integer of at least 2'
    """

    low: int
    high: int | None = None

    @property
    def text(self) -> str:
        return f"an integer of at least {self.low}" if self.high is None else f"an integer in [{self.low}, {self.high}]"

    def normalise(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not float(value).is_integer():
            raise TypeError
        number = int(float(value)) if not isinstance(value, numbers.Integral) else int(value)
        if number < self.low or (self.high is not None and number > self.high):
            raise ValueError
        return number


@dataclass(frozen=True)
class Choice:
    """One of a few named options.

    >>> Choice(("laplace", "gumbel")).text
    "one of 'laplace', 'gumbel'"
    """

    options: Collection[str]

    @property
    def text(self) -> str:
        return "one of " + ", ".join(repr(option) for option in self.options)

    def normalise(self, value: Any) -> str:
        if value not in self.options:
            raise ValueError
        return str(value)


@dataclass(frozen=True)
class Switch:
    """True or False.

    >>> Switch().normalise(1), Switch().text
    (True, 'True or False')
    """

    @property
    def text(self) -> str:
        return "True or False"

    def normalise(self, value: Any) -> bool:
        if value not in (True, False):
            raise ValueError
        return bool(value)


@dataclass(frozen=True)
class OrNone:
    """A domain, or None for "not given"."""

    inner: Domain

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return self.inner.text

    def normalise(self, value: Any) -> Any:
        """Return None as it is, and anything else as the inner domain does."""
        return None if value is None else self.inner.normalise(value)


POSITIVE = Real(0.0, math.inf, low_open=True)
UNIT_INTERVAL = Real(0.0, 1.0)


def check(name: str, value: Any, domain: Domain, hint: str = "") -> Any:
    """Return `value` in the canonical type of `domain`, or raise `PrivcheckError` that says what, got, expected, hint.

    >>> check("horizon", 16.0, Integer(1))
    16
    """
    try:
        return domain.normalise(value)
    except (TypeError, ValueError, OverflowError):
        raise PrivcheckError(name, value, domain.text, hint) from None


def parameter(
    domain: Domain, *, typical: tuple[Any, ...], doc: str, default: Any = MISSING, hint: str = "", **more: Any
) -> Any:
    """Declare one field of a `Declared` dataclass.

    Parameters
    ----------
    domain : the legal values.
    typical : for numbers the (low, high) of everyday use, for choices the options; tests draw from it.
    doc : one line: symbol, unit, meaning.
    default : the default; without one the parameter is required.
    hint : what to do when a value is refused.
    more : what else the class wants to know of its parameters.
    """
    metadata = {"domain": domain, "typical": typical, "doc": doc, "hint": hint, **more}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


class Declared:
    """Base of dataclasses whose fields are declared with `parameter`: checked and normalised at construction."""

    def __post_init__(self) -> None:
        for declared in declared_fields(type(self)):
            value = getattr(self, declared.name)
            checked = check(declared.name, value, declared.metadata["domain"], declared.metadata["hint"])
            object.__setattr__(self, declared.name, checked)


def declared_fields(cls: type) -> list[Field[Any]]:
    """Return the fields of a dataclass that were declared with `parameter`, in order."""
    return [f for f in fields(cls) if "domain" in f.metadata]
