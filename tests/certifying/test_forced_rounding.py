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


class Minimised(Roots):
    """Acts by a minimum whose search comes back to where it was: there the number is read as it was first released."""

    def update(self, action, reward):
        from scipy.optimize import minimize

        self.rewards.append(reward)
        if len(self.rewards) == 4:
            number = self.of(sum(self.rewards))
            self.shown, self.rewards = minimize(lambda x: (x[0] - number) ** 2 + abs(x[0]), [0.0]).x[0], []


class Averaged(Roots):
    """Adds normal noise to a noisy number, which post-processing may do as often as it likes."""

    def of(self, total):
        return (super().of(total) + np.random.normal(0.0, 1.0, 50)).mean()


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


@pytest.mark.parametrize("policy", [Roots, Minimised])
def test_a_search_that_ends_by_the_last_bits_of_a_noisy_number_does_not_diverge(policy):
    found = explored(policy)
    assert (found.replay.divergences, found.ledger_epsilon) == (0, 1.0)
    assert found.is_inconclusive


def test_noise_that_other_noise_is_added_to_may_be_what_protects():
    """Fifty draws of normal noise bound no epsilon, and the Laplace noise below them does: it is what is charged."""
    found = explored(Averaged)
    assert found.is_inconclusive
    assert not found.refusals
    charged = {use.name: (use.measured, use.epsilon) for use in found.primitive_uses}
    assert charged == {"numpy.random.laplace": (1.0, 1.0), "numpy.random.normal": (0.0, 0.0)}
    assert found.undeclared == []


@pytest.mark.parametrize("policy", [WithTotal, Caught])
def test_a_divergence_is_in_the_round_in_which_the_noise_is_taken_away(policy):
    first = explored(policy).replay.first_divergence
    assert first.round == 4
    assert len(first.actions_first) == 4
    assert "nothing protects their difference" in first.reason
