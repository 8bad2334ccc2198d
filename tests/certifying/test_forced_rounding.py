"""Record and replay of code that reads one noisy number again and again, and of code that catches a divergence."""

# ruff: noqa: NPY002  numpy's global generator is what these tests are about

import numpy as np
import pytest

import privcheck


def root(number):
    """Return the cube root of a number by a search that reads the number at every step."""
    from scipy.optimize import brentq

    return brentq(lambda x: x**3 - number, -100.0, 100.0)


class Roots:
    """Acts by the cube root of the noisy sum of four rewards."""

    def __init__(self, rng, arms=2):
        self.arms, self.rewards, self.shown = arms, [], 0.0

    def select(self):
        return int(np.floor(3.0 * self.shown)) % self.arms

    def update(self, action, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 4:
            self.shown, self.rewards = root(self.of(sum(self.rewards))), []

    def of(self, total):
        return total + np.random.laplace(0.0, 1.0)


class WithTotal(Roots):
    """The broken twin: the root is of the noisy number, and then of the number without its noise."""

    def of(self, total):
        noise = np.random.laplace(0.0, 1.0)
        return float(total + noise) - float(noise)


class Caught(WithTotal):
    """Shows the number without its noise, and catches whatever is raised meanwhile."""

    def of(self, total):
        try:
            return super().of(total)
        except Exception:
            return 0.0


def explored(policy):
    return privcheck.certify(policy, epsilon=1.0, arms=2, horizon=8, runs=3, primitives=["numpy"])


def test_a_search_that_ends_by_the_last_bits_of_a_noisy_number_does_not_diverge():
    found = explored(Roots)
    assert (found.replay.divergences, found.ledger_epsilon) == (0, 1.0)
    assert found.is_inconclusive


@pytest.mark.parametrize("policy", [WithTotal, Caught])
def test_a_divergence_is_in_the_round_in_which_the_noise_is_taken_away(policy):
    first = explored(policy).replay.first_divergence
    assert first.round == 4
    assert len(first.actions_first) == 4
    assert "nothing protects their difference" in first.reason
