"""`privcheck.guard`: a service cannot overspend, cannot read what is private, and sees why it was stopped."""

from __future__ import annotations

import copy
import math
import traceback
from typing import ClassVar

import numpy as np
import pytest

import privcheck
from privcheck import BudgetExceededError, LeakError, PolicyError, PrivcheckError, ReleaseRefusedError, guard
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.adap_ucb import AdaPUCB
from privcheck.mechanisms import Laplace

PRIVATE = ["adap-ucb", "adap-kl-ucb", "rnm-ftnl"]


class CountingGenerator(np.random.Generator):
    """Counts the draws of Laplace noise."""

    draws = 0

    def laplace(self, *arguments, **options):
        self.draws += 1
        return super().laplace(*arguments, **options)


def counting(seed=1):
    return CountingGenerator(np.random.PCG64(seed))


def adap_ucb(epsilon=1.0):
    return AdaPUCB(arms=2, epsilon=epsilon).build(np.random.default_rng(0))


def play(guarded, rounds, seed=5):
    rng, actions = np.random.default_rng(seed), []
    for _ in range(rounds):
        rewards = rng.random(3)
        actions.append(guarded.select())
        guarded.update(actions[-1], rewards if guarded._kind.whole_row else rewards[actions[-1]])
    return actions


@pytest.mark.parametrize("name", PRIVATE)
def test_the_shipped_policies_run_in_a_service(name):
    """And they do what they do unguarded with the same noise."""
    algorithm = ALGORITHMS[name](arms=3, epsilon=0.7)
    guarded = guard(
        algorithm.build(np.random.default_rng(0)),
        epsilon=0.7,
        feedback=algorithm.feedback,
        noise="float",
        rng=np.random.default_rng(8),
    )
    noise = copy.deepcopy(guarded._session.noise)
    actions = play(guarded, 300)
    assert guarded.spent == 0.7
    assert guarded.left == 0.0
    assert len(guarded.ledger.releases) >= 8
    plain, rng = algorithm.build(np.random.default_rng(0), noise=noise), np.random.default_rng(5)
    for action in actions:
        rewards = rng.random(3)
        assert plain.select() == action
        plain.update(action, rewards if algorithm.feedback == "full" else rewards[action])


def test_spent_left_and_repr_before_and_after():
    guarded = guard(adap_ucb(0.25), epsilon=1.0)
    assert (guarded.spent, guarded.left, guarded.ledger.releases) == (0.0, 1.0, [])
    assert repr(guarded) == "GuardedPolicy(AdaPUCBPolicy, spent 0, left 1)"
    guarded.update(guarded.select(), 0.875)
    assert (guarded.spent, guarded.left) == (0.25, 0.75)
    assert repr(guarded) == "GuardedPolicy(AdaPUCBPolicy, spent 0.25, left 0.75)"
    assert [release.round for release in guarded.ledger.releases] == [1]


def test_the_ledger_that_is_handed_out_is_a_copy():
    """Before, `ledger.totals` aside, clearing it gave the budget back."""
    guarded = guard(adap_ucb(), epsilon=1.0)
    guarded.update(guarded.select(), 0.5)
    seen = guarded.ledger
    for spoil in (seen.releases.clear, lambda: seen.__init__(), lambda: guarded.ledger.__dict__.clear()):
        spoil()
        assert (guarded.spent, guarded.left, len(guarded.ledger.releases)) == (1.0, 0.0, 1)
    for name in ("ledger", "spent", "left"):
        with pytest.raises(AttributeError):
            setattr(guarded, name, 0.0)
    with pytest.raises((TypeError, AttributeError)):
        guarded.ledger.releases[0].charges.clear()


@pytest.mark.parametrize(("neighbours", "data"), [("row", [1, 2, 3]), ("reward", [(1, 0), (2, 0), (3, 0)])])
def test_rounds_are_counted_as_data(neighbours, data):
    guarded = guard(ReleasesWith(Laplace(sensitivity=1.0, epsilon=1.0)), epsilon=1.0, neighbours=neighbours)
    for _ in data:
        guarded.update(guarded.select(), 0.5)
    assert dict(guarded.ledger.totals) == dict.fromkeys(data, 1.0)
    assert [release.round for release in guarded.ledger.releases] == [1, 2, 3]


def test_a_policy_that_overspends_is_stopped_before_the_noise(zoo, marked):
    noise = counting()
    guarded = guard(zoo.RunningMeanAgain(np.random.default_rng(0)), epsilon=1.0, noise="float", rng=noise)
    for _ in range(7):
        guarded.update(guarded.select(), 0.25)
    before, state = dict(guarded.ledger.totals), noise.bit_generator.state
    assert (noise.draws, guarded.spent) == (1, 1.0)
    with pytest.raises(BudgetExceededError, match=f"zoo.py:{marked('RunningMeanAgain')}"):
        guarded.update(guarded.select(), 0.25)
    assert (noise.draws, noise.bit_generator.state) == (1, state)
    assert dict(guarded.ledger.totals) == before
    assert (len(guarded.ledger.releases), len(guarded._session.refusals), guarded.left) == (1, 1, 0.0)


