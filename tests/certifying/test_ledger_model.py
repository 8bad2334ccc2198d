"""A small model of what a guard with a ledger promises, against workers that lose calls, restart and take turns."""

from __future__ import annotations

import json
import shutil
import tempfile

import numpy as np
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from privcheck import BudgetExceededError, PrivcheckError
from privcheck.certifying._recorded.draw_log import DrawLog
from privcheck.certifying._recorded.values import noise_of_bytes
from privcheck.journal import SqliteJournal
from tests.modules import beside
from tests.unsynced import leave_unsynced

policies = beside(__file__, "ledger_policies")
PlainBlocks, close, guard, rows = policies.PlainBlocks, policies.close, policies.guard, policies.rows


class Killed(BaseException):
    """The process ended here."""


class Model:
    """What is promised: one answer for each id, two rewards of a person, answers by committed draws, no reward twice.

    It is told the committed draws, and plays `PlainBlocks` in the order of the calls that were answered.
    """

    def __init__(self):
        self.answers, self.block, self.draws, self.best, self.given = {}, [], 0, 0, {}

    def select(self, request):
        return self.answers.setdefault(("select", request), self.best)

    def update(self, request, reward, user, committed):
        if ("update", request) in self.answers:
            return self.answers["update", request]
        admitted = self.given.get(user, 0) < 2
        if admitted:
            self.given[user] = self.given.get(user, 0) + 1
            self.block.append(reward)
            if len(self.block) == 2:
                self.best, self.block = int(committed[self.draws] > 1.0), []
                self.draws += 1
        return self.answers.setdefault(("update", request), admitted)


class Machine(RuleBasedStateMachine):
    """Two workers; a fault ends the process of one before its n-th write."""

    def __init__(self):
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        leave_unsynced(self.patch)
        noise = np.random.default_rng(5)  # so that the same example fails again
        self.patch.setattr("privcheck.certifying._session._sample", lambda *_, **__: float(noise.normal(1.0, 2.0)))
        self.folder, self.model, self.left = tempfile.mkdtemp(), Model(), None
        self.workers = [self.start(), self.start()]
        for owner, name in ((SqliteJournal, "append"), (SqliteJournal, "commit"), (SqliteJournal, "show")):
            self.patch.setattr(owner, name, self.failing(getattr(owner, name)))

    def start(self):
        return guard(self.folder, PlainBlocks, per_user=1.0)

    def failing(self, write):
        def method(journal, *arguments):
            if self.left is not None:
                self.left -= 1
                if self.left == 0:
                    raise Killed
            return write(journal, *arguments)

        return method

    def call(self, worker, fault, method, *arguments, **options):
        """Call a worker, whose process may end in it; the client then asks again, and gets the answer."""
        self.left = fault
        try:
            return getattr(self.workers[worker], method)(*arguments, **options)
        except Killed:
            close(self.workers[worker])
            self.workers[worker] = None
        finally:
            self.left = None
        self.workers[worker] = self.start()
        return getattr(self.workers[worker], method)(*arguments, **options)

    FAULT = st.none() | st.integers(1, 6)

    @rule(worker=st.integers(0, 1), fault=FAULT, request=st.integers(0, 9))
    def select(self, worker, fault, request):
        answer = self.call(worker, fault, "select", request_id=f"e{request}")
        assert answer == self.model.select(request)  # I2, I4

    @precondition(lambda self: self.model.answers)
    @rule(worker=st.integers(0, 1), fault=FAULT, request=st.integers(0, 9), user=st.integers(0, 4))
    def update(self, worker, fault, request, user):
        action, user = self.model.select(request), f"u{request % 5}" if user else "u0"
        user = self.model.answers.setdefault(("user", request), user)
        self.call(worker, None, "select", request_id=f"e{request}")
        told = {"request_id": f"e{request}", "user": user}
        try:
            admitted = self.call(worker, fault, "update", action, float(request % 2), **told) is None
        except BudgetExceededError:
            admitted = False
        assert admitted == self.model.update(request, float(request % 2), user, self.committed())

    @rule(worker=st.integers(0, 1))
    def restart(self, worker):
        close(self.workers[worker])
        self.workers[worker] = self.start()

    def committed(self):
        found = rows(self.folder, "SELECT body FROM entry WHERE kind = 'draw' ORDER BY number")
        return [noise_of_bytes(json.loads(body)["output"]) for (body,) in found]

    def teardown(self):
        self.patch.undo()
        try:
            self.check()
        finally:
            shutil.rmtree(self.folder)

    def check(self):
        assert self.model.draws == len(self.committed())  # I3: nothing was drawn that is not in the answers
        for worker in filter(None, self.workers):
            assert worker.spent == (0.5 if self.model.draws else 0.0)  # I1


def run(examples, phases=(Phase.generate, Phase.shrink)):
    chosen = settings(max_examples=examples, stateful_step_count=14, deadline=None, derandomize=True, phases=phases)
    run_state_machine_as_test(Machine, settings=chosen)


@pytest.mark.evidence
@pytest.mark.timeout(7200)
def test_the_model_holds(evidence):
    run(evidence(50, 1000))


def twin(monkeypatch, name):
    """Break one thing."""
    from privcheck.certifying._recorded.event_engine import Engine

    if name == "noise redrawn on replay":
        again = DrawLog._again
        monkeypatch.setattr(DrawLog, "_again", lambda self, by: 2.0 - again(self, by))
    elif name == "id not looked up":
        monkeypatch.setattr(Engine, "_found", lambda self, event: None)
        monkeypatch.setattr(SqliteJournal, "answer", lambda self, request, kind: None)
    elif name == "no catch-up":
        catch_up = Engine._catch_up
        monkeypatch.setattr(
            Engine, "_catch_up", lambda self: catch_up(self) if self._played is None or not self._events else None
        )
    elif name == "draw not durable":
        monkeypatch.setattr(DrawLog, "_keep", lambda self, by, output: None)
    elif name == "answer before commit":
        together = Engine._together

        def early(self, events):
            try:
                return together(self, events)
            except Killed:
                return [type("A", (), {"result": lambda self: None})()]

        monkeypatch.setattr(Engine, "_together", early)


TWINS = ("noise redrawn on replay", "id not looked up", "no catch-up", "draw not durable", "answer before commit")


@pytest.mark.parametrize("name", TWINS)
def test_the_model_notices_a_broken_guard(monkeypatch, name):
    twin(monkeypatch, name)
    with pytest.raises((AssertionError, PrivcheckError, BaseExceptionGroup, Killed, IndexError)):
        run(50, [Phase.generate])
