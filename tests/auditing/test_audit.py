"""Whole audits: verdicts, fields of the report, early ends, and the declared audits of audits/."""

import dataclasses
import importlib.util
import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.accounting import Approximate
from privcheck.auditing._confirmation.evidence import Chosen, CountedEvent, Evidence
from privcheck.auditing._confirmation.tally import usual_output
from privcheck.auditing._declared_audit import DeclaredAudit
from privcheck.auditing._events.event import Counts, Event
from privcheck.auditing._exact import exact_delta
from privcheck.auditing._scoring.policy_views import policy_views
from privcheck.auditing._scoring.prefix import PrefixScore
from privcheck.auditing._search.stream_families import structured_pairs
from privcheck.auditing._search.successive_halving import Screening, screening_rounds
from privcheck.auditing._verdict import judge
from privcheck.bandits import ALGORITHMS
from privcheck.errors import PrivcheckError
from privcheck.inference import (
    clopper_pearson,
    clopper_pearson_lower,
    conditional_binomial_lower,
    epsilon_lower,
    two_tails_interval,
)
from privcheck.results import AuditReport
from privcheck.targets import Claim, Game, Outputs, PolicyRunner, Settings, StreamPair

pytestmark = pytest.mark.long

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = f"{REPOSITORY / 'examples' / 'running_mean_bandit.py'}:RunningMeanBandit"

CONTRACT = {
    "verdict", "epsilon_claimed", "delta", "epsilon_lower", "epsilon_estimate", "resolution", "exact_loss", "runs",
    "seconds", "engine", "witness", "certificate", "neighbours", "rewards", "observe", "horizon", "arms", "seed",
    "confidence", "error",
}  # fmt: skip
EXTRAS = {
    "faults",
    "encode",
    "law",
    "by_law",
    "suspicion",
    "rho",
    "mu",
    "tradeoff_claimed",
    "claim_lower",
    "claim_epsilon",
    "randomness",
    "time_limit",
    "p_value",
    "guarded",
    "target",
    "epsilon_lower_clopper_pearson",
    "screened_pairs",
    "screening_runs",
    "counted_runs",
    "delta_lower",
    "e_value",
    "sequential",
    "simplest",
    "simplest_lower",
    "tradeoff",
    "feedback",
    "notes",
    "accountants",
    "time_budget",
    "contexts",
    "search",
    "pairs",
    "stop_after",
    "streams",
}


@pytest.fixture(scope="module")
def violation():
    return privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000, seed=1)


# The report


def test_the_json_has_the_fields_of_the_contract(violation):
    found = json.loads(violation.to_json())
    assert next(iter(found)) == "schema_version"
    assert violation.to_json().startswith('{"schema_version": 3, ')
    always = CONTRACT | EXTRAS | {"schema_version"}
    assert always <= set(found) <= always | set(Settings.repeated())
    assert set(found["witness"]) == {
        "first", "second", "rounds", "streams", "event", "more_likely", "probability_first", "probability_second",
        "mirror",
    }  # fmt: skip
    for estimate in (
        found["epsilon_estimate"],
        *(found["witness"][f"probability_{side}"] for side in ("first", "second")),
    ):
        assert set(estimate) == {"value", "low", "high"}
        assert estimate["low"] <= estimate["value"] <= estimate["high"]
    assert set(found["resolution"]) == {"epsilon", "mass"}


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
def test_the_json_says_what_was_asked_and_found(violation):
    found = json.loads(violation.to_json())
    settings = {
        "epsilon_claimed": 1.0, "delta": 0.0, "runs": 20_000, "engine": "kernel", "neighbours": "row",
        "rewards": [0.0, 1.0], "observe": "actions", "horizon": 4, "arms": 4, "seed": 1, "confidence": 0.95,
        "error": 1e-3, "feedback": "full", "verdict": "violation", "notes": [],
        "target": "rnm-ftnl-published(arms=4, epsilon=1)",
    }  # fmt: skip
    assert {name: found[name] for name in settings} == settings
    assert 0.0 < found["seconds"] < 600.0
    assert (found["epsilon_lower"], found["exact_loss"]) == (violation.epsilon_lower, violation.exact_loss)
    assert {k: v for k, v in found.items() if k != "schema_version"} == violation.to_dict()


