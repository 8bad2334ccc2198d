"""The auditor is broken on purpose: calibration has to notice, at settings that the real auditor passes.

All targets sit at the boundary: their true loss is the claim. An audit is wrong when it calls a violation, or when a
bound is above the truth; at error 0.05 either happens in at most 5 % of honest audits.
"""

import math
import zlib

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binom

import privcheck
from privcheck.auditing._confirmation import evidence as confirm
from privcheck.auditing._confirmation import fixed_runs, fresh_runs
from privcheck.auditing._confirmation.evidence import CountedEvent, Evidence
from privcheck.auditing._confirmation.shares_of_runs import Folds, folds
from privcheck.auditing._events.event import Counts, Event
from privcheck.auditing._search.successive_halving import Found, Screening
from privcheck.inference import _limits as limits
from privcheck.targets import RANDOM, Request

LEVEL = 0.05
CHANCE = 1e-6
"""Probability, at most, with which a real auditor fails here by chance; the seeds are fixed."""

PAIR = (np.zeros(1), np.ones(1))
TRUTH = math.e / (1.0 + math.e)
DELTA = 0.05

pytestmark = [pytest.mark.evidence, pytest.mark.long]


def response(data, rng, runs):
    """Randomised response beside five fair coins: 64 outputs to overfit to. The true loss is 1."""
    outputs = rng.integers(0, 2, (runs, 6))
    outputs[:, 0] = (data[0] >= 0.5) ^ (rng.random(runs) >= TRUTH)
    return outputs


def response_with_many_coins(data, rng, runs):
    """The same beside twelve fair coins: hardly an output is seen twice. The true loss is 1."""
    outputs = rng.integers(0, 2, (runs, 13))
    outputs[:, 0] = (data[0] >= 0.5) ^ (rng.random(runs) >= TRUTH)
    return outputs


def noise(data, rng, runs):
    """Eight numbers that do not depend on the data, and many thresholds to choose from. The true loss is 0."""
    return rng.normal(size=(runs, 8))


def leaky_response(data, rng, runs):
    """Randomised response that shows the bit itself, as 2 or 3, with probability DELTA: exactly (1, DELTA)."""
    bit = int(data[0] >= 0.5)
    outputs = bit ^ (rng.random(runs) >= TRUTH)
    return np.where(rng.random(runs) < DELTA, 2 + bit, outputs)[:, np.newaxis]


def most(repetitions, level=LEVEL):
    """Return the count that Binomial(repetitions, level) exceeds with probability at most CHANCE / 3."""
    return int(binom.isf(CHANCE / 3, repetitions, level))


def wrong(target, repetitions, *, truth=1.0, **options):
    """Return how many of so many audits are wrong: in their verdict, their bound, their Clopper-Pearson bound."""
    settings = {"epsilon": max(truth, 1e-9), "streams": PAIR, "runs": 300, "error": LEVEL} | options
    reports = [privcheck.audit(target, seed=seed, **settings) for seed in range(repetitions)]
    return np.array(
        [
            sum(report.verdict == "violation" for report in reports),
            sum(report.epsilon_lower > truth for report in reports),
            sum(report.epsilon_lower_clopper_pearson > truth for report in reports),
        ]
    )


# Confidence bounds


def upper_for_lower(more, less, mirrored_more, mirrored_less, level):
    k, l = more + mirrored_more, less + mirrored_less
    share = float(betaincinv(k + 1, max(l, 1), 1.0 - level))
    return math.log(share) - math.log1p(-share)


def swapped(k, n, level, original=limits.clopper_pearson):
    low, high = original(k, n, level)
    return high, max(low, 1e-9)


def without_delta(k, l, n, delta, level):
    return limits.conditional_binomial_lower(k, l, level)


CONFUSIONS = {
    "the upper limit of the ratio": (response, {}, confirm, "two_tails_lower", upper_for_lower, 1),
    "swapped Clopper-Pearson limits": (response, {}, limits, "clopper_pearson", swapped, 2),
    "delta forgotten": (leaky_response, {"delta": DELTA, "runs": 20_000}, confirm, "epsilon_lower", without_delta, 1),
}


@pytest.mark.chance(1e-6, "three counts of wrong audits, against binomial quantiles")
@pytest.mark.parametrize("name", CONFUSIONS)
def test_confused_bounds_are_noticed(monkeypatch, name):
    target, options, module, attribute, broken, which = CONFUSIONS[name]
    repetitions = 60
    assert wrong(target, repetitions, **options).max() <= most(repetitions)
    monkeypatch.setattr(module, attribute, broken)
    assert wrong(target, repetitions, **options)[which] > most(repetitions)


# Runs that are used twice

SHARED_FOLDS = {
    "one fold for everything": (
        response_with_many_coins,
        1.0,
        120,
        lambda runs, counting: Folds(*(slice(0, runs),) * 4),
    ),
    "learning from counted runs": (
        response,
        1.0,
        120,
        lambda runs, counting: Folds(counting, folds(runs)[1], folds(runs)[2], counting),
    ),
    "choosing on counted runs": (
        noise,
        0.0,
        30,
        lambda runs, counting: Folds(folds(runs)[0], counting, counting, counting),
    ),
}


