"""Code whose noise is not declared, or not linked to what it hides, is accused of nothing; its broken twins are."""

# ruff: noqa: NPY002  numpy's global generator is what these tests are about

import copy
import itertools
import os
import pickle
import random
import secrets
from bisect import bisect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import binom

import privcheck
from privcheck.certifying._primitives import repeated_differences
from privcheck.certifying._primitives.repeated_differences import LEVEL, TIMES, _rejects
from privcheck.certifying._primitives.watched_draws import watching
from privcheck.mechanisms import Laplace
from privcheck.reporting._text.certificate_sentences import certificate_sentence
from tests.certifying.third_party_spellings import BROKEN_BANDITS, CORRECT_BANDITS, SPELLINGS

pytestmark = pytest.mark.long

HALVES = privcheck.primitive("statistics.fmean", value="data", sensitivity=0.5, metric="L1")
"""A declaration of something that is never called here: no set of noise is declared with it."""


def explored(target, primitives=("numpy",), **options):
    size = {"arms": 2, "horizon": 17} if isinstance(target, type) else {"horizon": 5}
    return privcheck.certify(target, primitives=primitives, **{"epsilon": 1.0, "runs": 2} | size | options)


@pytest.mark.chance(4e-8, "four differences at 1e-8 each, of noise that mostly comes from the system")
@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.name)
def test_correct_code_is_not_accused_and_its_twin_is(spelling, monkeypatch):
    monkeypatch.setattr(repeated_differences, "LEVEL", 1e-8)  # in place of 1e-6: there are many cases
    found = explored(spelling.correct)
    assert not found.has_findings, found
    assert found.is_inconclusive
    assert all(".py:" in one for one in found.undeclared), found.undeclared
    assert bool(found.undeclared) == (found.ledger_epsilon == 0.0), "either its noise is recorded, or it is named"
    broken = explored(spelling.twin)
    assert broken.replay.divergences
    assert not broken.undeclared


def test_there_are_thirty_spellings():
    assert len(SPELLINGS) >= 30


@pytest.mark.parametrize("bandit", CORRECT_BANDITS)
def test_correct_bandits_that_explore_are_not_accused(bandit):
    found = explored(bandit)
    assert not found.has_findings, found
    assert found.is_inconclusive


@pytest.mark.parametrize("bandit", BROKEN_BANDITS)
def test_coins_of_exploration_do_not_excuse_raw_data(bandit):
    assert explored(bandit).replay.divergences


def test_noise_that_is_read_alone_is_named_with_what_reads_it():
    def adds(data, rng):
        return float(data.sum()) + float(np.random.laplace(0.0, 1.0))

    found = explored(adds)
    (named,) = found.undeclared
    line = adds.__code__.co_firstlineno + 1
    assert named.startswith(f"numpy.random.laplace at test_undeclared_randomness.py:{line}")
    assert f"float() reads at test_undeclared_randomness.py:{line}" in named
    assert certificate_sentence(found).startswith(
        "inconclusive: replays differ, which undeclared randomness may explain"
    )


@pytest.mark.parametrize("primitives", [["random"], [HALVES]])
def test_noise_of_a_set_that_is_not_declared_decides_nothing(primitives):
    def adds(data, rng):
        return float(data.sum() + np.random.laplace(0.0, 1.0))

    found = explored(adds, primitives)
    assert not found.has_findings
    assert found.undeclared[0].startswith("numpy.random.laplace at test_undeclared_randomness.py:")
    own = explored(lambda data, rng: float(data.sum() + np.random.default_rng(3).laplace()), primitives)
    assert not own.has_findings
    assert explored(lambda data, rng: (np.random.laplace(), float(data.sum()))[1], primitives).has_findings


def test_a_budget_whose_exponential_is_beyond_floats_decides_nothing():
    """Before, the comparison of probabilities raised an OverflowError."""

    def adds(data, rng):
        return float(data.sum()) + float(np.random.laplace(0, 1.0))

    found = explored(adds, epsilon=1000.0)
    assert found.is_inconclusive
    assert found.undeclared


def test_a_release_of_nothing_to_which_data_are_added_decides_nothing():
    noise = Laplace.with_scale(1.0)
    found = explored(lambda data, rng: float(data.sum()) + noise.release(0.0, rng))
    assert not found.has_findings
    assert "which is given 0" in found.undeclared[0]
    broken = explored(lambda data, rng: (noise.release(0.0, rng), float(data.sum()))[1])
    assert broken.has_findings