@pytest.mark.chance(2e-6, "two bounds at 1e-6")
def test_an_audit_carries_the_certificate_of_a_policy_that_releases_through_mechanisms(violation, policies):
    assert violation.certificate.coverage == "explored"
    assert violation.certificate.refusals
    assert json.loads(violation.to_json())["certificate"]["epsilon_upper"] is None
    granted = privcheck.audit("adap-ucb", epsilon=1.0, arms=2, horizon=8, runs=20_000, confidence=1.0 - 1e-6)
    assert granted.certificate.coverage == "all-executions-under-guard"
    assert granted.epsilon_lower < granted.certificate.epsilon_upper == 1.0
    assert privcheck.audit("ucb", epsilon=1.0, arms=2, horizon=4, runs=1000).certificate is None
    with_delta = privcheck.audit("adap-ucb", epsilon=1.0, horizon=8, runs=1000, delta=0.1, confidence=1.0 - 1e-6)
    assert with_delta.certificate.budget == Approximate(1.0, 0.1)
    assert with_delta.epsilon_lower < with_delta.certificate.epsilon_upper == 1.0
    own = privcheck.audit(policies.FastResponse, epsilon=1.0, arms=2, horizon=4, runs=1000)
    assert own.certificate.epsilon_upper == pytest.approx(1.0)  # randomised response by coins of its own Generator


