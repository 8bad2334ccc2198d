"""Noise of global generators, which the guard does not count: nothing is decided, and what counts it is named."""

import inspect
import random
from pathlib import Path

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


class Seeded(Published):
    """Makes a generator of its own in the constructor."""

    def __init__(self, rng, arms=2):
        super().__init__(rng, arms)
        self.own = self.made(rng)

    def made(self, rng):
        return np.random.default_rng(rng.integers(2**32))  # here

    def noise(self):
        return self.own.laplace(0.0, 1.0)


class Legacy(Seeded):
    def made(self, rng):
        return np.random.RandomState(int(rng.integers(2**32)))  # here


class Bits(Seeded):
    def made(self, rng):
        return np.random.Generator(np.random.PCG64(int(rng.integers(2**32))))  # here


class OfTheSystem(Seeded):
    def made(self, rng):
        return np.random.default_rng()  # here


class OfPythonsClass(Seeded):
    def made(self, rng):
        return random.Random(int(rng.integers(2**32)))  # here

    def noise(self):
        return self.own.gauss(0.0, 1.0)


class Noise:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)  # here

    def laplace(self, mean, scale):
        return self.rng.laplace(mean, scale)


class ByAHelper(Seeded):
    def made(self, rng):
        return Noise(seed=rng.integers(2**32))


class InEachRound(Published):
    def noise(self):
        return np.random.default_rng(self.rng.integers(2**32)).laplace(0.0, 1.0)  # here


class Cured(Seeded):
    """What the answer advises."""

    def made(self, rng):
        return Noise(seed=rng)


class FixedSeed(Seeded):
    """A broken twin: the noise is the same in every run."""

    def made(self, rng):
        return np.random.default_rng(7)


class FewSeeds(Seeded):
    """A broken twin: one run in two has the same noise."""

    def made(self, rng):
        return np.random.default_rng(int(rng.integers(2)))


class NumberedSeeds(Published):
    """A broken twin: so is this."""

    def noise(self):
        return np.random.default_rng(self.t).laplace(0.0, 1.0)


class OfAChild(Seeded):
    def made(self, rng):
        return rng.spawn(2)[1].spawn(1)[0]


class RawBesideAChild(OfAChild):
    """A broken twin: the child draws coins alone."""

    def noise(self):
        return 0.0 * self.own.random()


class Unreached(Published):
    """Reads a reward before the first noise is drawn, by its own Generator."""

    def update(self, action, reward):
        if reward.is_integer():
            self.arm = 1
        self.arm = int(reward + self.rng.laplace(0.0, 1.0) > 0.5)


OWN = [
    (Seeded, Seeded, "numpy"), (Legacy, Legacy, "numpy"), (Bits, Bits, "numpy"), (OfTheSystem, OfTheSystem, "numpy"),
    (OfPythonsClass, OfPythonsClass, "random"), (ByAHelper, Noise, "numpy"), (InEachRound, InEachRound, "numpy"),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "maker", "name"), OWN, ids=[policy.__name__ for policy, *_ in OWN])
def test_noise_of_a_generator_that_is_seeded_anew_is_no_leak_and_the_cure_is_named(policy, maker, name):
    certificate = certify(policy, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.epsilon_upper, certificate.uncounted) == (False, None, [name])
    assert certificate.is_inconclusive
    assert not certificate.has_findings
    lines, first = inspect.getsourcelines(maker)
    (line,) = [first + number for number, text in enumerate(lines) if text.rstrip().endswith("# here")]
    (note,) = [note for note in certificate.notes if "np.random.default_rng(rng)" in note]
    assert note.startswith(f"{Path(__file__).name}:{line} ")


def test_the_cure_is_certified():
    assert certify(Cured, epsilon=1.0, arms=2, horizon=8).granted


@pytest.mark.parametrize("policy", [FixedSeed, FewSeeds, NumberedSeeds])
def test_noise_that_is_the_same_in_other_runs_is_still_a_leak(policy):
    certificate = certify(policy, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.is_inconclusive, certificate.uncounted) == (False, [])
    assert certificate.leaks


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


def test_noise_of_a_spawned_generator_is_inconclusive_and_its_line_is_named():
    certificate = certify(OfAChild, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.is_inconclusive, certificate.uncounted) == (False, True, ["numpy"])
    assert not certificate.has_findings
    assert any("draws noise from a Generator that rng.spawn returned" in note for note in certificate.notes)
    recorded = certify(OfAChild, epsilon=1.0, arms=2, horizon=8, primitives=["numpy"])
    assert (recorded.replay.divergences, bool(recorded.primitive_uses)) == (0, True)


def test_coins_of_a_spawned_generator_excuse_no_leak():
    certificate = certify(RawBesideAChild, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.is_inconclusive, certificate.uncounted) == (False, [])
    assert certificate.leaks


def test_noise_that_was_not_reached_is_not_said_to_be_uncounted():
    certificate = certify(Unreached, epsilon=1.0, arms=2, horizon=8)
    assert certificate.leaks
    assert not any("did not count" in note for note in certificate.notes)
    assert any("which draws noise or releases, never ran" in note for note in certificate.notes)
