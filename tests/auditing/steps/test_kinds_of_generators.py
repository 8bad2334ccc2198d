"""The draws of each kind of generator are seen: the step is named, suspected if it has a fault, and not without one."""

# ruff: noqa: NPY002  the old generators are what this is about

from __future__ import annotations

import importlib.util
import os
import random
import sys
import uuid
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import stand_ins
from privcheck.auditing._steps.kinds_of_generators import KINDS, kind_of
from privcheck.auditing._steps.reported_steps import OF_SYSTEM
from privcheck.auditing._steps.seen_generators import Played, in_run
from privcheck.auditing._steps.stand_ins import generators_seen

FILE = Path(__file__).parent / "kinds_of_targets.py"
_spec = importlib.util.spec_from_file_location("kinds_of_targets", FILE)
targets = importlib.util.module_from_spec(_spec)
sys.modules["kinds_of_targets"] = targets
_spec.loader.exec_module(targets)

QUICK = {"epsilon": 1.0, "runs": 1000, "error": 1e-9, "streams": (np.zeros(2), np.array([1.0, 0.0]))}


def looked(kind, scale):
    return privcheck.steps(targets.target_of(kind, scale), **QUICK)


@pytest.mark.parametrize("kind", targets.ALL)
def test_a_quarter_of_the_noise_is_suspected(kind):
    found = looked(kind, 0.25)
    assert [step.moves for step in found.steps if step.function == "noisy"] == [("value",)]
    assert found.suspicion.place.startswith("noisy at kinds_of_targets.py")


@pytest.mark.chance(1e-9, "the level of the suspicion: one audit of a call within its claim")
@pytest.mark.parametrize("kind", targets.ALL)
def test_the_mended_twin_is_not(kind):
    found = looked(kind, 1.0)
    assert found.best.function == "noisy"
    assert found.suspicion is None


@pytest.mark.parametrize("kind", ["RandomState", "random", "SystemRandom"])
def test_what_cannot_be_replayed_is_said_where_it_is_drawn(kind):
    assert (OF_SYSTEM in looked(kind, 0.25).notes) == (kind in targets.OF_THE_SYSTEM)


@pytest.mark.parametrize("kind", targets.SEEDED)
def test_coins_that_can_be_replayed_are(kind):
    """The same answer twice; noise of the system would differ."""
    one, two = looked(kind, 0.25), looked(kind, 0.25)
    assert one.best == two.best


@pytest.mark.chance(1e-9, "the level of the suspicion: one audit of a call within its claim")
def test_a_seed_in_the_call_is_coins():
    assert privcheck.steps(targets.fixed, **QUICK).suspicion is None


def test_a_play_with_the_seed_of_the_call_is_seen(monkeypatch):
    """Broken twin: all plays draw the same noise, and any two inputs are told apart."""
    monkeypatch.setattr(stand_ins, "of_play", lambda _: None)
    assert privcheck.steps(targets.fixed, **QUICK).suspicion is not None


def test_a_generator_in_a_dictionary_that_is_not_replaced_is_seen(monkeypatch):
    """Broken twin: without the second look at what has moved, its draws are not seen."""
    monkeypatch.setattr(stand_ins, "_drawn_from", list)
    with pytest.raises(privcheck.PrivcheckError, match="none is seen"):
        looked("numpy.random in a dictionary", 0.25)


def drawn(draw):
    """Return the names of what a function draws in a run."""
    names = list[str]()
    played = Played(np.random.SeedSequence(1), names.append, [])
    with generators_seen(), in_run(played):
        result = draw()
    return names, result


def test_the_second_number_of_a_pair_is_a_draw():
    """Python keeps it, and returns it without another draw."""
    names, _ = drawn(lambda: [random.Random(1).gauss(0.0, 1.0) for _ in range(1)])
    once = len([name for name in names if name.endswith("gauss")])
    pair = random.Random(1)
    names, _ = drawn(lambda: [pair.gauss(0.0, 1.0) for _ in range(2)])
    assert (once, names[-1]) == (1, "random.Random: gauss")


def test_what_names_something_is_no_draw():
    assert drawn(uuid.uuid4)[0] == []
    assert drawn(lambda: os.urandom(4))[0] == ["the system's generator: os.urandom"]


@pytest.mark.parametrize("seed", [5, [1, 2], np.int64(3)])
def test_the_numbers_are_those_of_numpy_and_python(seed):
    expected = np.random.RandomState(seed).laplace(size=3)
    assert np.array_equal(drawn(lambda: np.random.RandomState(seed).laplace(size=3))[1], expected)
    expected = np.random.default_rng(seed).laplace(size=3)
    assert np.array_equal(drawn(lambda: np.random.default_rng(seed).laplace(size=3))[1], expected)
    assert drawn(lambda: random.Random(7).gauss(0.0, 1.0))[1] == random.Random(7).gauss(0.0, 1.0)


def test_everything_is_put_back():
    names = ("RandomState", "Generator", "default_rng", "laplace", "seed")
    before = [getattr(np.random, name) for name in names], os.urandom, random.random, targets.STATE, targets.laplace
    states = np.random.get_state(legacy=False)["state"]["key"].tolist(), random.getstate()
    for kind in ("numpy.random in a dictionary", "RandomState of a module"):
        looked(kind, 0.25)
    assert before == (
        [getattr(np.random, name) for name in names], os.urandom, random.random, targets.STATE, targets.laplace
    )  # fmt: skip
    assert states == (np.random.get_state(legacy=False)["state"]["key"].tolist(), random.getstate())
    assert not {"random", "getrandbits"} & vars(random.Random).keys()


@pytest.mark.parametrize(
    "made",
    [np.random.default_rng, np.random.RandomState, random.Random, random.SystemRandom],
    ids=["numpy", "RandomState", "random", "SystemRandom"],
)
def test_each_kind_can_do_what_its_line_says(made):
    generator = made()
    kind = kind_of(generator)
    assert sum(isinstance(generator, each.types) for each in KINDS[: KINDS.index(kind)]) == 0
    one, two = (kind.fresh(np.random.default_rng(3), generator) for _ in range(2))
    assert isinstance(one, kind.types)
    if kind.state is None:
        return
    assert one.random() == two.random()
    state = kind.state(one)
    first = one.random()
    kind.put(one, state)
    assert one.random() == first
    kind.seed(one, [1, 2, 3, 4])
    kind.seed(two, [1, 2, 3, 4])
    assert one.random() == two.random()
