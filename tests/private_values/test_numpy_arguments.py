"""Every argument of numpy's functions on private values: the result is numpy's, or the call is refused."""

from __future__ import annotations

import inspect
import itertools
import warnings

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.private_values import REVEAL, LeakError, Private, PrivateSource, zeros
from privcheck.private_values import _numpy_functions as numpy_functions

VALUES = np.array([[0.5, -1.25, 2.0], [0.0, 3.5, -0.75]])
INTEGERS, FLOATS = (lambda: np.full((2, 3), 7)), (lambda: np.full((2, 3), 7.0))
OPTIONS = {
    "axis": (None, 0, 1, -1, (0, 1), 5), "dtype": (None, np.float32, float, int), "keepdims": (False, True, 1),
    "where": (True, np.array([True, False, True])), "initial": (0.0, 10.0), "order": ("C", "F", "K", "A"),
    "casting": ("same_kind", "unsafe", "no"), "subok": (True, False), "copy": (None, True), "device": (None, "cpu"),
    "out": (None, FLOATS, INTEGERS, lambda: np.zeros(3), lambda: np.zeros(2), lambda: np.zeros(()),
            lambda: np.zeros((4, 3))),
    "a_min": (-1.0, 0.0), "a_max": (1.0, 2.0), "min": (-1.0, None), "max": (1.0, 2.0),
    "shape": ((3, 2), 6, (6, 1), (2, 2, 3)),
    "mode": ("raise", "wrap", "clip"), "indices": ([0, 1], 1), "repeats": (2, [1, 2]), "shift": (1, (1, 2)),
    "axes": (None, (1, 0), [(0,), (0,), (0,)]), "reps": (2, (2, 1)), "axis1": (0, 1), "axis2": (1, 0), "offset": (0, 1),
    "source": (0,), "destination": (1, -1), "signature": (None, "dd->d"),
    "b": (np.arange(3.0), 2.0, VALUES.T), "kwargs": (),
}  # fmt: skip
"""Some values of each argument; functions make arrays to write into."""

JOINING = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)


def private():
    source = PrivateSource()
    rows = [source.vector(row, -4.0, 4.0, data=number) for number, row in enumerate(VALUES)]
    return np.stack(rows)


def public():
    array = zeros(VALUES.shape)
    array += VALUES
    return array


