"""Keys of chunks tell apart what can play in different ways: values that print alike, objects of classes that are
derived from compiled ones, and functions with the same instructions.
"""

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import datetime as dt
import decimal
import functools
import operator
import os
import random
import re
import subprocess
import sys
import types
from pathlib import Path

import numba
import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace
from privcheck.scheduling import _chunk_keys as chunk_keys
from privcheck.scheduling import digest


class Window(collections.deque):
    pass


class Refused(Exception):
    pass


class Day(dt.date):
    pass


class Pair(ctypes.Structure):
    _fields_ = [("first", ctypes.c_int), ("second", ctypes.c_int)]


class Numbers(array.array):
    pass


class Code(bytearray):
    pass


class Name(str):
    def __repr__(self):
        return "a name"


class Count(int):
    def __repr__(self):
        return "a count"


class Slotted:
    __slots__ = ("number",)


class Marked:
    __scale__ = 1.0
    _abc_scale = 1.0


def taking(several):
    if several:

        def taken(*values):
            return len(values)
    else:

        def taken(values):
            return len(values)

    return taken


def subtracting(turned):
    return (lambda b, a: b - a) if turned else (lambda a, b: a - b)


def keyword_only(only):
    return (lambda a, *, b=None: (a, b)) if only else (lambda a, b=None: (a, b))


def stepping(value):
    return value + 1


def in_itself(deep):
    outer, inner = [], []
    inner.append(inner if deep else outer)
    outer.append(inner)
    return outer


def with_method(text):
    space = {}
    exec(f"def scale(self): return {text}", space)
    return type("Made", (), {"scale": space["scale"], "__module__": __name__})


def with_default(value):
    return collections.namedtuple("Scaled", "scale", defaults=[value], module=__name__)


def with_keyword(value):
    return type("Made", (), {"f": functools.partialmethod(stepping, value=value), "__module__": __name__})


RAW = np.array([1, 2], np.int32).tobytes()
TABLE = np.arange(6.0).reshape(2, 3)
TEXTS = np.dtypes.StringDType()

PAIRS = {
    "arguments with and without a star": (taking(True), taking(False)),
    "arguments in another order": (subtracting(True), subtracting(False)),
    "an argument that is a keyword only": (keyword_only(True), keyword_only(False)),
    "how numba compiles it": (numba.njit(stepping), numba.njit(fastmath=True)(stepping)),
    "a deque of an own class": (Window([1]), Window([2])),
    "how long it may be": (Window([1], 2), Window([1], 3)),
    "the state of random.Random": (random.Random(1), random.Random(2)),
    "the arguments of an error": (ValueError(1), ValueError(2)),
    "the same of an own class": (Refused("a"), Refused("b")),
    "a date of an own class": (Day(2026, 1, 1), Day(2026, 1, 2)),
    "a structure of C": (Pair(1, 2), Pair(2, 1)),
    "a number of C": (ctypes.c_double(1.0), ctypes.c_double(2.0)),
    "an array of an own class": (Numbers("d", [1.0]), Numbers("d", [2.0])),
    "bytes of an own class": (Code(b"a"), Code(b"b")),
    "texts that print alike": (Name("a"), Name("b")),
    "integers that print alike": (Count(1), Count(2)),
    "a float of numpy, which divides by zero": (1.0, np.float64(1.0)),
    "the sign of what is no number": (float("nan"), -float("nan")),
    "the order of a dict": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "the order of an ordered one": tuple(map(collections.OrderedDict, ([(0, 1), (1, 0)], [(1, 0), (0, 1)]))),
    "the names of fields": tuple(np.frombuffer(RAW, [(a, "i4"), (b, "i4")]) for a, b in ("xy", "yx")),
    "objects in fields": tuple(np.array([(1, held)], [("a", "i4"), ("b", "O")]) for held in ([1], [2])),
    "long texts of an array": (np.array(["a" * 99], TEXTS), np.array(["b" * 99], TEXTS)),
    "the order in which numbers lie": (TABLE, np.asfortranarray(TABLE)),
    "what is in itself": (in_itself(False), in_itself(True)),
    "the size of a pool of entropy": (np.random.SeedSequence(5), np.random.SeedSequence(5, pool_size=8)),
    "paths that are no UTF-8": (Path(os.fsdecode(b"\xff")), Path(os.fsdecode(b"\xfe"))),
    "what a method of a built-in object reads": ({"a": 1.0}.get, {"a": 2.0}.get),
    "a method that a program has written": (with_method("1.0"), with_method("2.0")),
    "the default of a named tuple": (with_default(1.0), with_default(2.0)),
    "a keyword of a partial method": (with_keyword(1.0), with_keyword(2.0)),
    "integers of very many digits": (10**9999, 10**9999 + 1),
    "a deque": (collections.deque([1.0]), collections.deque([2.0])),
    "a decimal number": (decimal.Decimal("0.1"), decimal.Decimal("0.10")),
    "a pattern": (re.compile("a"), re.compile("b")),
    "what picks an item": (operator.itemgetter(0), operator.itemgetter(1)),
    "a timezone": tuple(dt.timezone(dt.timedelta(hours=hours)) for hours in (1, 2)),
}  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_what_plays_in_different_ways_has_different_keys(pair):
    one, other = map(digest, pair)
    assert one == digest(pair[0]) != other


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_it_has_where_code_names_it(pair):
    def naming(held):
        space = {"held": held, "__name__": __name__}
        exec("def named(): return held", space)
        return digest(space["named"])

    assert naming(pair[0]) == naming(pair[0]) != naming(pair[1])


