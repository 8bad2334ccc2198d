"""A guard with a ledger charges several releases of a datum as a guard in memory does, whoever goes on with the log."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext, suppress

import numpy as np
import pytest

import privcheck
from privcheck.accounting import GaussianDP
from privcheck.certifying import ledger_problems
from privcheck.certifying._charging.joint_charges import Charged, JointCharges
from privcheck.certifying._recorded import opening, snapshots
from privcheck.certifying._recorded.draw_log import DrawLog
from privcheck.mechanisms import Gaussian, Laplace
from privcheck.private_values._curves.several_releases import SeveralReleases
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
close, rows = policies.close, policies.rows


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])


SHAPES = (
    lambda x, y: x, lambda x, y: y, lambda x, y: x + y, lambda x, y: x - y, lambda x, y: (x > 0.5) * 1.0,
    lambda x, y: (x > 0.5) * x, lambda x, y: privcheck.clip(x - 0.25, 0.0, 0.5), lambda x, y: (x + y > 0.75) * 1.0,
    lambda x, y: x * x - y, lambda x, y: (x > 0.5) * 1.0 - y,
)  # fmt: skip
ROUNDS = 6


def plan_of(seed):
    """Return releases for each round: how many rounds ago the datum came, two shapes with signs, and a scale."""
    rng = np.random.default_rng(seed)
    plan = []
    for number in range(ROUNDS):
        each = [(rng.integers(min(number + 1, 3)), rng.integers(len(SHAPES), size=2)) for _ in range(rng.integers(3))]
        signs, scales = rng.choice([1.0, -1.0], (3, 2)), rng.choice([2.0, 4.0], 3)
        plan.append(
            tuple(
                (int(ago), tuple(zip(chosen.tolist(), sign.tolist(), strict=True)), float(scale))
                for (ago, chosen), sign, scale in zip(each, signs, scales, strict=False)
            )
        )
    return tuple(plan)


class Releases:
    """Keeps the two rewards of each round, and releases functions of them in that round and in later ones."""

    law, plan = Laplace, ()

    def __init__(self, rng):
        self.rng, self.round, self.kept = rng, 0, []

    def select(self):
        return 0

    def update(self, action, rewards):
        self.kept = [rewards, *self.kept][:3]
        for ago, parts, scale in self.plan[self.round]:
            value = sum(sign * SHAPES[place](*self.kept[ago]) for place, sign in parts)
            if not getattr(value, "is_public", True):
                self.law.with_scale(scale).release(value, self.rng)
        self.round += 1


class NormalReleases(Releases):
    """The same with normal noise."""

    law = Gaussian


def made(base, seed):
    return type(base.__name__, (base,), {"plan": plan_of(seed)})


def opened(folder, policy, **options):
    given = {"arms": 2, "feedback": "full"} | ({"epsilon": 40.0} if policy.law is Laplace else {"mu": 40.0})
    if folder is not None:
        folder.mkdir(exist_ok=True)
        given |= {"ledger": folder / "budget.db", "head": folder / "heads.db", "scope": "one"}
    return privcheck.guard(policy, **given | options)


def totals(guarded):
    """Return what is charged to each datum, in the currency of its budget; epsilon in a ledger is in whole units."""
    with_mu = isinstance(guarded._session.filter.budget, GaussianDP)
    return {
        datum: pytest.approx(total.mu if with_mu else total.epsilon, abs=1e-13)
        for datum, total in guarded.ledger.paid.items()
    }


def said(folder):
    """Return whether each draw says what it is known again by."""
    return ["joint" in json.loads(body) for (body,) in rows(folder, "SELECT body FROM entry WHERE kind = 'draw'")]


REWARDS = np.random.default_rng(0).random((40, 2))


def play(guarded, start, stop):
    for number in range(start, stop):
        guarded.update(guarded.select(), REWARDS[number])


class Sums(Releases):
    """One of the programs, by name, so that a snapshot can be taken."""

    plan = plan_of(4)


class NormalSums(NormalReleases):
    """The same with normal noise."""

    plan = plan_of(4)


def undisturbed(policy, count=ROUNDS):
    memory = opened(None, policy)
    play(memory, 0, count)
    return totals(memory)


def again_and_again(folder, policy, start=0, stop=ROUNDS):
    """Open a guard again before every event, and return the last."""
    for number in range(start, stop):
        guarded = opened(folder, policy)
        play(guarded, number, number + 1)
        close(guarded)
    return opened(folder, policy)


@pytest.mark.evidence
@pytest.mark.parametrize("base", [Releases, NormalReleases])
def test_guards_with_a_ledger_spend_what_guards_in_memory_spend(base, tmp_path, evidence, monkeypatch):
    monkeypatch.setattr(snapshots, "digest", lambda _: "the same")  # without snapshots nobody compares it
    for seed in range(evidence(1, 120)):
        policy = made(base, seed)
        memory, once = undisturbed(policy), opened(tmp_path / f"once {seed}", policy)
        play(once, 0, ROUNDS)
        often = again_and_again(tmp_path / f"often {seed}", policy)
        assert totals(often) == totals(once) == memory
        close(once)
        close(often)


@pytest.mark.parametrize("policy", [Sums, NormalSums])
def test_blocks_are_in_snapshots(policy, tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "EVERY", 3)
    monkeypatch.setattr(snapshots, "BYTES", 10**6)
    guarded = opened(tmp_path, policy)
    play(guarded, 0, 3)
    assert guarded.forget() > 0
    close(guarded)
    guarded = again_and_again(tmp_path, policy, 3)
    assert rows(tmp_path, "SELECT problem FROM snapshot") == [("",)]
    assert totals(guarded) == undisturbed(policy)
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    close(guarded)


@pytest.mark.parametrize("policy", [Sums, NormalSums])
def test_workers_that_take_turns_charge_as_one_does(policy, tmp_path):
    workers = [opened(tmp_path, policy) for _ in range(3)]
    for number in range(ROUNDS):
        play(workers[number % 3], number, number + 1)
    assert [totals(each) for each in workers] == [undisturbed(policy)] * 3
    for each in workers:
        close(each)


def test_a_scope_that_continues_another_begins_without_its_data(tmp_path):
    guarded = opened(tmp_path, Sums)
    play(guarded, 0, 3)
    close(guarded)
    for number in range(ROUNDS):
        guarded = opened(tmp_path, Sums, scope="two", continues="one")
        play(guarded, number, number + 1)
        close(guarded)
    guarded = opened(tmp_path, Sums, scope="two", continues="one")
    assert totals(guarded) == undisturbed(Sums)
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    close(guarded)


class SumFirst(Releases):
    """x + y of the first datum, and x - y in each round after that."""

    plan = (((0, ((2, 1.0),), 1.0),), *(((place, ((3, 1.0),), 1.0),) for place in (1, 2)), ())


class DifferenceFirst(Releases):
    """The same after x - y."""

    plan = (((0, ((3, 1.0),), 1.0),), ((1, ((2, 1.0),), 1.0),), ())


def first(guarded):
    return guarded.ledger.paid[1].epsilon


def test_other_code_and_another_version_charge_alone_what_they_release(tmp_path, monkeypatch):
    for name in ("code", "version"):
        guarded = opened(tmp_path / name, SumFirst)
        play(guarded, 0, 1)
        close(guarded)
    guarded = opened(tmp_path / "code", DifferenceFirst)
    play(guarded, 1, 2)
    assert first(guarded) == pytest.approx(4.0, rel=1e-7)
    close(guarded)
    real = opening.fingerprint
    monkeypatch.setattr(opening, "fingerprint", lambda: {**real(), "numpy": "another"})
    with pytest.warns(RuntimeWarning, match="another numpy"):
        guarded = opened(tmp_path / "version", SumFirst)
    play(guarded, 1, 2)
    assert first(guarded) == pytest.approx(4.0, rel=1e-7)
    play(guarded, 2, 3)
    assert first(guarded) == pytest.approx(6.0, rel=1e-7)
    close(guarded)


def test_a_log_of_an_older_version_keeps_what_it_recorded(tmp_path, monkeypatch):
    """It charged alone; what is released after it is bounded together."""
    with monkeypatch.context() as patch:
        patch.setattr(JointCharges, "of", lambda self, mechanism, value, alone, *_: Charged(alone))
        guarded = opened(tmp_path, Sums)
        play(guarded, 0, 3)
        alone = totals(guarded)
        close(guarded)
    assert not any(said(tmp_path))
    guarded = opened(tmp_path, Sums)
    assert totals(guarded) == alone
    play(guarded, 3, ROUNDS)
    after = totals(guarded)
    close(guarded)
    assert totals(again_and_again(tmp_path, Sums, ROUNDS)) == after
    assert any(said(tmp_path))
    assert all(after[datum].expected >= total.expected for datum, total in undisturbed(Sums).items())


@pytest.mark.parametrize("broken", [False, True])
def test_what_was_refused_is_refused_again_by_a_guard_that_would_charge_less(broken, tmp_path, monkeypatch):
    """A worker that does not know x + y again refuses x - y, which costs 2 alone; one that does would not."""
    guarded = opened(tmp_path, SumFirst, epsilon=3.0)
    play(guarded, 0, 1)
    close(guarded)
    with monkeypatch.context() as patch:
        patch.setattr(SeveralReleases, "identity", staticmethod(lambda parts, table: "another"))
        guarded = opened(tmp_path, SumFirst, epsilon=3.0)
        with pytest.raises(privcheck.BudgetExceededError):
            play(guarded, 1, 2)
        close(guarded)
    if broken:
        real = DrawLog.next_release
        monkeypatch.setattr(DrawLog, "next_release", lambda self: (real(self)[0], real(self)[1] or None))
    with pytest.raises(privcheck.PrivcheckError, match="does not do again") if broken else nullcontext():
        guarded = opened(tmp_path, SumFirst, epsilon=3.0)
        assert first(guarded) == pytest.approx(2.0, rel=1e-7)
        with pytest.raises(privcheck.GuardClosedError):
            play(guarded, 2, 3)
        close(guarded)


class Tries(Releases):
    """Releases x + y, and then x - y with noise of which the first does not fit and the second does."""

    def update(self, action, rewards):
        x, y = rewards
        self.law.with_scale(1.0).release(x + y, self.rng)
        for place, (value, scale) in enumerate(((x + y, 1.0), (x - y, self.scale))):
            with suppress(privcheck.BudgetExceededError):
                self.kept = [*self.kept, (place, self.law.with_scale(scale).release(value, self.rng))]

    scale = 1.0


class TriesWithLess(Tries):
    """The same with noise of another scale."""

    scale = 1.25


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("policy", [Tries, TriesWithLess])
def test_a_release_that_was_refused_is_not_taken_for_the_next_one(policy, broken, tmp_path, monkeypatch):
    guarded = opened(tmp_path, policy, epsilon=2.5)
    play(guarded, 0, 3)
    found = totals(guarded), guarded._policy.kept
    assert [place for place, _ in found[1]] == [1, 1, 1]
    close(guarded)
    assert said(tmp_path) == [True] * 6
    if broken:
        real = DrawLog.next_release

        def same(self):
            _, recorded = real(self)
            return (recorded["joint"][2] if recorded else self._tried), recorded

        monkeypatch.setattr(DrawLog, "next_release", same)
    with pytest.raises((AssertionError, privcheck.PrivcheckError)) if broken else nullcontext():
        guarded = opened(tmp_path, policy, epsilon=2.5)
        assert (totals(guarded), guarded._policy.kept) == found
        close(guarded)


def test_a_datum_of_one_number_is_recorded_as_before(tmp_path):
    guarded = policies.guard(tmp_path)
    for _ in range(2):
        guarded.update(guarded.select(), 1.0)
    assert said(tmp_path) == [False]
    close(guarded)


@pytest.mark.parametrize("policy", [Sums, SumFirst])
def test_a_certificate_names_what_a_guard_with_a_ledger_spends(policy, tmp_path):
    guarded = opened(tmp_path, policy)
    play(guarded, 0, 3)
    found = privcheck.certify(policy, arms=2, feedback="full", epsilon=40.0, horizon=3, runs=1)
    assert found.ledger_epsilon == pytest.approx(guarded.spent, abs=1e-13)
    close(guarded)
