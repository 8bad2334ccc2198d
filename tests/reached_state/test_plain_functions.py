"""Which functions of one number are known to keep nothing."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from privcheck.reached_state._plain_functions import is_plain

SCALE, OFFSETS, MEMO = 2.0, [0.0], {}


def polynomial(r):
    total = 0.0
    while total < r:
        total += 0.25
    return max(0.0, min(1.0, r**3 - SCALE * r + total))


def closed(scale):
    return lambda r: r * scale


def stores(r):
    global SCALE
    SCALE = r
    return r


TOTAL = np.zeros(1)


def in_place(r, total=TOTAL):
    total += r
    return r


PLAIN = {
    "a cube": lambda r: r**3 - r,
    "a clip": lambda r: max(0.0, min(1.0, r)),
    "a logarithm": lambda r: math.log(r) if r > 0.1 else -2.0,
    "a ufunc": lambda r: np.tanh(r),
    "an indicator": lambda r: float(0.2 < r <= 0.5),
    "own variables": polynomial,
    "another function": lambda r: 0.5 * polynomial(r),
    "a closure over a number": closed(0.5),
    "of math": math.sqrt,
    "of numpy": np.sqrt,
    "a default number": lambda r, power=2: r**power,
}

OTHERS = {
    "a subscript": lambda r: OFFSETS[0] + r,
    "a subscript of a dictionary": lambda r: MEMO[r],
    "an attribute": lambda r: MEMO.setdefault(0, r),
    "a global that is set": stores,
    "an array that is added to": in_place,
    "a closure over a list": closed([1.0]),
    "a membership": lambda r: float(r in MEMO),
    "an iteration": lambda r: sum(x for x in OFFSETS) + r,
    "a list": lambda r: [r][0],
    "an import": lambda r: __import__("math").sin(r),
    "a method": [].append,
    "a global object": lambda r: OFFSETS and r,
    "an unknown function": lambda r: hash(r) or r,
    "a format": lambda r: float(f"{r}"),
    "keywords": lambda r, **others: r,
}


@pytest.mark.skipif(sys.version_info[:2] not in [(3, 11), (3, 12), (3, 13)], reason="no instructions are known")
@pytest.mark.parametrize("name", PLAIN)
def test_plain(name) -> None:
    assert is_plain(PLAIN[name])


@pytest.mark.parametrize("name", OTHERS)
def test_not_known_to_be_plain(name) -> None:
    assert not is_plain(OTHERS[name])


def test_on_another_python_no_function_is_known(monkeypatch) -> None:
    from privcheck.reached_state import _plain_functions

    monkeypatch.setattr(_plain_functions, "ALLOWED", {})
    _plain_functions._instructions_allowed.cache_clear()
    assert not is_plain(PLAIN["a cube"])
    _plain_functions._instructions_allowed.cache_clear()
