"""What functools.partial gives a target stays as it is: it is neither told anew nor missed."""

from functools import partial

import numpy as np
import pytest

import privcheck


class Bandit:
    """It releases its first reward once, at the epsilon that it is built with."""

    def __init__(self, rng, arms=2, epsilon=1.0, horizon=4):
        self.rng, self.arms, self.epsilon, self.horizon = rng, arms, epsilon, horizon
        self.noisy = None

    def select(self):
        return 0 if self.noisy is None else int(self.noisy > 0.5)

    def update(self, action, reward):
        if self.noisy is None:
            self.noisy = reward + self.rng.laplace(scale=1 / self.epsilon)


class Passing(Bandit):
    """Its budget comes in keywords that an audit does not know."""

    def __init__(self, rng, **options):
        super().__init__(rng, **options)


class Arm(Bandit):
    """The arm that it plays shows what it was built with."""

    def select(self):
        return int(self.epsilon > 2.0)


def noisy_sum(data, rng, runs=1, *, epsilon):
    return sum(data) + rng.laplace(scale=1 / epsilon, size=runs)


def one_noisy_sum(data, rng, epsilon):
    return sum(data) + rng.laplace(scale=1 / epsilon)


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error; the other loss is four times its claim")
def test_a_budget_that_was_given_is_the_one_that_is_audited():
    streams = np.zeros((2, 2)), np.array([[1.0, 1.0], [0.0, 0.0]])
    options = {"arms": 2, "horizon": 2, "runs": 4000, "streams": streams, "error": 1e-7}
    leaky = privcheck.audit(partial(Bandit, epsilon=8.0), epsilon=1.0, **options)
    assert leaky.verdict == "violation"
    assert any("keeps the epsilon of a partial function" in note for note in leaky.notes)
    assert any(note.endswith("it was built with epsilon=8.0") for note in leaky.notes)
    assert privcheck.audit(partial(Bandit, epsilon=0.5), epsilon=1.0, **options).verdict == "consistent"


@pytest.mark.parametrize(("epsilon", "granted"), [(4.0, False), (1.0, True)])
def test_a_budget_that_was_given_is_the_one_that_is_certified(epsilon, granted):
    found = privcheck.certify(partial(Bandit, epsilon=epsilon), epsilon=1.0, arms=2, horizon=4)
    assert found.granted == granted


def test_simulations_tell_no_other_budget():
    policies = {"given": partial(Arm, epsilon=4.0), "told": partial(Arm, horizon=9)}
    found = privcheck.simulate(policies, [0.9, 0.1], horizon=10, runs=2, epsilon=1.0)
    assert [round(row["mean"], 9) for row in found.summary()] == [8.0, 0.0]


@pytest.mark.chance(0.0, "nothing is accepted")
def test_arms_that_were_given_are_known():
    options = {"epsilon": 1.0, "horizon": 3, "runs": 100, "pairs": 1}
    assert privcheck.audit(partial(Bandit, arms=3), **options).arms == 3
    with pytest.raises(privcheck.PrivcheckError, match="arms: got 2, expected 3"):
        privcheck.audit(partial(Bandit, arms=3), arms=2, **options)


@pytest.mark.chance(0.0, "nothing is accepted")
@pytest.mark.parametrize(("claim", "noted"), [(0.5, True), (None, False)])
def test_keywords_that_were_not_told_are_noted(claim, noted):
    report = privcheck.audit(Passing, epsilon=claim, arms=2, horizon=2, runs=100, pairs=1)
    assert any("not told the claim; it was built with no **options" in note for note in report.notes) == noted


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
@pytest.mark.parametrize(
    ("target", "engine"),
    [(partial(one_noisy_sum, epsilon=0.5), "python"), (partial(noisy_sum, epsilon=0.5), "run_batch")],
)
def test_functions_of_data_with_what_was_given(target, engine):
    report = privcheck.audit(target, epsilon=1.0, streams=([0.0], [1.0]), runs=4000, error=1e-7)
    assert (report.verdict, report.engine) == ("consistent", engine)


@pytest.mark.parametrize("target", [one_noisy_sum, partial(one_noisy_sum, rng=None), partial(noisy_sum, runs=3)])
def test_functions_that_lack_something_are_refused_as_before(target):
    with pytest.raises(privcheck.PrivcheckError):
        privcheck.audit(target, epsilon=1.0, runs=100)
