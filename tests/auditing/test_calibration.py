"""Calibration of whole audits: false alarms at the boundary, power on broken twins, and broken auditors noticed.

The policies have losses that are known exactly: randomised response on one reward. Every audit searches for its pair
of streams, learns, chooses and counts, as a user's would; the certificate and the lines at fault, which come after the
verdict, are left out of all but one. `--evidence full` makes more repetitions, and searches among all pairs in each
instead of a few.

What the few repetitions of the reduced form still see with probability 0.99: false alarms in 57 % of the audits instead
of 5 %, and 30 % of the broken twins missed. The full form sees 18 % and 6 %; `benchmarks/validity.py` makes thousands.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

import privcheck
from privcheck.auditing._confirmation import evidence as confirm
from privcheck.auditing._confirmation import fixed_runs
from privcheck.auditing._confirmation.evidence import CountedEvent, Evidence
from privcheck.auditing._confirmation.shares_of_runs import Folds, folds
from privcheck.auditing._events.event import Counts
from privcheck.targets import PolicyRunner

LEVEL = 0.05
CHANCE = 1e-6
"""Probability with which a test of this file fails although everything is as it should be."""

FEW_PAIRS = 10
"""Candidate pairs of streams in the reduced form, of which several show the whole loss."""

pytestmark = [pytest.mark.evidence, pytest.mark.long]


def most(repetitions, level=LEVEL):
    """Return the count that Binomial(repetitions, level) exceeds with probability at most CHANCE."""
    return int(binom.isf(CHANCE, repetitions, level))


@pytest.fixture
def verdict_only(monkeypatch):
    """Leave out what an audit finds after its verdict and its bound: it cannot change them."""
    monkeypatch.setattr("privcheck.auditing._explain._certificate", lambda *_: None)
    monkeypatch.setattr("privcheck.auditing._explain._faults", lambda *_: ([], ""))


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_what_is_left_out_changes_no_verdict(policies, request):
    """The same audits with and without it, one of a violation and one of a correct policy."""

    def found():
        options = {"epsilon": 1.0, "arms": 2, "horizon": 3, "runs": 4000, "error": CHANCE}
        reports = [
            privcheck.audit(getattr(policies, name), seed=0, **options) for name in ("LeakyResponse", "FastResponse")
        ]
        return [(report.verdict, report.epsilon_lower, report.p_value, report.counted_runs) for report in reports]

    whole = found()
    request.getfixturevalue("verdict_only")
    assert [verdict for verdict, *_ in whole] == ["violation", "consistent"]
    assert found() == whole


def alarms(policy, repetitions, *, horizon, runs, first_seed=0, streams=None, pairs=None):
    """Return how many of so many audits, of a policy that claims epsilon = 1, call a violation and bound it above 1."""
    reports = [
        privcheck.audit(
            policy,
            epsilon=1.0,
            arms=2,
            horizon=horizon,
            runs=runs,
            error=LEVEL,
            seed=first_seed + seed,
            streams=streams,
            pairs=pairs,
        )
        for seed in range(repetitions)
    ]
    violations = sum(report.verdict == "violation" for report in reports)
    above = sum(report.epsilon_lower > 1.0 for report in reports)
    assert all(report.engine == "run_batch" for report in reports)
    return violations, above


@pytest.mark.chance(8e-6, "two chi-square tests at 1e-6, and shares within 5 standard errors or more, 6e-7 each")
def test_the_fast_policy_has_the_law_of_the_plain_one(policies, evidence):
    """Chi-squared test of 2 x 4 counts of (round 2, round 3) on each first reward; fails with probability 1e-6."""

    class Plain(policies.RareResponse):
        run_batch = None
        weight = 0.6

    class Fast(policies.RareResponse):
        weight = 0.6

    runs = evidence(20_000, 200_000)
    for reward in (0.0, 1.0):
        table = np.full((6, 2), 1.0 - reward)
        table[0, 0] = reward
        counts = []
        for number, cls in enumerate((Plain, Fast)):
            runner = PolicyRunner(cls, {"arms": 2, "epsilon": 1.0}, "bandit")
            assert runner.engine == ("python", "run_batch")[number]
            actions = runner.play(table, runs, np.random.SeedSequence(number)).symbols
            assert (actions[:, 0] == 0).all()
            assert actions[:, 3:].mean() == pytest.approx(0.5, abs=5 / math.sqrt(3 * runs))  # 10 standard errors
            counts.append(np.bincount(2 * actions[:, 1] + actions[:, 2], minlength=4))
        shares = np.array(counts[1]) / runs
        truth = 1 / (1 + math.exp(-1.0))
        exact = [0.6 * (truth if reward == 0.0 else 1 - truth), 0.6 * (truth if reward == 1.0 else 1 - truth), 0.4, 0.0]
        assert shares == pytest.approx(exact, abs=5 * math.sqrt(0.25 / runs))  # 5 standard errors or more: 4 * 6e-7
        assert chi2_contingency(np.array(counts)[:, :3]).pvalue > CHANCE


@pytest.mark.chance(1e-6, "two counts of wrong audits, against binomial quantiles")
@pytest.mark.parametrize(
    ("name", "horizon", "runs"),
    [("FastResponse", 3, 2000), ("RareResponse", 3, 4000), ("RareResponse", 8, 3000)],
)
@pytest.mark.usefixtures("verdict_only")
def test_false_alarms_at_the_boundary(policies, evidence, record_property, name, horizon, runs):
    """True loss 1, claim 1, level 0.05: violations, and bounds above the truth, are at most Binomial(N, 0.05).

    The test fails when either count is above that law's upper 5e-7 quantile: by chance with probability below 1e-6.
    """
    repetitions, pairs = evidence(30, 300), evidence(FEW_PAIRS, None)
    violations, above = alarms(getattr(policies, name), repetitions, horizon=horizon, runs=runs, pairs=pairs)
    record_property("false alarms", f"{violations} violations, {above} bounds above 1 in {repetitions} audits")
    print(f"\n{name}, T = {horizon}, {runs} runs: {violations} violations in {repetitions} audits")  # noqa: T201
    assert max(violations, above) <= int(binom.isf(CHANCE / 2, repetitions, LEVEL))


@pytest.mark.chance(1e-6, "a count of missed violations, against the quantile at power 0.998")
@pytest.mark.parametrize(("name", "runs"), [("LeakyResponse", 4000), ("LeakyRareResponse", 6000)])
@pytest.mark.usefixtures("verdict_only")
def test_power_on_a_broken_twin(policies, evidence, record_property, name, runs):
    """True loss 1.5, claim 1: nearly all audits at error 0.05 call a violation.

    In 1000 audits all did. If the power is 0.998 or more, more than 3 of 30 (or 7 of 300) fail to with probability
    below 1e-6; the seeds are fixed.
    """
    repetitions, pairs = evidence(30, 300), evidence(FEW_PAIRS, None)
    violations, _ = alarms(getattr(policies, name), repetitions, horizon=3, runs=runs, pairs=pairs)
    record_property("power", f"{violations} violations in {repetitions} audits")
    print(f"\n{name}, {runs} runs: {violations} violations in {repetitions} audits")  # noqa: T201
    assert repetitions - violations <= most(repetitions, 0.002)


BROKEN_FOLDS = {
    "one fold for everything": lambda runs: Folds(*(slice(0, runs),) * 4),
    "learning from counted runs": lambda runs: Folds(folds(runs)[3], *folds(runs)[1:]),
}


@pytest.mark.chance(1e-6, "a count of wrong audits, against its binomial quantile")
@pytest.mark.parametrize(
    ("name", "horizon", "runs"), [("one fold for everything", 14, 300), ("learning from counted runs", 12, 300)]
)
@pytest.mark.usefixtures("verdict_only")
def test_the_false_alarm_test_notices_runs_that_are_used_twice(policies, monkeypatch, name, horizon, runs):
    """Fair coins after the response give many sequences to overfit to; honest folds on the same audits pass.

    Both sides of the comparison are held to the threshold of the false-alarm test.
    """
    repetitions = 60

    class Noisy(policies.FastResponse):
        weight = 0.5

    first, second = np.zeros((horizon, 2)), np.zeros((horizon, 2))
    second[0] = 1.0
    options = {"horizon": horizon, "runs": runs, "streams": (first, second)}
    honest, _ = alarms(Noisy, repetitions, **options)
    assert honest <= most(repetitions)
    monkeypatch.setattr(fixed_runs, "simplest_witness", lambda *_, **__: None)
    monkeypatch.setattr(confirm, "folds", lambda runs, **_: BROKEN_FOLDS[name](runs))
    broken, _ = alarms(Noisy, repetitions, **options)
    assert broken > most(repetitions)


class Forgetful(Evidence):
    """A broken twin of the evidence: it takes the best of several events at the full level."""

    def limit(self, counts, level):
        return super().limit(counts, level * len(self.counted))


@pytest.mark.chance(2e-6, "a count of wrong bounds, against binomial quantiles on both sides")
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_level_covers_all_events_that_are_counted(evidence, delta):
    """Three disjoint rare events at the boundary: the best limit is above epsilon in at most 5 % of the repetitions.

    Without the correction it would be in up to 1 - 0.95^3 = 14 % of them, and the test notices. Fails by chance with
    probability below 1e-6. (For delta > 0, Clopper-Pearson limits are too wide for the broken twin to show.)
    """
    few, many = (1500, 40_000) if delta == 0.0 else (400, 5000)  # each of the latter takes 15 times as long
    repetitions, runs, epsilon = evidence(few, many), 100_000, 1.0
    rng = np.random.default_rng(20)
    less = rng.multinomial(runs, [0.02] * 3 + [0.94], repetitions)[:, :3]
    p = math.e * 0.02 + delta
    more = rng.multinomial(runs, [p] * 3 + [1 - 3 * p], repetitions)[:, :3]
    rates = {}
    for cls in (Evidence, Forgetful):
        counted = (
            [CountedEvent(None, 1 / 3, Counts(int(k), int(l))) for k, l in zip(*row, strict=True)]
            for row in zip(more, less, strict=True)
        )
        rates[cls] = sum(cls(events, runs, delta).lower(LEVEL)[0] > epsilon for events in counted)
    assert rates[Evidence] <= most(repetitions)
    if delta == 0.0:
        assert rates[Forgetful] > most(repetitions)
        assert rates[Evidence] > 0.3 * LEVEL * repetitions, "the level is used, not wasted"
    assert rates[Forgetful] > rates[Evidence]
