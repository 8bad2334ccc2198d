"""After a restart a guard goes on as an undisturbed one does: same draws, same coins, same answers, same charges."""

from __future__ import annotations

import json
import random
import warnings

import numpy as np
import pytest

from privcheck import BudgetExceededError, Contexts, GuardClosedError, PrivcheckError
from privcheck.bandits import ALGORITHMS
from privcheck.certifying import Session
from privcheck.mechanisms import GaussianTree, Laplace
from privcheck.scheduling import fingerprint
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows

CONTEXTS = Contexts(shape=(2, 3), norm=1.0)


class Tree(policies.Blocks):
    def __init__(self, rng, arms=2, epsilon=None):
        super().__init__(rng, arms)
        self.tree = GaussianTree.with_scale(40.0, horizon=64).start(rng)

    def update(self, action, reward):
        self.best = int(self.tree.add(reward) > 0.0)


class AllArms(policies.Blocks):
    def update(self, action, rewards):
        self.count += 1
        if self.count % 2 == 0:
            self.best = int(np.argmax(np.asarray(Laplace.with_scale(8.0).release(rewards, self.rng))))


class Sets(policies.Blocks):
    def select(self):
        return (self.best, 2)

    def update(self, action, rewards):
        self.count += 1
        self.block = self.block + rewards.sum()
        if self.count % 2 == 0:
            self.best = int(float(self.block + self.rng.laplace(0.0, 8.0)) > 1.0)
            self.block = 0.0


class Batches(policies.Blocks):
    batch = 3

    def act(self, n):
        return [self.select() for _ in range(n)]

    def learn(self, actions, rewards):
        self.best = int(float(rewards.sum() + self.rng.laplace(0.0, 4.0)) > 1.0)


class Delayed(policies.Blocks):
    delay = 1

    def update(self, number, reward):  # of the round
        super().update(0, reward)


class Stops(policies.Blocks):
    @property
    def stopped(self):
        return self.count > 5

    def recommend(self):
        return self.best


class Linear:
    def __init__(self, rng):
        self.rng, self.right = rng, np.zeros(3)

    def select(self, context):
        return int(np.argmax(context @ self.right + self.rng.normal(0.0, 0.1, 2)))

    def update(self, context, action, reward):
        x = context[0]
        self.right = self.right + np.asarray(reward * x + self.rng.normal(0.0, 30.0, 3))


CASES = {
    "bandit": (policies.Blocks, {}),
    "adap-ucb": (ALGORITHMS["adap-ucb"](arms=2, epsilon=0.5).build, {}),
    "noise and coins of numpy": (policies.NoisyLeader, {}),
    "noisy maximum, bit, public draw": (policies.Mechanisms, {}),
    "tree": (Tree, {"epsilon": None, "rho": 4.0}),
    "full": (AllArms, {"feedback": "full"}),
    "semi-bandit": (Sets, {"feedback": "semi-bandit", "arms": 3}),
    "batch": (Batches, {"feedback": "batch"}),
    "delayed": (Delayed, {"feedback": "delayed"}),
    "identification": (Stops, {"feedback": "identification"}),
    "contextual": (
        Linear, {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS, "epsilon": 4.0,
                 "delta": 0.1, "arms": 2},
    ),
    "failing": (policies.Fails, {}),
    "overspending": (policies.Overspends, {}),
}  # fmt: skip


def calls(by, t, rng):
    """Return the calls of round t, for a kind of feedback."""
    context = rng.standard_normal((2, 3)) / 6.0
    reward = float(rng.random())
    if by == "batch":
        return [("act", (3,)), ("learn", ([0, 1, 0], rng.random(3)))]
    if by == "contextual":
        return [("select", (context,)), ("update", (context, 0, reward))]
    told = {"full": (0, rng.random(2)), "delayed": (t, reward), "semi-bandit": ((0, 2), rng.random(2))}.get(
        by, (0, reward)
    )
    asked = [("select", ()), ("update", told)]
    return [*asked, ("stopped", None), ("recommend", ())] if by == "identification" else asked


def answer(guarded, name, given, request):
    """Ask until there is an answer: a policy may end its process in a call."""
    asked = {"request_id": request} if name in ("select", "update", "act", "learn") else {}
    try:
        while True:
            try:
                found = getattr(guarded, name) if given is None else getattr(guarded, name)(*given, **asked)
                break
            except SystemExit:
                assert asked
    except (PrivcheckError, ValueError) as error:
        return type(error).__name__
    return found


