"""Functions, comparisons and linear functions of private values agree with numpy's, and bound what a datum moves."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from privcheck import PrivcheckError, feature
from privcheck.private_values import REVEAL, LeakError, Private, PrivateSource, zeros

FUNCTIONS = {
    "sqrt": lambda x: np.sqrt(x + 1.0),
    "exp": np.exp,
    "log": lambda x: np.log(x + 2.0),
    "log1p": lambda x: np.log1p(x * 0.5),
    "log2": lambda x: np.log2(x + 2.0),
    "expm1": np.expm1,
    "tanh": lambda x: np.tanh(-3.0 * x),
    "abs": abs,
    "fabs": np.abs,
    "square": np.square,
    "power": lambda x: x**2,
    "root": lambda x: (x + 1.0) ** 0.5,
    "reciprocal": lambda x: np.reciprocal(x + 2.0),
    "sign": np.sign,
    "floor": lambda x: np.floor(3.0 * x),
    "ceil": lambda x: np.ceil(3.0 * x),
    "rint": lambda x: np.rint(3.0 * x),
    "minimum": lambda x: np.minimum(x, 0.25),
    "maximum": lambda x: np.maximum(0.1, x),
    "clip": lambda x: np.clip(x, -0.5, 0.5),
    "less": lambda x: (x < 0.3) * 2.0,
    "at least": lambda x: 1.0 * (x >= 0.3),
    "reversed": lambda x: np.greater(0.3, x) + 0.0,
    "array": lambda x: np.where(x > 0.0, 1.0, -1.0),
    "chosen": lambda x: np.where(x > 0.0, x, -2.0 * x),
    "equal": lambda x: (x == 1.0) * 1.0,
    "different": lambda x: (x != 1.0) * 1.0,
    "declared": lambda x: feature(lambda v: v**3, x, -1.0, 1.0),
    "both": lambda x: ((x > -0.5) & (x < 0.3)) * 1.0,
    "either": lambda x: ((x > 0.5) | (x < -0.5)) * 1.0,
    "one of two": lambda x: ((x > 0.0) ^ (x > 0.5)) * 1.0,
    "not": lambda x: np.logical_not(x > 0.0) * 1.0,
    "not both": lambda x: np.invert((x > -0.5) & (x < 0.3)) * 1.0,
    "with a public one": lambda x: (np.True_ & (x > 0.0)) * 1.0 + ((x > 0.0) | False) * 1.0,
    "logical functions": lambda x: np.logical_or(x > 0.5, np.logical_not(np.logical_xor(x > 0.0, True))) * 1.0,
    "chosen by both": lambda x: np.where((x > -0.5) & (x < 0.3), 2.0, -1.0),
    "fmax": lambda x: np.fmax(x, 0.1),
    "fmin": lambda x: np.fmin(0.1, x),
    "less ufunc": lambda x: np.less(np.array(0.5), x) * 1.0,
}
POINTS = np.array([-1.0, -0.7, -0.2, 0.0, 0.3, 0.55, 1.0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_datum_are_numpys_and_their_sensitivity_is_the_widest_change(name):
    source, function = PrivateSource(), FUNCTIONS[name]
    values = [function(source.scalar(float(x), -1.0, 1.0, 7)) for x in POINTS]
    plain = np.array([float(function(x)) for x in POINTS])
    assert all(isinstance(value, Private) and not value.is_public for value in values)
    assert np.allclose([value.reveal(REVEAL) for value in values], plain, rtol=1e-14, atol=1e-15)
    widest = plain.max() - plain.min()
    (sensitivity,) = {value.sensitivities("l1")[7] for value in values}
    assert sensitivity >= widest * (1 - 1e-14)
    if name != "chosen":  # a sum of two features that do not move independently
        assert sensitivity == pytest.approx(widest)


LINEAR = {
    "diff": np.diff,
    "diff twice": lambda v: np.diff(v, n=2),
    "append": lambda v: np.append(v, [1.0, 2.0]),
    "both": lambda v: np.append(v, v),
    "trace": lambda v: np.trace(v.reshape(2, 2)),
    "einsum": lambda v: np.einsum("ij,j->i", np.arange(12.0).reshape(3, 4), v),
    "counted": lambda v: np.bincount([0, 2, 2, 1], weights=v, minlength=4),
    "weighted": lambda v: np.average(v, weights=[1.0, 2.0, 3.0, 4.0]),
    "average": np.average,
    "inner": lambda v: np.inner(v, np.arange(4.0)),
    "kron": lambda v: np.kron([1.0, -2.0], v),
    "convolve": lambda v: np.convolve(v, [0.5, 0.5]),
    "vdot": lambda v: np.vdot(np.arange(4.0), v),
    "tensordot": lambda v: np.tensordot(np.ones((2, 4)), v, axes=1),
    "solve": lambda v: np.linalg.solve(np.eye(4) + 0.25, v + 1.0),
    "diagonal": np.diag,
    "upper": lambda v: np.triu(v.reshape(2, 2)),
    "parts": lambda v: np.split(v, 2)[1],
    "uneven": lambda v: np.array_split(v, 3)[0],
    "where": lambda v: np.where([True, False, True, True], v, v[::-1]),
    "chosen": lambda v: np.where(np.arange(4) < 2, v, [np.inf, np.nan, 5.0, 6.0]),
    "delete": lambda v: np.delete(v, 1),
    "rotated": lambda v: np.rot90(v.reshape(2, 2)),
    "insert": lambda v: np.insert(v, 1, 9.0),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_functions_are_numpys(name):
    """Values and coefficients: each of four data is moved from end to end by itself."""
    function, base = LINEAR[name], np.array([0.1, 0.9, 0.4, 0.6])
    value = function(PrivateSource().vector(base, 0.0, 1.0, data=[0, 1, 2, 3]))
    plain = function(base)
    assert value.shape == np.shape(plain)
    assert np.allclose(value.reveal(REVEAL), plain, rtol=1e-13, atol=1e-14)
    for datum in range(4):
        ends = []
        for end in (0.0, 1.0):
            moved = base.copy()
            moved[datum] = end
            ends.append(function(moved))
        change = float(np.abs(np.asarray(ends[1]) - ends[0]).sum())
        assert value.sensitivities("l1").get(datum, 0.0) == pytest.approx(change, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        lambda p, i: np.delete(p, i),
        lambda p, i: np.insert(p, i, 1.0),
        lambda p, i: np.cross(p[:3], p[1:]),
        lambda p, i: np.split(p, [i]),
        lambda p, i: np.average([1.0, 2.0, 3.0, 4.0], weights=p),
        lambda p, i: np.trace(np.eye(2), i),
        lambda p, i: np.inner(p, p),
        lambda p, i: np.kron(p, p),
        lambda p, i: np.convolve(p, p),
        lambda p, i: np.diag(p, i),
        lambda p, i: np.linalg.solve(p.reshape(2, 2), np.ones(2)),
        lambda p, i: np.linalg.solve(p.reshape(2, 2), p[:2]),
        lambda p, i: np.tensordot(p, p, 1),
        lambda p, i: np.linalg.multi_dot([p, np.eye(4), p]),
        lambda p, i: np.diff(p, n=i),
        lambda p, i: np.average(p, weights=p),
        lambda p, i: np.rot90(p.reshape(2, 2), i),
        lambda p, i: np.triu(p.reshape(2, 2), k=i),
    ],
)
def test_what_is_not_linear_in_a_private_argument_is_a_leak(call):
    source = PrivateSource()
    with pytest.raises(LeakError):
        call(source.vector([0.1, 0.9, 0.4, 0.6], 0.0, 1.0, data=[0, 1, 2, 3]), source.scalar(1.0, 0.0, 1.0, 4))


def test_comparisons_that_the_range_decides_are_public():
    source = PrivateSource()
    reward, total = source.scalar(0.5, 0.0, 1.0, 0), source.scalar(0.5, 0.0, 1.0, 1) + source.scalar(0.5, 0.0, 1.0, 2)
    assert 0 <= reward <= 1
    assert not reward < 0
    assert not reward > 1.0
    assert reward != 2.0
    assert total < 3.0
    assert not total >= 2.1
    assert total <= 2.0
    assert (min(max(reward, 0), 1) + 0.0).data_ids == (0,)
    assert (np.stack([reward, reward]) <= 1.0).tolist() == [True, True]
    for undecided in (lambda: reward < 1.0, lambda: reward <= 0.0, lambda: reward == 1.0, lambda: reward > 0.0):
        assert not undecided().is_public
        with pytest.raises(LeakError):
            bool(undecided())
    for several in (lambda: total < 2.0, lambda: total < 1.0, lambda: total == 1.0):
        with pytest.raises(LeakError):
            several()


@pytest.mark.parametrize(
    "read",
    [
        lambda r, q: np.sqrt(r - 0.5),
        lambda r, q: np.log(r),
        lambda r, q: np.exp(r + q),
        lambda r, q: np.hypot(r + q, q),
        lambda r, q: min(1, max(0.5, r)),
        lambda r, q: np.logaddexp(r, q),
        lambda r, q: np.where(r + q, 1.0, 0.0),
        lambda r, q: r**q,
        lambda r, q: np.einsum("i,i->", np.stack([r, q]), np.stack([q, r])),
        lambda r, q: 1 if r > 0.5 else 0,
        lambda r, q: r**3,
        lambda r, q: [1.0][int(r > 0.5)],
        lambda r, q: np.linalg.solve(np.stack([r, q, r, q]).reshape(2, 2), np.ones(2)),
    ],
)
def test_what_depends_on_several_data_or_steers_the_program_is_a_leak(read):
    source = PrivateSource()
    with pytest.raises(LeakError):
        read(source.scalar(0.7, 0.0, 1.0, 0), source.scalar(0.7, 0.0, 1.0, 1))


def test_an_indicator_that_was_changed_is_no_condition_any_more():
    changed = PrivateSource().vector([0.1, 0.9], 0.0, 1.0, 0) > 0.5
    changed[0] = True
    with pytest.raises(LeakError):
        np.where(changed, 5.0, 7.0)


def test_a_declared_function_stays_in_its_interval_whatever_it_does():
    source = PrivateSource()
    for function in (lambda r: 1e9, lambda r: float("nan"), lambda r: 1 / 0, lambda r: "text", lambda r: -1e9 * r):
        value = feature(function, source.scalar(0.7, 0.0, 1.0, 0), -1.0, 2.0)
        assert value.sensitivities("l1") == {0: 3.0}
        assert -1.0 <= value.reveal(REVEAL) <= 2.0
    assert feature(abs, np.array([-3.0, 0.5]), 0.0, 1.0).tolist() == [1.0, 0.5]
    with pytest.raises(PrivcheckError, match="low < high"):
        feature(abs, 1.0, 1.0, 1.0)
    with pytest.raises(PrivcheckError, match="one datum each"):
        feature(abs, source.scalar(0.7, 0.0, 1.0, 0) + source.scalar(0.7, 0.0, 1.0, 1), 0.0, 1.0)


def test_logic_on_what_is_no_comparison_of_one_datum_is_refused():
    source = PrivateSource()
    one, other = source.scalar(0.25, 0.0, 1.0, 7), source.scalar(0.75, 0.0, 1.0, 8)
    for combine in (
        lambda: one & True,
        lambda: np.logical_not(one),
        lambda: (one > 0.5) & 3,
        lambda: (one > 0.5) & other,
    ):
        with pytest.raises(LeakError):
            combine()
    with pytest.raises(LeakError):  # -2 or -1 of a bool of Python's, the opposite of one of numpy's
        operator.invert(one > 0.5)
    with pytest.raises(PrivcheckError, match="a product of two data: got a private value of rounds 7-8"):
        (one > 0.5) & (other > 0.5)
    assert not (one > 2.0) & (one < 5.0), "no datum decides it"


def test_functions_that_pass_over_what_is_no_number_are_refused_where_there_is_some():
    source = PrivateSource()
    value = source.scalar(0.25, 0.0, 1.0, 7)
    holes = zeros(3)
    holes[0], holes[1] = value, np.nan
    for function in (np.nansum, np.nanmean, np.nanmax, np.nanstd):
        with pytest.raises(LeakError):
            function(holes)
        with pytest.raises(LeakError):
            function(a=holes)
    with pytest.raises(LeakError):
        np.count_nonzero(a=source.vector([0.25, 0.5], 0.0, 1.0, data=[1, 2]))
    with pytest.raises(LeakError):
        np.fmax(value, np.nan)
    holes[1] = 0.5
    assert np.nansum(holes).reveal(REVEAL) == 0.75
    assert np.nanmax(holes).sensitivities("l1")[7] == np.max(holes).sensitivities("l1")[7]