def test_what_changes_from_run_to_run_is_no_divergence():
    """In one of twenty runs the output is another one, on equal streams too, and nothing random is called."""
    runs = itertools.count()

    def drifts(data, rng):
        return float(data.sum() + np.random.laplace(0.0, 1.0)) + (next(runs) % 20 == 19)

    found = explored(drifts)
    assert not found.has_findings
    assert found.undeclared == ["random numbers whose source was not found: equal streams differ, too"]


def in_a_thread(rng, scale):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: rng.laplace(0.0, scale)).result()


ELSEWHERE = {
    "another thread": in_a_thread,
    "a deep copy": lambda rng, scale: copy.deepcopy(rng).laplace(0.0, scale),
    "a copy": lambda rng, scale: copy.copy(rng).laplace(0.0, scale),
    "a pickle": lambda rng, scale: pickle.loads(pickle.dumps(rng)).laplace(0.0, scale),
}


@pytest.mark.chance(2e-8, "two differences at 1e-8 each")
@pytest.mark.parametrize("place", ELSEWHERE)
def test_noise_that_is_drawn_elsewhere_is_named(place, monkeypatch):
    monkeypatch.setattr(repeated_differences, "LEVEL", 1e-8)
    found = explored(lambda data, rng: data.sum() + ELSEWHERE[place](rng, 1.0))
    assert not found.has_findings, found
    assert [one.partition(" at ")[0] for one in found.undeclared] == ["numpy.random.Generator.laplace"]
    assert explored(lambda data, rng: [ELSEWHERE[place](rng, 1.0), data.sum()][1]).replay.divergences


def test_inputs_that_differ_on_equal_streams_are_no_findings():
    """A random subsample that nobody declared moves the input of a release by more than one datum does."""
    held = random.Random(5)

    def subsampled(data, rng):
        kept = [x for x in data if held.random() < 0.5]
        return float(sum(kept)) + np.random.laplace(0.0, 1.0)

    found = explored(subsampled, horizon=12)
    assert not found.has_findings
    assert found.undeclared
    assert explored(lambda data, rng: 3.0 * float(data.sum()) + np.random.laplace(0.0, 1.0)).refusals


def test_an_input_that_is_infinite_on_one_stream_is_a_finding():
    found = explored(lambda data, rng: float(np.random.laplace() + (np.inf if data[0] > 0.5 else 0.0)))
    assert found.has_findings
    assert "bounds no loss of inputs inf apart" in found.refusals[0]


def test_without_a_budget_undeclared_noise_accuses_nobody():
    found = explored(lambda data, rng: float(data.sum()) + float(np.random.laplace(0.0, 1.0)), epsilon=None)
    assert not found.has_findings
    assert found.undeclared


def test_each_source_is_named_with_its_line():
    state, own = np.random.RandomState(1), random.Random(1)
    with watching() as found:
        own.random()
        own.gauss(0.0, 1.0)
        random.SystemRandom().uniform(0.0, 1.0)
        secrets.token_bytes(3)
        os.urandom(2)
        state.normal()  # numpy's compiled methods are seen only through stand-ins
    names = [one.partition(" at ")[0] for one in found]
    assert names == [
        "random.random",
        "random.gauss",
        "random.SystemRandom.uniform",
        "secrets.token_bytes",
        "os.urandom",
    ]
    assert all("test_undeclared_randomness.py:" in one for one in found)


def test_a_generator_that_is_copied_draws_nothing_from_the_system():
    """Numpy seeds a copy from the system before it gives it the state of the original."""
    kept = [np.random.default_rng(1), np.random.RandomState(1)]
    with watching() as found:
        copied = [*copy.deepcopy(kept), *pickle.loads(pickle.dumps(kept))]
    assert (found, len(copied)) == ({}, 4)
    with watching() as found:
        np.random.default_rng()
    assert [one.partition(":")[0] for one in found] == [
        "random.SystemRandom.getrandbits at test_undeclared_randomness.py"
    ]


@pytest.mark.chance(0.0, "nothing in it is random")
def test_the_rule_keeps_its_level_at_the_worst_noise_that_the_claim_allows():
    """P(E) = q on the first stream and min(1, e q) on the second, over q: the exact probability of an accusation."""
    counts = np.arange(TIMES + 1)
    least = [bisect(counts, 0.5, key=lambda k: float(_rejects(int(k), int(l), (1.0, 0.0), LEVEL))) for l in counts]
    for q in np.linspace(0.0, np.exp(-1.0), 50):
        accused = binom.pmf(counts, TIMES, q) @ binom.sf(np.array(least) - 1, TIMES, min(1.0, np.e * q))
        assert accused <= LEVEL
    assert _rejects(TIMES, 0, (1.0, 0.0), LEVEL)
    assert not _rejects(40, 1, (3.0, 0.0), LEVEL), "Fisher's test alone would reject"