def test_a_published_budget_is_not_exceeded_by_the_published_noise():
    spec = ALGORITHMS["rnm-ftnl-published"](arms=3, epsilon=1.0)
    guarded = guard(spec.build(np.random.default_rng(0)), epsilon=1.0, feedback="full")
    with pytest.raises(BudgetExceededError, match="to 2, expected at most epsilon = 1"):
        guarded.update(guarded.select(), [0.0, 0.5, 1.0])
    assert guarded.spent == 0.0


@pytest.mark.parametrize("reward", [-0.001, 1.001, 7, math.nan, math.inf, None, "0.5", [0.5], 1j])
def test_a_reward_that_is_no_number_in_range_is_refused(reward):
    """The policy does not see it, and nothing is spent."""
    guarded = guard(adap_ucb(), epsilon=1.0)
    guarded.update(guarded.select(), 0.5)
    with pytest.raises(PrivcheckError) as caught:
        guarded.update(guarded.select(), reward)
    assert caught.value.parameter.startswith("reward")
    assert "\n" not in str(caught.value)
    assert (guarded.spent, guarded._policy.rounds, len(guarded.ledger.releases)) == (1.0, 1, 1)
    guarded.update(guarded.select(), 0.5)
    assert sorted(guarded.ledger.totals) == [1, 2]


@pytest.mark.parametrize("rewards", [[0.5, 2.0, 0.5], [0.5, math.nan, 0.5], 0.5, [[0.5, 0.5, 0.5]], []])
def test_a_reward_vector_is_checked(rewards):
    policy = ALGORITHMS["rnm-ftnl"](arms=3, epsilon=1.0).build(np.random.default_rng(0))
    guarded = guard(policy, epsilon=1.0, feedback="full")
    with pytest.raises(PrivcheckError) as caught:
        guarded.update(guarded.select(), rewards)
    assert caught.value.parameter.startswith("reward")
    assert guarded.ledger.releases == []


def test_rewards_of_another_range(zoo):
    guarded = guard(zoo.Unclipped(np.random.default_rng(0)), epsilon=1.0, rewards=(0.0, 10.0))
    with pytest.raises(PrivcheckError, match=r"10\.0 computed from the data"):
        guarded.update(guarded.select(), 5.0)
    guarded = guard(zoo.Clipped(np.random.default_rng(0)), epsilon=1.0, rewards=(0.0, 10.0))
    guarded.update(guarded.select(), 5.0)
    assert guarded.spent == 1.0


def test_a_policy_that_compares_leaks():
    guarded = guard(ALGORITHMS["ucb"](arms=2).build(np.random.default_rng(0)), epsilon=1.0)
    for _ in range(2):
        guarded.update(guarded.select(), 0.5)
    with pytest.raises(LeakError, match=r"ucb\.py") as caught:
        guarded.select()
    assert caught.value.leak.function == "select"
    assert guarded._session.leaks == [caught.value.leak]


def test_nested_handlers_do_not_hide_a_leak(zoo, marked):
    guarded = guard(zoo.HidesTheLeak(np.random.default_rng(0)), epsilon=1.0)
    for _ in range(3):
        guarded.update(guarded.select(), 0.5)
    assert [leak.line for leak in guarded._session.leaks] == [marked("HidesTheLeak")] * 3


class Selects:
    def __init__(self, action):
        self.action = action

    def select(self):
        return self.action

    def update(self, action, reward):
        self.action = reward


@pytest.mark.parametrize("action", [0.7, None, "1", [1]])
def test_an_action_that_is_no_arm_is_refused(action):
    """0.7 must not quietly become arm 0."""
    with pytest.raises(PolicyError) as caught:
        guard(Selects(action), epsilon=1.0).select()
    assert caught.value.parameter == "action"


@pytest.mark.parametrize("action", [1, np.int64(1)])
def test_an_action_may_be_a_numpy_integer(action):
    assert type(guard(Selects(action), epsilon=1.0).select()) is int


def test_an_action_that_is_private_is_a_leak():
    guarded = guard(Selects(0), epsilon=1.0)
    guarded.update(guarded.select(), 1.0)
    with pytest.raises(LeakError):
        guarded.select()
    assert [leak.kind for leak in guarded._session.leaks] == ["index"]


class ReleasesWith:
    """Releases every reward with a mechanism, and hands its error out."""

    def __init__(self, mechanism, **options):
        self.mechanism, self.options = mechanism, options

    def select(self):
        return 0

    def update(self, action, reward):
        self.output = self.mechanism.release(reward, None, **self.options)


