"""What a copy of a policy has not: the order of a set, the memory that arrays share, and being a certain object."""

from __future__ import annotations

import dataclasses
import functools
import math
import sys

import numpy as np
import pytest

from privcheck import PrivcheckError
from privcheck.certifying import ledger_problems
from privcheck.certifying._recorded import snapshots
from tests.modules import beside

policies = beside(__file__, "ledger_policies", registered=True)
close, guard, rows = policies.close, policies.guard, policies.rows

ARMS, STAY = 40, (9, 32)
NOTHING = object()


class Eliminates(policies.Blocks):
    """Takes arms out of a set, one a round, and plays those that are left in the order that the set has."""

    def __init__(self, rng, arms=ARMS, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.active, self.asked = set(range(arms)), 0

    def select(self):
        self.asked += 1
        if len(self.active) > len(STAY):
            self.active.remove(max(self.active.difference(STAY)))
        return [*self.active][int(self.rng.integers(len(self.active)))]


class Unseen(policies.Blocks):
    """Marks what it has not seen by an object of its own."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.seen, self.asked = [NOTHING] * arms, 0

    def select(self):
        self.asked += 1
        return int(self.asked > 70 and self.seen[1] is NOTHING)


class SharesMemory(policies.Blocks):
    """Reads an array of a class of numpy's through another one."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.masked = np.ma.array(np.zeros(arms), mask=False)
        self.plain = self.masked.data

    def select(self):
        self.plain[0] += 1.0
        return int(self.masked[0]) % 2


CASES = {
    Eliminates: "a set whose order comes", Unseen: "a bare object()", SharesMemory: "arrays of a class of their own",
}  # fmt: skip


@pytest.mark.parametrize("policy", CASES, ids=lambda policy: policy.__name__)
def test_a_policy_that_a_copy_would_change_has_no_snapshot(tmp_path, monkeypatch, policy):
    """Or a worker that starts from it answers otherwise than those that have played all events."""
    monkeypatch.setattr(snapshots, "EVERY", 50)
    arms = ARMS if policy is Eliminates else 2
    first = guard(tmp_path, policy, arms=arms)
    for _ in range(60):
        first.select()
    assert CASES[policy] in rows(tmp_path, "SELECT problem FROM snapshot")[0][0]
    second = guard(tmp_path, policy, arms=arms)
    for number in range(20):
        assert second.select(request_id=f"e{number}") == first.select(request_id=f"e{number}")
    for guarded in (first, second):
        close(guarded)


def test_all_workers_go_on_from_what_was_kept_when_one_has_forgotten(tmp_path):
    """The copy has its sets in an order of its own: nobody goes on from the policy in memory."""
    first, second = (guard(tmp_path, Eliminates, arms=ARMS) for _ in range(2))
    for _ in range(60):
        first.select()
    _ = second.spent  # it has played all events, too
    in_memory = [*second._policy.active]
    assert first.forget() > 0
    answers = [second.select(request_id=f"e{number}") for number in range(20)]
    assert [*second._policy.active] != in_memory
    assert [first.select(request_id=f"e{number}") for number in range(20)] == answers
    third = guard(tmp_path, Eliminates, arms=ARMS)
    assert first.select(request_id="next") == third.select(request_id="next") == second.select(request_id="next")
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    for guarded in (first, second, third):
        close(guarded)


class Mark:
    """Stands for what there is not."""


MARK, NAN = Mark(), float("nan")


class Marks(policies.Blocks):
    """Asks whether it finds the marks that it has put down, which a copy of them would not be."""

    OWN = Mark()

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        own = float("nan")
        self.found = {"global": MARK, "class": self.OWN, "library": dataclasses.MISSING, "nan": NAN, "numpy": np.nan}
        self.key, self.held = own, {own: 1}
        self.apart = [float("nan"), own]

    def select(self):
        found = self.found
        same = found["global"] is MARK, found["class"] is self.OWN, found["library"] is dataclasses.MISSING
        nans = found["nan"] is NAN, found["numpy"] is np.nan, self.key in self.held, self.apart[1] is self.key
        return int(all(same) and all(nans) and self.apart[0] is not self.key)


def test_a_policy_finds_its_marks_again_in_a_snapshot(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "EVERY", 10)
    first = guard(tmp_path, Marks)
    assert [first.select() for _ in range(10)] == [1] * 10
    assert rows(tmp_path, "SELECT problem FROM snapshot") == [("",)]
    second = guard(tmp_path, Marks)
    assert second.select() == 1
    assert first.forget() > 0
    assert [second.select(), first.select(), guard(tmp_path, Marks).select()] == [1] * 3
    for guarded in (first, second):
        close(guarded)


class Words(policies.Blocks):
    """Asks for the first of some words, which is another one in each process."""

    def __init__(self, rng, arms=2, epsilon=0.5, words=("left", "right")):
        super().__init__(rng, arms, epsilon)
        self.words = set(words)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("left", "right"), False), ((("a", 1), ("b", 2)), False), ((math.nan, 1.0), False), ((MARK, None), False),
        (("left",), True), ((1, 2.5, (3, 4)), True), ((frozenset({1, 2}), 3), True),
    ],
)  # fmt: skip
def test_a_set_whose_order_is_that_of_a_process_is_in_no_snapshot(tmp_path, monkeypatch, words, kept):
    """Text is hashed with a seed of the process, and other objects by where they are in memory."""
    monkeypatch.setattr(snapshots, "EVERY", 5)
    guarded = guard(tmp_path, functools.partial(Words, words=words))
    for _ in range(5):
        guarded.select()
    ((problem,),) = rows(tmp_path, "SELECT problem FROM snapshot")
    assert problem == "" if kept else "a set of more than numbers" in problem
    close(guarded)


def zeros_of_numba():
    """Return functions of numba that return an array, and an array with a part of it."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def alone(size):
        return np.zeros(size)

    @numba.njit
    def shared(size):
        made = np.zeros(size)
        return made, made[1:]

    return alone, shared


class Compiled(policies.PlainBlocks):
    """Counts in arrays that compiled functions return, and in a part of one."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.counts = MADE[0](3)
        self.last = self.counts[1:]

    def select(self):
        self.last[1] += 1.0
        return int(self.counts[2]) % 2


class Shared(Compiled):
    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.counts, self.last = MADE[1](3)


MADE = []


def test_an_array_that_numba_returns_is_in_a_snapshot_unless_it_shares_its_memory(tmp_path, monkeypatch):
    """Of two arrays with one memory a copy would have two."""
    MADE[:] = zeros_of_numba()
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    guarded = guard(tmp_path, Compiled)
    answers = [guarded.select() for _ in range(3)]
    guarded.forget()
    assert [*answers, *(guarded.select() for _ in range(3))] == [1, 0] * 3
    with pytest.raises(PrivcheckError, match="memory belongs to an object that is no array"):
        guard(tmp_path, Shared, scope="shared").forget()