@pytest.mark.chance(1e-6, "three counts of wrong audits, against binomial quantiles")
@pytest.mark.parametrize("name", SHARED_FOLDS)
def test_runs_that_are_used_twice_are_noticed(monkeypatch, name):
    target, truth, repetitions, broken = SHARED_FOLDS[name]
    options = {"truth": truth, "runs": 100}
    assert wrong(target, repetitions, **options).max() <= most(repetitions)
    monkeypatch.setattr(fixed_runs, "simplest_witness", lambda *_, **__: None)
    monkeypatch.setattr(confirm, "folds", lambda runs, **_: broken(runs, folds(runs).counting))
    assert wrong(target, repetitions, **options)[:2].min() > most(repetitions)


def keyed_by_pair(pair, side, runs, key, planned=None, begin=0):
    """Return the request of the confirmation for the pair, whatever it is played for."""
    key = zlib.crc32(pair.first.tobytes() + pair.second.tobytes()), side
    return Request(pair, side, runs, key, planned=planned, begin=begin)


def screened_on_counted_runs(sampler, pairs, budget, runs, level, delta, views, advance, relation=None):
    """Return the pair with the largest lower bound on the runs that will be counted again; random ones are left out."""
    pairs = [pair for pair in pairs if pair.base != RANDOM]

    def bound(pair):
        sides = tuple(sampler.play([keyed_by_pair(pair, side, runs, ()) for side in (0, 1)], advance))
        chosen = confirm.settle(pair, sides, runs, level, delta, views)
        counted = tuple(side[chosen.folds.counting] for side in sides)
        return confirm.count(chosen, counted, level, delta).lower(level)[0]

    return Found(max(pairs, key=bound), Screening(len(pairs), 0), None)


@pytest.mark.nightly
@pytest.mark.chance(1e-6, "three counts of wrong audits, against binomial quantiles")
def test_a_pair_chosen_on_the_runs_that_are_counted_is_noticed(monkeypatch):
    """A response to the parity of the data: 24 pairs of thirteen rows, all with a loss of 1."""

    def parity(data, rng, runs):
        return ((data.sum() % 2.0 >= 0.5) ^ (rng.random(runs) >= TRUTH))[:, np.newaxis]

    repetitions, options = 60, {"streams": None, "horizon": 13, "runs": 300}
    assert wrong(parity, repetitions, **options).max() <= most(repetitions)
    monkeypatch.setattr(fixed_runs, "screen", screened_on_counted_runs)
    monkeypatch.setattr(fresh_runs, "Request", keyed_by_pair)
    assert wrong(parity, repetitions, **options)[:2].min() > most(repetitions)


# Levels


@pytest.mark.nightly
@pytest.mark.chance(1e-6, "a count of wrong verdicts, against its binomial quantile")
def test_a_verdict_at_the_level_of_the_bound_is_noticed(monkeypatch):
    """The verdict has the level `error`, here 1e-3, and not that of the lower bound."""
    repetitions, options = 300, {"error": 1e-3, "confidence": 0.7, "runs": 1000}
    allowed = most(repetitions, 1e-3)
    assert wrong(response, repetitions, **options)[0] <= allowed
    lower = Evidence.lower
    monkeypatch.setattr(Evidence, "lower", lambda self, level: lower(self, max(level, 0.3)))
    assert wrong(response, repetitions, **options)[0] > allowed


class BothDirections(Evidence):
    """A broken twin: after counting, it looks in which direction an event speaks, at the full level of one."""

    def limit(self, counts, level):
        return super().limit(Counts(max(counts), min(counts[:2])), level)


class OneOfMany(Evidence):
    """A broken twin: it takes the best of several events at the level of one."""

    def limit(self, counts, level):
        return super().limit(counts, level * len(self.counted))


@pytest.mark.chance(1e-6, "a count of wrong bounds, against its binomial quantile")
@pytest.mark.parametrize(("broken", "events"), [(BothDirections, 1), (OneOfMany, 3)])
def test_a_forgotten_correction_is_noticed(broken, events):
    """Disjoint rare events that are as likely on both inputs: a bound above 0 is wrong, in at most 5 % of 20,000."""
    repetitions, runs = 20_000, 100_000
    rng = np.random.default_rng(11)
    counts = rng.binomial(runs, 0.01, (repetitions, events, 2))

    def above(cls):
        found = (
            cls([CountedEvent(None, 1 / events, Counts(int(k), int(l))) for k, l in row], runs, 0.0) for row in counts
        )
        return sum(evidence.lower(LEVEL)[0] > 0.0 for evidence in found)

    assert 0.5 * LEVEL * repetitions < above(Evidence) <= most(repetitions) < above(broken)


# What calibration cannot see


@pytest.mark.chance(1e-6, "three counts of wrong audits, against binomial quantiles")
def test_counts_taken_the_wrong_way_round_are_seen_by_power_alone(monkeypatch):
    """Swapped sides make bounds too small, not too large: no false alarm, and no alarm."""

    def half_scale(data, rng, runs):
        return data.sum() + rng.laplace(scale=0.5, size=runs)

    options = {"epsilon": 1.0, "streams": PAIR, "runs": 5000}
    assert privcheck.audit(half_scale, **options).verdict == "violation"
    counts = Event.of_codes
    monkeypatch.setattr(Event, "of_codes", lambda self, first, second: Counts(*counts(self, first, second)[1::-1]))
    assert wrong(response, 60).max() <= most(60)
    assert privcheck.audit(half_scale, **options).verdict == "consistent"
