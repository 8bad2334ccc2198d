"""Code that guards translate: put back when the last guard ends, shared by threads, as it was written elsewhere."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest

import privcheck
from privcheck.certifying._translated.known_functions import TABLE, called
from privcheck.certifying._translated.own_functions import own_functions
from privcheck.certifying._translated.swapped_code import _EXCHANGE, Translation, swap_again, translated, untranslated
from tests.certifying.translated_programs import loaded, source

LINES = "self.s[0] += 1 if r > 0.5 else 0"
ARRAY = "self.s = np.zeros(2)"


@pytest.fixture
def policy(tmp_path):
    return loaded(source(LINES, made=ARRAY, scale=2.0), tmp_path)


def test_code_is_put_back_when_the_last_guard_ends(policy):
    own = policy.update.__code__
    one, two = (privcheck.guard(policy, epsilon=1.0, arms=1) for _ in range(2))
    assert policy.update.__code__ is not own
    one.update(one.select(), 0.7)
    del one
    gc.collect()
    assert policy.update.__code__ is not own
    for reward in (0.7, 0.2, 0.9):
        two.update(two.select(), reward)
    assert two.spent == 0.5
    del two
    gc.collect()
    assert policy.update.__code__ is own


class Collects:
    """Collects garbage in a thread for which it waits."""

    def select(self):
        return 0

    def update(self, action, reward):
        thread = threading.Thread(target=gc.collect, daemon=True)
        thread.start()
        thread.join(5.0)
        self.ended = not thread.is_alive()


def test_a_guard_is_collected_in_a_thread_for_which_the_call_of_another_one_waits(policy):
    """The call has the lock, so that the code is put back later: at the latest when the next guard is made."""
    gc.collect()
    own, collects = policy.update.__code__, Collects()
    guarded, other = (privcheck.guard(each, epsilon=1.0, arms=1) for each in (collects, policy))
    assert policy.update.__code__ is not own
    arm = guarded.select()
    other.me = [other]
    del other
    guarded.update(arm, 1.0)
    assert collects.ended
    privcheck.guard(Collects(), epsilon=1.0, arms=1)
    assert policy.update.__code__ is own


def test_code_is_put_back_when_a_guard_cannot_be_built(policy):
    own = policy.update.__code__
    with pytest.raises(privcheck.errors.PrivcheckError):
        privcheck.guard(policy, epsilon=1.0, arms=1, feedback="contextual", neighbours="context-reward")
    assert policy.update.__code__ is own
    with pytest.raises(ZeroDivisionError), translated(policy):
        1 / 0  # noqa: B018
    assert policy.update.__code__ is own


def test_plain_runs_use_the_code_as_it_was_written(policy):
    own, translation = policy.update.__code__, Translation(policy)
    translation.begin()
    swapped = policy.update.__code__
    with untranslated():
        assert policy.update.__code__ is own
        with translated(policy):
            assert policy.update.__code__ is own
        assert policy.update.__code__ is own
    assert policy.update.__code__ is swapped is not own
    translation.end()
    assert policy.update.__code__ is own


def test_outside_of_guards_translated_code_does_what_it_did(policy):
    with privcheck_guard(policy):
        made = policy(np.random.default_rng(0))
        assert type(made.s) is np.ndarray
        made.update(0, 0.7)
        assert made.s.tolist() == [1.0, 0.0]


class privcheck_guard:  # noqa: N801 - a block
    def __init__(self, policy):
        self.guard = privcheck.guard(policy, epsilon=1.0, arms=1)

    def __enter__(self):
        return self.guard

    def __exit__(self, *_):
        self.guard = None


def test_guards_in_threads_go_on_while_plain_runs_use_the_code_as_it_was_written(policy):
    failed, stop = [], threading.Event()

    def serve():
        try:
            for _ in range(3):
                guard = privcheck.guard(policy, epsilon=1.0, arms=1)
                for reward in (0.7, 0.2, 0.9):
                    guard.update(guard.select(), reward)
                if guard.spent != 0.5:
                    failed.append(guard.spent)
        except BaseException as error:
            failed.append(error)

    def disturb():
        while not stop.is_set():
            with untranslated():
                made = policy(np.random.default_rng(0))
                made.update(0, 0.7)
            if type(made.s) is not np.ndarray:
                failed.append(type(made.s))

    threads = [threading.Thread(target=serve) for _ in range(3)]
    other = threading.Thread(target=disturb)
    other.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    other.join()
    assert failed == []


def test_no_code_runs_as_it_was_written_while_a_guard_is_built(policy):
    """Its constructor would make an array of numpy's, which takes no private numbers."""
    begun, inside = threading.Event(), threading.Event()

    def build(rng):
        begun.set()
        inside.wait(0.3)  # the other thread comes in only if it may
        return policy(rng)

    def disturb():
        begun.wait()
        with untranslated():
            inside.set()
            time.sleep(0.2)

    other = threading.Thread(target=disturb)
    other.start()
    guard = privcheck.guard(build, epsilon=1.0, arms=1)
    other.join()
    guard.update(guard.select(), 0.7)


def test_a_target_with_compiled_functions_is_left_as_it_is(tmp_path):
    numba = pytest.importorskip("numba")
    text = source(LINES, made=ARRAY)
    assert own_functions(loaded(text, tmp_path))
    helped = loaded(
        text.replace("TABLE =", "from numba import njit\n\n\n@njit\ndef f(x):\n    return x\n\n\nTABLE ="), tmp_path
    )
    assert numba is not None
    assert own_functions(helped) == []


def test_what_is_not_known_is_called_itself():
    assert called(TABLE.get) is not None
    assert called(np.dtype) is np.dtype
    assert called(np.zeros) is not np.zeros


def test_what_other_packages_do_at_a_collection_is_not_taken_for_a_side(policy):
    """Hypothesis, say, times collections by a function in Python, which may be called anywhere."""

    def notice(phase, info):
        seen.append(phase)

    seen = list[str]()
    before = gc.get_threshold()
    gc.callbacks.append(notice)
    gc.set_threshold(1, 1, 1)
    try:
        found = privcheck.certify(policy, epsilon=1.0, arms=2, horizon=6, runs=2)
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(notice)
    assert seen
    assert gc.isenabled()
    assert found.granted, found


def test_guards_may_be_collected_while_code_is_exchanged(tmp_path):
    """A collection comes with any object that is made. It ended a guard, and so changed what was read just then."""
    policies = [loaded(source(LINES, made=ARRAY, scale=2.0), tmp_path) for _ in range(20)]
    own = [policy.update.__code__ for policy in policies]
    before = gc.get_threshold()
    gc.disable()
    for policy in policies:
        cycle = [privcheck.guard(policy, epsilon=1.0, arms=1)]
        cycle.append(cycle)
    del cycle
    assert all(policy.update.__code__ is not code for policy, code in zip(policies, own, strict=True))
    gc.set_threshold(1, 1, 1)
    gc.enable()
    try:
        swap_again()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert all(policy.update.__code__ is code for policy, code in zip(policies, own, strict=True))


def test_many_guards_may_end_at_once(policy):
    """They end one after the other, however many: a collection may find thousands of them."""
    own = policy.update.__code__
    guards = [Translation(policy) for _ in range(3000)]
    for guard in guards:
        guard.begin()
    with untranslated():
        pass
    with _EXCHANGE:
        for guard in guards:
            guard.end()
        assert policy.update.__code__ is not own
    assert policy.update.__code__ is own
