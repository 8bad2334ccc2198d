"""Targets in another interpreter, which has neither privcheck nor, at times, numpy."""

from __future__ import annotations

import sys
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pytest

import privcheck

STREAMS = (np.zeros((3, 2)), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
CODE = """
import random
print("chatter on standard output")

class Bandit:
    scale = 2.0
    def __init__(self, rng, epsilon):
        self.rng, self.noisy = rng, 0.0
    def select(self):
        return int(self.noisy > 0.5)
    def update(self, action, reward):
        self.noisy = reward + self.scale * (self.rng.random() - self.rng.random())

class Leaky(Bandit):
    scale = 0.01

class Global(Bandit):
    def update(self, action, reward):
        self.noisy = reward + 4.0 * (random.random() - random.random())

class Raises(Bandit):
    def update(self, action, reward):
        raise ValueError("two\\nlines")

class Outside(Bandit):
    def update(self, action, reward):
        self.noisy = reward + 4.0 * (random.SystemRandom().random() - 0.5)

def noisy(data, rng):
    return float(sum(data)) + 4.0 * (rng.random() - rng.random())

class Arrays(Bandit):
    def update(self, action, reward):
        import numpy
        assert isinstance(self.rng, numpy.random.Generator)
        super().update(action, reward)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two environments without privcheck, one of them with numpy, and a file with targets."""
    place = tmp_path_factory.mktemp("interpreters")
    for name in ("bare", "with_numpy"):
        venv.create(place / name, with_pip=False, symlinks=True)
    found = Path(np.__file__).parents[1]
    library = sysconfig.get_path("purelib", vars={"base": str(place / "with_numpy")})
    for package in [*found.glob("numpy"), *found.glob("numpy.libs")]:
        (Path(library) / package.name).symlink_to(package)
    (place / "targets.py").write_text(CODE)
    return place


def audited(folder, name, interpreter="bare", **options):
    target = privcheck.from_python(folder / interpreter / "bin" / "python", f"{folder / 'targets.py'}:{name}")
    given = {"epsilon": 1.0, "arms": 2, "streams": STREAMS, "runs": 300, "error": 1e-7}
    return privcheck.audit(target, **given | options)


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
def test_a_bandit_and_its_leaky_twin(folder):
    """Without numpy, with seeds: an audit is repeated exactly."""
    one, two = (audited(folder, "Bandit") for _ in range(2))
    assert one.randomness == "seeded"
    assert one.verdict != "violation"
    assert one.epsilon_estimate == two.epsilon_estimate
    assert audited(folder, "Leaky").verdict == "violation"


def test_with_numpy_a_target_is_given_a_generator(folder):
    assert audited(folder, "Arrays", "with_numpy").epsilon_lower is not None
    with pytest.raises(privcheck.PolicyError, match=r"ModuleNotFoundError: No module named 'numpy' \(targets.py, line"):
        audited(folder, "Arrays")


def test_global_generators_are_seeded_there_too(folder):
    assert audited(folder, "Global").randomness == "seeded"


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
def test_a_mechanism_is_known_by_its_parameters(folder):
    pair = (np.zeros(2), np.array([0.0, 1.0]))
    report = audited(folder, "noisy", "with_numpy", arms=None, streams=pair)
    assert report.feedback == "mechanism"
    assert report.verdict != "violation"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Raises", r"ValueError: two\nlines (targets.py, line"),
        ("Outside", "different actions in round"),
        ("Missing", "AttributeError: module 'targets' has no attribute 'Missing'"),
    ],
)
def test_targets_that_fail(folder, name, told):
    with pytest.raises(privcheck.PolicyError) as caught:
        audited(folder, name)
    assert told in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_what_draws_from_elsewhere_is_audited_as_independent(folder):
    assert audited(folder, "Outside", randomness="independent").randomness == "independent"


def test_no_interpreter(folder):
    with pytest.raises(privcheck.PrivcheckError, match=r"python: got .*which cannot be started"):
        audited(folder, "Bandit", "missing")
    with pytest.raises(privcheck.PrivcheckError, match="shipped algorithms are played here"):
        privcheck.from_python(sys.executable, "adap-ucb")
    with pytest.raises(privcheck.PrivcheckError, match=r"python: got .true., which ended"):
        privcheck.audit(privcheck.from_python("true", "a.py:b"), arms=2)