class Complains(Laplace):
    """Shows what it is given when it is asked to draw."""

    error: ClassVar[type[Exception]] = ValueError

    def draw(self, value, rng, *, secure=False):
        if self.error is PrivcheckError:
            raise PrivcheckError("value", value, "another one")
        raise self.error(f"not {value}")


@pytest.mark.parametrize("error", [PrivcheckError, ValueError, ZeroDivisionError])
def test_an_error_of_a_mechanism_does_not_show_the_private_value(error, monkeypatch):
    monkeypatch.setattr(Complains, "error", error)
    guarded = guard(ReleasesWith(Complains(sensitivity=1.0, epsilon=1.0)), epsilon=1.0, noise="float")
    with pytest.raises(ReleaseRefusedError) as caught:
        guarded.update(guarded.select(), 5137 / 7200)
    assert "0.7134" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert "test_guard.py" in str(caught.value)
    assert error is PrivcheckError or error.__name__ in str(caught.value)
    assert guarded.spent == 1.0  # a draw that fails may say something about what was drawn
    assert guarded._session.refusals == [caught.value]


def test_one_secure_release_among_float_noise():
    policy = ReleasesWith(Laplace(sensitivity=1.0, epsilon=1.0), secure=True)
    guarded = guard(policy, epsilon=1.0, noise="float", rng=counting())
    guarded.update(guarded.select(), 0.5)
    assert (guarded.spent, guarded._session.noise.draws) == (1.0, 0)
    assert math.isfinite(guarded._policy.output)


def test_two_guarded_policies_do_not_mix():
    one, two = (guard(adap_ucb(epsilon), epsilon=1.0, noise="float", rng=counting()) for epsilon in (0.25, 0.5))
    for _ in range(3):
        one.update(one.select(), 0.5)
        two.update(two.select(), 0.5)
    assert (one.spent, two.spent) == (0.25, 0.5)
    assert [guarded._session.noise.draws for guarded in (one, two)] == [3, 3]


def test_outside_of_the_guard_nothing_is_recorded():
    guarded = guard(adap_ucb(), epsilon=1.0)
    guarded.update(guarded.select(), 0.5)
    assert math.isfinite(Laplace.with_scale(1.0).release(0.5, np.random.default_rng(0)))
    assert len(guarded.ledger.releases) == 1


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"epsilon": 0.0}, "epsilon"), ({"epsilon": -1.0}, "epsilon"), ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"), ({"epsilon": None}, "epsilon"), ({"epsilon": "1"}, "epsilon"),
        ({"rewards": (1.0, 0.0)}, "rewards range"), ({"rewards": (0.0, math.inf)}, "rewards range"),
        ({"feedback": "semi"}, "feedback"), ({"neighbours": "group:0"}, "neighbours"),
        ({"neighbours": "rows"}, "neighbours"), ({"rng": 3}, "rng"), ({"rng": np.random.RandomState(0)}, "rng"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_by_name(options, parameter):
    with pytest.raises(PrivcheckError) as caught:
        guard(adap_ucb(), **{"epsilon": 1.0} | options)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("policy", [None, 3, "adap-ucb", AdaPUCB(arms=2, epsilon=1.0), object()])
def test_what_is_no_policy_is_refused(policy):
    with pytest.raises(PrivcheckError) as caught:
        guard(policy, epsilon=1.0)
    assert caught.value.parameter == "policy"
    assert privcheck.guard is guard


def test_a_class_is_built_with_a_generator_whose_noise_is_charged():
    class Noisy(Selects):
        def __init__(self, rng, arms, epsilon):
            self.rng, self.given, self.total, self.action = rng, (arms, epsilon), 0.0, 0

        def update(self, action, reward):
            self.total += reward
            self.published = f"{float(self.total + self.rng.laplace(0.0, 2.0)):.3f}"

    policy = guard(Noisy, epsilon=1.0, arms=2)
    assert policy._policy.given == (2, 1.0)
    for spent in (0.5, 1.0):
        policy.update(policy.select(), 1.0)
        assert policy.spent == spent
    with pytest.raises(BudgetExceededError, match=r"test_guard.py:\d+ that takes the reward of round 1 to 1.5"):
        policy.update(policy.select(), 1.0)
    built = guard(Noisy(np.random.default_rng(0), 2, 1.0), epsilon=1.0)
    with pytest.raises(privcheck.LeakError, match=r"give guard\(\) the class or factory instead"):
        built.update(built.select(), 1.0)


@pytest.mark.parametrize("factory", [lambda: None, lambda rng: object(), lambda rng, width: None, int])
def test_a_factory_of_something_else_is_refused(factory):
    with pytest.raises(PrivcheckError):
        guard(factory, epsilon=1.0, arms=2)
