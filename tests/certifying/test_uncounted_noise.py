"""Noise of global generators, which the guard does not count: nothing is decided, and what counts it is named."""

import random

import numpy as np
import pytest

from privcheck import Certificate, certify
from privcheck.reporting._text.certificate_sentences import certificate_sentence


class Published:
    """Releases each sum of four rewards once."""

    def __init__(self, rng, arms=2):
        self.rng, self.arms, self.t, self.sum, self.arm = rng, arms, 0, 0.0, 0
        self.means = np.zeros(4)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t, self.sum = self.t + 1, self.sum + reward
        if self.t % 4 == 0:
            self.means[0] = self.sum + self.noise()
            self.arm, self.sum = int(self.means[0] > 2.0), 0.0


class OfNumpy(Published):
    def noise(self):
        return np.random.laplace(0.0, 1.0)  # noqa: NPY002


class OfPython(Published):
    def noise(self):
        return random.gauss(0.0, 1.0)


class OfNothing(Published):
    """The broken twin."""

    def noise(self):
        return 0.0


class OfItsGenerator(Published):
    """The correct twin, with a global coin that matters for nothing."""

    def noise(self):
        np.random.random()  # noqa: NPY002
        return self.rng.laplace(0.0, 1.0)


@pytest.mark.parametrize(("policy", "name"), [(OfNumpy, "numpy"), (OfPython, "random")])
def test_noise_of_a_global_generator_is_inconclusive_and_names_what_counts_it(policy, name):
    certificate = certify(policy, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.epsilon_upper, certificate.uncounted) == (False, None, [name])
    assert certificate.is_inconclusive
    assert certificate.replay.divergences == 0
    for said in (str(certificate), certificate_sentence(certificate)):
        assert f"--primitives {name}" in said
        assert "leak" not in said
    assert Certificate.from_json(certificate.to_json()).uncounted == [name]
    recorded = certify(policy, epsilon=1.0, arms=2, horizon=8, primitives=[name])
    assert recorded.primitive_uses
    assert recorded.uncounted == []


def test_without_any_noise_it_is_a_leak():
    certificate = certify(OfNothing, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.is_inconclusive, certificate.uncounted) == (False, [])
    assert certificate.leaks
    assert certificate.replay.divergences


def test_global_draws_without_a_leak_change_nothing():
    certificate = certify(OfItsGenerator, epsilon=1.0, arms=2, horizon=8)
    assert certificate.granted
    assert certificate.uncounted == []