def started(folder, policy, options):
    """Return a guard; a policy may end its process when it is built, too."""
    while True:
        try:
            return guard(folder, policy, **options)
        except SystemExit:
            pass


def run(folder, name, monkeypatch, disturbed):
    """Return the answers of a run whose noise, and whose secret, are those of every run.

    It starts again before every call, or at every draw of noise, as soon as the policy has seen it.
    """
    policy, options = CASES[name]
    noise = random.Random(4)
    monkeypatch.setattr("secrets.token_bytes", lambda n: b"s" * n)
    drawn, seen = Session.drawn, set()

    def known(self, mechanism, shape, charges, location, draw):
        value = np.zeros(shape, np.int64 if mechanism.integers else float)
        again = lambda: mechanism.draw(value, np.random.default_rng(noise.getrandbits(32)))  # noqa: E731
        found = drawn(self, mechanism, shape, charges, location, again)
        if disturbed == "at draws" and (place := (self.log.event.number, self.log.place)) not in seen:
            seen.add(place)
            raise SystemExit
        return found

    monkeypatch.setattr(Session, "drawn", known)
    folder.mkdir()
    guarded, found, rng = started(folder, policy, options), [], np.random.default_rng(6)
    for t in range(1, 13):
        for called in calls(options.get("feedback", "bandit"), t, rng):
            if disturbed == "before calls":
                close(guarded)
                guarded = guard(folder, policy, **options)
            found.append(answer(guarded, *called, f"{t}, {called[0]}"))
    found += [guarded.spent, len(guarded.ledger.releases), dict(guarded.ledger.totals)]
    recorded = rows(folder, "SELECT body FROM entry WHERE kind = 'draw' ORDER BY number")
    close(guarded)
    assert len(seen) == (len(recorded) if disturbed == "at draws" else 0)
    return found, recorded


@pytest.mark.parametrize("disturbed", ["before calls", "at draws"])
@pytest.mark.parametrize("name", CASES)
def test_a_run_that_starts_again_is_the_undisturbed_one(tmp_path, monkeypatch, name, disturbed):
    with monkeypatch.context() as patch:
        plain = run(tmp_path / "plain", name, patch, "")
    with monkeypatch.context() as patch:
        again = run(tmp_path / "again", name, patch, disturbed)
    assert plain == again
    assert plain[1], "something was drawn"


def test_a_closed_guard_stays_closed_after_a_restart(tmp_path):
    """It was a leak, or an error in the middle of an update: a new process would have opened it again."""
    guarded = guard(tmp_path, policies.Fails)
    for _ in range(2):
        guarded.update(guarded.select(), 1.0)
    with pytest.raises(ValueError, match="no such arm"):
        guarded.update(guarded.select(request_id="e3"), 1.0, request_id="e3")
    for _ in range(2):
        with pytest.raises(GuardClosedError, match=r"closed by .*ValueError: no such arm"):
            guarded.update(guarded.select(), 1.0)
        with pytest.raises(GuardClosedError):
            guarded.select()
        with pytest.raises(GuardClosedError, match="one event has one answer for ever"):
            guarded.update(guarded.select(request_id="e3"), 1.0, request_id="e3")
        close(guarded)
        guarded = guard(tmp_path, policies.Fails)


def test_a_refused_release_closes_update_for_good(tmp_path):
    guarded = guard(tmp_path, policies.Overspends)
    for _ in range(2):
        guarded.update(guarded.select(), 1.0)
    with pytest.raises(BudgetExceededError):
        guarded.update(guarded.select(request_id="e3"), 1.0, request_id="e3")
    best = guarded._policy.best, len(guarded.ledger.releases)
    close(guarded)
    guarded = guard(tmp_path, policies.Overspends)
    assert (guarded._policy.best, len(guarded.ledger.releases), guarded.spent) == (*best, 0.5)
    assert guarded.select() in (0, 1)
    with pytest.raises(GuardClosedError):
        guarded.update(guarded.select(), 1.0)
    with pytest.raises(BudgetExceededError, match=r"to 0\.75, expected at most epsilon = 0\.5"):
        guarded.update(guarded.select(request_id="e3"), 1.0, request_id="e3")


