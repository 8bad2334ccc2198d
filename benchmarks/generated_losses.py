"""The exact privacy loss of a generated program, from what it publishes. Shares no code with privcheck.

Published numbers are y = A f(data) + B z. Draws that stand alone in one number are merged: the loss of a sum of Laplace
draws is that of the one with the largest scale (reached far out), normal draws add their variances. Then a change d of
A f is made up for by the draws B^+ d, the least in norm, and by no others where the columns of B are independent. So

    epsilon = max sum_i |(B^+ d)_i| / b_i,    mu = max || (B Sigma)^+ d ||,

over the changes d that the rewards of one person can make; both are infinite if some d is not in the range of B.

epsilon: the sum of absolute values is the largest, over signs s, of the sum of s_i (B^+ d)_i / b_i, which is a sum over
rounds. For given signs each round is a piecewise quadratic function of its reward, whose largest and smallest value are
at ends of pieces or where the derivative is 0. mu: a norm is convex, and without squares the pieces are linear, so the
maximum is where all rewards are at ends of pieces.
"""

from __future__ import annotations

import itertools

import numpy as np
from generated_programs import Program

TINY = 1e-9


def exact_loss(program: Program) -> float:
    """Return epsilon for Laplace noise, mu for normal noise."""
    draws, scales = _merged(program)
    rows = program.coefficients
    noise = draws * scales
    left, sizes, _ = np.linalg.svd(noise)
    rank = int((sizes > TINY).sum())
    pieces = _pieces(program)
    hidden = np.einsum("nj,jtf->ntf", left[:, rank:].T, rows)
    if hidden.size and _largest_change(hidden, pieces) > TINY:
        return float("inf")
    normalised = np.einsum("nj,jtf->ntf", np.linalg.pinv(noise, rcond=1e-12), rows)
    if program.law == "normal":
        return _largest_norm(normalised, pieces, program.visits)
    if rank < noise.shape[1]:
        raise ValueError("Laplace draws that are shared and more than the numbers have no closed form here")
    return _largest_sum(normalised, pieces, program.visits)


def _merged(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Return draws and scales after draws that stand alone in the same number are merged."""
    columns: list[np.ndarray] = []
    alone: dict[int, list[float]] = {}
    for column, scale in zip(program.draws.T, program.scales, strict=True):
        where = np.flatnonzero(column)
        if len(where) == 1:
            alone.setdefault(int(where[0]), []).append(abs(column[where[0]]) * scale)
        elif len(where):
            columns.append(column * scale)
    for j, sizes in alone.items():
        unit = np.zeros(len(program.draws))
        unit[j] = max(sizes) if program.law == "laplace" else float(np.hypot.reduce(sizes))
        columns.append(unit)
    return np.array(columns).T, np.ones(len(columns))


def _pieces(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the pieces of [0, 1], and the polynomials of all features on them."""
    breaks = sorted({0.0, 1.0, *(x for feature in program.features for x in feature.breaks)})
    ends = np.array(list(itertools.pairwise(breaks)))
    return ends, np.array([[f.polynomial(float(u + v) / 2) for u, v in ends] for f in program.features])


def _at(polynomials: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the values of polynomials, whose last axis has the coefficients, at x."""
    return polynomials[..., 0] * x * x + polynomials[..., 1] * x + polynomials[..., 2]


def _spans(functions: np.ndarray, pieces: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return largest minus smallest value of each function of one reward, of shape (..., features)."""
    ends, features = pieces
    curves = np.einsum("...f,fcq->...cq", functions, features)
    bends = np.abs(curves[..., 0]) > TINY
    still = np.where(bends, -curves[..., 1] / np.where(bends, 2 * curves[..., 0], 1.0), ends[:, 0])
    values = np.stack([_at(curves, x) for x in (ends[:, 0], ends[:, 1], np.clip(still, ends[:, 0], ends[:, 1]))])
    return values.max(axis=(0, -1)) - values.min(axis=(0, -1))


def _largest_change(rows: np.ndarray, pieces: tuple[np.ndarray, np.ndarray]) -> float:
    return float(_spans(rows, pieces).max())


def _largest_sum(rows: np.ndarray, pieces: tuple[np.ndarray, np.ndarray], visits: int) -> float:
    signs = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=len(rows) - 1)])
    spans = _spans(np.einsum("sn,ntf->stf", signs, rows), pieces)
    return float(np.sort(spans, axis=1)[:, -visits:].sum(axis=1).max())


def _largest_norm(rows: np.ndarray, pieces: tuple[np.ndarray, np.ndarray], visits: int) -> float:
    ends, features = pieces
    corners = np.concatenate([_at(features, ends[:, k]) for k in (0, 1)], axis=1)
    changes = []
    for t in range(rows.shape[1]):
        values = (rows[:, t, :] @ corners).T
        differences = (values[:, None, :] - values[None, :, :]).reshape(-1, len(rows))
        changes.append(np.unique(differences.round(12), axis=0))
    if visits == 1:
        return max(float(np.linalg.norm(change, axis=1).max()) for change in changes)
    pairs = itertools.combinations(changes, visits)
    return max(float(np.linalg.norm(one[:, None, :] + two[None, :, :], axis=2).max()) for one, two in pairs)
