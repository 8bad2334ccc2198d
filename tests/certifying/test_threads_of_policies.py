"""Policies that compute in threads of their own: what is released is what was charged, and nothing waits for ever."""

from __future__ import annotations

import contextvars
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.certifying import Session, _session
from privcheck.mechanisms import Laplace
from privcheck.private_values import Terms
from privcheck.reached_state import LOCK
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])


def in_a_thread(function, *arguments):
    """Run a function to its end in a thread that is in the context of this one, and return what it returns."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(contextvars.copy_context().run, function, *arguments).result(20.0)


class Arms:
    """Plays one arm."""

    def __init__(self, rng, arms=2):
        self.rng, self.arms = rng, arms

    def select(self):
        return 0


class Sums(Arms):
    def __init__(self, rng, arms=2):
        super().__init__(rng, arms)
        self.sums, self.out = privcheck.zeros(2), None

    def part(self):
        return self.sums

    def write(self, reward):
        self.sums[0] += 1e6 * reward

    def update(self, action, reward):
        self.sums[1] += 1e-3 * reward
        self.reward = reward
        self.out = Laplace.with_scale(1.0).release(self.part(), self.rng)


class PartOfSums(Sums):
    def part(self):
        return self.sums[:1] + 0.0 * self.sums[1:]


class View(Sums):
    def part(self):
        return self.sums[::-1]


@pytest.mark.parametrize("policy", [Sums, PartOfSums, View])
@pytest.mark.parametrize("kept", [True, False])
def test_what_a_thread_writes_into_an_array_after_it_was_charged_is_not_released(tmp_path, monkeypatch, policy, kept):
    """The noise is of scale 1, so that a million would be seen."""
    sample = _session._sample

    def meanwhile(*arguments, **options):
        in_a_thread(guarded._policy.write, guarded._policy.reward)
        return sample(*arguments, **options)

    guarded = guard(tmp_path, policy) if kept else privcheck.guard(policy, epsilon=0.5, arms=2)
    monkeypatch.setattr(_session, "_sample", meanwhile)
    guarded.update(guarded.select(), 1.0)
    assert np.abs(guarded._policy.out).max() < 1e5
    assert guarded.spent <= 0.002


@pytest.mark.parametrize("more", [Terms.feature(2), Terms.of([0], [2], [1.0])])
def test_sums_that_others_grow_out_of_stay_as_they_are_read(more):
    """Whoever has read the ranges of a sum calculates with them while another thread adds to it."""
    total = Terms.feature(0).plus(Terms.feature(1))
    read = total.ranges
    assert total.plus(more).count == 3
    assert read[2].tolist() == [2]


class Noisy(Arms):
    def update(self, action, reward):
        noised = reward + self.rng.laplace(0.0, 8.0)
        self.read = lambda: float(noised)
        self.out = float(noised)


def test_threads_that_read_the_same_noise_at_once_release_it_once(monkeypatch):
    """The second one finds public what the first has released; before, both released, and the second got a leak."""
    sample, others, threads = _session._sample, [], ThreadPoolExecutor(1)

    def meanwhile(*arguments, **options):
        others.append(threads.submit(guarded._policy.read))
        threading.Event().wait(0.2)
        return sample(*arguments, **options)

    guarded = privcheck.guard(Noisy, epsilon=0.5, arms=2)
    monkeypatch.setattr(_session, "_sample", meanwhile)
    guarded.update(guarded.select(), 1.0)
    (other,) = others
    assert other.result(20.0) == guarded._policy.out
    assert guarded.spent == 0.125
    threads.shutdown()


class AtOnce(Arms):
    """Releases two sums at once, or, if it is told so, one after another in threads."""

    at_once = True

    def one(self, reward):
        return float(reward + self.rng.laplace(0.0, 8.0))

    def update(self, action, reward):
        if self.at_once:
            with ThreadPoolExecutor(2) as threads:
                self.out = [*threads.map(self.one, [reward, 1.0 - reward])]
        else:
            self.out = [in_a_thread(self.one, each) for each in (reward, 1.0 - reward)]


def test_releases_at_once_are_refused_with_a_ledger_whose_order_would_be_another_one_next_time(tmp_path, monkeypatch):
    inside, sample = threading.Event(), _session._sample

    def slow(*arguments, **options):
        inside.wait(0.2)
        return sample(*arguments, **options)

    monkeypatch.setattr(_session, "_sample", slow)
    guarded = guard(tmp_path, AtOnce)
    arm = guarded.select()
    with pytest.raises(PrivcheckError, match="while another thread of the policy released, too"):
        guarded.update(arm, 1.0, request_id="e1")
    assert [kind for (kind,) in rows(tmp_path, "SELECT kind FROM entry ORDER BY id")][-2:] == ["update", "draw"]
    close(guarded)
    monkeypatch.setattr(AtOnce, "at_once", False)
    guarded = guard(tmp_path, AtOnce)
    guarded.update(arm, 1.0, request_id="e1")
    before, out = guarded.spent, guarded._policy.out
    close(guarded)
    again = guard(tmp_path, AtOnce)
    assert (again.spent, again._policy.out) == (before, out)


def test_which_of_two_releases_at_once_fits_into_the_budget_is_not_left_to_chance(tmp_path, monkeypatch):
    charge = Session._charge

    def slow(*arguments):
        threading.Event().wait(0.2)
        return charge(*arguments)

    monkeypatch.setattr(Session, "_charge", slow)
    guarded = guard(tmp_path, AtOnce, epsilon=0.2)
    with pytest.raises(PrivcheckError, match="while another thread of the policy released, too"):
        guarded.update(guarded.select(), 1.0)
    kinds = [kind for (kind,) in rows(tmp_path, "SELECT kind FROM entry ORDER BY id")]
    assert kinds[-2:] == ["update", "draw"], "the event has no answer yet"


def test_releases_at_once_are_one_after_another_without_a_ledger():
    guarded = privcheck.guard(AtOnce, epsilon=2.0, arms=2)
    for _ in range(8):
        guarded.update(guarded.select(), 1.0)
    assert guarded.spent == 0.25


class InAnyOrder(Arms):
    """Releases two sums in threads, one after another, in an order that is chance; then it plays what was released."""

    order, scales = (0, 1), (8.0, 8.0)

    def __init__(self, rng, arms=2):
        super().__init__(rng, arms)
        self.out = [0.0, 0.0]

    def one(self, reward, place):
        self.out[place] = float(reward + self.rng.laplace(0.0, self.scales[place]))

    def update(self, action, reward):
        for place in self.order:
            in_a_thread(self.one, reward, place)

    def select(self):
        return int(self.out[0] > self.out[1])


class InAnyOrderWithoutThreads(InAnyOrder):
    def update(self, action, reward):
        for place in self.order:
            self.one(reward, place)


@pytest.mark.parametrize("scales", [(8.0, 8.0), (8.0, 9.0)], ids=["another answer", "another release"])
@pytest.mark.parametrize("policy", [InAnyOrder, InAnyOrderWithoutThreads])
def test_a_start_that_finds_another_order_of_threads_says_so(tmp_path, monkeypatch, policy, scales):
    monkeypatch.setattr(policy, "scales", scales)
    guarded = guard(tmp_path, policy, epsilon=4.0)
    for _ in range(3):
        guarded.update(guarded.select(), 1.0)
    guarded.select()
    close(guarded)
    monkeypatch.setattr(policy, "order", (1, 0))
    with pytest.raises(PrivcheckError, match="code that does not do again what is recorded") as caught:
        guard(tmp_path, policy, epsilon=4.0)
    told = "in threads of its own, which may come in another order each time: release in one thread" in str(
        caught.value
    )
    assert (told, "\n" in str(caught.value)) == (policy is InAnyOrder, False)


class Lingers(Arms):
    """Ends its update while a thread releases."""

    def release(self, reward):
        self.out = float(reward + self.rng.laplace(0.0, 8.0))

    def update(self, action, reward):
        self.thread = threading.Thread(target=self.release, args=(reward,))
        INSIDE.clear()
        self.thread.start()
        assert INSIDE.wait(20.0)


INSIDE = threading.Event()


def test_a_release_that_has_begun_is_recorded_before_the_answer_of_its_event(tmp_path, monkeypatch):
    charge = Session._charge

    def slow(*arguments):
        INSIDE.set()
        threading.Event().wait(0.2)
        return charge(*arguments)

    monkeypatch.setattr(Session, "_charge", slow)
    guarded = guard(tmp_path, Lingers)
    for _ in range(2):
        guarded.update(guarded.select(), 1.0)
    kinds = [kind for (kind,) in rows(tmp_path, "SELECT kind FROM entry WHERE event > 0 ORDER BY id")]
    assert kinds == ["select", "update", "draw", "answer"] * 2
    spent = guarded.spent
    close(guarded)
    assert guard(tmp_path, Lingers).spent == spent


class Features(Arms):
    known = staticmethod(abs)

    def feature(self, reward):
        return privcheck.feature(self.known, reward, low=0.0, high=1.0)

    def update(self, action, reward):
        self.out = in_a_thread(self.feature, reward)


TABLE = [0.5]


class OwnFeatures(Features):
    known = staticmethod(lambda number: min(number, TABLE[0]))


class ListedFeatures(OwnFeatures):
    def feature(self, reward):
        return privcheck.feature(self.known, value=[reward, 1.0 - reward], low=0.0, high=1.0)


@pytest.mark.parametrize("policy", [Features, OwnFeatures, ListedFeatures])
def test_a_feature_in_a_thread_of_the_policy_is_refused_and_waits_for_nothing(policy):
    """It needs what the thread holds for which `update` runs, and that waits for the other one."""
    guarded = privcheck.guard(policy, epsilon=0.5, arms=2)
    arm = guarded.select()
    assert not LOCK._is_owned()
    with pytest.raises(PrivcheckError, match="in a thread that the policy has started"):
        guarded.update(arm, 1.0)