def test_a_module_that_is_passed_counts_with_what_it_holds(monkeypatch):
    module = types.ModuleType("passed")
    module.scale, module.itself = 1.0, module
    before = digest({"held": module})
    assert digest({"held": module}) == before
    module.scale = 2.0
    assert digest({"held": module}) != before


def test_without_own_code_that_libraries_hold_its_change_is_not_seen(monkeypatch):
    """As pickle has it, by name only."""
    held = collections.ChainMap({"a": Marked})
    space = {"held": held, "__name__": __name__}
    exec("def named(): return held", space)
    before = digest(space["named"])
    with monkeypatch.context() as patch:
        patch.setattr(Marked, "__scale__", 2.0)
        assert digest(space["named"]) != before
    monkeypatch.setattr(chunk_keys._LeavesOwn, "persistent_id", lambda *_: None)
    before = digest(space["named"])
    monkeypatch.setattr(Marked, "__scale__", 2.0)
    assert digest(space["named"]) == before


def test_the_types_of_a_vectorised_function_count_where_code_names_it():
    spaces = [{"held": np.vectorize(stepping, otypes=[kind]), "__name__": __name__} for kind in (int, float)]
    for space in spaces:
        exec("def named(): return held", space)
    one, other = (digest(space["named"]) for space in spaces)
    assert one == digest(spaces[0]["named"]) != other


def test_the_default_of_a_context_variable_counts():
    spaces = [{"held": contextvars.ContextVar("c", default=scale), "__name__": __name__} for scale in (1.0, 2.0)]
    for space in spaces:
        exec("def named(): return held", space)
    one, other = (digest(space["named"]) for space in spaces)
    assert one == digest(spaces[0]["named"]) != other


@pytest.mark.parametrize("generator", [np.random.default_rng(1), np.random.RandomState(1), np.random.PCG64(1)])
def test_a_generator_that_is_passed_is_refused(generator):
    """Its state changes with each draw: no chunk would ever be found again."""
    with pytest.raises(PrivcheckError, match="the same in every process"):
        digest(functools.partial(stepping, generator))


@pytest.mark.parametrize("name", ["__scale__", "_abc_scale"])
def test_an_attribute_of_a_class_counts_whatever_its_name(name, monkeypatch):
    before = digest(Marked)
    monkeypatch.setattr(Marked, name, 2.0)
    assert digest(Marked) != before


@pytest.mark.parametrize(
    "put", [stepping, staticmethod(stepping), property(stepping)], ids=["method", "static", "property"]
)
def test_an_own_function_in_a_class_of_a_library_counts(put, monkeypatch):
    """As where a test replaces what a mechanism draws: code that names the class need not name the method."""
    spec = ALGORITHMS["ucb"](arms=2)
    before = digest(spec), digest(of_a_mechanism)
    monkeypatch.setattr(type(spec), "build", put)
    monkeypatch.setattr(Laplace.__mro__[1], "release", put)
    after = digest(spec), digest(of_a_mechanism)
    assert all(one != other for one, other in zip(before, after, strict=True))


def of_a_mechanism():
    return Laplace


