"""The rewards of one person in one window: admitted up to the person's budget, and not refused midway."""

from __future__ import annotations

import itertools
import math
import sys
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

import privcheck
from privcheck import BudgetExceededError, PrivcheckError
from privcheck.certifying import ledger_problems, read_ledger
from privcheck.certifying._recorded.persons import Persons
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows

DAY = 86_400


def admitted(guarded, user, most=30):
    """Return how many rewards of a person are passed on."""
    for count in range(most):
        try:
            guarded.update(guarded.select(), 1.0, user=user)
        except BudgetExceededError as error:
            return count if error.parameter == "user" else None
    return most


@pytest.mark.parametrize(
    ("given", "per_user", "count"),
    [
        ({"epsilon": 0.1}, 1.0, 10),  # though ten times the float 0.1 is above 1
        ({"epsilon": 0.1}, 0.3, 3),
        ({"epsilon": 0.5}, 0.5, 1),
        ({"epsilon": 0.3}, 1.0, 3),
        ({"mu": 0.25}, 1.0, 4),
        ({"rho": 0.25}, 1.0, 2),  # k data of a person lose k^2 rho
        ({"rho": 0.1}, 0.9, 3),
    ],
)
@pytest.mark.parametrize("kept", [True, False])
def test_a_person_is_admitted_as_often_as_group_privacy_allows(tmp_path, given, per_user, count, kept):
    options = {"epsilon": None, **given, "per_user": per_user}
    if kept:
        guarded = guard(tmp_path, policies.Cautious, **options)
    else:
        guarded = privcheck.guard(policies.Cautious, arms=2, **options)
    assert admitted(guarded, "u1") == count
    assert admitted(guarded, "u2") == count, "the guard stays open for others"
    assert guarded.would_fit(user="u3")
    assert not guarded.would_fit(user="u1")


def test_the_number_is_the_largest_that_fits():
    """Against brute force, with exact numbers."""
    for each, total in itertools.product(("0.1", "0.25", "0.3", "0.7", "1"), ("0.1", "0.9", "1.0", "2.1", "6.3")):
        for power in (1, 2):
            persons = Persons(float(total), None, {"": Fraction(each)}, power, b"")
            most = next(k for k in range(200) if not persons.fits([""] * k, ""))
            assert most == max(k for k in range(200) if k**power * Fraction(each) <= Fraction(total))


def test_the_refusal_names_the_rewards_and_changes_nothing(tmp_path):
    guarded = guard(tmp_path, epsilon=0.25, per_user=0.5, policy=lambda rng, arms: policies.Blocks(rng, arms, 0.25))
    for user in ("u1", "u2", "u1", "u3"):
        guarded.update(guarded.select(), 1.0, user=user)
    before = guarded.ledger.totals, len(guarded.ledger.releases)
    with pytest.raises(BudgetExceededError) as caught:
        guarded.update(guarded.select(request_id="e5"), 1.0, user="u1", request_id="e5")
    assert str(caught.value) == (
        "user: got u1, who has no budget left: 0.25 each for the rewards of rounds 1, 3, expected rewards that cost at "
        "most 0.5 together; the reward was not passed on, and nothing was spent"
    )
    assert before == (guarded.ledger.totals, len(guarded.ledger.releases))
    guarded.update(guarded.select(), 1.0, user="u2")
    close(guarded)
    guarded = guard(tmp_path, epsilon=0.25, per_user=0.5, policy=lambda rng, arms: policies.Blocks(rng, arms, 0.25))
    with pytest.raises(BudgetExceededError, match="rounds 1, 3, expected"):
        guarded.update(
            guarded.select(request_id="e5"), 1.0, user="u1", request_id="e5"
        )  # one answer for ever, also after a restart
    with pytest.raises(BudgetExceededError):
        guarded.update(guarded.select(), 1.0, user="u1")
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("wrong", [(0, 7.0), (9, 0.5), (0, "no number"), (0, 0.5, 0.5)])
def test_wrong_arguments_of_a_person_without_budget_are_not_recorded(tmp_path, wrong, kept):
    options = {"epsilon": 0.5, "arms": 2, "per_user": 0.5}
    guarded = guard(tmp_path, per_user=0.5) if kept else privcheck.guard(policies.Blocks, **options)
    guarded.update(guarded.select(), 0.5, user="u1")
    guarded.select()
    with pytest.raises(PrivcheckError) as caught:
        guarded.update(*wrong, user="u1", request_id="e1")
    assert not isinstance(caught.value, BudgetExceededError)
    for _ in range(2):
        with pytest.raises(BudgetExceededError):
            guarded.update(0, 0.5, user="u1", request_id="e1")