def test_changed_code_is_refused_before_it_answers(tmp_path):
    guarded = guard(tmp_path)
    for t in range(4):
        guarded.update(guarded.select(), 1.0, request_id=f"e{t}")
    close(guarded)

    class Louder(policies.Blocks):
        def __init__(self, rng, arms=2, epsilon=0.5):
            super().__init__(rng, arms, 0.8 * epsilon)

    class Other(policies.Blocks):
        def select(self):
            return 1 - super().select()

    class Quiet(policies.Blocks):
        def update(self, action, reward):
            pass

    class Again(policies.Blocks):
        def update(self, action, reward):
            super().update(action, reward)
            self.mechanism.release(0.0, self.rng)

    said_of = {
        Louder: "releases with scale", Other: "gives", Quiet: "makes 0 releases, not 1", Again: "releases again",
    }  # fmt: skip
    for changed, said in said_of.items():
        with pytest.raises(
            PrivcheckError, match=rf"what is recorded: event \d, \w+\(\),? {said}.*continues="
        ) as caught:
            guard(tmp_path, changed)
        assert "\n" not in str(caught.value)
    assert guard(tmp_path).spent == 0.5


def test_a_policy_that_reads_what_is_not_recorded_is_refused_before_event_64(tmp_path):
    """It would have failed only at the first restart, when nothing can be done about it."""
    guarded = guard(tmp_path, policies.ReadsTheSystem)
    for _ in range(63):
        guarded.select()
    with pytest.raises(PrivcheckError, match="reads what is not recorded"):
        guarded.select()
    assert rows(tmp_path, "SELECT max(event) FROM entry") == [(63,)]
    with pytest.raises(PrivcheckError, match="reads what is not recorded"):
        guarded.select()


def test_another_environment_keeps_the_recorded_answers_and_says_so(tmp_path, monkeypatch):
    guarded = guard(tmp_path)
    chosen = [guarded.select(request_id=f"e{t}") for t in range(20)]
    guarded.update(guarded.select(), 1.0)
    close(guarded)

    class OtherDigits(policies.Blocks):
        def select(self):
            return 1 - super().select()

    monkeypatch.setattr("privcheck.certifying._recorded.opening.fingerprint", lambda: fingerprint() | {"numpy": "9.9"})
    with pytest.warns(RuntimeWarning, match="written with another numpy.*: recorded answers stand"):
        guarded = guard(tmp_path, OtherDigits)
    assert [guarded.select(request_id=f"e{t}") for t in range(20)] == chosen
    close(guarded)
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "the ledger was written")  # both environments are known by now
        close(guard(tmp_path))


class Picky(policies.Blocks):
    """Ends its process until it likes the noise; by its release it looks as if it had not."""

    ended = 0

    def update(self, action, reward):
        if self.mechanism.release(reward, self.rng) < 1.5:
            raise SystemExit


def test_a_policy_that_ends_its_process_is_stuck_on_one_charged_draw(tmp_path):
    """With draws that are not durable it would draw until it likes what it sees, more often for one reward."""
    shown = []
    for reward in (0.0, 1.0) * 20:
        folder = tmp_path / str(len(shown))
        folder.mkdir()
        for _ in range(5):
            try:
                guarded = guard(folder, Picky)
                guarded.update(guarded.select(request_id="e1"), reward, request_id="e1")
            except SystemExit:
                Picky.ended += 1
            drawn = rows(folder, "SELECT body FROM entry WHERE kind = 'draw'")
            assert len(drawn) == 1
            shown.append(json.loads(drawn[0][0])["output"]["float"])
        assert len(set(shown[-5:])) == 1
    assert Picky.ended > 20


def test_a_public_draw_is_recorded_without_a_charge(tmp_path):
    """The broken twin drew public noise anew on replay; what follows depends on it."""
    guarded = guard(tmp_path, policies.Mechanisms)
    for _ in range(2):
        guarded.update(guarded.select(), 1.0)
    drawn = [
        json.loads(body) for (body,) in rows(tmp_path, "SELECT body FROM entry WHERE kind = 'draw' ORDER BY number")
    ]
    assert [bool(said["charges"]) for said in drawn] == [False, True, False]
    first = guarded._policy.first
    close(guarded)
    assert guard(tmp_path, policies.Mechanisms)._policy.first == first


def test_a_draw_of_a_new_number_of_bytes_does_not_depend_on_the_number(tmp_path):
    """Otherwise a full disk would select: it would take some draws and roll others back."""
    guarded = guard(tmp_path, policies.Overspends)
    for _ in range(2):
        guarded.update(guarded.select(), 0.0)
    lengths = {len(body) for (body,) in rows(tmp_path, "SELECT body FROM entry WHERE kind = 'draw'")}
    assert len(lengths) == 1
