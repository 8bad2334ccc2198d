"""Random programs on private values with numbers of any size, run on two neighbours: what they release and pay."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privcheck import PrivcheckError
from privcheck.certifying import Session
from privcheck.certifying import _session as sessions
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, HybridTree, Laplace, NoisyMax, RandomisedResponse
from privcheck.privacy import relation
from privcheck.private_values import Private, clip, rounded, zeros
from privcheck.private_values._float_rounding import entry_errors

CHANGED = 0
"""The datum in which the two neighbours differ."""

MOST_ENTRIES = 12


@dataclass
class Run:
    """What a program releases on one stream: the values behind its releases, the ledger, and what was refused."""

    values: list[tuple[Any, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    paid: float = 0.0


def magnitude(rng):
    reach = (3, 3, 20, 300)[rng.integers(4)]
    return float(rng.uniform(1.0, 9.9)) * 10.0 ** float(rng.integers(-reach, reach + 1))


def number(rng):
    """A public factor: an awkward one, a power of two, one of numpy's types, or one of any size."""
    kind = rng.integers(5)
    if kind == 0:
        return (0.1, 0.2, 0.3, 1 / 3, 1 / 7, 1e6 / 7)[rng.integers(6)]
    if kind == 1:
        return 2.0 ** float(rng.integers(-3, 4))
    if kind == 2:
        return (np.float32(0.1), np.float16(0.3), np.int8(3), np.int64(2**53 - 1), 7, True)[rng.integers(6)]
    return magnitude(rng) * float(rng.choice((-1.0, 1.0)))


def wrapped(rng, source, datum, side):
    """One datum's number, vector or bounded vector; at side 1 of the changed datum it takes another value."""
    centre = 0.0 if rng.random() < 0.5 else magnitude(rng) * float(rng.choice((-1.0, 1.0)))
    width, kind = magnitude(rng), rng.integers(4)
    low, high = centre - width, centre + width
    size = 1 if kind == 0 else int(rng.integers(2, 5))
    places = rng.choice((0.0, 1.0, 0.0, 1.0, -1.0), (2, size))
    inside = rng.random((2, size))
    chosen = side if datum == CHANGED else 0
    place = np.where(places[chosen] < 0, inside[chosen], places[chosen])
    if rng.random() < 0.8 and chosen:  # most often, all of it moves from one end to the other
        place = 1.0 - np.where(places[0] < 0, inside[0], places[0])
    exact = np.clip(low + place * (high - low), low, high)
    if kind == 0:
        return source.scalar(float(exact[0]), low, high, datum)
    if kind == 1:
        return source.vector(exact, low, high, datum)
    direction = np.zeros(size)
    direction[rng.integers(size)] = -1.0 if chosen else 1.0
    if kind == 2:
        return source.vector(direction * width, -width, width, datum, l2_norm=width)
    half = direction * width / 2.0
    return source.vector(
        np.clip(centre + half, low, high), low, high, datum, l2_diameter=1.0001 * width + 1e-15 * abs(centre)
    )


def step(rng, found):
    """One random operation; what it does never depends on the data."""
    a, b = (found[rng.integers(len(found))] for _ in range(2))
    x, y = number(rng), number(rng)
    name = rng.choice(sorted(STEPS))
    return name, functools.partial(STEPS[name], a, b, x, y, rng.integers(10))


def _vector(a):
    return a if np.ndim(a) else np.stack([a, a, a])


def _put(a, b, x):
    target = zeros(4)
    target[1] += np.sum(a)
    target += x
    target[2:] -= np.sum(b)
    return target


STEPS = {
    "add": lambda a, b, x, y, k: a + b,
    "subtract": lambda a, b, x, y, k: a - b,
    "scale": lambda a, b, x, y, k: x * a,
    "shift": lambda a, b, x, y, k: x + a,
    "shift and back": lambda a, b, x, y, k: (a * x + y) - y,
    "divide": lambda a, b, x, y, k: a / x,
    "cancel": lambda a, b, x, y, k: 0.1 * a + 0.2 * a - 0.3 * a + (b if k < 3 else 0.0),
    "nearly common": lambda a, b, x, y, k: np.stack([np.sum(a) * 0.3, np.sum(a) * 0.1 * 3.0, np.sum(a) * (1 - 0.7)]),
    "common": lambda a, b, x, y, k: np.arange(4.0) * x + np.sum(a) + zeros(4),
    "weights": lambda a, b, x, y, k: _vector(a) * np.linspace(x, y, len(_vector(a))),
    "item": lambda a, b, x, y, k: _vector(a)[k % len(_vector(a))],
    "slice": lambda a, b, x, y, k: _vector(a)[::-1][: 1 + k % len(_vector(a))],
    "sum": lambda a, b, x, y, k: np.sum(a),
    "mean": lambda a, b, x, y, k: np.mean(_vector(a), axis=0, keepdims=True),
    "cumsum": lambda a, b, x, y, k: np.cumsum(_vector(a)),
    "matrix": lambda a, b, x, y, k: np.outer([x, y], np.arange(1.0, 1.0 + _vector(a).size)) @ np.ravel(_vector(a)),
    "concatenate": lambda a, b, x, y, k: np.concatenate([np.ravel(a), np.ravel(b), [x]]),
    "put": lambda a, b, x, y, k: _put(a, b, x),
    "product": lambda a, b, x, y, k: a * b,
    "square": lambda a, b, x, y, k: (a - x) * (a - x) if k < 5 else a * a,
    "outer": lambda a, b, x, y, k: np.outer(_vector(a), _vector(a)),
    "clip": lambda a, b, x, y, k: clip(a, -abs(x), abs(y)),
    "rounded": lambda a, b, x, y, k: rounded(a) * int(1 + k),
    "negative": lambda a, b, x, y, k: -_vector(a).T,
}