def test_infinities_are_words_in_json(violation):
    report = dataclasses.replace(
        violation,
        epsilon_estimate=dataclasses.replace(violation.epsilon_estimate, value=math.inf, high=math.inf, low=-math.inf),
        resolution=dataclasses.replace(violation.resolution, mass=math.inf),
    )
    found = json.loads(report.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert found["epsilon_estimate"] == {"value": "inf", "low": "-inf", "high": "inf"}
    assert found["resolution"]["mass"] == "inf"


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
def test_the_report_is_frozen_and_prints_in_a_line(violation):
    with pytest.raises(dataclasses.FrozenInstanceError):
        violation.verdict = "consistent"
    assert str(violation).startswith("rnm-ftnl-published(arms=4, epsilon=1): violation (claim epsilon = 1; epsilon >= ")
    assert "\n" not in str(violation)


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
def test_the_witness_is_consistent_in_itself(violation):
    witness = violation.witness
    changed = (witness.first != witness.second).any(axis=1)
    assert witness.rounds == tuple(np.flatnonzero(changed) + 1)
    assert len(witness.rounds) == 1
    assert set(np.unique(witness.first)) <= {0.0, 1.0}
    likely, other = witness.probability_first, witness.probability_second
    likely, other = (likely, other) if witness.more_likely == "first" else (other, likely)
    assert math.log(likely.value / other.value) == pytest.approx(violation.epsilon_estimate.value)
    assert likely.low > other.high
    estimate = violation.epsilon_estimate
    assert 0.0 < violation.epsilon_lower_clopper_pearson <= violation.epsilon_lower < estimate.value < estimate.high
    assert violation.counted_runs == 18_000


@pytest.mark.chance(5e-6, "four shares within 5 standard errors, 6e-7 each, and two intervals missed by 4.7")
def test_the_witness_can_be_played_again(policies):
    """Read the event from its words, play the two streams afresh: the two probabilities are within the intervals.

    A fresh share of 100,000 runs is off by less than 0.008 (5 standard errors) with probability above 1 - 6e-7.
    """
    report = privcheck.audit(policies.LeakyResponse, epsilon=1.0, arms=2, horizon=3, runs=20_000)
    beginning = re.fullmatch(r"the actions begin ([\d, x]+) \(.* % vs .* %\)", report.witness.event).group(1)
    event = []
    for part in beginning.split(", "):
        arm, _, times = part.partition(" x ")
        event += [int(arm)] * int(times or 1)
    runner = PolicyRunner(policies.LeakyResponse, {"arms": 2, "epsilon": 1.0}, "bandit")
    for number, side in enumerate(("first", "second")):
        seed = np.random.SeedSequence(99, spawn_key=(number,))
        actions = runner.play(getattr(report.witness, side), 100_000, seed).symbols
        share = (actions[:, : len(event)] == event).all(axis=1).mean()
        told = getattr(report.witness, f"probability_{side}")
        assert told.low - 0.008 < share < told.high + 0.008
        truth = 1 / (1 + math.exp(-1.5))
        assert min(abs(share - truth), abs(share - 1 + truth)) < 0.008


def test_save_html(violation, tmp_path):
    violation.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "violation" in page
    assert "rnm-ftnl-published" in page


# Verdicts


def event_evidence(more, less, runs, delta=0.0, times=1):
    """Return evidence of `times` events, all seen `more` and `less` times in `runs` counted runs."""
    pair = StreamPair(np.zeros((2, 2)), np.array([[1.0, 1.0], [0.0, 0.0]]), "")
    view = policy_views(pair, (Outputs.of_symbols(np.zeros((1, 2), np.int8)),) * 2, arms=2)[0]
    score = PrefixScore(np.array([[0, 1]]), np.array([[0, 0]]), view.common)
    return Evidence([CountedEvent(Event(view, score, 0.0, False), 1 / times, Counts(more, less))] * times, runs, delta)


def judged(more, less, runs, epsilon=1.0, delta=0.0, times=1, **levels):
    """Judge such evidence as an audit does."""
    pair = StreamPair(np.array([[0.0, 0.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 0.0]]), "two rounds")
    actions = [np.zeros((runs, 2), np.int8) for _ in range(2)]
    for side, count in zip(actions, (more, less), strict=True):
        side[:count, 1] = 1
    outputs = tuple(Outputs.of_symbols(side) for side in actions)
    evidence = event_evidence(more, less, runs, delta, times)
    event = evidence.counted[0].event
    chosen = Chosen((), [(event, 1.0)], np.zeros(1), usual_output(outputs))
    tally = chosen.counter(outputs)
    return judge(pair, Screening(1, 0), evidence, chosen, tally, Claim(epsilon=epsilon, delta=delta, **levels), Game())


def test_violation_needs_the_level_error_alone():
    """The same counts: refuted at level 0.01, not refuted at level 1e-3 although the 95 % bound is above the claim."""
    limits = {level: conditional_binomial_lower(400, 110, level) for level in (0.05, 0.01, 1e-3)}
    assert limits[0.05] > limits[0.01] > 1.0 > limits[1e-3]
    strict, lenient = judged(400, 110, 1000), judged(400, 110, 1000, error=0.01)
    assert (strict.verdict, lenient.verdict) == ("inconclusive", "violation")
    assert strict.epsilon_lower == lenient.epsilon_lower == pytest.approx(limits[0.05])
    assert lenient.notes == ()
    (note,) = strict.notes
    assert note == "evidence of a violation at 95 %, not yet at 0.001: four times the runs would decide"


def test_violation_does_not_look_at_the_confidence():
    assert judged(400, 110, 1000, error=0.01, confidence=0.9999).verdict == "violation"


def test_consistent_needs_the_resolution():
    """An event that always happens on one stream and never on the other would show the resolution and no more."""
    for runs in (4, 5, 10, 100):
        resolution = conditional_binomial_lower(runs, 0, 1e-3)
        found = judged(1, 1, runs)
        assert found.resolution.epsilon == pytest.approx(max(0.0, resolution))
        assert found.verdict == ("consistent" if resolution >= 1.0 else "inconclusive")
        assert found.notes == ()
    assert judged(1, 1, 5).verdict == "inconclusive"
    assert judged(1, 1, 100).verdict == "consistent"


def test_the_smallest_mass_is_the_smallest():
    """One event fewer than the smallest number of certain events would not refute the claim."""
    found = judged(1, 1, 1000).resolution
    enough = round(found.mass * 1000)
    assert conditional_binomial_lower(enough, 0, 1e-3) > 1.0 >= conditional_binomial_lower(enough - 1, 0, 1e-3)
    assert judged(1, 1, 5).resolution.mass == math.inf
    assert judged(1, 1, 1000, epsilon=None).resolution.mass is None


def test_without_a_claim_there_is_no_verdict():
    found = judged(400, 110, 1000, epsilon=None)
    assert found.verdict is None
    assert found.notes == ()
    assert found.epsilon_lower > 1.0


def test_bounds_below_zero_are_zero():
    found = judged(3, 200, 1000)
    assert found.epsilon_lower == found.epsilon_lower_clopper_pearson == 0.0
    assert found.epsilon_estimate.value == pytest.approx(math.log(3 / 200))


def test_an_event_never_seen_on_the_other_stream_is_estimated_infinite():
    estimate = judged(500, 0, 1000).epsilon_estimate
    assert (estimate.value, estimate.high) == (math.inf, math.inf)
    assert 0.0 < estimate.low < math.inf


@pytest.mark.chance(0.0, "the counts are given")
def test_the_level_is_divided_by_the_number_of_events():
    one, three = judged(400, 110, 1000), judged(400, 110, 1000, times=3)
    assert one.epsilon_lower == pytest.approx(conditional_binomial_lower(400, 110, 0.05))
    assert three.epsilon_lower == pytest.approx(conditional_binomial_lower(400, 110, 0.05 / 3))
    for found, level in ((one, 0.05), (three, 0.05 / 3)):
        estimate, told = found.epsilon_estimate, found.witness.probability_first
        assert (estimate.low, estimate.high) == pytest.approx(two_tails_interval(400, 110, 0, 0, level))
        assert (told.low, told.high) == pytest.approx(clopper_pearson(400, 1000, level / 2))
    assert judged(400, 115, 1000, error=0.05).verdict == "violation"
    assert judged(400, 125, 1000, error=0.05, times=3).verdict == "consistent"


@pytest.mark.chance(0.0, "the counts are given")
def test_delta_is_taken_off_by_an_exact_test():
    found = judged(400, 50, 1000, delta=0.1)
    assert found.epsilon_lower == pytest.approx(epsilon_lower(400, 50, 1000, 0.1, 0.05))
    assert found.epsilon_lower_clopper_pearson == pytest.approx(clopper_pearson_lower(400, 50, 1000, 0.05, 0.1))
    assert found.epsilon_lower_clopper_pearson < found.epsilon_lower < math.log(0.3 / 0.05)
    assert found.verdict == "violation"
    assert judged(400, 50, 1000, delta=0.3).verdict == "consistent"
    assert judged(400, 0, 1000, delta=0.5).epsilon_lower == 0.0


# Audits


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_violation_consistent_inconclusive_and_none(policies):
    options = {"arms": 2, "horizon": 3, "seed": 0, "error": 1e-6}
    assert privcheck.audit(policies.LeakyResponse, epsilon=1.0, runs=10_000, **options).verdict == "violation"
    assert privcheck.audit(policies.FastResponse, epsilon=1.0, runs=10_000, **options).verdict == "consistent"
    tiny = privcheck.audit(policies.FollowTheReward, epsilon=3.0, runs=20, **options)
    assert tiny.verdict == "inconclusive"
    assert tiny.resolution.epsilon < 3.0
    assert tiny.resolution.mass == math.inf
    measured = privcheck.audit(policies.LeakyResponse, runs=10_000, **options)
    assert (measured.verdict, measured.epsilon_claimed) == (None, None)
    assert measured.epsilon_lower > 0.5


@pytest.mark.chance(4e-6, "a bound and an interval of two audits, 1e-6 each")
def test_the_bound_comes_close_to_the_true_loss(policies):
    """True losses 1 and 1.5 exactly; 40,000 runs leave a standard error of about 0.02."""
    for policy, loss in ((policies.FastResponse, 1.0), (policies.LeakyResponse, 1.5)):
        report = privcheck.audit(policy, epsilon=1.0, arms=2, horizon=3, runs=40_000, confidence=1.0 - 1e-6)
        assert loss - 0.1 < report.epsilon_lower <= loss
        assert report.epsilon_estimate.low <= loss <= report.epsilon_estimate.high
        assert report.witness.rounds == (1,)


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_the_plain_policy_is_audited_like_the_fast_one(policies):
    report = privcheck.audit(
        policies.Response, epsilon=1.0, arms=2, horizon=3, runs=5000, error=1e-6, confidence=1.0 - 1e-6
    )
    assert (report.engine, report.verdict) == ("python", "consistent")
    assert 0.7 < report.epsilon_lower <= 1.0


def test_a_deterministic_policy_shows_more_with_more_runs():
    reports = [privcheck.audit("ucb", runs=runs, horizon=8, pairs=8) for runs in (100, 1000, 10_000, 100_000)]
    lower = [report.epsilon_lower for report in reports]
    assert all(more > less + 2.0 for less, more in itertools.pairwise(lower))
    # 90 % of the runs are counted, and both tails: all 180,000 runs speak for their own stream
    assert lower[-1] == pytest.approx(math.log(0.05 ** (-1 / 180_000) - 1) * -1, abs=1e-6)


@pytest.mark.chance(3e-6, "a verdict, a bound on epsilon and one on delta, 1e-6 each")
def test_delta_in_an_audit():
    options = {"epsilon": 1.0, "arms": 4, "horizon": 4, "runs": 20_000, "error": 1e-6, "confidence": 1.0 - 1e-6}
    slack = privcheck.audit("rnm-ftnl-published", delta=0.02, **options)
    assert slack.delta == 0.02
    assert slack.epsilon_lower_clopper_pearson < slack.epsilon_lower < 2.0, "the true loss is 2"
    pair = slack.witness.first, slack.witness.second
    truth = exact_delta(ALGORITHMS["rnm-ftnl-published"](arms=4, epsilon=1.0), pair, 1.0)
    assert 0.02 < slack.delta_lower < truth.upper
    assert privcheck.audit("rnm-ftnl-published", delta=0.5, **options).verdict == "consistent"


def test_full_information_policies(policies):
    report = privcheck.audit(policies.FullFollower, epsilon=1.0, arms=3, horizon=4, feedback="full", runs=10_000)
    assert (report.verdict, report.feedback, report.arms) == ("violation", "full", 3)


def test_a_full_information_policy_cannot_change_the_rewards(policies):
    class Vandal(policies.FullFollower):
        def update(self, action, rewards):
            rewards[:] = 0.0

    with pytest.raises(privcheck.PolicyError, match="read-only"):
        privcheck.audit(Vandal, epsilon=1.0, arms=2, horizon=4, feedback="full", runs=100)


def test_the_factory_gets_the_horizon_of_the_audit(policies):
    """NeedsHorizon plays arm 1 in its last round; it is told T however T was decided."""
    seen = []

    def factory(rng, arms, horizon):
        seen.append(horizon)
        return policies.NeedsHorizon(rng, arms, horizon)

    stream = np.zeros((20, 2))
    other = stream.copy()
    other[3] = 1.0
    for options, horizon in (
        ({"arms": 2}, 16),
        ({"arms": 10}, 20),
        ({"arms": 2, "horizon": 5}, 5),
        ({"arms": 2, "streams": (stream, other)}, 20),
    ):
        seen.clear()
        report = privcheck.audit(factory, epsilon=1.0, runs=100, pairs=4, **options)
        assert set(seen) == {report.horizon} == {horizon}


@pytest.mark.chance(
    4e-7,
    "a claim of 1 where the loss is 0, refuted at level 1e-3 by at most 1.2e-7 for each of three events",
)
def test_a_factory_function_and_a_spec_are_targets(policies):
    report = privcheck.audit(lambda rng: policies.Fair(rng, 2), epsilon=1.0, arms=2, horizon=3, runs=200)
    assert (report.target, report.verdict) == ("<lambda>", "consistent")
    spec = ALGORITHMS["adap-ucb"](arms=2, epsilon=2.0, alpha=3.5)
    report = privcheck.audit(spec, epsilon=1.0, horizon=6, runs=2000)
    assert report.target == "adap-ucb(arms=2, epsilon=2, alpha=3.5)"
    assert (report.arms, report.epsilon_claimed) == (2, 1.0)


@pytest.mark.chance(0.0, "the policy is deterministic")
def test_streams_of_the_user_replace_the_search(policies):
    first = np.zeros((4, 2))
    first[0] = 1.0
    report = privcheck.audit(policies.FollowTheReward, epsilon=1.0, arms=2, streams=(first, np.zeros((4, 2))), runs=200)
    assert report.verdict == "violation"
    assert (report.screened_pairs, report.screening_runs, report.horizon) == (1, 0, 4)
    assert np.array_equal(report.witness.first, first)
    quiet = first.copy()
    quiet[3] = 1.0  # the last round: no action can show it
    report = privcheck.audit(policies.FollowTheReward, epsilon=1.0, arms=2, streams=(first, quiet), runs=1000)
    assert (report.verdict, report.epsilon_lower) == ("consistent", 0.0)


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("neighbours", ["reward", "group:2"])
def test_other_neighbours(policies, neighbours):
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 12_000, "error": 1e-6}
    report = privcheck.audit(policies.FastResponse, neighbours=neighbours, **options)
    assert report.neighbours == neighbours
    assert report.verdict == "consistent"
    assert report.epsilon_lower > 0.5


