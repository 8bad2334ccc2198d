"""What functions of one number use, looked through: what surely tells, what is not known, and what is."""

from __future__ import annotations

import collections.abc
import decimal
import logging
import math
import operator
import reprlib
import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np
import pytest

from privcheck.reached_state._looked_through import looked_through


class Shape:
    """An object of one's own with operators, properties and a helper."""

    def __init__(self, power):
        self.power = power

    def __call__(self, x):
        return self.scaled(x) * self.weight

    @property
    def weight(self):
        return 0.5

    @staticmethod
    def scaled(x):
        return max(0.0, x)


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def within(self, x):
        return min(self.high, max(self.low, x))


class Numbers(list):
    @reprlib.recursive_repr()
    def __repr__(self):
        return f"{float(self[0])}"


def largest(x):
    try:
        return max([x, *(x**power for power in range(1, 4))])
    except (ValueError, OverflowError) as error:
        raise TypeError(str(error)) from error


def with_imports(x):
    import cmath
    from math import log1p

    return log1p(x) + cmath.sqrt(x).real


EDGES = np.linspace(0.0, 1.0, 5)
LIMITS = Interval(0.0, 0.5)
WEIGHTS = {"low": 0.1, "high": 0.9}
GETTER, SETTINGS = operator.attrgetter("real"), decimal.Context()
KNOWN = {
    "numpy": lambda x: float(np.mean(np.clip([x, 0.5], 0.1, 0.9))),
    "numpy's tables": lambda x: float(np.interp(x, EDGES, EDGES**2)),
    "a bin": lambda x: float(np.digitize(x, EDGES)) / 5.0,
    "linear algebra": lambda x: float(np.linalg.norm([x, 1.0 - x])),
    "an object": Shape(2),
    "a method": Shape(2).scaled,
    "an object of a class that is made": lambda x: Shape(x)(x),
    "a data class": lambda x: LIMITS.within(x),
    "another data class": lambda x: Interval(0.0, x).within(0.5),
    "own functions": largest,
    "imports": with_imports,
    "statistics": lambda x: statistics.fmean([x, 0.5]),
    "operators": lambda x: operator.mul(x, 0.5),
    "a dictionary": lambda x: WEIGHTS["high" if x > 0.5 else "low"],
    "text": lambda x: float(f"{x:.2f}") + float(f"{x:.1f}"),
    "an attribute by its name": lambda x: getattr(LIMITS, "high") * x,  # noqa: B009
    "limits of floats": lambda x: max(x, sys.float_info.epsilon),
    "a comprehension": lambda x: sum(x**power / math.factorial(power) for power in range(4)),
    "a repr that may meet itself": lambda x: float(repr(Numbers([x]))),
    "text that is searched": lambda x: len(str(x).strip("0").split(".")) / 4.0,
    "functions in a list": lambda x: [math.sqrt, abs][x > 0.5](x),
}
UNKNOWN = {
    "a logger": (lambda x: logging.getLogger("a").info(x) or x, "logging.getLogger"),
    "the environment": (lambda x: x * float(__import__("os").environ.get("SCALE", 1)), "__import__"),
    "a computed attribute": (lambda x: getattr(LIMITS, str(x)), "an attribute whose name is computed"),
    "a computed format": (lambda x: float(("{0." + "real}").format(x)), "an attribute whose name is computed"),
    "subclasses": (lambda x: len(object.__subclasses__()), "the attribute __subclasses__"),
    "names": (lambda x: globals().get("x", x), "globals"),
    "names of a module": (lambda x: (lambda module: module.__dict__["e"])(math), "the names of math"),
    "a class that is registered": (lambda x: collections.abc.Sized.register(Shape) and x, "the attribute register"),
    "a class that is made": (lambda x: type("Made", (Shape,), {})(x)(x), "a class that it makes"),
    "the getter of an attribute": (lambda x: operator.attrgetter("re" + str(x))(x), "operator.attrgetter"),
    "a getter that is kept": (lambda x: GETTER(x), "operator.attrgetter"),
    "settings of decimal": (lambda x: decimal.DefaultContext.prec, "decimal.DefaultContext"),
    "settings that are kept": (lambda x: SETTINGS.prec, "decimal.Context"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_an_ordinary_function_is_trusted_silently(name) -> None:
    KNOWN[name](0.25)
    assert looked_through(KNOWN[name]) == ((), ())


def sets_settings(x):
    decimal.DefaultContext.prec = 5
    return x


def test_what_is_set_of_a_module_of_others_is_refused() -> None:
    assert looked_through(sets_settings).impure == ("decimal.DefaultContext.prec, which it sets",)


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_on_no_list_is_named(name) -> None:
    function, said = UNKNOWN[name]
    assert any(each.startswith(said) for each in looked_through(function).unknown)


def hides(value):
    """Return functions that use a value, reached by a way that is not a global's name."""

    class Own:
        kept = {"by": [value]}  # noqa: RUF012
        attribute = value

        @property
        def asked(self):
            return value

        def __add__(self, other):
            return value(other)

        def by_default(self, x, tell=value):
            return tell(x)

        class Inner:
            attribute = value

    def decorated(function):
        def called(x):
            value(x)
            return function(x)

        return called

    own = Own()
    return {
        "a closure": lambda x: value(x),
        "a container of a class": lambda x: Own.kept["by"][0](x),
        "an attribute of a class": lambda x: Own.attribute(x),
        "an attribute of an object": lambda x: own.attribute(x),
        "an attribute by its name": lambda x: getattr(own, "attribute")(x),  # noqa: B009
        "a property": lambda x: own.asked(x),
        "an operator": lambda x: own + x,
        "a default": own.by_default,
        "a class within a class": lambda x: own.Inner.attribute(x),
        "a decorator": decorated(abs),
        "a comprehension": lambda x: [tell(x) for tell in (value,)],
        "map": lambda x: list(map(value, [x])),
        "a lambda in a lambda": lambda x: (lambda: (lambda: value(x))())(),
        "another class of an object": lambda x: type(own)().attribute(x),
    }


@pytest.mark.parametrize("name", hides(print))
def test_a_function_is_found_however_it_is_hidden(name) -> None:
    assert looked_through(hides(print)[name]).impure == ("print",)
    assert looked_through(hides(logging.info)[name]).unknown == ("logging.info",)
    assert looked_through(hides(math.sqrt)[name]) == ((), ())


def test_long_containers_of_numbers_take_no_time() -> None:
    table = [0.5] * 1_000_000
    before = time.process_time()
    for _ in range(10):
        assert looked_through(lambda x: table[int(x)]) == ((), ())
    assert time.process_time() - before < 2.0