def scale_for(rng, value, norm):
    """A noise scale near the sensitivity, near what rounding may add, or of any size."""
    errors, sizes = entry_errors(value)
    likely = (max(value.sensitivities(norm).values(), default=1.0), float(errors.sum()), float(sizes.max()))
    base = likely[rng.integers(3)] * 10.0 ** float(rng.uniform(-2, 2)) if rng.random() < 0.8 else magnitude(rng)
    return base if 1e-307 < base < 1e307 else 1.0


def release(rng, value, session):
    """Release a value through a random mechanism of a random scale or declared sensitivity."""
    kind, noise = rng.integers(8), ("laplace", "gumbel", "exponential")[rng.integers(3)]
    norm = "range" if kind in (2, 3) else "l1"
    scale, epsilon = scale_for(rng, value, norm), float(rng.uniform(0.1, 3.0))
    flat = np.ravel(value) if value.ndim else np.stack([value])
    if kind < 2:
        mechanism = Laplace.with_scale(scale) if kind else Laplace(sensitivity=scale, epsilon=epsilon)
        return mechanism.release(value, None)
    if kind < 4:
        declared = {"score_range": scale, "epsilon": epsilon, "noise": noise}
        mechanism = NoisyMax.with_scale(scale, noise=noise) if kind == 2 else NoisyMax(**declared)
        return mechanism.release(flat, None)
    if kind == 4:
        return BinaryTree.with_scale(scale, horizon=16).release(flat, None)
    if kind == 5:
        return HybridTree.with_scale(scale, total_share=0.3).release(flat, None)
    if kind == 6:
        stream = BinaryTree(horizon=16, sensitivity=scale, epsilon=epsilon).start(session.noise)
        return [stream.add(flat[i]) for i in range(len(flat))]
    whole = rounded(flat)
    if rng.random() < 0.5:
        return RandomisedResponse(categories=3, epsilon=epsilon).release(clip(whole, 0, 2), None)
    return DiscreteLaplace.with_scale(min(scale, 1e12)).release(whole, None)


def run(seed, side):
    """Run the program with a seed on one of two neighbours."""
    rng, result = np.random.default_rng(seed), Run()
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    real = sessions._hidden

    def kept(mechanism, value):
        hidden = real(mechanism, value)
        result.values.append((mechanism, hidden))
        return hidden

    found = [wrapped(rng, session.source, datum, side) for datum in (0, *rng.integers(0, 3, rng.integers(4)).tolist())]
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"), session.active():
        patch.setattr(sessions, "_hidden", kept)
        for _ in range(int(rng.integers(1, 7))):
            name, operation = step(rng, found)
            try:
                new = operation()
            except (PrivcheckError, ValueError) as error:
                result.refused.append(f"{name}: {error}")
                continue
            if isinstance(new, Private) and 0 < new.size <= MOST_ENTRIES:
                found.append(new)
        for value in (found[-1], found[rng.integers(len(found))])[: rng.integers(1, 3)]:
            before = len(result.values)
            try:
                release(rng, value, session)
            except PrivcheckError as error:
                result.refused.append(f"release: {error}")
                del result.values[before:]
    total = session.ledger.paid.get(CHANGED)
    result.paid = total.epsilon if total is not None else 0.0
    return result


def exact_loss(mechanism, one, two):
    """The largest loss between two values, computed exactly from the numbers that the mechanism is given."""
    if isinstance(mechanism, (BinaryTree, HybridTree)):
        sums = [mechanism.node_sums(values).tolist() for values in (one, two)]
        scales = mechanism.scales(len(one)).tolist()
        return sum(abs(Fraction(a) - Fraction(b)) / Fraction(scale) for a, b, scale in zip(*sums, scales, strict=True))
    changes = [Fraction(b) - Fraction(a) for a, b in zip(np.ravel(one).tolist(), np.ravel(two).tolist(), strict=True)]
    if isinstance(mechanism, NoisyMax):
        return (max(changes) - min(changes)) / Fraction(mechanism.scale)
    if isinstance(mechanism, RandomisedResponse):
        return sum(change != 0 for change in changes) / Fraction(mechanism.scale)
    return sum(map(abs, changes)) / Fraction(mechanism.scale)


def unpaid(seed):
    """Return by how much what a program loses exceeds what it pays, as text; nothing if it does not."""
    one, two = run(seed, 0), run(seed, 1)
    if one.refused != two.refused or one.paid != two.paid or len(one.values) != len(two.values):
        return f"program {seed} does not behave alike: {one.refused} and {two.refused}, {one.paid} and {two.paid}"
    pairs = zip(one.values, two.values, strict=True)
    loss = sum((exact_loss(mechanism, a, b) for (mechanism, a), (_, b) in pairs), Fraction(0))
    if loss <= Fraction(one.paid) * (1 + Fraction(4e-9)) + Fraction(1e-290):
        return ""
    names = [type(mechanism).__name__ for mechanism, _ in one.values]
    shown = float(loss) if loss < 10**300 else math.inf
    return f"program {seed} ({', '.join(names)}) pays {one.paid:.6g} for a loss of {shown:.6g}"
