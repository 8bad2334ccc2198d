"""Copies of policies are those of `copy.deepcopy`, part by part, with the same parts shared."""

from __future__ import annotations

import collections
import copy
import copyreg
import dataclasses
import threading
import types

import numpy as np
import pytest

from privcheck import BudgetExceededError, guard
from privcheck.certifying import _context_isolation as isolation
from privcheck.certifying._context_isolation import copy_of_state, generators, throw_away
from privcheck.certifying._recorded import deep_copies
from privcheck.certifying._recorded.deep_copies import deep_copy
from privcheck.mechanisms import Laplace
from privcheck.private_values import Private, PrivateSource, zeros


class Simple:
    """Holds attributes."""

    def __init__(self, **state):
        vars(self).update(state)


class Own(Simple):
    def __deepcopy__(self, memo):
        return Own(copied=True)


class Set(Simple):
    def __setstate__(self, state):
        vars(self).update(state, set=True)


class Got(Simple):
    def __getstate__(self):
        return {"got": 1}


class Reduced(Simple):
    def __reduce__(self):
        return Simple, (), {"reduced": True}


class New(Simple):
    def __new__(cls, **_):
        made = super().__new__(cls)
        made.new = True
        return made


class Slots(Simple):
    __slots__ = ("more",)


class Registered(Simple):
    pass


copyreg.pickle(Registered, lambda one: (Simple, (), {"registered": len(vars(one))}))


class Numbers(list):
    pass


class Meta(type):
    pass


class Named(collections.UserDict):
    pass


@dataclasses.dataclass(frozen=True)
class Frozen:
    number: float
    row: list


def in_a_circle():
    one = Simple(row=[1.0])
    one.own, one.row[:], one.names = one, [one, 2.0], {"own": one}
    return one


def with_a_deepcopy_of_its_own():
    one = Simple(pulls=[1])
    one.__deepcopy__ = lambda memo: Simple(instance=True)
    return one


def with_slots():
    one = Slots(pulls=[1])
    one.more = [2]
    return one


SAME, COINS, SOURCE = [1.0], np.random.default_rng(0), PrivateSource()
GRID, PRIVATE = np.arange(12.0).reshape(3, 4), SOURCE.scalar(0.5, 0.0, 1.0, datum=3)
LOCKED = GRID.copy()
LOCKED.flags.writeable = False
STATES = {
    "numbers": Simple(rng=COINS, pulls=[1, 2.0, None, True, "b", b"c", 1j], text="a", count=np.float64(3.0)),
    "shared": Simple(one=SAME, two=SAME, three=[SAME, [SAME]], four={"a": SAME}),
    "nested": Simple(nested=[[1, [2.0]], (3, [4]), {5: {6: [7]}}], empty=[[], {}, ()]),
    "dictionaries": Simple(kept={"a": 1, (1, 2): [3], None: {}, 2.0: "b"}, order={"z": 1, "a": 2}),
    "arrays": Simple(whole=GRID, turned=GRID.T, part=GRID[1:, ::2], locked=LOCKED, other=np.asfortranarray(GRID)),
    "kinds": Simple(small=np.int8(3), short=np.arange(3, dtype=">i2"), held=np.array([[1], None], object)),
    "records": Simple(records=np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), when=np.datetime64("2026-01-01")),
    "private": Simple(one=PRIVATE, row=[PRIVATE, 2.0 * PRIVATE, 0.5], by={1: PRIVATE}, many=zeros(3) + PRIVATE),
    "objects": Simple(inner=Simple(inner=Simple(row=SAME), row=SAME), kind=Simple, function=len, own=in_a_circle),
    "frozen": Simple(frozen=Frozen(1.0, SAME), mechanism=Laplace(sensitivity=1.0, epsilon=1.0), row=SAME),
    "circle": in_a_circle(),
    "others": Simple(
        counts=collections.Counter("aab"), last=collections.deque([[1]], 3), of=collections.defaultdict(list),
        numbers=Numbers([SAME]), space=types.SimpleNamespace(row=SAME), named=Named(a=SAME), range=range(3), meta=Meta,
        made=Meta("Made", (), {}), names={1},
    ),
    "a deepcopy": Simple(own=Own(pulls=[1]), again=with_a_deepcopy_of_its_own()),
    "rules": Simple(set=Set(a=SAME), got=Got(a=1), reduced=Reduced(a=1), new=New(a=1), slots=with_slots()),
    "registered": Simple(registered=Registered(a=1, b=2)),
    "a generator": Simple(rng=np.random.default_rng(1), again=[np.random.default_rng(2)]),
}  # fmt: skip


