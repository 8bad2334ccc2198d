"""Random programs that draw noise from a Generator and read values with it: their charges and their losses.

What a program reads is y = C f + K z + (public), with C and K found by running the same program on ordinary numbers.
With independent Laplace draws z of scales b, the largest loss of a datum that moves f by d is exactly

    min { sum_j |x_j| / b_j : K x = C d },

a linear program, infinite where no x will do. (At most this: shift z by x. At least this: the density of K z falls like
exp(-N(y)) with the norm N(y) = min { sum |x_j| / b_j : K x = y }, along y = t C d.)
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog

from privcheck.certifying import Session
from privcheck.privacy import relation
from privcheck.private_values import LeakError, Private

FEATURES = 4
OWNERS = (0, 0, 1, 2)
"""Feature 0 and 1 belong to one datum."""


@dataclass
class Reader:
    """Collects what a program reads. What cannot be read is left out, in a run on ordinary numbers too."""

    made: list[bool] | None = None
    read: list[float] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __call__(self, value, behind=None):
        """Read a value; `behind` is what an ordinary run notes down, if that is more."""
        if self.made is not None:
            self.asked.append(self.made[len(self.asked)])
            if self.asked[-1]:
                self.read += np.ravel(value if behind is None else behind).tolist()
            return
        try:
            self.read += np.ravel(np.asarray(value, float) if np.ndim(value) else float(value)).tolist()
            self.asked.append(True)
        except LeakError as error:
            self.asked.append(False)
            self.errors.append(str(error))


class Given:
    """Stands for the Generator: returns given noise and keeps the scales."""

    def __init__(self, noise):
        self.noise, self.scales = noise, []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else np.shape(np.empty(size))
        count, start = int(np.prod(shape, dtype=int)), len(self.scales)
        self.scales += np.broadcast_to(scale, shape).ravel().tolist()
        found = np.array([self.noise[j] if j < len(self.noise) else 0.0 for j in range(start, start + count)])
        return loc + (found.reshape(shape) if shape else float(found[0]))


NUMBERS = (0.1, 0.3, 1 / 3, 1 / 7, 0.5, 2.0, -1.0, 3.0, -0.7, 10.0)


@dataclass
class State:
    """What a running program has computed so far."""

    plan: np.random.Generator
    rng: object
    reader: Reader
    scalars: list
    vectors: list
    noised: list = field(default_factory=list)
    raw: list = field(default_factory=list)

    def pick(self, kind):
        return kind[self.plan.integers(len(kind))]

    def add_noised(self, value):
        self.noised.append(value)
        self.scalars.append(value)

    def stack(self):
        parts = [self.pick(self.scalars) for _ in range(3)]
        self.vectors.append(np.stack(parts) if any(isinstance(part, Private) for part in parts) else np.array(parts))

    def in_place(self, a, b, x):
        a += x * b
        self.scalars.append(a)

    def read_noise_first(self, a, b, x):
        noise = self.rng.laplace(0.0, abs(x))
        noisy = a + noise
        target = b + 0.0
        self.reader(noise)
        if isinstance(target, Private):
            assert target.is_public in (True, False)  # it is settled now
        target += noisy
        self.add_noised(target)

    def put_noise_first(self, a, v, x):
        noise = self.rng.laplace(0.0, abs(x))
        noisy, target = a + noise, v + 0.0 * self.raw[0]  # it can hold private numbers even if v cannot
        self.reader(noise)
        self.reader(target[:0].sum())
        if isinstance(target, Private):
            assert target.is_public in (True, False)
            target[1] = noisy
            self.vectors.append(target)
            self.add_noised(target[1])
        else:
            target[1] = noisy
            self.vectors.append(target)
            self.add_noised(float(target[1]))

    def winner(self, v, x, place):
        """An argmax, and one of the scores after it: together at most what all scores lose, which is noted down."""
        scores = v + self.rng.laplace(0.0, abs(x), 3)
        if isinstance(scores, Private):
            with suppress(LeakError):
                np.argmax(scores)
        self.vectors.append(scores)
        self.reader(scores[place], scores)

    def list(self, x, function):
        """Noise on a list of data."""
        self.vectors.append(function([self.pick(self.raw), x * self.pick(self.raw), self.pick(self.raw)]))
        noise = self.rng.laplace(0.0, abs(x), [*np.shape(self.vectors[-1])])
        if np.ndim(self.vectors[-1]):
            self.vectors[-1] = self.vectors[-1] + noise
        else:
            self.add_noised(self.vectors.pop() + noise)

    def read(self, a):
        self.reader(self.pick(self.noised) if self.noised and self.plan.random() < 0.8 else a)


def _shifted(v):
    w = v.copy()
    w[1:] += v[:2]
    return w


def _view(v, x):
    view = v[::-1]
    view += x
    return view


OPERATIONS = {
    "noise": lambda s, a, b, v, x, y: s.scalars.append(s.rng.laplace(0.0, abs(x))),
    "noised": lambda s, a, b, v, x, y: s.add_noised(y * a + s.rng.laplace(0.0, abs(x))),
    "noised by two": lambda s, a, b, v, x, y: s.add_noised(a + s.rng.laplace(0.0, abs(x)) + s.rng.laplace(0.0, abs(y))),
    "coin": lambda s, a, b, v, x, y: s.read_noise_first(a, b, x),
    "item of a coin": lambda s, a, b, v, x, y: s.put_noise_first(a, v, x),
    "located": lambda s, a, b, v, x, y: s.add_noised(s.rng.laplace(a, abs(x))),
    "scaled": lambda s, a, b, v, x, y: s.scalars.append(x * a + y),
    "sum": lambda s, a, b, v, x, y: s.scalars.append(a + b),
    "combined": lambda s, a, b, v, x, y: s.scalars.append(x * a - y * b),
    "in place": lambda s, a, b, v, x, y: s.in_place(a, b, x),
    "stack": lambda s, a, b, v, x, y: s.stack(),
    "read": lambda s, a, b, v, x, y: s.read(a),
    "vector noise": lambda s, a, b, v, x, y: s.vectors.extend([v + s.rng.laplace(0.0, abs(x), 3)] * 2),
    "scales": lambda s, a, b, v, x, y: s.vectors.append(v + s.rng.laplace(0.0, [abs(x), 1.0, 2.0])),
    "one noise": lambda s, a, b, v, x, y: s.vectors.append(v + s.rng.laplace(0.0, abs(x))),
    "matrix": lambda s, a, b, v, x, y: s.vectors.append(np.array([[x, 1, 0], [0, y, 1], [1, 0, x]]) @ v),
    "cumsum": lambda s, a, b, v, x, y: s.vectors.append(np.cumsum(v)),
    "item": lambda s, a, b, v, x, y: s.scalars.append(v[int(s.plan.integers(3))]),
    "shifted": lambda s, a, b, v, x, y: s.vectors.append(_shifted(v)),
    "view": lambda s, a, b, v, x, y: s.vectors.append(_view(v, x)),
    "total": lambda s, a, b, v, x, y: s.scalars.append(np.sum(v)),
    "read vector": lambda s, a, b, v, x, y: s.reader(v),
    "diff": lambda s, a, b, v, x, y: s.vectors.append(np.append(np.diff(v), [x])),
    "einsum": lambda s, a, b, v, x, y: s.vectors.append(np.einsum("i,i->i", np.array([x, y, 1.0]), v)),
    "average": lambda s, a, b, v, x, y: s.scalars.append(np.average(v, weights=np.array([1.0, 2.0, abs(x)]))),
    "solve": lambda s, a, b, v, x, y: s.vectors.append(np.linalg.solve(np.eye(3) + abs(x), v)),
    "winner": lambda s, a, b, v, x, y: s.winner(v, x, int(s.plan.integers(3))),
    "array of a list": lambda s, a, b, v, x, y: s.list(x, np.array),
    "mean of a list": lambda s, a, b, v, x, y: s.list(x, np.mean),
    "sum of a list": lambda s, a, b, v, x, y: s.list(y, np.sum),
    "appended": lambda s, a, b, v, x, y: s.list(x, lambda parts: np.append(parts[:1], parts[1:])),
    "where": lambda s, a, b, v, x, y: s.vectors.append(np.where([True, x > 0.0, False], v, v[::-1])),
}
OFTEN = ("noised", "located", "stack", "read", "vector noise", "vector noise", "read vector")


def program(seed, values, rng, reader):
    """Run the program with this seed; which operations it makes depends on nothing else."""
    first = np.stack(values[1:]) if isinstance(values[0], Private) else np.array(values[1:])
    state = State(np.random.default_rng(seed), rng, reader, [*values], [first], raw=[*values])
    for _ in range(int(state.plan.integers(3, 10))):
        name = state.pick((*OPERATIONS, *OFTEN))
        a, b, v = state.pick(state.scalars), state.pick(state.scalars), state.pick(state.vectors)
        OPERATIONS[name](state, a, b, v, state.pick(NUMBERS), state.pick(NUMBERS))
    reader(state.scalars[-1])
    reader(state.vectors[-1])


def guarded(seed):
    """Run a program under a session without a budget; return the charges, and what it read."""
    session, reader = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0)), Reader()
    values = [session.source.scalar(0.5, 0.0, 1.0, owner) for owner in OWNERS]
    with session.active():
        program(seed, values, session.generator(np.random.default_rng(1)), reader)
    return {datum: charge.epsilon for datum, charge in session.ledger.paid.items()}, reader


def maps(seed, made):
    """Return C, K and b of the numbers that a program reads."""

    def plain(features, noise):
        given, reader = Given(noise), Reader(made)
        program(seed, [float(f) for f in features], given, reader)
        return np.array(reader.read), given.scales

    base, scales = plain(np.zeros(FEATURES), [])
    columns = [plain(np.eye(FEATURES)[j], [])[0] - base for j in range(FEATURES)]
    drawn = [plain(np.zeros(FEATURES), np.eye(len(scales))[j])[0] - base for j in range(len(scales))]
    return np.array(columns).T, np.array(drawn).T.reshape(len(base), len(scales)), np.array(scales)


def loss(c, k, scales):
    """Return the largest loss by the linear program; infinity if no noise hides the change c."""
    if not np.abs(c).max(initial=0.0) > 1e-9:
        return 0.0
    if k.shape[1] == 0:
        return np.inf
    cost = np.concatenate([1.0 / scales, 1.0 / scales])
    found = linprog(cost, A_eq=np.hstack([k, -k]), b_eq=c, bounds=(0, None), method="highs")
    return float(found.fun) if found.status == 0 else np.inf


def losses(seed, made):
    """Return the exact loss of each datum from the numbers that a program reads."""
    found, (c, k, scales) = {}, maps(seed, made)
    for owner in set(OWNERS):
        own = [j for j in range(FEATURES) if OWNERS[j] == owner]
        corners = itertools.product((-1.0, 0.0, 1.0), repeat=len(own))
        found[owner] = max(loss(c[:, own] @ np.array(corner), k, scales) for corner in corners)
    return found


def compared(seed):
    """Return the charge and the exact loss of each datum."""
    charged, reader = guarded(seed)
    true = losses(seed, reader.asked)
    return {owner: (charged.get(owner, 0.0), true[owner]) for owner in true}


def unpaid(seed):
    """Return by how much a program loses more than it is charged, as text; nothing if it does not."""
    for owner, (charged, lost) in compared(seed).items():
        if lost > charged * (1.0 + 1e-6) + 1e-6:
            return f"program {seed} charges datum {owner} {charged:.6g} for a loss of {lost:.6g}"
    return ""
