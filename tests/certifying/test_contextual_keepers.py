"""Code of a contextual `select` that would run when the guard has put its state back: refused, or run before that."""

from __future__ import annotations

import contextlib
import gc
import logging
import sys
import traceback

import numpy as np
import pytest

import privcheck
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.private_values import Leak, LeakError
from tests.modules import beside

keepers = beside(__file__, "contextual_keepers")

OPTIONS = {
    "epsilon": 1.0, "arms": 2, "feedback": "contextual", "neighbours": "context-reward",
    "contexts": privcheck.Contexts(shape=(2,)),
}  # fmt: skip
HIGH, LOW = np.array([0.7345192, 0.1]), np.array([0.0, 0.1])


@pytest.fixture(autouse=True)
def apart(monkeypatch):
    monkeypatch.setitem(sys.modules, keepers.__name__, keepers)
    keepers.KEPT.clear()
    yield
    keepers.KEPT.clear()


@pytest.mark.parametrize("policy", keepers.REFUSED)
def test_what_acts_outside_or_later_is_refused(policy):
    with pytest.raises(PrivcheckError, match=r"policy: got .*select\(\),? .*uses "):
        privcheck.guard(policy, **OPTIONS)


@pytest.mark.parametrize("policy", [keepers.Finally, keepers.YieldFrom, keepers.MadeDestructor])
def test_it_would_have_kept_the_context(policy):
    """The broken twin of the test above: such code does run later, if it is let in."""
    policy(None, 2).select(HIGH)
    assert not keepers.KEPT
    gc.collect()
    assert {"x": HIGH[0]} == keepers.KEPT


@pytest.mark.parametrize("policy", keepers.COUNTED)
def test_what_seeds_have_spawned_is_put_back(policy):
    """Numpy counts it in an attribute that cannot be set; the broken twin is the policy without a guard."""
    guarded = privcheck.guard(policy, **OPTIONS)
    assert [guarded.select(context) for context in (LOW, HIGH, LOW, LOW)] == [0, 0, 0, 0]
    assert [policy(None, 2).select(context) for context in (LOW, HIGH, LOW)][2] == 1


@pytest.mark.parametrize("policy", keepers.RAISING)
def test_what_prints_an_error_runs_nothing_of_the_policy(policy):
    """Services print errors, some with the variables of all frames."""
    guarded = privcheck.guard(policy, **OPTIONS)
    with pytest.raises(BaseException) as caught:
        guarded.select(HIGH)
    error, chain = caught.value, []
    while error is not None:
        chain.append(error)
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        assert not [frame for frame in frames if frame.f_code.co_filename == keepers.__file__]
        error = error.__cause__ or error.__context__
    assert len(chain) == 1
    for show in (str, repr, lambda error: traceback.TracebackException.from_exception(error, capture_locals=True)):
        show(caught.value)
    gc.collect()
    assert not keepers.KEPT
    with pytest.raises(BaseException) as caught:
        guarded.select(LOW)
    assert not keepers.KEPT


@pytest.mark.parametrize("policy", keepers.RAISING)
def test_each_of_these_errors_would_have_kept_the_context(policy):
    with pytest.raises(BaseException) as caught:
        policy(None, 2).select(HIGH)
    list(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    str(caught.value)
    assert {"x": HIGH[0]} == keepers.KEPT


class Careful(keepers.Keeper):
    """What most policies use: comprehensions, arrays, a lock, a context manager, an error that it catches."""

    def keep(self, x):
        scores = [value * x for value in (number / 2.0 for number in range(4))]
        with keepers.LOCK, np.errstate(all="ignore"), contextlib.suppress(ValueError):
            np.linalg.solve(np.eye(2) + 0.1, np.array([x, 1.0]))
            raise ValueError(scores)


def test_ordinary_code_is_let_in_without_a_word(recwarn):
    guarded = privcheck.guard(Careful, **OPTIONS)
    guarded.update(HIGH, guarded.select(HIGH), 0.5)
    assert not recwarn.list


LOG = logging.getLogger("contextual keepers")


class Logs(keepers.Keeper):
    def keep(self, x):
        LOG.debug("context %s", x)


def test_what_is_not_known_to_keep_nothing_is_said():
    with pytest.warns(RuntimeWarning, match=r"Logs.select\(\) is guarded provided that .*: logging.Logger.debug"):
        privcheck.guard(Logs, **OPTIONS)
    with pytest.warns(RuntimeWarning, match=r"Registers.select\(\) is guarded .*: the attribute register"):
        privcheck.guard(keepers.Registers, **OPTIONS)


def test_certify_takes_no_code_that_runs_when_objects_are_given_up():
    """Whether its replays show it depends on when garbage is collected."""
    for policy in (keepers.Finally, keepers.MadeDestructor, keepers.WeakReference):
        with pytest.raises(PrivcheckError, match=r"select\(\), which uses"):
            privcheck.certify(policy, **OPTIONS)


LEAK = Leak("comparison", "bandit.py", 12, "update", "if reward > 0:", (1, 2), "release it", ">")
ODD = LeakError(LEAK)
ODD.leak = Leak(*{**vars(LEAK), "hint": keepers.Shown(0.25)}.values())


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (LeakError(LEAK), LeakError, str(LeakError(LEAK))),
        (PrivcheckError("contexts", "it's", "one", "do"), PrivcheckError, 'contexts: got "it\'s", expected one; do'),
        (ODD, PolicyError, ""),
        (KeyboardInterrupt("x"), KeyboardInterrupt, ""),
        (MemoryError("x"), MemoryError, ""),
    ],
)
def test_errors_of_privcheck_and_interrupts_stay_what_they_are(raised, kind, text):
    class Raises(keepers.Keeper):
        def keep(self, x):
            raise raised

    with pytest.raises(kind) as caught:
        privcheck.guard(Raises, **OPTIONS).select(HIGH)
    assert (type(caught.value), caught.value is raised) == (kind, False)
    assert text in str(caught.value)
