"""A leak in code that the guard cannot follow: what records the code's noise is named, and only where it draws some."""

from __future__ import annotations

import importlib
import os
import random
import sys

import numpy as np
import pytest
import scipy.stats

from privcheck import certify
from privcheck.adapters import from_mabwiser

LIBRARY = """
import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")

class Noisy:
    def __init__(self, noise):
        self.noise, self.t, self.sums, self.means = noise, 0, np.zeros(2), np.zeros(2)

    def partial_fit(self, arm, reward):
        self.t += 1
        self.sums[arm] += reward
        if self.t % 4 == 0:
            self.means, self.sums = self.sums + self.noise(), np.zeros(2)

    def predict(self):
        return int(np.argmax(self.means))

def of_numpy(rng):
    return lambda: rng.laplace(0.0, 1.0, 2)

def of_opendp():
    domain = dp.atom_domain(T=float, nan=False)
    released = dp.m.make_laplace(domain, dp.absolute_distance(T=float), scale=1.0)
    return lambda: np.array([released(0.0), released(0.0)])
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Return a library in a folder of installed packages."""
    name, folder = f"wrapped_{os.getpid()}", tmp_path_factory.mktemp("env") / "site-packages"
    folder.mkdir()
    (folder / f"{name}.py").write_text(LIBRARY, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield importlib.import_module(name)
    sys.path.remove(str(folder))
    del sys.modules[name]


class Wrapped:
    def __init__(self, inner):
        self.select, self.update = inner.predict, inner.partial_fit


class Mab:
    arms = (0, 1)

    def __init__(self, inner, seed):
        self.inner, self.seed, self.predict = inner, seed, inner.predict

    def partial_fit(self, decisions, rewards):
        for arm, reward in zip(decisions, rewards, strict=True):
            self.inner.partial_fit(arm, reward)


class Trimmed:
    """Is right: a mean of scipy's, which the guard does not follow, gets noise from the Generator that it is given."""

    def __init__(self, rng, arms=2):
        self.rng, self.block, self.arm = rng, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 4:
            self.arm = int(scipy.stats.trim_mean(self.block, 0.1) + self.rng.laplace(0.0, 1.0) > 0.5)
            self.block = []


def own_generator(library):
    return lambda rng: Wrapped(library.Noisy(library.of_numpy(np.random.default_rng(rng.integers(2**31)))))


def given_generator(library):
    return lambda rng: Wrapped(library.Noisy(library.of_numpy(rng)))


def adapted(library):
    return from_mabwiser(lambda seed: Mab(library.Noisy(library.of_numpy(np.random.default_rng(seed))), seed))


def plain(library):
    return Trimmed


def of_opendp(library):
    return lambda rng: Wrapped(library.Noisy(library.of_opendp()))


def without_noise(library):
    return lambda rng: Wrapped(library.Noisy(lambda: 0.0))


def with_coins(library):
    return lambda rng: Wrapped(library.Noisy(lambda: rng.random(2)))


@pytest.mark.parametrize(
    ("target", "named", "drawn"),
    [
        (own_generator, "numpy", "numpy.random.Generator.laplace at wrapped_"),
        (given_generator, "numpy", "numpy.random.Generator.laplace at wrapped_"),
        (adapted, "numpy", "numpy.random.Generator.laplace at wrapped_"),
        (plain, "numpy", "numpy.random.Generator.laplace at test_noise_of_wrapped_code.py"),
        (of_opendp, "opendp", "opendp.core.measurement_invoke at wrapped_"),
    ],
)
def test_a_refusal_names_what_records_the_noise(library, target, named, drawn):
    found = certify(target(library), epsilon=1.0, arms=2, horizon=8, runs=1)
    assert found.has_findings
    assert not found.granted
    (told,) = [note for note in found.notes if "--primitives" in note]
    assert f"--primitives {named} records" in told
    assert drawn in told


def test_what_is_named_records_the_noise_and_finds_nothing(library):
    found = certify(given_generator(library), epsilon=1.0, arms=2, horizon=8, runs=1, primitives="numpy")
    assert [use.name for use in found.primitive_uses] == ["numpy.random.Generator.laplace"]
    assert found.is_inconclusive
    assert not found.has_findings


@pytest.mark.parametrize("target", [without_noise, with_coins])
def test_a_refusal_of_code_without_noise_names_nothing_of_the_kind(library, target):
    found = certify(target(library), epsilon=1.0, arms=2, horizon=8, runs=1)
    assert found.has_findings
    assert not [note for note in found.notes if "--primitives" in note]


@pytest.mark.parametrize(("asked", "told"), [("numpy", True), ("random", False)])
def test_a_set_that_records_nothing_is_told_which_does(asked, told):
    def gaussian(data, rng):
        return float(data.sum()) + random.gauss(0.0, 9.0)

    found = certify(gaussian, mu=1.0, horizon=4, runs=1, primitives=asked)
    notes = [note for note in found.notes if "--primitives" in note]
    assert [note.endswith(": --primitives random records it") for note in notes] == [True] * told