def described(value, seen=None):
    """Return all that can be seen of an object: classes, numbers, order, and which parts are one and the same."""
    seen = {} if seen is None else seen
    kind = type(value)
    if value is None or kind in (int, float, complex, str, bytes, bool, range) or isinstance(value, np.generic):
        return kind.__name__, repr(value)
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return "itself", id(value)
    if id(value) in seen:
        return "again", seen[id(value)][0]
    seen[id(value)] = len(seen), value
    found = [kind]
    if isinstance(value, np.ndarray):
        flags = value.flags.writeable, value.flags.c_contiguous, value.flags.f_contiguous, value.flags.owndata
        found += [value.dtype.str, value.shape, value.strides, flags, value.base is None]
        found.append([described(part, seen) for part in value.ravel()] if value.dtype.hasobject else value.tobytes())
    elif isinstance(value, Private):
        found += [value.shape, repr(value), repr(value.sensitivities("l1")), value.source is SOURCE]
    elif isinstance(value, np.random.Generator):
        found.append(repr(value.bit_generator.state))
    elif isinstance(value, set):
        found.append(sorted(value))
    if isinstance(value, dict):
        found.append([(described(key, seen), described(part, seen)) for key, part in value.items()])
    elif isinstance(value, list | tuple | collections.deque):
        found.append([described(part, seen) for part in value])
    found.append([(name, described(part, seen)) for name, part in getattr(value, "__dict__", {}).items()])
    found += [described(getattr(value, name), seen) for name in ("more",) if hasattr(value, name)]
    return found


def parts(value, seen):
    """Return the numbers of all lists, dictionaries, arrays, private values and objects that are reached."""
    if id(value) in seen or isinstance(value, type | types.FunctionType | np.random.Generator):
        return seen
    if isinstance(value, list | dict | np.ndarray | Private) or hasattr(value, "__dict__"):
        seen.add(id(value))
    inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for part in (*inner, *getattr(value, "__dict__", {}).values()):
        parts(part, seen)
    return seen


@pytest.mark.parametrize("name", STATES)
def test_a_copy_is_what_deepcopy_makes(name):
    """With the same parts shared, and none of those of the original."""
    policy = STATES[name]
    before = described(policy)
    copied, expected = deep_copy(policy, {id(COINS): COINS}), copy.deepcopy(policy, {id(COINS): COINS})
    assert described(copied) == described(expected)
    assert described(policy) == before
    of_expected = parts(expected, set())
    shared = parts(copied, set()) & parts(policy, set())
    assert not shared or name in ("others", "rules", "a deepcopy"), shared  # of these deepcopy shares some
    assert parts(policy, set()).isdisjoint(of_expected) or name in ("others", "rules", "a deepcopy")


def copies_no_parts(value, _):
    made = object.__new__(type(value))
    vars(made).update(vars(value))
    return made


@pytest.mark.parametrize(("name", "states"), [("rules", ["rules", "registered"]), ("memo", ["shared", "circle"])])
def test_broken_twins_are_found(name, states, monkeypatch):
    """A copy that ignores what classes say, and one that copies a shared part twice, are told from deepcopy's."""

    def twin_of(policy):
        with monkeypatch.context() as patch:
            if name == "rules":
                patch.setattr(deep_copies, "_holds_attributes_alone", lambda kind: hasattr(kind, "__dict__"))
            else:
                patch.setattr(deep_copies, "id", lambda _: object(), raising=False)
            try:
                return described(deep_copy(policy, {}))
            except RecursionError:  # of a circle
                return "never ends"

    for state in states:
        policy = STATES[state]
        expected = described(copy.deepcopy(policy, {}))
        assert described(deep_copy(policy, {})) == expected
        assert twin_of(policy) != expected, state


