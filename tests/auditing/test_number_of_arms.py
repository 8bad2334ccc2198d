"""A policy that has the number of its arms under a name of its own is not judged with another number."""

import numpy as np
import pytest

import privcheck
from privcheck.errors import PrivcheckError


class Leader:
    """Plays each arm once, then the one with the largest noisy sum."""

    def __init__(self, rng, n_arms=3, epsilon=1.0):
        self.rng, self.n_arms, self.epsilon = rng, n_arms, epsilon
        self.sums, self.t, self.best = np.zeros(n_arms), 0, 0

    def select(self):
        return self.t if self.t < self.n_arms else self.best

    def update(self, action, reward):
        self.sums[action] += reward
        self.t += 1
        if self.t == 4:
            self.best = int(np.argmax(self.sums + self.rng.laplace(0.0, 1.0 / self.epsilon, self.n_arms)))


class Actions(Leader):
    def __init__(self, rng, num_actions=3, epsilon=1.0):
        super().__init__(rng, num_actions, epsilon)


class Inherited(Leader):
    n_arms = 3

    def __init__(self, rng, **options):
        super().__init__(rng, **options)


class Bare:
    """Plays two arms in turn, and says nowhere how many it has."""

    def __init__(self, rng):
        self.t = 0

    def select(self):
        return self.t % 2

    def update(self, action, reward):
        self.t += 1


def passed_on(rng, arms, epsilon):
    return Leader(rng, arms, epsilon)


CALLS = {
    "certify": lambda target, arms: privcheck.certify(target, epsilon=1.0, arms=arms, runs=2, horizon=6),
    "audit": lambda target, arms: privcheck.audit(target, epsilon=1.0, arms=arms, runs=100, pairs=2, horizon=5),
    "guard": lambda target, arms: privcheck.guard(target, epsilon=1.0, arms=arms),
}
WITH_MEANS = {
    **CALLS,
    "simulate": lambda target, arms: privcheck.simulate(target, [0.5] * arms, horizon=6, runs=2),
    "guard of a built policy": lambda target, arms: privcheck.guard(
        target(np.random.default_rng(0)), epsilon=1.0, arms=arms, noise="float"
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("target", "parameter"), [(Leader, "n_arms"), (Actions, "num_actions")])
def test_another_number_is_refused(name, target, parameter):
    with pytest.raises(PrivcheckError) as caught:
        CALLS[name](target, 2)
    assert str(caught.value) == (
        f"arms: got 2, expected 3, the default of the target's parameter {parameter}; or pass it on: "
        f"def target(rng, arms): return {target.__name__}(rng, {parameter}=arms)"
    )


@pytest.mark.parametrize("name", CALLS)
def test_the_same_number_and_none_are_taken(name):
    for arms in (None, 3):
        CALLS[name](Leader, arms)
    CALLS[name](passed_on, 2)


def test_without_a_number_it_is_that_of_the_policy():
    report = CALLS["audit"](Leader, None)
    assert report.arms == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda target: privcheck.audit(target, epsilon=1.0, arms=2),
        lambda target: privcheck.certify(target, epsilon=1.0, arms=2),
        lambda target: privcheck.simulate(target, [0.7, 0.5], horizon=10, runs=2),
        lambda target: privcheck.simulate([target, "ucb"], [0.7, 0.5], horizon=10, runs=2),
    ],
)
def test_parameters_of_a_place_are_refused_with_a_way_to_pass_them(call):
    with pytest.raises(PrivcheckError) as caught:
        call("mine.py:Leader(bonus=2)")
    assert str(caught.value) == (
        "target: got 'mine.py:Leader(bonus=2)', expected mine.py:Leader without parameters; a function in it passes "
        "them on: def mine(rng, epsilon): return Leader(rng, bonus=2)"
    )


@pytest.mark.parametrize("name", WITH_MEANS)
def test_another_number_than_the_built_policy_has_is_refused(name):
    with pytest.raises(PrivcheckError) as caught:
        WITH_MEANS[name](Inherited, 2)
    said = "arms: got 2, expected 3, the attribute n_arms of Inherited; give arms=3, or have its constructor take arms"
    assert str(caught.value) == said
    WITH_MEANS[name](Inherited, 3)


def test_simulations_refuse_another_default():
    with pytest.raises(PrivcheckError, match="arms: got 2, expected 3, the default of the target's parameter n_arms"):
        privcheck.simulate(Leader, [0.7, 0.5], horizon=6, runs=2)


def test_a_watch_refuses_another_number(tmp_path):
    with pytest.raises(PrivcheckError, match="arms: got 2, expected 3, the attribute n_arms"):
        privcheck.watch(Inherited, epsilon=1.0, arms=2, store=tmp_path / "watch.sqlite")


@pytest.mark.parametrize("class_name", ["Leader", "Inherited"])
def test_a_fix_refuses_another_number(class_name):
    with pytest.raises(PrivcheckError, match=r"^arms: got 2, expected 3"):
        privcheck.fix(f"{__file__}:{class_name}", epsilon=1.0, arms=2, rounds=200, time_budget=1.0)


def test_a_certificate_names_the_arms_that_no_execution_chose():
    kind = "what arms do that no execution chose"
    few, all_arms = (privcheck.certify(Bare, epsilon=1.0, arms=arms, runs=2) for arms in (4, 2))
    assert few.rests_on[kind] == ["2, 3; if the policy has fewer arms, say so"]
    assert kind not in all_arms.rests_on
