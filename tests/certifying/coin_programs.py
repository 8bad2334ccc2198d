"""Random programs that compare uniform draws with public and private chances: their charges and their exact losses.

A program runs on ordinary data with every uniform draw on the midpoints of ten intervals at once, along an axis of its
own. All limits are multiples of 1/10, so that counting gives the exact law of everything that it reads. Chances are
affine in the data, and log-ratios of answers are largest at the ends of their ranges, so the data are 0 or 1. Draws
that the guarded run has made public keep the values that they had there: the law is that given these coins, on which it
depends what can be read.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from privcheck.certifying import Session
from privcheck.privacy import relation
from privcheck.private_values import LeakError, Private
from privcheck.private_values._noise.draws import FIRST

CELLS, MOST = 10, 4
OWNERS = (0, 1, 1)
"""The data of the three features."""


class TooManyError(Exception):
    """The program draws more numbers than are enumerated."""


class Grid:
    """Stands for the Generator: each draw takes all its values along an axis of its own, unless it is a public coin."""

    def __init__(self, coins):
        self.drawn, self.called, self.coins = 0, 0, coins

    def random(self, size=None):
        return self.one() if size is None else [self.one() for _ in range(size)]

    def one(self):
        self.called += 1
        if self.called - 1 in self.coins:
            return self.coins[self.called - 1]
        if self.drawn == MOST:
            raise TooManyError
        shape = [1] * MOST
        shape[self.drawn] = CELLS
        self.drawn += 1
        return ((np.arange(CELLS) + 0.5) / CELLS).reshape(shape)


@dataclass
class State:
    """What a running program has computed so far: draws, coins, bits that depend on data, and what was read."""

    plan: np.random.Generator
    rng: object
    data: list
    bits: list
    uniform: list = field(default_factory=list)
    coins: list = field(default_factory=list)
    answers: list = field(default_factory=list)
    used: list = field(default_factory=list)

    def pick(self, kind):
        return kind[self.plan.integers(len(kind))]

    def limit(self):
        return int(self.plan.integers(1, CELLS)) / CELLS

    def chance(self, answer):
        """A chance that depends on data, within [0.1, 0.9], and sometimes on an answer."""
        slope, datum = self.pick((0.2, 0.4, -0.2, -0.4)), self.pick(self.data)
        found = 0.5 + slope * datum
        if answer is not None and self.plan.random() < 0.5:
            self.used.append(len(self.answers) - 1)
            found = 0.4 + 0.1 * answer + self.pick((0.2, 0.4, -0.2)) * datum
        return found

    def last(self):
        return self.answers[-1] if self.answers else None


def draw(s):
    s.uniform.append(s.rng.random())


def coin(s):
    s.coins.append(s.pick(s.uniform) < s.limit())


def read_coin(s):
    s.answers.append(1.0 * s.pick(s.coins))


def read_draw(s):
    """All that is seen of a draw here is its cell."""
    s.answers.append(np.floor(CELLS * (s.pick(s.uniform) + 0.0)))


def answer(s):
    u, q = s.pick(s.uniform), s.chance(s.last())
    s.answers.append(1.0 * s.pick((lambda: u < q, lambda: q > u, lambda: u <= q, lambda: u > q, lambda: q <= u))())


def shifted(s):
    """A draw that was moved and turned before it is compared."""
    u, q = s.pick(s.uniform), s.chance(s.last())
    s.answers.append(1.0 * s.pick((lambda: 1.0 - u < q, lambda: 2.0 * u > 2.0 * q, lambda: u - q < 0.0))())


def respond(s):
    x = s.pick(s.bits)
    s.answers.append(np.where(s.pick(s.coins), x, 1 - x) + 0.0)


def respond_at_random(s):
    """The other side is another coin, or the bit of another datum."""
    s.answers.append(np.where(s.pick(s.coins), s.pick(s.bits), s.pick((*s.coins, *s.bits))) + 0.0)


def respond_twice(s):
    x, c = s.pick(s.bits), s.pick(s.coins)
    s.answers.append(np.where(c, x, 1 - x) + 0.0)
    s.answers.append(np.where(c, 1 - x, x) + 0.0)


def tell(s):
    """Without noise: never to be read."""
    s.answers.append(s.pick((*s.data, *s.bits)) * 1.0)


OPERATIONS = (draw, draw, coin, coin, read_coin, read_draw, answer, answer, shifted, respond, respond,
              respond_at_random,
              respond_twice, tell)  # fmt: skip


def program(seed, data, rng, done):
    """Run the program with this seed; `done` says which operations are made, or is filled. Return what is read."""
    private = isinstance(data[0], Private)
    bits = [(x > 0.5) * 1 for x in data] + [(x <= 0.5) * 1 for x in data]
    state = State(np.random.default_rng(seed), rng, data, bits)
    made = None if private else iter(list(done))
    count = int(state.plan.integers(3, 9))
    for number in range(count):
        operation = OPERATIONS[0] if number == 0 else state.pick(OPERATIONS)
        plan, before = np.random.default_rng([seed, number]), len(state.answers)
        state.plan, outer = plan, state.plan
        skipped = not private and not next(made)
        if not skipped:
            try:
                if not (operation in (read_coin, respond, respond_at_random, respond_twice) and not state.coins):
                    operation(state)
                for place in range(before, len(state.answers)):
                    found = state.answers[place]
                    state.answers[place] = float(found) if private else found
            except LeakError:
                del state.answers[before:]
                skipped = True
        if private:
            done.append(not skipped)
        state.plan = outer
    return state.answers, state.used


def guarded(seed):
    """Return the charges of a program; the operations that it made, its public coins, and its path.

    The path consists of the answers on which later chances depend: charges are functions of what was released before.
    """
    session, done = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(seed)), []
    session.source.forgets = False
    data = [session.source.scalar(0.3, 0.0, 1.0, owner) for owner in OWNERS]
    with session.active():
        answers, used = program(seed, data, session.generator(np.random.default_rng([seed, 1])), done)
    coins = {number: known.const for number in range(len(session.source.draws))
             if (known := session.source.draws[FIRST - number].known) is not None}  # fmt: skip
    path = {place: answers[place] for place in used if place < len(answers)}
    return {datum: charge.epsilon for datum, charge in session.ledger.paid.items()}, (done, coins, path)


def law(seed, data, done, coins, path):
    """Return the exact probability of each outcome on a path, times the number of cells."""
    read, _ = program(seed, list(data), Grid(coins), done)
    shape = (CELLS,) * MOST
    codes = np.zeros(shape, np.int64)
    for value in read:
        codes = codes * 32 + np.broadcast_to(np.rint(value), shape).astype(np.int64)
    on_path = np.ones(shape, np.bool_)
    for place, value in path.items():
        on_path &= np.rint(read[place]) == value
    return np.unique(codes[on_path], return_counts=True)


def losses(seed, run):
    """Return the exact loss of each datum, given the public coins and the answers on which later chances depend."""
    corners = list(itertools.product((0.0, 1.0), repeat=len(OWNERS)))
    laws = {corner: dict(zip(*map(np.ndarray.tolist, law(seed, corner, *run)), strict=True)) for corner in corners}
    found = dict.fromkeys(OWNERS, 0.0)
    for one, two in itertools.permutations(corners, 2):
        moved = {owner for owner, a, b in zip(OWNERS, one, two, strict=True) if a != b}
        if len(moved) == 1:
            ratio = max(np.log(count / laws[two][code]) if code in laws[two] else np.inf
                        for code, count in laws[one].items())  # fmt: skip
            (owner,) = moved
            found[owner] = max(found[owner], float(ratio))
    return found


def compared(seed):
    """Return the charge and the exact loss of each datum; nothing if the program draws too much."""
    charged, run = guarded(seed)
    try:
        true = losses(seed, run)
    except TooManyError:
        return {}
    return {owner: (charged.get(owner, 0.0), true[owner]) for owner in true}


def unpaid(seed):
    """Return by how much a program loses more than it is charged, as text; nothing if it does not."""
    for owner, (charged, lost) in compared(seed).items():
        if lost > charged * (1.0 + 1e-6) + 1e-6:
            return f"program {seed} charges datum {owner} {charged:.6g} for a loss of {lost:.6g}"
    return ""
