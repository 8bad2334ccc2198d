"""Sequential audits and audits that are cut short: early ends, levels, and what is never read twice."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import privcheck
from privcheck.auditing._confirmation import sequential_audit as sequentially
from privcheck.auditing._confirmation.e_process import Bets
from privcheck.auditing._search.decision_boundaries import BOUNDARY
from privcheck.auditing._search.equal_coins import COUPLED
from privcheck.errors import PrivcheckError
from privcheck.inference import SequentialTest
from privcheck.reporting._text.audit_sentences import verdict_sentence
from privcheck.scheduling import Executor
from privcheck.targets import Request, Sampler, StoppedError

pytestmark = pytest.mark.long

PAIR = (np.zeros(1), np.ones(1))
LEVEL = 0.05


def laplace(data, rng, runs):
    """The true loss is 1."""
    return data.sum() + rng.laplace(size=runs)


def half_scale(data, rng, runs):
    """The true loss is 2."""
    return data.sum() + rng.laplace(scale=0.5, size=runs)


def response(data, rng, runs):
    """Randomised response: the true loss is 1, at every event."""
    return (data[0] >= 0.5) ^ (rng.random(runs) >= math.e / (1.0 + math.e))


@pytest.mark.chance(2e-6, "a bound at 1e-6, and later ends that are rarer")
def test_a_gross_violation_ends_early():
    """Claim 1, truth 2, of 200,000 runs."""
    options = {"streams": PAIR, "runs": 200_000, "sequential": True, "confidence": 1.0 - 1e-6}
    report = privcheck.audit(half_scale, epsilon=1.0, **options)
    assert report.verdict == "violation"
    assert report.counted_runs < 5000
    assert report.e_value >= 1000.0
    assert 0.5 < report.epsilon_lower < 2.0
    assert report.sequential
    assert "ended there" in report.notes[0]
    assert report.epsilon_lower_clopper_pearson is None


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_a_true_claim_is_consistent_and_all_runs_are_used():
    options = {"streams": PAIR, "runs": 50_000, "sequential": True, "error": 1e-6, "confidence": 1.0 - 1e-6}
    report = privcheck.audit(laplace, epsilon=1.0, **options)
    assert report.verdict == "consistent"
    assert 0.8 < report.epsilon_lower <= 1.0
    assert report.e_value < 1e6
    assert 0.5 * 50_000 < report.counted_runs < 50_000
    assert report.resolution.epsilon > 1.0
    assert all(note.startswith("neighbours here") for note in report.notes)


def test_few_runs_are_inconclusive():
    report = privcheck.audit(laplace, epsilon=5.0, streams=PAIR, runs=40, sequential=True)
    assert report.verdict == "inconclusive"
    assert report.resolution.epsilon < 5.0


def test_the_search_is_part_of_it(policies):
    report = privcheck.audit(policies.LeakyResponse, epsilon=0.5, arms=2, horizon=3, runs=50_000, sequential=True)
    assert report.verdict == "violation"
    assert report.counted_runs < 20_000
    assert report.screened_pairs > 10
    assert report.witness.rounds == (1,)


def test_a_sequential_audit_needs_a_claim():
    with pytest.raises(PrivcheckError, match="a claim to bet against"):
        privcheck.audit(laplace, streams=PAIR, sequential=True)


def test_no_chunk_of_randomness_is_used_twice(requested):
    """Every request of an audit has a key of its own."""
    privcheck.audit(laplace, epsilon=1.0, streams=PAIR, runs=20_000, sequential=True)
    privcheck.audit("rnm-ftnl", epsilon=1.0, arms=3, horizon=4, runs=3000, sequential=True)
    seen = [request.key for request in requested if not {COUPLED, BOUNDARY} & {*request.key[:4]}]  # with equal coins
    for keys in (seen[: seen.index((3, 1, 0, 0, 0, 0))], seen[seen.index((3, 1, 0, 0, 0, 0)) :]):
        assert len(keys) > 5
        assert len(set(keys)) == len(keys)


@pytest.mark.chance(2e-6, "two counts of wrong audits, against binomial quantiles")
@pytest.mark.evidence
@pytest.mark.parametrize("target", [response, laplace])
def test_false_alarms_and_bounds_at_the_boundary(evidence, target):
    """True loss 1, claim 1, error 0.05: both counts are at most Binomial(N, 0.05), read after every block."""
    repetitions = evidence(60, 500)
    reports = [
        privcheck.audit(target, epsilon=1.0, streams=PAIR, runs=3000, sequential=True, error=LEVEL, seed=seed)
        for seed in range(repetitions)
    ]
    most = int(binom.isf(1e-6, repetitions, LEVEL))
    assert sum(report.verdict == "violation" for report in reports) <= most
    assert sum(report.epsilon_lower > 1.0 for report in reports) <= most


@pytest.mark.chance(1e-6, "a count of wrong audits, against its binomial quantile")
@pytest.mark.evidence
def test_bets_on_runs_that_were_looked_at_are_noticed(monkeypatch):
    """A broken twin settles its events on the very runs that it bets on."""

    def noise(data, rng, runs):
        return rng.normal(size=(runs, 12))

    def alarms():
        reports = [
            privcheck.audit(noise, epsilon=1e-9, streams=PAIR, runs=100, sequential=True, error=LEVEL, seed=seed)
            for seed in range(24)
        ]
        return sum(report.verdict == "violation" for report in reports)

    most = int(binom.isf(1e-6, 24, LEVEL))
    assert alarms() <= most

    def same(pair, side, runs, key, planned):
        return Request(pair, side, runs, (3, key[1], 1, side), planned)

    monkeypatch.setattr(sequentially, "Request", same)
    assert alarms() > most


@pytest.mark.parametrize("pairs", [20, 100, 1000])
def test_the_resolution_is_a_little_less_than_one_look_could_show(pairs):
    """All of n discordant pairs fall on one side: a single look shows (1 + e^-epsilon)^-n = level."""
    once = -math.log(math.expm1(-math.log(1e-3) / pairs))
    assert once - 2.5 < sequentially._could_show(pairs, 0.0, 1e-3) < once


def telling(data, rng):
    rng.random()
    return int(data[0] >= 0.5)


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.05])
def test_what_a_sequential_audit_could_have_shown_it_shows_of_what_is_told_for_certain(delta):
    """A claim a little below the resolution is refuted; one that no outcome refutes is not called consistent."""
    pairs, level = 100 - sequentially.LEARNING_RUNS, 1e-3 / 2
    could = sequentially._could_show(pairs, delta, level)
    options = {"delta": delta, "streams": (np.array([1.0]), np.array([0.0])), "runs": 100, "sequential": True}
    found = privcheck.audit(telling, epsilon=could - 0.02, **options)
    assert found.verdict == "violation"
    assert found.resolution.epsilon <= could


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_a_stage_that_is_cut_short_keeps_its_bets(monkeypatch):
    """The clock ends the second block of the first stage; what the first block won still counts."""
    play = Sampler.play

    def cut(sampler, requests, advance):
        if requests[0].key[0] == 3 and requests[0].key[2] > 2:
            raise StoppedError([[], []])
        return play(sampler, requests, advance)

    monkeypatch.setattr(Sampler, "play", cut)
    monkeypatch.setattr(sequentially, "FIRST_RUNS", 20_000)
    monkeypatch.setattr(sequentially, "FIRST_BLOCK", 500)
    options = {"streams": PAIR, "runs": 20_000, "sequential": True, "error": 1e-6, "confidence": 1.0 - 1e-6}
    report = privcheck.audit(half_scale, epsilon=2.0, **options)
    assert report.verdict == "inconclusive"
    assert report.counted_runs >= 500
    assert 0.5 < report.epsilon_lower <= 2.0
    assert report.notes[0].startswith("cut short in stage 1 of 1, after ")
    assert report.stop_after == report.counted_runs


def test_a_false_claim_is_not_called_consistent_because_the_audit_was_stopped():
    """The true loss is 1 / 0.6; the whole audit refutes the claim, and its first runs could have shown more than it."""
    options = {"epsilon": 1.0, "streams": PAIR, "runs": 4000, "sequential": True}

    def noisy(data, rng, runs):
        return data.sum() + rng.laplace(scale=0.6, size=runs)

    assert privcheck.audit(noisy, **options).verdict == "violation"
    stopped = privcheck.audit(noisy, **options, stop_after=40)
    assert stopped.resolution.epsilon > 1.0
    assert stopped.verdict == "inconclusive"
    assert "cut short" in verdict_sentence(stopped)


def binary(data, rng, runs):
    """The same as `response` with a true loss of 2."""
    return (data[0] >= 0.5) ^ (rng.random(runs) >= math.exp(2.0) / (1.0 + math.exp(2.0)))


@pytest.mark.parametrize(
    ("target", "event"),
    [(binary, lambda y: 2 * y.astype(int) - 1), (half_scale, lambda y: (y >= 1).astype(int) - (y <= 0).astype(int))],
)
def test_learning_the_event_while_betting_costs_at_most_as_many_runs_again(target, event):
    """Claim 1, truth 2: all runs until the claim is refuted, those before the first bet too, by the median of 40.

    The known event is bet on with its mirror image from the first pair on, and may stop after any fourth pair.
    """

    def known(seed):
        rng, test = np.random.default_rng(seed), SequentialTest(1.0, mirrored=True)
        first, second = (event(target(data, rng, 4000)) for data in PAIR[::-1])
        while test.largest_e_value < 1000.0:
            part = slice(test.pairs, test.pairs + 4)
            test.update(first[part], second[part])
        return test.pairs

    reports = [
        privcheck.audit(target, epsilon=1.0, streams=PAIR, runs=20_000, sequential=True, seed=seed)
        for seed in range(40)
    ]
    assert {report.verdict for report in reports} == {"violation"}
    learned = np.median([report.counted_runs + sequentially.LEARNING_RUNS for report in reports])
    assert learned <= 2.0 * np.median([known(seed) for seed in range(100)])


def test_runs_of_the_search_are_known_before_the_first_bet(requested, policies):
    """Where the search has played the pair, none are made for learning."""
    report = privcheck.audit(policies.LeakyResponse, epsilon=0.5, arms=2, horizon=3, runs=2000, sequential=True)
    assert report.counted_runs > 0
    assert not [request for request in requested if request.key[:3] == (3, 1, 1)]
    assert [request for request in requested if request.key[:3] == (3, 1, 2)]


def test_a_witness_has_the_counts_of_runs_after_its_choice():
    """Events are chosen anew: the shares of the last one are multiples of one over the runs since then."""
    report = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=20_000, sequential=True)
    share = report.witness.probability_first.value
    fits = [n for n in range(1, report.counted_runs) if abs(share * n - round(share * n)) < 1e-9]
    assert fits
    assert fits[0] < report.counted_runs


def test_the_intervals_of_a_witness_allow_for_every_choice_of_events(monkeypatch):
    """The last of k choices has a share 1 / (k (k + 1)) of its stage's level: the shares of all choices add up to 1."""
    choices, levels = [], []
    choose, judge = sequentially.choose_to_bet, sequentially.judge_anytime

    def chosen(*options):
        choices.append(options)
        return choose(*options)

    def judged(pair, screening, anytime, tally, claim, why, level, stop_after):
        levels.append(level)
        return judge(pair, screening, anytime, tally, claim, why, level, stop_after)

    monkeypatch.setattr(sequentially, "choose_to_bet", chosen)
    monkeypatch.setattr(sequentially, "judge_anytime", judged)
    report = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=20_000, sequential=True, confidence=0.95)
    assert "refuted in stage 1 of" in report.notes[0]
    assert len(choices) > 1
    assert levels == [pytest.approx(LEVEL / 2 / (len(choices) * (len(choices) + 1)))]