def calls(function):
    """Every single argument and every pair of arguments of a function, beside those that it requires."""
    parameters = list(numpy_functions._SUPPORTED[function].signature.parameters.values())[1:]
    required = [
        p.name for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    optional = [p.name for p in parameters if p.name not in required and p.kind is not p.VAR_KEYWORD]
    if function is np.clip:
        optional += ["where", "dtype", "casting"]
    base = {name: OPTIONS[name][0] for name in required}
    yield base
    for name in required:
        yield from ({**base, name: value} for value in OPTIONS[name])
    for names in (*((name,) for name in optional), *itertools.combinations(optional, 2)):
        for values in chosen(names, function is np.cumsum):
            options = dict(zip(names, values, strict=True))
            if function is not np.clip or computes_all(options):
                yield {**base, **options}


def computes_all(options):
    """Whether a universal function, or clip, gives every entry a value: numpy leaves the others as memory was."""
    return options.get("where", True) is True or callable(options.get("out"))


def chosen(names, cumulative):
    """All combinations of some arguments; numpy 2.4's cumsum crashes for an output of another shape."""
    return itertools.product(*(OPTIONS[name][: 3 if cumulative and name == "out" else None] for name in names))


def outcome(function, make, options):
    """The result, as numbers, and what was written; or how the call ended."""
    first = make()
    made = {
        name: value() if callable(value) and not isinstance(value, type) else value for name, value in options.items()
    }
    if function in JOINING:
        first = [first, first]
    elif function in (np.atleast_1d, np.atleast_2d):
        made = {}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(first, **made)
    except Exception as error:
        return "refused", type(error), str(error)
    return "done", plain(result), plain(made.get("out"))


def plain(result):
    if isinstance(result, Private):
        return np.asarray(result.reveal(REVEAL))
    return result if result is None else np.asarray(result)


def same(one, two):
    if one is None or two is None:
        return one is two
    return one.shape == two.shape and np.allclose(one, two, rtol=1e-6, atol=1e-12, equal_nan=True)


def differences(function, make, all_calls=calls):
    """The calls whose result is neither numpy's nor refused, and the number that were not refused."""
    found, done = [], 0
    for options in all_calls(function):
        ours = outcome(function, make, options)
        if ours[0] == "refused":
            continue
        numpys, done = outcome(function, VALUES.copy, options), done + 1
        if numpys[0] == "refused" or not (same(ours[1], numpys[1]) and same(ours[2], numpys[2])):
            if function is np.empty_like and numpys[0] == "done" and ours[1].shape == numpys[1].shape:
                continue
            found.append((options, ours, numpys))
    return found, done


FUNCTIONS = sorted(numpy_functions._SUPPORTED, key=lambda function: function.__name__)


@pytest.mark.parametrize("make", [private, public])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_argument_of_a_function_is_numpys_or_refused(function, make):
    found, done = differences(function, make)
    assert found == []
    assert done > 0


def ufunc_calls(method):
    names = {
        "__call__": ("out", "where", "casting", "order", "dtype", "subok", "signature", "axis", "axes", "keepdims")
    }
    names["reduce"] = ("axis", "dtype", "out", "keepdims", "initial", "where")
    names["accumulate"] = ("axis", "dtype", "out")
    names["outer"] = ("out", "dtype", "casting")

    def made(_):
        for pair in (*((name,) for name in names[method]), *itertools.combinations(names[method], 2)):
            for values in chosen(pair, method == "accumulate"):
                options = dict(zip(pair, values, strict=True))
                if method == "reduce" or computes_all(options):
                    yield options

    return made


CALLS = {
    "add": (lambda p, **options: np.add(p, 1.5, **options), "__call__"),
    "subtract": (lambda p, **options: np.subtract(1.0, p, **options), "__call__"),
    "multiply": (lambda p, **options: np.multiply(p, 3.0, **options), "__call__"),
    "divide": (lambda p, **options: np.divide(p, np.array([1.0, 2.0, 4.0]), **options), "__call__"),
    "matmul": (lambda p, **options: np.matmul(p, np.ones((3, 3)), **options), "__call__"),
    "negative": (lambda p, **options: np.negative(p, **options), "__call__"),
    "positive": (lambda p, **options: np.positive(p, **options), "__call__"),
    "maximum": (lambda p, **options: np.maximum(p, 0.0, **options), "__call__"),
    "less": (lambda p, **options: np.less(p, 0.5, **options), "__call__"),
    "add.reduce": (lambda p, **options: np.add.reduce(p, **options), "reduce"),
    "maximum.reduce": (lambda p, **options: np.maximum.reduce(p, **options), "reduce"),
    "add.accumulate": (lambda p, **options: np.add.accumulate(p, **options), "accumulate"),
    "multiply.outer": (lambda p, **options: np.multiply.outer(p, np.arange(2.0), **options), "outer"),
}


@pytest.mark.parametrize("make", [private, public])
@pytest.mark.parametrize("name", CALLS)
def test_every_argument_of_a_universal_function_is_numpys_or_refused(name, make):
    call, method = CALLS[name]
    found, done = differences(call, make, ufunc_calls(method))
    assert found == []
    assert done > 0 or (make is private and name in ("maximum", "less", "maximum.reduce"))


def test_what_was_silently_ignored():
    value, out, integers = private(), np.zeros((2, 3)), np.zeros((4, 3), int)
    for call in (
        lambda: np.clip(value, 0.0, 1.0, out=out), lambda: np.concatenate([value, value], out=integers),
        lambda: np.zeros_like(value, order="F"), lambda: np.sum(value, where=VALUES > 0), lambda: np.size(value, out=1),
    ):  # fmt: skip
        with pytest.raises((LeakError, TypeError)):
            call()
    assert not out.any()
    assert not integers.any()
    assert np.add.reduce(value, axis=None).reveal(REVEAL) == VALUES.sum()
    assert np.zeros_like(value, shape=(5,)).shape == (5,)
    assert np.sum(a=value).reveal(REVEAL) == VALUES.sum()


@pytest.mark.parametrize(
    "write",
    [
        lambda a: np.copyto(a, 2.0), lambda a: np.put(a, [0, 2], 5.0), lambda a: np.fill_diagonal(a, 9.0),
        lambda a: np.add.at(a, (0, [1, 1]), 1.0), lambda a: a.sort(), lambda a: np.place(a, VALUES > 0, [4.0]),
        lambda a: np.putmask(a, VALUES > 0, 3.0), lambda a: np.exp(VALUES, out=a), lambda a: np.sqrt(a * a, out=a),
        lambda a: np.divmod(VALUES, 2.0, out=(a, np.zeros((2, 3)))), lambda a: np.maximum(a, 1.0, out=a),
        lambda a: np.dot(VALUES, np.eye(3), out=a), lambda a: np.add(VALUES, 1.0, out=a, where=VALUES > 0),
        lambda a: np.put_along_axis(a, np.array([[0], [1]]), 8.0, axis=1),
    ],
)  # fmt: skip
def test_what_numpy_writes_into_public_values_is_written_or_refused(write):
    numpys, ours = VALUES.copy(), public()
    write(numpys)
    try:
        write(ours)
    except (PrivcheckError, TypeError, NotImplementedError):
        return
    assert np.array_equal(ours.reveal(REVEAL), numpys)


def ignores_arguments(patch):
    patch.setattr(numpy_functions, "_check_taken", lambda *_: None)
    patch.setattr(numpy_functions._Supported, "given", lambda self, arguments: {})


def test_a_door_that_ignores_arguments_is_noticed(monkeypatch):
    ignores_arguments(monkeypatch)
    for function in (np.sum, np.clip, np.concatenate, np.zeros_like):
        assert differences(function, private)[0]


def test_signatures_are_numpys():
    """The two that stand in for numpy's own where it does not know them."""
    for function, stand_in in ((np.concatenate, numpy_functions._concatenate), (np.dot, numpy_functions._dot)):
        try:
            known = inspect.signature(function)
        except ValueError:
            continue
        assert list(inspect.signature(stand_in).parameters) == list(known.parameters)
