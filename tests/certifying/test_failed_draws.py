"""A draw that fails is an output too: its charge stays."""

import pytest

import privcheck
from privcheck.mechanisms import Laplace


class NoAnswer(Laplace):
    """Puts nothing out when a noisy test fails, which is post-processing of a Laplace release."""

    def draw(self, value, rng, *, secure=False):
        noisy = super().draw(value, rng, secure=secure)
        if noisy < 0.5:
            raise ValueError("no answer")
        return noisy


class Retries:
    arms = 2

    def __init__(self):
        self.mechanism, self.failures = NoAnswer(sensitivity=1.0, epsilon=1.0), 0

    def select(self):
        return 0

    def update(self, action, reward):
        while True:
            try:
                self.mechanism.release(reward, None)
            except privcheck.BudgetExceededError:
                return
            except privcheck.PrivcheckError:
                self.failures += 1


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_nothing_can_be_asked_again_for_free(reward):
    """Certain: the first draw, failed or not, spends the budget of 1."""
    for _ in range(20):
        policy = Retries()
        guarded = privcheck.guard(policy, epsilon=1.0, noise="float")
        guarded.update(guarded.select(), reward)
        assert policy.failures <= 1
        assert guarded.spent == 1.0