def test_rewards_in_another_range():
    class Sign:
        """Tells whether the first reward is positive."""

        def __init__(self, rng):
            self.arm = 0

        def select(self):
            return self.arm

        def update(self, action, reward):
            assert reward in (-3.0, 5.0)
            self.arm = int(reward > 0)

    report = privcheck.audit(Sign, epsilon=1.0, arms=2, horizon=4, rewards=(-3, 5), runs=200)
    assert report.verdict == "violation"
    assert report.rewards == (-3.0, 5.0)
    assert set(np.unique(report.witness.first)) <= {-3.0, 5.0}


# Budgets and early ends


def test_screening_looks_at_every_pair_when_it_can():
    pairs = structured_pairs(16, 2, (0.0, 1.0), "row")
    plan = screening_rounds(len(pairs), 200_000)
    assert plan[0].kept == len(pairs)
    kept = [planned.kept for planned in plan]
    assert kept == sorted(kept, reverse=True)
    assert sum(planned.cost for planned in plan) <= 200_000
    assert all(planned.runs >= 100 for planned in plan)
    assert plan[-1].joining == 0, "the last round is among pairs that were played before"


# Known results


def test_the_example_is_a_violation():
    report = privcheck.audit(EXAMPLE, epsilon=1.0, arms=2, horizon=20, runs=10_000)
    assert report.verdict == "violation"
    assert report.engine == "python"
    assert report.epsilon_lower > 2.0
    assert report.target.endswith("running_mean_bandit.py:RunningMeanBandit")