def test_what_a_key_reads_of_an_object_does_not_change_it():
    before = digest(Slotted), digest(Window)
    held = Slotted()
    held.number = 1
    assert digest(held) == digest(held)
    assert digest(Window([held])) == digest(Window([held]))
    assert (digest(Slotted), digest(Window)) == before


def test_without_what_is_beside_attributes_the_state_of_a_generator_is_not_seen(monkeypatch):
    monkeypatch.setattr(chunk_keys, "_beside_attributes", lambda _: [])
    assert digest(random.Random(1)) == digest(random.Random(2))


def test_keys_are_the_same_in_every_process():
    lines = [
        "from privcheck.scheduling import digest",
        "import random, numpy as np",
        f"print(digest(({VALUES})))",
    ]
    found = {
        subprocess.run(
            [sys.executable, "-P", "-c", "\n".join(lines)], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert found == {f"{digest(eval(VALUES))}\n"}


VALUES = "random.Random(1), ValueError('a', 1), {'b': 1, 'a': 2}, {'b', 'a'}, np.array(['a'], np.dtypes.StringDType())"


NAMING = """
import collections, functools, numbers, random, sys, types
import numba, numpy as np
from random import gauss
from numpy.random import laplace
from scipy.stats import norm
from privcheck.scheduling import digest

if len(sys.argv) > 1:
    __import__("statistics")
    numbers.Number.register(collections.UserList)
    np.random.seed(1), random.seed(1)

names = {"b", "a", "c"}

@functools.singledispatch
def by_type(value):
    return 1

@by_type.register(numbers.Number)
def _(value):
    return 2

if len(sys.argv) > 1:
    by_type(3)

def stepping(value):
    return value + 1.0

def of_attributes(value):
    return value.statistics

HELD = {
    "what is passed": functools.partial(digest, 1),
    "a set in an object of a library": types.SimpleNamespace(names=names),
    "a set in a deque": collections.deque([frozenset(names)]),
    "a method of a class of a library": functools.partial(sorted, key=str.lower),
    "a distribution": norm(0, 1),
    "its family": norm,
    "a global generator of Python": gauss,
    "a global generator of numpy": laplace,
    "another generator": np.random.default_rng(3),
    "a function by type": by_type,
    "what numba has compiled": types.SimpleNamespace(f=numba.njit(stepping), g=numba.vectorize(["f8(f8)"])(stepping)),
    "an attribute that has the name of a module": of_attributes,
}
for name, held in HELD.items():
    space = {"__name__": "json", "held": held}
    exec("def named(): return held", space)
    print(name, digest(held if name == "what is passed" else space["named"]), sep=": ")
"""


def test_keys_of_what_code_names_are_the_same_in_every_process(tmp_path):
    """Whatever the seed of hashes, the state of global generators, other imports and calls before."""
    (tmp_path / "naming.py").write_text(NAMING)
    one, other = (
        subprocess.run(
            [sys.executable, "-P", str(tmp_path / "naming.py"), *arguments],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed, arguments in (("1", []), ("2", ["later"]))
    )
    assert len(one) == 12
    assert one == other


class Asked:
    """It notes what others ask for, or raises another error than it should."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        self.asked.append(name)
        raise KeyError(name)


def test_what_an_object_makes_up_is_not_asked_for():
    held = Asked()
    space = {"held": held, "__name__": __name__}
    exec("def named(): return held", space)
    before = digest(held), digest(space["named"])
    assert held.asked == []
    held.scale = 1.0
    assert all(one != other for one, other in zip(before, (digest(held), digest(space["named"])), strict=True))


def test_a_changed_function_by_type_has_another_key():
    def made(scale):
        @functools.singledispatch
        def by_type(_):
            return scale

        return by_type

    assert digest(made(1.0)) == digest(made(1.0)) != digest(made(2.0))


OF_ATTRS = """
import attrs
from privcheck.scheduling import digest

@attrs.frozen
class Frozen:
    scale: float = 1.0

print(digest(Frozen()), digest(Frozen(2.0)))
"""


def test_a_frozen_class_of_attrs_has_one_key_in_every_process(tmp_path):
    """Its hash has a number in it that depends on the seed of hashes."""
    pytest.importorskip("attrs")
    (tmp_path / "frozen.py").write_text(OF_ATTRS)
    command = [sys.executable, "-P", str(tmp_path / "frozen.py")]
    one, other = (
        subprocess.run(
            command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout.split()
        for seed in ("1", "2")
    )
    assert one == other
    assert one[0] != one[1]
