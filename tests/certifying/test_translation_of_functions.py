"""Random functions: translated code does what it did with ordinary numbers, and computes the same of private ones."""

from __future__ import annotations

import itertools
import linecache
import math
import random

import numpy as np
import pytest

from privcheck.certifying import Session
from privcheck.certifying._translated.new_arrays import in_guard
from privcheck.certifying._translated.swapped_code import translation
from privcheck.errors import PrivcheckError
from privcheck.privacy import relation
from privcheck.private_values import REVEAL, Private

_NUMBER = itertools.count()
LIMITS = ("0.2", "0.35", "0.5", "0.8")


class Written:
    """Writes a random function of a number `r`, a public number `k` and a list `v`."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def test(self, depth):
        kind = self.random.randrange(7 if depth else 3)
        limit, other = self.random.choice(LIMITS), self.random.choice(LIMITS)
        if kind == 0:
            return f"{self.random.choice(['r', 'x'])} {self.random.choice(['<', '<=', '>', '>='])} {limit}"
        if kind == 1:
            return f"{limit} < r <= {other}"
        if kind == 2:
            return f"k > {limit}"
        if kind == 3:
            return f"not ({self.test(depth - 1)})"
        joined = self.random.choice(["and", "or"])
        return f"({self.test(depth - 1)}) {joined} ({self.test(depth - 1)})"

    def value(self, depth):
        kind = self.random.randrange(9 if depth else 3)
        if kind == 0:
            return self.random.choice(["r", "x", "y", "k"])
        if kind == 1:
            return self.random.choice(LIMITS)
        if kind == 2:
            return f"v[{self.random.randrange(2)}]"
        if kind in (3, 4):
            return f"({self.value(depth - 1)} if {self.test(depth - 1)} else {self.value(depth - 1)})"
        if kind == 5:
            return f"({self.value(depth - 1)} {self.random.choice('+-')} {self.value(depth - 1)})"
        if kind == 6:
            return f"min(max(r, {self.random.choice(LIMITS)}), 0.9)"
        if kind == 7:
            return f"float({self.value(depth - 1)})"
        return f"(lambda z: z if z > {self.random.choice(LIMITS)} else -z)({self.value(depth - 1)})"

    def statements(self, depth, indent):
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            kind, target = self.random.randrange(10), self.random.choice(["x", "y", "v[0]", "v[1]"])
            operator = self.random.choice(["=", "+=", "-="])
            if kind < 2 or depth == 0:
                lines.append(f"{target} {operator} {self.value(2)}")
            elif kind < 4:
                lines += [f"if {self.test(1)}:", f"    {target} {operator} {self.value(1)}"]
                if self.random.random() < 0.5:
                    other = self.random.choice([target, "x", "v[0]"])
                    lines += ["else:", f"    {other} {self.random.choice(['=', '+='])} {self.value(1)}"]
            elif kind == 4:
                lines += [f"if {self.test(1)}:", f"    {target} = {self.value(1)}", f"elif {self.test(1)}:",
                          f"    {target} = {self.value(1)}", "else:", f"    {target} = {self.value(1)}"]  # fmt: skip
            elif kind == 5:
                lines += [f"if {self.test(1)}:", "    return " + self.value(1)]
            elif kind == 8:
                indices = ["int(r)", "round(r)", "r > 0.35", "int(3 * r)", "k > 0.2", "j"]
                lines.append(
                    f"v[{self.random.choice(indices)}] {self.random.choice(['+=', '-=', '*='])} {self.value(1)}"
                )
            elif kind == 9:
                lines += [f"if {self.test(1)}:", f"    x += {self.value(1)}", f"elif {self.test(1)}:",
                          f"    {target} = {self.value(1)}", f"elif {self.test(0)}:", f"    y -= {self.value(0)}",
                          "else:", f"    v[1] += {self.value(0)}"][: self.random.choice([6, 8])]  # fmt: skip
            elif kind == 6:
                lines += [f"for i in range({self.random.randrange(3)}):", *self.statements(depth - 1, "    ")]
            else:
                lines += [f"if k > {self.random.choice(LIMITS)}:", *self.statements(depth - 1, "    ")]
        return [indent + line for line in lines]

    def function(self):
        lines = ["def function(r, k):", "    x, y, v, j = k, 0.5, [0.25, k], 0", *self.statements(2, "    ")]
        lines += [
            f"    if {self.test(1)}:",
            f"        return {self.value(1)}",
            f"    return {self.value(2)} + x + y + v[0]",
        ]
        return "\n".join(lines)


def both(text):
    """Return a function of this text, as it is and translated."""
    file, made = f"/translated/random_{next(_NUMBER)}.py", []
    linecache.cache[file] = len(text), None, [line + "\n" for line in text.splitlines()], file
    for _ in range(2):
        names = {"__name__": "random_functions", "np": np, "math": math}
        exec(compile(text, file, "exec"), names)
        made.append(names["function"])
    code = translation(made[1])
    assert code is not None
    made[1].__code__ = code
    return made


def outcome(function, *arguments):
    """Return what a function returns, or the error that it raises."""
    try:
        return function(*arguments)
    except PrivcheckError:
        raise
    except Exception as error:
        return type(error), str(error)


@pytest.mark.evidence
def test_translated_functions_do_with_ordinary_numbers_what_they_did(evidence):
    failed = 0
    for seed in range(evidence(100, 1000)):
        written, translated = both(text := Written(seed).function())
        for r, k in itertools.product((0.0, 0.2, 0.35, 0.6, 1.0), (0.1, 0.5)):
            one, two = outcome(written, r, k), outcome(translated, r, k)
            assert repr(one) == repr(two), text
            failed += type(one) is tuple
    assert failed > 0  # errors are compared, too


def test_translated_functions_compute_of_private_numbers_what_they_would_of_ordinary_ones():
    certified = moved = 0
    for seed in range(100):
        written, translated = both(text := Written(seed).function())
        found, bounds = {}, []
        for r in (0.0, 0.2, 0.4, 0.8, 1.0):
            session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
            with session.active(), in_guard():
                try:
                    value = translated(session.source.scalar(r, 0.0, 1.0, 0), 0.4)
                except PrivcheckError:
                    break
            found[r] = float(value.reveal(REVEAL) if isinstance(value, Private) else value)
            bounds.append(value.sensitivities("l1").get(0, 0.0) if type(value) is Private else 0.0)
            assert found[r] == pytest.approx(float(written(r, 0.4)), abs=1e-12), (text, r)
        else:
            certified += 1
            assert len(set(bounds)) == 1, text  # public: it does not depend on the datum
            span = max(found.values()) - min(found.values())
            assert span <= bounds[0] + 1e-9, text
            moved += span > 0.0
    assert certified >= 40
    assert moved >= 25


RECURSIVE = (
    "def function(r, k):\n    return 1.0 if k <= 0.2 else 0.5 * (1.0 if r > 0.5 else 0.0) + function(r, k - 0.2)"
)


def test_a_function_that_names_itself_is_translated():
    written, translated = both(RECURSIVE)
    translated.__globals__["function"] = translated
    assert [translated(r, 0.5) for r in (0.2, 0.8)] == [written(r, 0.5) for r in (0.2, 0.8)] == [1.0, 2.0]
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    with session.active(), in_guard():
        found = translated(session.source.scalar(0.8, 0.0, 1.0, 0), 0.5)
    assert found.sensitivities("l1") == {0: 1.0}


def test_of_a_sorted_list_with_one_private_number_each_entry_is_that_number_within_limits():
    written, translated = both(
        "def function(r, k):\n    a, b, c = sorted([0.6, r, k])\n    return a + 10 * b + 100 * c"
    )
    for r in (0.0, 0.2, 0.35, 0.6, 1.0):
        session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
        with session.active(), in_guard():
            found = translated(session.source.scalar(r, 0.0, 1.0, 0), 0.3)
        assert found.reveal(REVEAL) == pytest.approx(written(r, 0.3), abs=1e-12)
        assert found.sensitivities("l1") == pytest.approx({0: 0.3 + 10 * 0.3 + 100 * 0.4})


def test_a_number_is_compared_with_public_arrays_on_either_side():
    _, translated = both("def function(r, k):\n    a = np.array([0.25, 0.5])\n    return (r > a) * 1.0 + 10 * (a < r)")
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    with session.active(), in_guard():
        found = translated(session.source.scalar(0.3, 0.0, 1.0, 0), 0.3)
    assert found.reveal(REVEAL).tolist() == [11.0, 0.0]
    assert found.sensitivities("l1") == {0: 22.0}
