"""Every way of reading a private value is recorded, placed and raised; public values may be read."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import statistics
import sys

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.private_values import KINDS, REVEAL, Leak, LeakError, PrivateSource, describe_data, zeros

SCALAR = {
    "comparison": [
        lambda x: x < 0.5, lambda x: operator.lt(0.5, x), lambda x: x <= 0.5, lambda x: x > 0.5, lambda x: x >= 0.5,
        lambda x: x == 0.5, lambda x: x != 0.5, lambda x: x in [0.5], lambda x: np.float64(0.5) > x,
        lambda x: sorted([x, x * 1.5]), lambda x: np.ones(2) < x, lambda x: np.equal(x, 1.0), lambda x: [1.0].index(x),
        lambda x: np.arange(3.0) == x, lambda x: max(x, 0.5),
    ],
    "branch": [bool, lambda x: 1 if x else 0, lambda x: not x, lambda x: x or 0.5, lambda x: any([x])],
    "conversion": [
        float, int, complex, math.exp, math.isnan, lambda x: np.asarray(x, float), lambda x: np.array([x, x], float),
        lambda x: np.zeros(3).__setitem__(0, x), lambda x: operator.mod("%f", x),
        lambda x: np.zeros(3).__setitem__(slice(None), x),
        lambda x: operator.iadd(np.zeros(3), x),
        lambda x: np.add(1.0, x, out=np.zeros(())), lambda x: x.item(), lambda x: x.astype(np.float32),
        lambda x: statistics.fmean([x, x]),
    ],
    "index": [
        operator.index, lambda x: [1, 2][x], range, lambda x: zeros(3)[x],
        lambda x: zeros((3, 2))[0, x], lambda x: zeros(3).__setitem__(x, 1.0),
    ],
    "function": [
        round, math.floor, math.ceil, math.trunc, lambda x: round(x, 2), lambda x: x**2, lambda x: 2**x,
        lambda x: x // 1, lambda x: 1 // x, lambda x: x % 1, lambda x: 1 % x, lambda x: divmod(x, 2), lambda x: 1.0 / x,
        lambda x: divmod(2, x), lambda x: np.ones(2) / x, np.exp, np.sqrt, np.square, np.isnan, np.sign,
        lambda x: np.hypot(x, x + 1.0), np.cbrt, lambda x: np.power(x, 2),
    ],
    "format": [
        str, lambda x: f"{x}" == "1.0", lambda x: f"{x:.2f}", lambda x: format(x, "g"),
        lambda x: "{:5}".format(x),  # noqa: UP032
    ],
    "hash": [hash, lambda x: {x: 1}, lambda x: {x}],
    "pickle": [pickle.dumps],
    "reveal": [lambda x: x.reveal(None), lambda x: x.reveal(object())],
}  # fmt: skip
ARRAY = {
    "comparison": [
        lambda x: x + x[::-1] < 0.5, lambda x: 0.5 in x, lambda x: x == x[::-1], lambda x: np.greater(x, x / 2),
    ],
    "branch": [bool],
    "conversion": [
        lambda x: x.tobytes(), np.asarray, np.asanyarray, lambda x: np.array([x, x]),
        lambda x: operator.iadd(np.zeros(2), x), lambda x: operator.isub(np.zeros((3, 2)), x),
        lambda x: np.zeros((3, 2)).__setitem__(1, x), lambda x: np.random.default_rng(0).choice(2, p=x),
        lambda x: np.dot(x, x, out=np.zeros(())), lambda x: np.clip(x, 0.0, 1.0, out=np.zeros(2)),
        lambda x: np.concatenate([x, x], out=np.zeros(4, int)),
    ],
    "function": [
        lambda x: np.log(x),
        lambda x: np.sqrt(-x), np.prod, np.nanprod, np.argmax, lambda x: np.partition(x, 1), np.argsort, np.linalg.norm,
        np.nanargmax, np.nonzero, np.prod,
        lambda x: np.allclose(x, x), lambda x: x.max(initial=0.0), lambda x: x.argmax(),
        lambda x: x.std(dtype=np.float32), lambda x: x.sort(),
        lambda x: x.var(axis=(0,)), lambda x: np.quantile(x, x[0]), lambda x: np.median(x, keepdims=True),
        lambda x: x.round(1),
        lambda x: x**3, lambda x: 1.0 / x, lambda x: np.exp(x + x[::-1]), np.linalg.inv,
        lambda x: np.array_equal(x, x), np.maximum.reduce,
        lambda x: np.searchsorted(x, 0.5), lambda x: np.einsum("i,i->", x, x), lambda x: np.multiply.at(x, 0, 2.0),
        lambda x: np.add(x, 1.0, where=np.array([True, False])),
    ],
    "pickle": [pickle.dumps],
    "reveal": [lambda x: x.reveal("token")],
}  # fmt: skip


def cases():
    for name, table in (("scalar", SCALAR), ("array", ARRAY)):
        for kind, reads in table.items():
            for number, read in enumerate(reads):
                yield pytest.param(name, kind, read, id=f"{name}-{kind}-{number}")


def start():
    leaks: list[Leak] = []
    source = PrivateSource(on_leak=leaks.append)
    scalar = source.scalar(0.7, low=0.0, high=1.0, datum=3) + source.scalar(0.1, low=0.0, high=1.0, datum=5)
    return leaks, {"scalar": scalar, "array": source.vector([0.25, 0.75], 0.0, 1.0, data=[3, 5])}


@pytest.mark.parametrize(("name", "kind", "read"), list(cases()))
def test_reading_is_recorded_and_raised(name, kind, read):
    leaks, values = start()
    with pytest.raises(LeakError) as caught:
        read(values[name])
    leak = leaks[0]
    assert leak.kind == kind
    assert leak.kind in KINDS
    assert caught.value.leak is leaks[-1]
    assert len(leaks) == 1 or "ones(2)[x]" in leak.code  # numpy tries an index, then an array
    assert leak.file == __file__
    assert leak.data == (3, 5)
    assert leak.code
    assert "release it through a mechanism first" in leak.hint
    message = str(caught.value)
    assert all(part in message for part in (f"{__file__}:{leak.line}", "rounds 3 and 5", leak.operation, "release it"))


def test_the_line_is_the_one_that_reads():
    leaks, values = start()

    class Policy:
        def update(self, reward):
            self.line = sys._getframe().f_lineno + 1
            return max(0.0, reward)

    policy = Policy()
    with pytest.raises(LeakError):
        policy.update(values["scalar"])
    assert (leaks[0].line, leaks[0].function, leaks[0].code) == (policy.line, "update", "return max(0.0, reward)")
    assert "privcheck.clip" in leaks[0].hint


def test_a_power_is_named_as_it_is_written():
    """Python's operator calls numpy's function, which is not in the line."""
    leaks, values = start()
    with pytest.raises(LeakError):
        values["scalar"] ** 2
    with pytest.raises(LeakError):
        np.power(values["scalar"], 2)
    assert [leak.operation for leak in leaks] == ["**", "numpy.power"]


def test_except_does_not_hide_a_leak_and_all_are_recorded():
    leaks, values = start()
    for read in (float, bool, np.exp):
        try:
            read(values["scalar"])
        except Exception:
            continue
    assert [leak.kind for leak in leaks] == ["conversion", "branch", "function"]


def test_a_leak_is_recorded_before_it_is_raised():
    class Stop(Exception):
        pass

    def stop(leak):
        raise Stop

    with pytest.raises(Stop):
        float(PrivateSource(stop).scalar(0.5, 0.0, 1.0, datum=0))


def test_leaks_of_two_values_name_the_data_of_both():
    leaks, values = start()
    other = values["scalar"].source.scalar(0.5, 0.0, 1.0, datum=8)
    with pytest.raises(LeakError, match="rounds 3, 5 and 8"):
        operator.lt(values["scalar"], other)
    assert leaks[0].data == (3, 5, 8)


@pytest.mark.parametrize("write", [
    lambda array, x: array.__setitem__(0, x), lambda array, x: array.__setitem__(slice(0, 1), x), operator.iadd,
])  # fmt: skip
def test_a_float_array_hints_at_zeros(write):
    _, values = start()
    with pytest.raises(LeakError, match=r"make the array with privcheck\.zeros"):
        write(np.zeros(3), values["scalar"])


def test_repr_shows_shape_and_data_but_no_value():
    leaks, values = start()
    assert repr(values["scalar"]) == "Private(shape=(), data=rounds 3 and 5, hidden)"
    assert f"{values['array']!r}" == "Private(shape=(2,), data=rounds 3 and 5, hidden)"
    assert repr([zeros(2)]) == "[Private(shape=(2,), data=none, public)]"
    one = values["array"].source.vector([0.5, 0.5], 0.0, 1.0, data=3)
    assert repr(one) == "Private(shape=(2,), data=round 3, hidden)"
    assert leaks == []


def test_arrays_of_objects_hold_private_numbers():
    leaks, values = start()
    x, entries = values["scalar"], values["array"]
    for made in (np.asarray(x), np.array(x), np.array([x, x]), np.full(2, x), np.array(entries), np.array([[x], [1]])):
        assert made.dtype == object
        assert any(type(item) is type(x) for item in made.ravel().tolist())
    assert leaks == []
    with pytest.raises(LeakError):
        np.asarray(entries)  # it would share the entries


@pytest.mark.parametrize("read", [lambda x: np.random.default_rng(0).normal(x), lambda x: np.ones(2)[x]])
def test_where_numpy_takes_no_objects_it_raises_its_own_errors(read):
    with pytest.raises((TypeError, IndexError)):
        read(start()[1]["scalar"])


def test_a_private_number_passes_for_a_float_and_is_none():
    _, values = start()
    assert isinstance(values["scalar"], float)
    assert not issubclass(type(values["scalar"]), float)
    assert not isinstance(values["array"], float)
    assert not hasattr(values["scalar"], "__dict__")
    assert not hasattr(values["scalar"], "__len__")
    with pytest.raises(TypeError):
        len(values["scalar"])


def test_reveal_takes_the_token_only():
    leaks, values = start()
    assert values["scalar"].reveal(REVEAL) == pytest.approx(0.8)
    assert values["array"].reveal(REVEAL).tolist() == [0.25, 0.75]
    assert leaks == []


def test_errors_that_are_no_leaks():
    leaks, values = start()
    for wrong in ("1.0", None, {}):
        with pytest.raises(TypeError):
            values["scalar"] + wrong
    assert leaks == []


def test_leak_errors_survive_copies_and_pickles():
    _, values = start()
    with pytest.raises(LeakError) as caught:
        float(values["scalar"])
    for error in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert str(error) == str(caught.value)
        assert error.leak == caught.value.leak
    assert issubclass(LeakError, PrivcheckError)


@pytest.mark.parametrize(("data", "text"), [
    ([1], "round 1"), ([2, 1], "rounds 1-2"), ([7, 1, 2, 3, 4], "rounds 1-4 and 7"), ([(3, 0)], "datum (3, 0)"),
    (["b", "a"], "data b and a"), ([], "no data"), (range(1, 30, 3), "rounds 1, 4, 7 and 7 more"),
    ([1, 2, 3, 5, 7, 9, 10, 11], "rounds 1-3, 5, 7 and 9-11"), ([np.int64(4)], "round 4"),
])  # fmt: skip
def test_data_are_described_in_short(data, text):
    assert describe_data(data) == text
