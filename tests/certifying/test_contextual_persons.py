"""Persons under contextual feedback: what all contexts and rewards of one of them show to the others."""

from __future__ import annotations

import codecs
import itertools
import math
import sys
import tempfile
from collections import Counter, defaultdict
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import privcheck
from privcheck import BudgetExceededError, PrivcheckError
from privcheck.certifying import _guard, ledger_problems, read_ledger
from privcheck.certifying._recorded.persons import Persons
from privcheck.journal import MemoryJournal
from privcheck.mechanisms import Laplace, RandomisedResponse
from privcheck.private_values import REVEAL
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies")

ONE = privcheck.Contexts(shape=(1,), norm=1.0)


class Answers:
    """Answers, at random, whether arm 1 paid in each round; an action depends on its context and on the answer."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        self.rng, self.mechanism, self.said, self.seen = rng, RandomisedResponse(2, epsilon), 0, 0

    def select(self, context):
        chosen = (int(context[0] > 0.0) + self.said + self.seen) % 2
        self.seen = int(context[0] > 0.0)  # lost: it is the copy's
        return chosen

    def update(self, context, action, reward):
        self.said = self.mechanism.release(privcheck.one_hot(action, 2)[1] * np.where(reward > 0.5, 1, 0), self.rng)


ROUNDS = ("u1", "u2", "u1", "u2")
OTHERS = ((-1.0, 1.0), (1.0, 1.0))
FIRST, SECOND = ((-1.0, 1.0), (1.0, 1.0)), ((-1.0, 1.0), (1.0, 0.0))


def law(monkeypatch, hers, shown, per_user):
    """Return the exact probabilities of what is observed: every answer, and the actions of the rounds of `shown`.

    All answers are tried in turn, each with the probability that randomised response gives it. The last round ends with
    its choice.
    """
    found = defaultdict(float)
    for path in itertools.product((0, 1), repeat=len(ROUNDS) - 1):
        chance, left = [1.0], [*path]

        def sample(mechanism, value, noise, *, secure, chance=chance, left=left):
            answer = left.pop(0)
            chance[0] *= mechanism.probabilities(int(value.reveal(REVEAL)))[answer]
            return answer

        monkeypatch.setattr("privcheck.certifying._session._sample", sample)
        guarded = privcheck.guard(Answers, epsilon=0.5, arms=2, feedback="contextual", contexts=ONE, per_user=per_user)
        data, seen = {"u1": iter(hers), "u2": iter(OTHERS)}, []
        for number, user in enumerate(ROUNDS, 1):
            context, reward = next(data[user])
            action = guarded.select([context], user=user)
            seen += [action] if user in shown else []
            try:
                if number < len(ROUNDS):
                    guarded.update([context], action, reward, user=user)
            except BudgetExceededError:
                seen.append("refused")
        made = len(path) - len(left)
        if not any(left):  # paths that differ after the last answer alone are one
            found[path[:made], tuple(seen)] += chance[0]
    assert math.isclose(sum(found.values()), 1.0)
    return found


def loss(monkeypatch, shown=("u2",), per_user=1.0):
    """Return the largest loss between any two streams of one person, over everything that is observed."""
    laws = [law(monkeypatch, hers, shown, per_user) for hers in itertools.product(FIRST, SECOND)]
    largest = 0.0
    for seen in {seen for one in laws for seen in one}:
        chances = [one.get(seen, 0.0) for one in laws]
        largest = max(largest, math.inf if min(chances) == 0.0 else math.log(max(chances) / min(chances)))
    return largest


@pytest.mark.parametrize("per_user", [0.5, 1.0])
def test_others_see_exactly_the_budget_of_a_person(monkeypatch, per_user):
    """By enumeration, for contexts and rewards of both rounds of hers. With a half the second is not passed on."""
    assert loss(monkeypatch, per_user=per_user) == pytest.approx(per_user, abs=1e-7)


def test_enumeration_notices_a_person_who_is_admitted_too_often(monkeypatch):
    monkeypatch.setattr(Persons, "fits", lambda *_: True)
    assert loss(monkeypatch, per_user=0.5) == pytest.approx(1.0, abs=1e-7)


def test_enumeration_notices_her_own_actions(monkeypatch):
    """They are hers alone: to whoever sees them they tell the context."""
    assert loss(monkeypatch, shown=("u1", "u2")) == math.inf


def test_enumeration_notices_a_context_that_select_keeps(monkeypatch):
    monkeypatch.setattr("privcheck.certifying._execution.throw_away", lambda policy, seeds: policy)
    monkeypatch.setattr("privcheck.certifying._execution.apart", lambda *_: nullcontext())
    assert loss(monkeypatch) == math.inf


class Sums:
    """Releases how often each arm paid, two rounds at a time, and plays the better one where contexts do not matter."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        self.rng, self.noise = rng, Laplace(sensitivity=2.0, epsilon=epsilon)
        self.block, self.count, self.best = privcheck.zeros(2), 0, 0

    def select(self, context):
        return self.best if context[0] < 0.0 else 1

    def update(self, context, action, reward):
        self.block += reward * privcheck.one_hot(action, 2)
        self.count += 1
        if self.count % 2 == 0:
            self.best = int(np.argmax(self.noise.release(self.block, self.rng)))
            self.block = privcheck.zeros(2)