@pytest.fixture
def clock(monkeypatch):
    now = [40 * DAY]
    monkeypatch.setattr("time.time", lambda: float(now[0]))
    return now


def test_a_new_window_admits_again_and_a_clock_set_back_does_not(tmp_path, clock):
    """The broken twin takes the clock as it is: set back and forth, it gives the same day again."""
    options = {"per_user": 1.0, "window": "day"}
    guarded = guard(tmp_path, **options)
    assert admitted(guarded, "u1") == 2
    clock[0] += DAY
    assert admitted(guarded, "u1") == 2
    for back in (DAY, 20 * DAY):
        clock[0] -= back
        assert admitted(guarded, "u1") == 0
        close(guarded)
        guarded = guard(tmp_path, **options)
        assert admitted(guarded, "u1") == 0
    clock[0] += 23 * DAY
    assert admitted(guarded, "u1") == 2


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e300, -1.0])
def test_a_clock_that_says_no_time_is_refused_and_forgotten(tmp_path, clock, wrong):
    guarded, right = guard(tmp_path, per_user=0.5, window="day"), clock[0]
    arm = guarded.select()
    clock[0] = wrong
    with pytest.raises(PrivcheckError, match=r"window: got a clock that says .* expected a time before the year 5138"):
        guarded.update(arm, 0.5, user="u1")
    clock[0] = right
    guarded.update(arm, 0.5, user="u1")


