"""Declared parameters: one declaration drives validation, documentation and random draws in tests."""

from __future__ import annotations

import difflib
import inspect
import math
import numbers
from abc import ABCMeta
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from privcheck.errors import PrivcheckError, words

P = ParamSpec("P")
R = TypeVar("R")


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
        if type(value) is not float and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
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
        number = value if type(value) is int else _whole(value)
        if number < self.low or (self.high is not None and number > self.high):
            raise ValueError
        return number


def _whole(value: Any) -> int:
    """Return a whole number of any type as an int; raise TypeError for anything else, and for True and False."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not float(value).is_integer():
        raise TypeError
    return int(value) if isinstance(value, numbers.Integral) else int(float(value))


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
        raise PrivcheckError(name, value, domain.text, _quoted_number(value, domain) or hint) from None


def _quoted_number(value: Any, domain: Domain) -> str:
    """Return what to do about a number that was given as text, if the domain has that number.

    >>> _quoted_number("1", Real(0.0)), _quoted_number("-1", Real(0.0)), _quoted_number("1", Switch())
    ('write the number without quotation marks', '', '')
    """
    if isinstance(value, str):
        with suppress(TypeError, ValueError, OverflowError):
            if not isinstance(domain.normalise(float(value)), bool):
                return "write the number without quotation marks"
    return ""


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


class DeclaredType(ABCMeta):
    """The type of `Declared` classes: arguments that the constructor does not take are refused with a PrivcheckError.

    `inspect.signature` and `help` show the signature of the constructor itself.
    """

    if not TYPE_CHECKING:  # for a type checker the constructor is the one that dataclass makes

        def __call__(cls, *arguments, **keywords):
            try:
                return super().__call__(*arguments, **keywords)
            except TypeError:
                check_arguments(cls, arguments, keywords)
                raise

    @property
    def __signature__(cls) -> inspect.Signature:
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class Declared(metaclass=DeclaredType):
    """Base of dataclasses whose fields are declared with `parameter`: checked and normalised at construction."""

    @classmethod
    def hint_for_unknown(cls, name: str) -> str:
        """Return what to do about a parameter that the class does not have, in words; empty if nothing is known."""
        near = difflib.get_close_matches(name, inspect.signature(cls).parameters, n=1)
        return f"did you mean {near[0]!r}?" if near else ""

    def __post_init__(self) -> None:
        for declared in fields_of_objects(type(self)):
            value = getattr(self, declared.name)
            checked = check(declared.name, value, declared.metadata["domain"], declared.metadata["hint"])
            object.__setattr__(self, declared.name, checked)


def declared_fields(cls: type) -> list[Field[Any]]:
    """Return the fields of a class that were declared with `parameter`, in order; none if it is no dataclass."""
    return [f for f in fields(cls) if "domain" in f.metadata] if is_dataclass(cls) else []


@cache
def fields_of_objects(cls: type) -> list[Field[Any]]:
    """Return the declared fields of a class of which there are objects, found once: it has all of them by then."""
    return declared_fields(cls)


MEANT = {
    "eps": "epsilon", "zcdp": "rho", "zcdp_rho": "rho", "concentrated": "rho", "gdp": "mu", "gaussian_dp": "mu",
    "neighbors": "neighbours", "n_arms": "arms", "rounds": "horizon",
}  # fmt: skip
"""What options are called elsewhere, and here."""


def meant(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is most likely meant by another one; None if there is none.

    >>> meant("zcdp", ["rho", "epsilon"]), meant("n-arms", ["arms"]), meant("epsilom", ["rho", "epsilon"])
    ('rho', 'arms', 'epsilon')
    """
    other = MEANT.get(name.replace("-", "_").lower())
    return other if other in known else next(iter(difflib.get_close_matches(name, known, n=1)), None)


def named_options(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse keywords that a function does not take with a PrivcheckError that names the likely one.

    >>> @named_options
    ... def audit(target, *, epsilon=None): ...
    >>> audit("adap-ucb", eps=1.0)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: eps: got 1.0, expected no such parameter of audit; did you mean 'epsilon'?
    """
    names = tuple(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        check_names(function.__name__, names, keywords)
        return function(*arguments, **keywords)

    return checked


def check_names(called: str, known: Collection[str], keywords: dict[str, Any]) -> None:
    """Refuse a keyword that is none of those which a function or a class takes.

    Parameters
    ----------
    called : its name.
    known : the names that it takes.
    keywords : what was given.
    """
    for name, value in keywords.items():
        if name not in known:
            near = meant(name, known)
            hint = f"did you mean {near!r}?" if near else ""
            raise PrivcheckError(name, value, f"no such parameter of {called}, which takes {', '.join(known)}", hint)


def check_arguments(cls: type[Declared], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuse arguments that the constructor of a class does not take, by name.

    Raises
    ------
    PrivcheckError : an unknown keyword, a parameter given twice, too many arguments by position, or too few.

    Examples
    --------
    >>> check_arguments(Declared, (), {})
    """
    parameters = inspect.signature(cls).parameters
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values()):
        return
    takes = f"{cls.__name__}, which takes {', '.join(parameters) or 'none'}"
    for name, value in keywords.items():
        if name not in parameters:
            raise PrivcheckError(name, value, f"no such parameter of {takes}", cls.hint_for_unknown(name))
    by_place = [p.name for p in parameters.values() if p.kind is not p.KEYWORD_ONLY]
    if len(arguments) > len(by_place):
        got = words(f"{len(arguments)} arguments by position")
        most = f"at most {len(by_place)}" if by_place else "all of them by name"
        raise PrivcheckError(cls.__name__, got, most, f"it takes {', '.join(parameters) or 'none'}")
    declared: dict[str, Any] = {f.name: f.metadata for f in declared_fields(cls)}
    for name, parameter in parameters.items():
        is_placed = name in by_place[: len(arguments)]
        if is_placed and name in keywords:
            raise PrivcheckError(name, words("two values"), "one", "it was given by position and by name")
        if not is_placed and name not in keywords and parameter.default is parameter.empty:
            expected, hint = f"a value: {cls.__name__} requires it", ""
            if name in declared:
                expected, hint = declared[name]["domain"].text, declared[name]["doc"]
            raise PrivcheckError(name, words("nothing"), expected, hint)


def by_name_only(expected: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a method whose parameters are all given by name say so, where Python raises a TypeError.

    Parameters
    ----------
    expected : what to give, in words.
    """

    def decorated(method: Callable[P, R]) -> Callable[P, R]:
        @wraps(method)
        def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
            if len(arguments) > 1:
                called: Any = arguments[0]
                got = words(f"{len(arguments) - 1} by position, {', '.join(map(repr, arguments[1:]))}")
                raise PrivcheckError(f"{called.__name__}.{method.__name__}", got, expected)
            return method(*arguments, **keywords)

        return checked

    return decorated
