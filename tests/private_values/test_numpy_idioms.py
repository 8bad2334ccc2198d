"""Two hundred ways to write arithmetic with numpy: the result on private values is numpy's, or the code is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.private_values import REVEAL, Private, PrivateSource, zeros

V, W, R, Q = [0.25, 0.75, 0.5], [1.0, 0.0, 0.125], 0.625, 0.375
M = [[0.5, 0.25, 0.75], [0.125, 1.0, 0.0]]

IDIOMS = """
v + 1 | 1 + v | v - w | v + w | v + r | r + v | v - r | r - v | -v | +v | 2 * v | v * 2 | v / 2 | v * [1, 2, 3]
np.array([1, 2, 3]) * v | v / np.array([1, 2, 4]) | v * np.arange(3) | v + np.ones(3) | v + np.ones((2, 3))
m + v | m - v | m + r | m * 2 | m / [[1], [2]] | v[0] | v[-1] | v[:2] | v[1:] | v[::-1] | v[::2] | v[[0, 2]]
v[[2, 2, 0]] | v[np.array([True, False, True])] | v[None] | v[:, None] | v[..., 0] | m[0] | m[:, 1] | m[1, 2]
m[:, ::-1] | m[[1, 0]] | m[..., None] | m.T | m.T[0] | v.T | m.shape | v.shape | v.ndim | v.size | len(v)
len(m) | v.sum() | m.sum() | m.sum(0) | m.sum(axis=1) | m.sum(axis=(0, 1)) | m.sum(axis=1, keepdims=True)
v.mean() | m.mean() | m.mean(0) | m.mean(axis=-1) | np.sum(v) | np.sum(m, axis=0) | np.sum([r, q])
np.sum([v, w], axis=0) | np.mean(v) | np.mean(m, 1) | np.mean([r, q, 1]) | sum(v) | sum([r, q]) | sum([r, q], 1)
sum(m) | sum(x for x in v) | sum(2 * x for x in v) | v.cumsum() | np.cumsum(v) | np.cumsum(m, axis=0)
np.cumsum(m, axis=1) | np.cumsum([r, q]) | np.diff(v) | np.diff(m) | np.diff(m, axis=0) | np.diff(v, prepend=0)
np.diff(v, append=1) | np.diff(v, n=2) | np.ediff1d(v) | np.gradient(v) | np.dot(v, [1, 2, 3])
np.dot([1, 2, 3], v) | np.dot(m, [1, 2, 3]) | np.dot([1, 2], m) | v @ [1, 2, 3] | [1, 2] @ m | m @ np.ones(3)
np.ones((2, 3)) @ v | np.eye(3) @ v | m @ np.eye(3) | np.ones((3, 2)) @ m | np.inner(v, [1, 2, 3])
np.vdot(v, [1, 2, 3]) | np.outer([1, 2], v) | np.outer(v, [1, 2]) | np.kron([1, 2], v)
np.matmul(m, np.ones(3)) | np.tensordot(m, np.ones(3), 1) | np.einsum("i,i->", v, [1, 2, 3])
np.einsum("ij->j", m) | np.einsum("ij,j->i", m, [1, 2, 3]) | np.einsum("ij->ji", m)
np.trace(np.outer([1, 2, 3], v)) | np.diag(v) | np.diagonal(np.outer([1, 2, 3], v))
np.tril(np.outer([1, 2, 3], v)) | np.triu(np.outer([1, 2, 3], v)) | np.concatenate([v, w])
np.concatenate([v, [1.0]]) | np.concatenate([m, m], axis=1) | np.concatenate([m, [v]]) | np.stack([v, w])
np.stack([v, w], axis=1) | np.stack([r, q]) | np.vstack([v, w]) | np.hstack([v, w]) | np.hstack([r, q])
np.column_stack([v, w]) | np.dstack([v, w]) | np.append(v, 1.0) | np.append(v, w) | np.append(m, [v], axis=0)
np.insert(v, 1, 0.5) | np.delete(v, 1) | np.array([r, q]) | np.array([r, 1.0, q]) | np.array([v, w])
np.asarray([r, q]) | np.asarray(v) | np.array(v) | np.atleast_1d(r) | np.atleast_2d(v) | np.copy(v) | v.copy()
m.copy() | v.reshape(3, 1) | v.reshape(-1, 1) | m.reshape(3, 2) | m.reshape(-1) | m.ravel() | m.T.ravel()
m.ravel("F") | m.flatten(order="F") | m.T.ravel(order="F") | m.reshape(3, 2, order="F") | m.reshape((6,), order="F")
m.flatten() | m.T.flatten() | np.ravel(m, order="F") | np.reshape(m, 6) | np.reshape(m, (3, 2), order="F")
m.squeeze() | np.squeeze(v[None]) | np.expand_dims(v, 0) | np.transpose(m) | np.swapaxes(m, 0, 1)
np.moveaxis(m, 0, 1) | np.flip(v) | np.flipud(m) | np.fliplr(m) | np.roll(v, 1) | np.roll(m, 1, axis=1)
np.rot90(m) | np.tile(v, 2) | np.tile(v, (2, 1)) | np.repeat(v, 2) | np.repeat(v, [1, 2, 0]) | np.repeat(r, 3)
np.split(v, 3)[0] | np.array_split(v, 2)[1] | np.take(v, [0, 2]) | np.take(m, 1, axis=1) | v.take([1])
np.compress([1, 0, 1], v) | np.pad(v, 1) | np.broadcast_to(v, (2, 3)) | np.where([True, False, True], v, w)
np.where([True, False, True], v, 0.0) | np.where([[True], [False]], v, w) | np.average(v)
np.bincount([0, 2, 0], weights=v) | np.bincount([1, 1, 0], v, 4) | np.bincount([0, 1], weights=[r, q])
np.average(v, weights=[1, 2, 3]) | np.average(m, axis=0) | np.average([r, q], weights=[1, 3])
np.nansum(v) | np.nansum(m, axis=0) | np.nanmean(v) | np.nanmean(m, 1) | np.nancumsum(v) | np.fmax(v, 0.5)
np.count_nonzero(v > 0.5) | np.count_nonzero(m > 0.5, axis=1) | np.count_nonzero(r > 0.5)
np.fmin(0.5, v) | (v > 0.3) & (v < 0.6) | ~(v > 0.3) | (r > 0.5) ^ (r > 0.7) | np.logical_or(v > 0.6, v < 0.3)
np.clip(v, 0.25, 0.5) | v.clip(0.25, 0.5) | np.clip(r, 0, 0.5) | np.minimum(v, 0.5) | np.maximum(v, 0.5)
np.fmin(v, 0.5) | np.abs(v - 0.5) | abs(v - 0.5) | np.absolute(r) | v ** 2 | v ** 1 | r ** 2 | np.square(v)
np.sqrt(v) | np.power(v, 2) | np.power(v, 0.5) | np.exp(v) | np.expm1(v) | np.log1p(v) | np.log(v + 1)
np.log2(v + 1) | np.sin(v) | np.tanh(v) | np.sign(v - 0.5) | np.floor(v) | np.ceil(v) | np.round(v) | np.rint(v)
np.trunc(v) | 1 / (v + 1) | np.reciprocal(v + 1) | (v > 0.4) * 1 | (v > 0.4) * 1.0 | 1 * (v >= 0.5)
(v < 0.4) * 2 | np.where(v > 0.4, 1, 0) | np.where(v > 0.4, 2.0, -1.0) | np.where(r > 0.5, 1, 0) | (r > 0.5) * 1
(r == 0.625) * 1 | 1 - (v > 0.4) | np.heaviside(v - 0.4, 1) | np.add(v, w) | np.subtract(v, w)
np.multiply(v, 2) | np.divide(v, 2) | np.true_divide(v, 2) | np.negative(v) | np.positive(v) | np.add.reduce(v)
np.add.accumulate(v) | np.add.reduceat(v, [0, 2]) | np.multiply.outer([1, 2], v) | np.nan_to_num(v) | np.real(v)
np.zeros_like(v) | np.ones_like(v) | np.full_like(v, 2) | np.empty_like(v).shape
np.linalg.solve(2 * np.eye(3), v) | np.linalg.inv(2 * np.eye(3)) @ v | np.linalg.norm(v)
np.convolve(v, [1, 1]) | np.interp(r, [0, 1], [0, 2]) | np.polyval([1, 2], r) | np.cross(v, [1, 0, 0])
np.cov(v) | np.var(v) | np.std(v) | np.median(v) | np.max(v) | np.min(v) | np.sort(v) | np.argmax(v)
np.prod(v) | np.any(v > 2) | np.all(v >= 0) | np.count_nonzero(v) | np.nonzero(v) | np.unique(v)
np.searchsorted(v, 0.5) | np.sum(v, dtype=np.float32) | v.astype(float) | v.astype(int) | v.tolist() | v.item(0)
v.sum().item() | np.float64(r) | float(r) | int(r) | bool(r) | round(r) | divmod(r, 0.5) | r // 0.25 | r % 0.25
v @ w | v * w | v / w | r * q | [*v] | list(map(abs, v))
np.ediff1d(v, to_end=r) | np.resize(v, 5) | np.block([v, w]) | np.block([[m], [v]])
np.gradient(v, 2.0, edge_order=2) | np.trapezoid(v) | np.trapezoid(v, dx=0.5) | np.ptp(v) | m.tolist()
"""
"""Expressions of two vectors v and w, a matrix m, and two numbers r and q, all private."""

STATEMENTS = """
S[1] += r; S | S[:2] += v[1:]; S | S += v; S | S -= v; S | S *= 2; S | S += v; S /= 2; S | S[[0, 2]] += v[:2]; S
S[[0, 0]] += v[:2]; S | np.add.at(S, [0, 0, 1], v); S | S[0] = r; S[1] = S[0] + q; S
S = S + v; T = S; T += w; S | S += v; T = S.copy(); T += w; S | S += v; T = S[:2]; T += 1; S
S += v; S[:] = S[::-1]; S | S += v; S[1:] += S[:-1]; S | T = v; T += w; v | T = v[:2]; T *= 2; v
T = m[0]; T += 1; m | T = m.T; T[0] += 1; m | T = m.ravel(); T += 1; m | T = v.copy(); T[0] = 0; v
T = np.asarray(v); T += 1; v | T = np.array(v); T += 1; v | S += 1; S[S.shape[0] - 1] = r; S
np.add(v, w, out=S); S | np.multiply(v, 2, out=S); S | S.fill(1.0); S += v; S | x, y, z = v; x + 2 * y - z
total = 0; total += r; total += q; total | total = 0.9 * r; total = 0.9 * total + q; total | S[...] = v; S
S[0], S[2] = r, q; S | T = r; T += q; r | T = np.atleast_1d(r); T *= 2; r | T = v[0]; T += 1; v
T = np.reshape(v, (3, 1)); T += 1; v
"""
"""Statements, the last of which is the value that is looked at; S is an array of zeros that may hold private values."""


def parts(text):
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def names(private):
    if not private:
        found = {"v": np.array(V), "w": np.array(W), "r": R, "q": Q, "m": np.array(M), "S": np.zeros(3)}
        return found | {"np": np}
    source = PrivateSource()
    found = {"S": zeros(3), "r": source.scalar(R, 0.0, 1.0, "r"), "q": source.scalar(Q, 0.0, 1.0, "q")}
    found |= {
        name: source.vector(of, 0.0, 1.0, data=[f"{name}{i}" for i in range(3)]) for name, of in (("v", V), ("w", W))
    }
    rows = [source.vector(row, 0.0, 1.0, data=[f"m{i}{j}" for j in range(3)]) for i, row in enumerate(M)]
    return found | {"m": np.stack(rows), "np": np}


def outcome(code, private):
    """Return the value of the last expression, or the exception that ended the code."""
    *before, last = code.split(";")
    here = names(private)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(map(str.strip, before)), here)
            return eval(last.strip(), here)
    except Exception as error:
        return error


def revealed(value):
    """Return a value with the numbers of private ones in their places."""
    if isinstance(value, tuple | list):
        return [revealed(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([revealed(item) for item in value.ravel()]).reshape(value.shape)
    return value.reveal(REVEAL) if issubclass(type(value), Private) else value


CODES = parts(IDIOMS) + parts(STATEMENTS)


def test_there_are_two_hundred():
    assert len(set(CODES)) == len(CODES) >= 200
    ordinary = [outcome(code, False) for code in CODES]
    assert not [code for code, value in zip(CODES, ordinary, strict=True) if isinstance(value, SyntaxError | NameError)]


@pytest.mark.parametrize("code", CODES)
def test_the_result_is_numpys_or_the_code_is_refused(code):
    wanted, found = outcome(code, False), outcome(code, True)
    if isinstance(found, Exception):
        assert isinstance(found, PrivcheckError | TypeError | AttributeError | ValueError | IndexError), repr(found)
        return
    assert not isinstance(wanted, Exception), f"numpy raises {wanted!r}"
    shown = revealed(found)
    assert np.shape(shown) == np.shape(wanted)
    np.testing.assert_allclose(np.asarray(shown, float), np.asarray(wanted, float), rtol=1e-12, atol=1e-15)


def test_most_idioms_are_taken():
    """Refusing everything would pass the test above."""
    taken = [code for code in CODES if not isinstance(outcome(code, True), Exception)]
    assert len(taken) > 0.75 * len(CODES)