CONTEXTUAL = {"policy": Sums, "feedback": "contextual", "contexts": ONE, "per_user": 1.0}


def open_guard(folder, **options):
    if folder is None:
        return privcheck.guard(**{"epsilon": 0.5, "arms": 2, **CONTEXTUAL, **options})
    return policies.guard(folder, **CONTEXTUAL | options)


@pytest.fixture(params=["memory", "ledger"])
def folder(request, tmp_path):
    return None if request.param == "memory" else tmp_path


def admitted(guarded, user, most=12):
    """Return how many rewards of a person are passed on."""
    for count in range(most):
        try:
            guarded.update([0.5], guarded.select([0.5], user=user), 1.0, user=user)
        except BudgetExceededError as error:
            return count if error.parameter == "user" else None
    return most


@pytest.mark.parametrize(
    ("given", "per_user", "count"),
    [({"epsilon": 0.5}, 1.0, 2), ({"epsilon": 0.1}, 0.3, 3), ({"mu": 0.25}, 1.0, 4), ({"rho": 0.25}, 1.0, 2)],
)
def test_a_person_is_admitted_as_often_as_group_privacy_allows(folder, given, per_user, count):
    """Choices cost nothing, also those of a person without budget."""
    guarded = open_guard(folder, policy=Silent, per_user=per_user, **{"epsilon": None, **given})
    guarded.select([0.5], user="u1")
    assert guarded.would_fit(user="u1")
    assert admitted(guarded, "u1") == count
    assert not guarded.would_fit(user="u1")
    assert guarded.select([0.5], user="u1") == 1
    assert admitted(guarded, "u2") == count


class Exits(Sums):
    """Ends `select` by contexts above a half, with an error of each kind in turn."""

    error: type[BaseException] | None = MemoryError

    def select(self, context):
        if context[0] > 0.5 and self.error is not None:
            if context[0] > 0.95:
                (number for number in ()).throw(self.error())
            if context[0] > 0.75:
                codecs.strict_errors(self.error())  # a function in C raises it, where Ctrl-C could have come
            raise self.error
        return self.best


@pytest.mark.parametrize(
    "error", [ValueError, MemoryError, RecursionError, KeyboardInterrupt, SystemExit, GeneratorExit, InterruptedError]
)
@pytest.mark.parametrize("context", [0.6, 0.8, 1.0])
def test_whether_a_round_counts_does_not_depend_on_its_context(folder, monkeypatch, error, context):
    """Whatever a policy raises, it is an answer, and the reward is passed on: others see the release that it is in."""
    monkeypatch.setattr(Exits, "error", error)
    guarded = open_guard(folder, policy=Exits)
    with pytest.raises((error, PrivcheckError)):
        guarded.select([context], request_id="e1", user="u1")
    guarded.update([context], 0, 1.0, request_id="e1", user="u1")
    guarded.update([0.0], guarded.select([0.0], user="u2"), 1.0, user="u2")
    assert [release.round for release in guarded.ledger.releases] == [2]
    if folder is not None:
        best = guarded.select([0.0], user="u2")
        policies.close(guarded)
        if error in (MemoryError, RecursionError):  # which need not come again
            monkeypatch.setattr(Exits, "error", None)
        assert open_guard(folder, policy=Exits).select([0.0], user="u2") == best


class Draws(Sums):
    """Draws in `select` where no data are, if the context says so."""

    def select(self, context):
        if context[0] > 0.5:
            self.noise.release(self.block if context[0] > 0.75 else np.zeros(2), self.rng)
        return self.best


def test_select_leaves_no_draws_among_the_releases(folder):
    """They cost nothing, but everybody who counts releases would see in which rounds they were made."""
    seen = []
    for number, context in enumerate((0.0, 0.6, 1.0)):
        place = None if folder is None else folder / str(number)
        if place is not None:
            place.mkdir()
        guarded = open_guard(place, policy=Draws)
        for user, shown in (("u1", context), ("u2", 0.0)):
            if shown > 0.5:
                with pytest.raises(PrivcheckError, match="releases inside update"):
                    guarded.select([shown], user=user)
            else:
                guarded.select([shown], user=user)
            guarded.update([shown], 0, 1.0, user=user)
        kept = (
            None if place is None else [len(read_ledger(place / "budget.db")[0].releases), guarded._engine._position[0]]
        )
        seen.append(([release.round for release in guarded.ledger.releases], kept))
    assert seen[0] == seen[1] == seen[2]