def test_what_cannot_be_copied_is_not_copied():
    """A lock in a list, in a dictionary, and in an object within an object."""
    for policy in (Simple(a=[threading.Lock()]), Simple(a={1: threading.Lock()}), Simple(a=Simple(b=threading.Lock()))):
        with pytest.raises(TypeError, match="pickle"):
            deep_copy(policy, {})
        assert copy_of_state(policy, []) is None
        assert throw_away(policy) is None


def test_a_copy_that_is_thrown_away_has_generators_of_its_own():
    """Also those within lists and objects; one that is held twice is one generator in the copy."""
    rng = np.random.default_rng(1)
    policy = Simple(rng=rng, again=[rng, np.random.default_rng(2)], inner=Simple(rng=rng))
    copied = throw_away(policy)
    assert copied.rng is copied.again[0] is copied.inner.rng is not rng
    drawn = [generator.random() for generator in (copied.rng, copied.again[1], *policy.again)]
    assert len({*drawn}) == 4
    assert drawn[2:] == [np.random.default_rng(1).random(), np.random.default_rng(2).random()]
    assert len(generators(policy)) == 2


class Sums:
    """The sum of each arm, released once."""

    def __init__(self, rng):
        self.rng, self.sums, self.rounds, self.shown = rng, [0.0, 0.0], 0, 0.0

    def select(self):
        return self.rounds % 2

    def update(self, action, reward):
        self.rounds += 1
        self.sums[action] += reward
        if self.rounds % 4 == 0:
            self.shown = float(self.sums[0] + self.rng.laplace(0.0, 1.0))


@pytest.mark.parametrize("twin", [False, True])
def test_a_refused_update_is_undone_in_lists_of_private_values(twin, monkeypatch):
    """The guard goes on with the policy as it was before; a twin that copies no parts keeps what the update has set."""
    if twin:
        monkeypatch.setattr(isolation, "deep_copy", copies_no_parts)
    guarded = guard(Sums, epsilon=1.0, arms=2, noise="float", rng=np.random.default_rng(0))
    for _ in range(7):
        guarded.update(guarded.select(), 1.0)
    arm = guarded.select()
    with pytest.raises(BudgetExceededError):
        guarded.update(arm, 1.0)
    policy = guarded._policy
    held = [len(part.data_ids) for part in policy.sums]
    assert policy.rounds == 7
    assert held == ([4, 4] if twin else [4, 3])


class Noised:
    """The sum of each arm is released with noise of numpy's after every ten rewards."""

    def __init__(self, rng):
        self.rng, self.sums, self.pulls, self.rounds = rng, [0.0] * 4, [0] * 4, 0

    def select(self):
        return self.rounds % 4

    def update(self, action, reward):
        self.rounds += 1
        self.pulls[action] += 1
        self.sums[action] += reward
        if self.pulls[action] % 10 == 0:
            self.shown = float(self.sums[action] + self.rng.laplace(0.0, 1.0))
            self.sums[action] = 0.0


def test_a_policy_is_copied_only_while_a_refusal_can_come(monkeypatch):
    """Draws of the last call are taken for used until somebody looks again: before, that was after the next release."""
    copies = []
    monkeypatch.setattr(isolation, "deep_copy", lambda policy, memo: copies.append(1) or deep_copy(policy, memo))
    guarded = guard(Noised, epsilon=1.0, arms=4, noise="float", rng=np.random.default_rng(0))
    for _ in range(400):
        guarded.update(guarded.select(), 0.5)
    assert len(guarded._session.ledger.releases) == 40
    assert 37 + 20 <= len(copies) <= 37 + 2 * 40  # before the first release, and after each


class Keeping(Noised):
    """Goes on with a sum that was released."""

    def update(self, action, reward):
        total = self.sums[action] + reward
        super().update(action, reward)
        if self.pulls[action] % 10 == 0:
            self.sums[action] = total


def test_a_policy_that_holds_what_was_charged_is_copied_in_every_round():
    """The twin of the one above: the second look finds that the next release does not fit."""
    guarded = guard(Keeping, epsilon=1.0, arms=4, noise="float", rng=np.random.default_rng(0))
    for place in range(76):
        guarded.update(guarded.select(), 0.5)
        assert guarded._session.expects_refusal, place
    arm = guarded.select()
    with pytest.raises(BudgetExceededError):
        guarded.update(arm, 0.5)
    assert guarded.select() in range(4)  # with the policy as it was before