def test_a_refuted_claim_is_not_said_to_need_more_runs(monkeypatch):
    """The stage with the largest bound may have won less than 1 / error by itself: the stages together refute."""
    read = Bets.read

    def poorer(bets, tally, level):
        return replace(read(bets, tally, level), e_value=900.0)

    monkeypatch.setattr(Bets, "read", poorer)
    report = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=20_000, sequential=True)
    assert report.verdict == "violation"
    assert report.e_value >= 1000.0
    assert report.p_value == 1.0 / report.e_value
    assert not any("not yet" in note for note in report.notes)


# Audits that are cut short


class Cut:
    """Ends an audit on given streams after some calls, as a user would: one for each chunk of a stream before runs are
    counted, and one for each chunk of both streams from then on.
    """

    def __init__(self, monkeypatch, chunks):
        results, seen = Executor.in_order, itertools.count(1)

        def cut(executor, calls):
            for outputs in results(executor, calls):
                yield outputs
                if next(seen) >= chunks:
                    raise KeyboardInterrupt

        monkeypatch.setattr(Executor, "in_order", cut)


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
def test_runs_that_were_counted_until_then_still_bound(monkeypatch):
    """Half of the runs are there: the bound is smaller than that of all runs, and holds at any time."""
    whole = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=400_000)
    Cut(monkeypatch, 7)
    report = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=400_000)
    assert report.verdict == "violation"
    assert 1.5 < report.epsilon_lower < whole.epsilon_lower
    assert 0 < report.counted_runs < whole.counted_runs
    assert report.e_value >= 1000.0
    assert report.resolution is None
    assert report.notes[0].startswith("cut short after ")
    assert report.stop_after == report.counted_runs
    assert "at any time" in report.notes[0]


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_a_true_claim_cut_short_is_inconclusive(monkeypatch):
    Cut(monkeypatch, 7)
    report = privcheck.audit(laplace, epsilon=1.0, streams=PAIR, runs=400_000, error=1e-6, confidence=1.0 - 1e-6)
    assert report.verdict == "inconclusive"
    assert 0.8 < report.epsilon_lower <= 1.0


def test_before_events_are_settled_nothing_can_be_said(monkeypatch):
    Cut(monkeypatch, 1)
    report = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=4_000_000)
    assert (report.verdict, report.epsilon_lower) == ("inconclusive", None)
    assert "before any run was counted" in report.notes[0]