@pytest.mark.chance(3e-6, "a verdict, a bound and an interval at 1e-6")
def test_the_published_algorithm_is_a_violation_and_the_corrected_one_is_not():
    options = {"epsilon": 1.0, "arms": 4, "horizon": 4, "runs": 50_000, "error": 1e-6, "confidence": 1.0 - 1e-6}
    published, corrected = (privcheck.audit(name, **options) for name in ("rnm-ftnl-published", "rnm-ftnl"))
    assert (published.verdict, corrected.verdict) == ("violation", "consistent")
    assert published.epsilon_lower > 1.4
    assert published.epsilon_estimate.low < 2.0, "the true loss is 2 epsilon"
    assert 0.7 < corrected.epsilon_lower <= 1.0


@pytest.mark.parametrize("asked", ["adap-ucb", "adap_ucb"])
def test_an_audit_is_named_as_its_algorithm_or_as_its_file(asked, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("audits_main", REPOSITORY / "audits" / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def ended(declared, **options):
        raise PrivcheckError("target", declared.target, "no run of it")

    monkeypatch.setattr(DeclaredAudit, "run", ended)
    monkeypatch.setattr("sys.argv", ["audits", asked])
    assert module.main() == 2
    assert "target: got 'adap-ucb" in capsys.readouterr().err


def declared():
    for file in sorted((REPOSITORY / "audits").glob("*.py")):
        if not file.stem.startswith("_"):
            spec = importlib.util.spec_from_file_location(f"declared_{file.stem}", file)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            yield pytest.param(module, id=file.stem)


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
@pytest.mark.parametrize("module", list(declared()))
def test_declared_audits_come_out_as_expected(module):
    """At a share of the declared runs: at least the 20,000 that it takes to look at a fair share of the pairs, or all.

    The lower bound is then smaller than the declared one: where that is small, little is left.
    """
    assert isinstance(module.AUDIT, DeclaredAudit)
    audit = dataclasses.replace(module.AUDIT, options=module.AUDIT.options | {"error": 1e-7})
    assert module.__doc__
    assert audit.expected in ("consistent", "violation")
    runs = min(audit.number, max(20_000, audit.number // 20))
    report = audit.run(runs=runs)
    assert isinstance(report, AuditReport)
    assert report.verdict == audit.expected
    assert report.lower >= min(0.3, 0.6 * audit.least_lower_bound - 0.1)
    assert (report.epsilon_claimed, report.runs) == (audit.epsilon, runs)


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
def test_expectations_can_fail():
    declared_audit = DeclaredAudit("rnm-ftnl-published", 1.0, "violation", 20_000, {"arms": 4, "horizon": 4}, 1.2)
    report = declared_audit.run()
    assert declared_audit.as_expected(report)
    assert not dataclasses.replace(declared_audit, expected="consistent").as_expected(report)
    assert not dataclasses.replace(declared_audit, least_lower_bound=2.5).as_expected(report)
    assert not declared_audit.as_expected(dataclasses.replace(report, epsilon_lower=None, verdict="inconclusive"))