def test_the_bare_clock_is_noticed(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(Persons, "now", lambda self, last: int(clock[0]) // DAY)  # the twin
    guarded = guard(tmp_path, per_user=1.0, window="day")
    assert admitted(guarded, "u1") == 2
    clock[0] -= DAY
    assert admitted(guarded, "u1") == 2, "twice as much in one day and the day before, at one moment"


@pytest.mark.parametrize(("window", "seconds"), [("hour", 3600), ("day", DAY), ("week", 7 * DAY)])
def test_windows_begin_on_the_hour_at_midnight_and_on_mondays(tmp_path, clock, window, seconds):
    clock[0] = 4 * DAY + 3 * 7 * DAY  # a Monday, midnight in UTC
    guarded = guard(tmp_path, per_user=0.5, window=window)
    assert admitted(guarded, "u1") == 1
    clock[0] += seconds - 1
    assert admitted(guarded, "u1") == 0
    clock[0] += 1
    assert admitted(guarded, "u1") == 1


@pytest.mark.parametrize(("window", "seconds"), [("hour", 3600), ("day", DAY), ("week", 7 * DAY), (None, None)])
@pytest.mark.parametrize("kept", [True, False])
def test_a_refusal_says_when_the_budget_begins_anew(tmp_path, clock, window, seconds, kept):
    """The same time for ever under one id: what is asked again was refused then."""
    begins = clock[0] = 4 * DAY + 3 * 7 * DAY  # a Monday, midnight in UTC
    options = {"per_user": 0.5, "window": window}
    guarded = guard(tmp_path, **options) if kept else privcheck.guard(policies.Blocks, epsilon=0.5, arms=2, **options)
    guarded.update(guarded.select(), 1.0, user="u1")
    arm = guarded.select()
    told = {"action": arm, "reward": 1.0, "user": "u1", "request_id": "e2"}
    clock[0] += 7
    (first,) = guarded.update_many([told])
    clock[0] += 3000
    with pytest.raises(BudgetExceededError) as again:
        guarded.update(arm, 1.0, user="u1", request_id="e2")
    assert str(first) == str(again.value)
    if window is None:
        assert first.renews is again.value.renews is None
        assert "UTC" not in str(first)
        return
    assert first.renews == again.value.renews == datetime.fromtimestamp(begins + seconds, UTC)
    assert first.renews.utcoffset() == timedelta(0)
    assert f"; the next {window} begins on {first.renews:%Y-%m-%d at %H:%M} UTC" in str(first)
    clock[0] = first.renews.timestamp() - 1
    with pytest.raises(BudgetExceededError):
        guarded.update(arm, 1.0, user="u1")
    clock[0] += 1
    guarded.update(arm, 1.0, user="u1")
    assert not kept or ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_a_refused_release_names_no_time():
    assert BudgetExceededError("release", "", "").renews is None


class Late(policies.PlainBlocks):
    delay = 3

    def update(self, number, reward):  # of the round
        super().update(0, reward)


def test_a_late_reward_of_the_scope_before_takes_no_round_of_this_one(tmp_path):
    """Rounds are counted anew: the reward of this round would be refused as told already."""
    old = guard(tmp_path, Late, feedback="delayed")
    for number in range(3):
        old.select(request_id=f"e{number}")
    new = guard(tmp_path, Late, feedback="delayed", scope="better", continues="news")
    new.select(request_id="e3")
    told = {"round": 1, "reward": 1.0, "request_id": "e0"}
    for call in (lambda: new.update(1, 1.0, request_id="e0"), lambda: new.update_many([told, told | {"round": 2}])):
        with pytest.raises(PrivcheckError, match=r"round: got a reward under the id 'e0', .* in a scope that this one"):
            call()
    new.update(1, 1.0, request_id="e3")


class LateNoise(policies.Cautious):
    delay = 3


@pytest.mark.parametrize("forgets", [False, True])
def test_a_late_reward_is_that_of_its_own_round_in_exports_and_refusals(tmp_path, forgets):
    """Not of the round of the call, in which others tell theirs, too."""
    guarded = guard(tmp_path, LateNoise, feedback="delayed", per_user=0.5)
    for _ in range(3):
        guarded.select()
    guarded.update(2, 1.0, user="u1")
    guarded.update(1, 1.0, user="u2")
    with pytest.raises(
        BudgetExceededError, match=r"u1, who has no budget left: 0\.5 each for the rewards of rounds 2,"
    ):
        guarded.update(3, 1.0, user="u1")
    if forgets:
        guarded.forget()
    codes = [guarded._engine.persons.code(user) for user in ("u1", "u2")]
    close(guarded)
    ((*releases,),) = [scope.releases for scope in read_ledger(tmp_path / "budget.db")]
    assert [(*row.charges, row.round, *row.persons) for row in releases] == [(2, 2, codes[0]), (1, 1, codes[1])]
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


@pytest.mark.parametrize("kept", [True, False])
def test_the_budget_of_one_person_is_read_from_the_guard(tmp_path, clock, kept):
    """As the command reads it from the file; another worker's rewards count, and reading changes nothing."""
    options = {"per_user": 1.0, "window": "day"}
    if kept:
        guarded, other = (guard(tmp_path, policies.Cautious, **options) for _ in range(2))
    else:
        guarded = other = privcheck.guard(policies.Cautious, epsilon=0.5, arms=2, **options)
    for user in ("u1", 1, "u1"):
        other.update(other.select(), 1.0, user=user)
    before = guarded._engine.journal.head()
    found = guarded.person("u1")
    assert (found.spent, found.rewards, found.more, found.ever, found.type) == (1.0, 2, 0, 2, "str")
    assert found.renews == datetime.fromtimestamp(clock[0], UTC).replace(hour=0, minute=0) + timedelta(days=1)
    assert [guarded.person(user).more for user in (1, "1", "nobody")] == [1, 2, 2]
    clock[0] += DAY
    assert (guarded.person("u1").spent, guarded.person("u1").more, guarded.person("u1").ever) == (0.0, 2, 2)
    assert guarded._engine.journal.head() == before
    if kept:
        (rows,) = read_ledger(tmp_path / "budget.db")
        for user in ("u1", 1, "1"):
            assert guarded.person(user) == rows.person(user)


def test_the_budget_of_a_person_is_that_of_all_scopes_that_continue_each_other(tmp_path):
    old = guard(tmp_path, policies.Cautious, per_user=2.0)
    old.update(old.select(), 1.0, user="u1")
    new = guard(tmp_path, policies.Cautious, per_user=2.0, epsilon=0.25, scope="better", continues="news")
    new.update(new.select(), 1.0, user="u1")
    found = new.person("u1")
    assert (found.scope, found.rewards, found.spent, found.more, found.ever) == ("better", 2, 0.75, 5, 2)
    assert found == read_ledger(tmp_path / "budget.db")[1].person("u1")


def test_a_guard_without_budgets_of_persons_has_none_to_read():
    guarded = privcheck.guard(policies.Cautious, epsilon=0.5, arms=2)
    with pytest.raises(PrivcheckError, match=r"^user: got a name, expected a guard with per_user=") as caught:
        guarded.person("u1")
    assert "u1" not in str(caught.value)
    with pytest.raises(PrivcheckError, match="expected a string or an integer"):
        privcheck.guard(policies.Cautious, epsilon=0.5, arms=2, per_user=1.0).person(None)


def test_a_scope_that_continues_another_keeps_ids_admissions_and_window(tmp_path, clock):
    options = {"per_user": 1.0, "window": "day"}
    old = guard(tmp_path, **options)
    arm = old.select(request_id="e1")
    old.update(arm, 1.0, request_id="e1", user="u1")
    new = guard(tmp_path, policies.PlainBlocks, scope="better", continues="news", **options)
    assert new.select(request_id="e1") == arm
    new.update(arm, 1.0, request_id="e1", user="u1")
    assert new.spent == 0.0, "it was told before"
    assert admitted(new, "u1") == 1
    with pytest.raises(BudgetExceededError, match="rounds 1 of 'news', 1, expected"):
        new.update(new.select(), 1.0, user="u1")
    with pytest.raises(privcheck.GuardClosedError, match=r"'better' continues.*open the scope 'better'"):
        old.update(old.select(), 1.0, user="u9")
    clock[0] -= 3 * DAY
    assert admitted(new, "u1") == 0
    assert old.select(request_id="e1") == arm, "what was answered stays"
    close(old)
    old = guard(tmp_path, **options)
    with pytest.raises(privcheck.GuardClosedError):
        old.select()
    with pytest.raises(PrivcheckError, match="expected a scope that none continues; continue 'better'"):
        guard(tmp_path, scope="third", continues="news", **options)
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_a_pending_event_ends_with_its_scope(tmp_path):
    class Picky(policies.Blocks):
        def update(self, action, reward):
            self.mechanism.release(reward, self.rng)
            raise SystemExit

    old = guard(tmp_path, Picky)
    with pytest.raises(SystemExit):
        old.update(old.select(request_id="e1"), 1.0, request_id="e1")
    new = guard(tmp_path, scope="better", continues="news")
    with pytest.raises(privcheck.GuardClosedError, match="an event without an error"):
        new.update(new.select(request_id="e1"), 1.0, request_id="e1")
    new.update(new.select(request_id="e2"), 1.0, request_id="e2")
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_another_budget_adds_up_with_the_old_one(tmp_path):
    old = guard(tmp_path, per_user=1.0)
    old.update(old.select(), 1.0, user="u1")
    new = guard(
        tmp_path,
        lambda rng, arms: policies.Blocks(rng, arms, 0.2),
        scope="new",
        continues="news",
        epsilon=0.2,
        per_user=1.0,
    )
    assert admitted(new, "u1") == 2  # 0.5 + 0.2 + 0.2
    assert admitted(new, "u2") == 5


def test_the_total_of_a_million_shares_is_exact(tmp_path):
    """Floats alone, and units of 1e-12, refuse the last of equal shares of 1."""
    from privcheck.accounting import BudgetFilter, Charge, in_units, units_of

    for shares in (3_000, 30_000, 1_000_000):
        units = units_of(1.0 / shares)
        assert Fraction(units * shares, 2**50) <= 1 + Fraction(1, 10**9)
        assert units * Fraction(1, 2**50) >= Fraction(1.0 / shares), "never less than the charge"
    assert Fraction(math.ceil(1e12 / 3_000) * 3_000, 10**12) > 1 + Fraction(1, 10**9), "the twin in units of 1e-12"
    strict, charge = BudgetFilter(1.0), in_units(Charge(1.0 / 3_000))
    ledger = strict.new_ledger()
    for number in range(3_000):
        strict.check(ledger, {1: charge}, "bandit.py:7")
        ledger.record(number, "laplace", 1.0, {1: 1.0}, {1: charge}, "bandit.py:7")
    assert Fraction(ledger.epsilon) == 3_000 * Fraction(charge.epsilon), "no rounding: sums of units are floats"


def test_a_name_is_in_no_file_and_is_shown_to_nobody_else(tmp_path, monkeypatch):
    """A refusal names the person where it is raised, from what the call was given; the ledger has the code alone."""
    monkeypatch.setitem(sys.modules, policies.__name__, policies)  # where pickle finds the policy of a snapshot
    name = "Eleonore-Zwicky"
    guarded = guard(tmp_path, per_user=0.5)
    guarded.update(guarded.select(), 1.0, user=name)
    arm = guarded.select(request_id="e2")
    for _ in range(2):  # played, and looked up
        with pytest.raises(BudgetExceededError, match=f"user: got {name}, who has no budget left: 0.5 each"):
            guarded.update(arm, 1.0, user=name, request_id="e2")
    with pytest.raises(PrivcheckError, match="request_id: got 'e2', which was recorded with other arguments") as caught:
        guarded.update(arm, 1.0, user="u2", request_id="e2")
    assert name not in str(caught.value)
    told = {"action": arm, "reward": 1.0, "request_id": "e2"}
    (refused,) = guarded.update_many([{**told, "user": name}])
    assert str(refused).startswith(f"user: got {name}, who")
    with pytest.raises(PrivcheckError, match="recorded with other arguments"):
        guarded.update_many([{**told, "user": 7}])
    for last in (lambda: None, guarded.forget, lambda: close(guarded)):
        last()
        written = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
        assert b"a person, who has no budget left" in written
        assert name.encode() not in written
    again = guard(tmp_path, per_user=0.5)
    with pytest.raises(BudgetExceededError, match=f"user: got {name}, who"):
        again.update(arm, 1.0, user=name, request_id="e2")
    with pytest.raises(PrivcheckError, match="recorded with other arguments"):
        again.update(arm, 1.0, user="u2", request_id="e2")
    again.update(arm, 1.0, user="u2", request_id="e3")
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_in_memory_a_refusal_is_shown_to_its_person_alone():
    guarded = privcheck.guard(policies.Cautious, arms=2, epsilon=0.5, per_user=0.5)
    guarded.update(guarded.select(), 1.0, user="u1")
    arm = guarded.select()
    for _ in range(2):
        with pytest.raises(BudgetExceededError, match="user: got u1, who"):
            guarded.update(arm, 1.0, user="u1", request_id="e")
    with pytest.raises(PrivcheckError, match="recorded with other arguments"):
        guarded.update(arm, 1.0, user="u2", request_id="e")


@pytest.mark.parametrize("kept", [True, False])
def test_names_and_ids_that_cannot_be_written_are_refused(tmp_path, kept):
    options = {"arms": 2, "epsilon": 0.5, "per_user": 0.5}
    guarded = guard(tmp_path, **options) if kept else privcheck.guard(policies.Cautious, **options)
    for user in ("\ud800", 10**5000):
        with pytest.raises(PrivcheckError, match=r"user: got a name of type (str|int) that cannot be written"):
            guarded.update(guarded.select(), 1.0, user=user)
    with pytest.raises(PrivcheckError, match=r"request_id: .* expected text that can be encoded in UTF-8"):
        guarded.select(request_id="e\udfff")
    guarded.update(guarded.select(request_id="\u00e9"), 1.0, user="\U0001f600", request_id="\u00e9")


@pytest.mark.parametrize("kept", [True, False])
def test_a_name_of_numpys_is_that_of_python(tmp_path, kept):
    options = {"arms": 2, "epsilon": 0.5, "per_user": 0.5}
    guarded = guard(tmp_path, **options) if kept else privcheck.guard(policies.Cautious, **options)
    for user, same in ((np.int64(7), 7), (np.array(["u1"])[0], "u1")):
        assert admitted(guarded, user) == 1
        assert admitted(guarded, same) == 0
        assert guarded.person(user) == guarded.person(same)
    assert admitted(guarded, "7") == 1
    for user in (np.True_, np.float64(7.0)):
        with pytest.raises(PrivcheckError, match="user"):
            guarded.update(guarded.select(), 1.0, user=user)