class Silent(Sums):
    def update(self, context, action, reward):
        self.count += 1


@pytest.mark.parametrize("forgotten", [False, True])
def test_an_id_is_one_persons(folder, forgotten):
    """What she is shown is hers alone: it is not counted in what she loses to the others."""
    guarded = open_guard(folder)
    action = guarded.select([0.5], request_id="e1", user="u1")
    guarded.select([0.5], request_id="e2", user="u2")
    if forgotten:
        guarded.forget()
    assert guarded.select([0.5], request_id="e1", user="u1") == action
    with pytest.raises(PrivcheckError, match="request_id: got 'e1', which was recorded with other arguments"):
        guarded.select([0.5], request_id="e1", user="u2")
    told = {"context": [0.5], "action": action, "reward": 1.0, "request_id": "e1"}
    for call in (guarded.update_many, lambda events: guarded.update(*[*told.values()][:3], **keywords(events))):
        with pytest.raises(
            PrivcheckError, match="user: got a reward under the id 'e1', whose action was chosen for an"
        ):
            call([told | {"user": "u2"}])
    for _ in range(2):
        guarded.update_many([told | {"user": "u1"}])
    assert guarded._session.round == 2


def keywords(events):
    return {name: events[0][name] for name in ("request_id", "user")}


def test_every_context_says_whose_it_is(folder):
    guarded = open_guard(folder)
    with pytest.raises(
        PrivcheckError, match=r"user: got None, .*every context has to say whose it is: select\(\.\.\., u"
    ):
        guarded.select([0.5])
    with pytest.raises(
        PrivcheckError, match=r"user: got None, .*every reward has to say whose it is: update\(\.\.\., u"
    ):
        guarded.update([0.5], 1, 1.0)
    public = privcheck.guard(policies.Blocks, epsilon=0.5, arms=2, per_user=1.0)
    with pytest.raises(PrivcheckError, match=r"user: got 'u1', expected None in select\(\); this action is public"):
        public.select(user="u1")
    for wrong in ({"epsilon": 0.5, "delta": 1e-6}, {"neighbours": "group:2"}):
        with pytest.raises(PrivcheckError):
            open_guard(None, **wrong)


def test_persons_are_kept_over_restarts_scopes_and_forgetting(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, policies.__name__, policies)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    guarded = open_guard(tmp_path)
    for user in ("u1", "u2", "u1"):
        guarded.update([0.5], guarded.select([0.5], user=user), 1.0, user=user)
    guarded.forget()
    policies.close(guarded)
    guarded = open_guard(tmp_path)
    assert admitted(guarded, "u1") == 0
    action = guarded.select([0.5], request_id="e9", user="u2")
    policies.close(guarded)
    new = open_guard(tmp_path, scope="better", continues="news")
    assert admitted(new, "u1") == 0
    with pytest.raises(
        PrivcheckError, match="user: got a reward under the id 'e9', whose action was chosen for another"
    ):
        new.update([0.5], action, 1.0, request_id="e9", user="u3")
    new.update([0.5], action, 1.0, request_id="e9", user="u2")
    assert admitted(new, "u2") == 0
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    (old, continued) = read_ledger(tmp_path / "budget.db")
    assert sorted(old.rewards.values()) == [1, 2]
    assert max(spent for _, spent in continued.of_persons().values()) == 1.0
    assert [len(row.persons) for row in old.releases] == [2]


@pytest.mark.parametrize("of_earlier_version", [False, True])
def test_the_relation_is_kept_whether_it_was_asked_for_or_not(tmp_path, monkeypatch, of_earlier_version):
    monkeypatch.setitem(sys.modules, policies.__name__, policies)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    with monkeypatch.context() as patched:
        if of_earlier_version:  # it kept "row" where none was asked for
            told = _guard.parameters_of
            patched.setattr(
                _guard, "parameters_of", lambda given, by, *rest: told(given, {**by, "neighbours": "row"}, *rest)
            )
        policies.close(open_guard(tmp_path))
    policies.close(open_guard(tmp_path, neighbours="context-reward"))
    policies.close(open_guard(tmp_path))
    (scope,) = read_ledger(tmp_path / "budget.db")
    assert scope.parameters["neighbours"] == "context-reward"


DAY = 86_400
MOST = 2
"""How many rewards of a person fit into a window: 1.0 / 0.5."""


def moved():
    """Return how far one round moves the sums, by trying all actions and rewards at their ends."""
    entries = [reward * np.eye(2)[action] for action in (0, 1) for reward in (0.0, 1.0)]
    return max(float(np.abs(one - two).sum()) for one, two in itertools.product(entries, repeat=2))


def played(folder, window, calls):
    """Play calls of persons on days, and return what each was told and the guard, restarting now and then."""
    guarded, admissions, now = open_guard(folder, window=window), [], 40 * DAY
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.time", lambda: float(now))
        for user, context, reward, days, restart in calls:
            now += days * DAY
            if restart and folder is not None:
                policies.close(guarded)
                guarded = open_guard(folder, window=window)
            action = guarded.select([context], user=user)
            try:
                guarded.update([context], action, reward, user=user)
                admissions.append((user, day(window, now), True))
            except BudgetExceededError:
                admissions.append((user, day(window, now), False))
    return guarded, admissions


def day(window, now):
    return 0 if window is None else now // DAY


def check(folder, window, calls):
    """Compare with a count by hand, and with losses that are calculated from noise and blocks alone."""
    guarded, admissions = played(folder, window, calls)
    given, told = Counter(), []
    for user, when, passed in admissions:
        assert passed == (given[user, when] < MOST)
        if passed:
            given[user, when] += 1
            told.append((user, when))
    blocks = [told[start : start + 2] for start in range(0, len(told) - 1, 2)]
    assert [release.round for release in guarded.ledger.releases] == [2 * n for n in range(1, len(blocks) + 1)]
    losses = Counter()
    for block, release in zip(blocks, guarded.ledger.releases, strict=True):
        for person in block:
            losses[person] += moved() / release.scale
    assert all(loss <= 1.0 + 1e-7 for loss in losses.values())
    charged = Counter()
    for number, total in guarded.ledger.totals.items():
        charged[told[number - 1]] += total
    for person, loss in losses.items():
        assert loss <= charged[person] <= 1.0 + 1e-9
        assert charged[person] == pytest.approx(loss, abs=1e-7)
    if folder is not None:
        assert ledger_problems(Path(folder, "budget.db"), Path(folder, "heads.db")) == []
        counted = Counter()
        for rows in read_ledger(Path(folder, "budget.db")):
            counted.update(rows.rewards)
        assert sorted(counted.values()) == sorted(given.values())
    policies.close(guarded) if folder is not None else None


CALLS = st.lists(
    st.tuples(
        st.sampled_from(("u1", 7, "7")), st.sampled_from((-1.0, 1.0)), st.sampled_from((0.0, 0.5, 1.0)),
        st.sampled_from((0, 0, 1)), st.booleans(),
    ),
    max_size=12,
)  # fmt: skip


def run(examples, kept=False, phases=(Phase.generate, Phase.shrink)):
    @given(st.sampled_from((None, "day")), CALLS)
    @settings(max_examples=examples, deadline=None, derandomize=True, phases=phases)
    def model(window, calls):
        with tempfile.TemporaryDirectory() if kept else nullcontext() as folder:
            check(folder, window, calls)

    model()


EXAMPLES = 25
"""As many as the broken guards below need to be noticed."""


@pytest.mark.parametrize("kept", [False, True])
def test_the_loss_of_each_person_is_what_a_count_by_hand_gives(kept):
    run(6 if kept else EXAMPLES, kept)


def twin(monkeypatch, name):
    """Break one thing."""
    if name == "everybody is admitted":
        monkeypatch.setattr(Persons, "fits", lambda *_: True)
    elif name == "one more is admitted":
        fits = Persons.fits
        monkeypatch.setattr(Persons, "fits", lambda own, before, scope: fits(own, before[1:], scope))
    elif name == "choices count as rewards":
        append = MemoryJournal.append
        monkeypatch.setattr(
            MemoryJournal, "append", lambda own, entry, *more: append(own, entry._replace(kind="update"), *more)
        )
    elif name == "7 and '7' are one":
        code = Persons.code
        monkeypatch.setattr(Persons, "code", lambda own, user: code(own, str(user)))
    elif name == "windows never end":
        monkeypatch.setattr(Persons, "now", lambda own, last: 0)


TWINS = (
    "everybody is admitted",
    "one more is admitted",
    "choices count as rewards",
    "7 and '7' are one",
    "windows never end",
)


@pytest.mark.parametrize("name", TWINS)
def test_the_model_notices_a_broken_guard(monkeypatch, name):
    twin(monkeypatch, name)
    with pytest.raises(AssertionError):
        run(EXAMPLES, phases=[Phase.generate])
