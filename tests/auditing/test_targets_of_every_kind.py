"""One-shot mechanisms, OpenDP measurements, local reports, and every kind of feedback: a broken twin beside each."""

import contextlib
import itertools
import json
import math
import time

import numpy as np
import pytest

import privcheck
from privcheck.auditing._confirmation import fixed_runs
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.mechanisms import Laplace
from privcheck.targets import limited

PAIR = (np.zeros(1), np.ones(1))


def laplace(data, rng, runs):
    """Correct for a sum of data in [0, 1]: the true loss is 1."""
    return data.sum() + rng.laplace(size=runs)


def half_scale(data, rng, runs):
    """Broken twin: the true loss is 2."""
    return data.sum() + rng.laplace(scale=0.5, size=runs)


def noisy_argmax(data, rng, runs):
    """Laplace noise of the monotone scale, under replacement: the true loss approaches 2."""
    return np.argmax(data.sum(axis=0) + rng.laplace(size=(runs, data.shape[1])), axis=1)


def sparse_vector(answers, rng, runs):
    """Sparse vector without a limit on positive answers (Lyu, Su and Li 2017, algorithm 6): not private at 1."""
    threshold = rng.laplace(scale=2.0, size=(runs, 1))
    return (answers + rng.laplace(scale=2.0, size=(runs, len(answers))) >= threshold).astype(int)


def one_by_one(data, rng):
    return float(data.sum() + rng.laplace())


def mixed(data, rng):
    """A discrete and a real part, each with a budget of one half; the true loss is 1."""
    return int(data.sum() + rng.laplace(scale=2.0) > 0.5), data.sum() + rng.laplace(scale=2.0)


# One-shot mechanisms


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
@pytest.mark.parametrize("mechanism", [laplace, one_by_one, mixed])
def test_a_correct_mechanism_is_consistent(mechanism):
    report = privcheck.audit(mechanism, epsilon=1.0, streams=PAIR, runs=20_000, error=1e-6, confidence=1.0 - 1e-6)
    assert report.verdict == "consistent"
    assert 0.8 < report.epsilon_lower < 1.05
    assert report.certificate is None
    assert report.witness.first.shape == (1, 1)
    assert json.loads(report.to_json())["witness"]["rounds"] == [1]


@pytest.mark.chance(1e-6, "one bound at this level")
@pytest.mark.parametrize(("runs", "least"), [(20_000, 1.8), (100_000, 1.9)])
def test_half_the_scale_is_a_violation(runs, least):
    report = privcheck.audit(half_scale, epsilon=1.0, streams=PAIR, runs=runs, confidence=1.0 - 1e-6)
    assert report.verdict == "violation"
    assert least < report.epsilon_lower < 2.05


@pytest.mark.chance(1e-6, "one bound at this level")
def test_the_search_finds_the_pair_of_a_noisy_argmax():
    report = privcheck.audit(noisy_argmax, epsilon=1.0, arms=4, runs=50_000, confidence=1.0 - 1e-6)
    assert report.verdict == "violation"
    assert 1.6 < report.epsilon_lower < 2.05
    assert report.witness.first.shape == (4, 4)


@pytest.mark.chance(1e-6, "one bound at this level")
def test_a_score_of_all_parts_finds_the_sparse_vector():
    """The output that matters is one in 1024, of probability 0.002 against 0.00004."""
    answers = np.repeat([1, 0], 5)
    report = privcheck.audit(sparse_vector, epsilon=1.0, streams=(answers, 1 - answers), runs=100_000)
    assert report.verdict == "violation"
    assert 2.7 < report.epsilon_lower < 4.2


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_a_shipped_mechanism_needs_no_streams_and_has_an_exact_loss():
    report = privcheck.audit(Laplace(sensitivity=2.0, epsilon=0.5), epsilon=0.5, runs=20_000, error=1e-6)
    assert report.verdict == "consistent"
    assert report.exact_loss == pytest.approx(0.5, rel=1e-8)


@pytest.mark.chance(3e-6, "a verdict and two bounds at 1e-6")
def test_delta_of_a_gaussian_without_assumptions():
    def gaussian(data, rng, runs):
        return data.sum() + rng.normal(scale=3.7306, size=runs)

    report = privcheck.audit(
        gaussian, epsilon=1.0, delta=1e-5, streams=PAIR, runs=100_000, error=1e-6, confidence=1.0 - 1e-6
    )
    assert report.verdict == "consistent"
    assert report.epsilon_lower_clopper_pearson < report.epsilon_lower
    assert 0.25 < report.epsilon_lower < 1.0
    loose = privcheck.audit(gaussian, epsilon=0.05, delta=1e-5, streams=PAIR, runs=100_000, confidence=1.0 - 1e-6)
    assert loose.verdict == "violation"
    assert 0.01 < loose.delta_lower < 0.2


@pytest.mark.chance(2e-9, "two verdicts on true claims at 1e-9", fresh=True)
def test_opendp_measurements_are_audited_at_distance_one():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    measurement = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=0.5)
    assert measurement.map(1.0) == 2.0
    few = {"runs": 3000, "pairs": 4}
    assert privcheck.audit(measurement, epsilon=2.0, **few, error=1e-9).verdict != "violation"  # it takes no seed
    assert privcheck.audit(measurement, epsilon=3.0, runs=3000, error=1e-9).verdict == "consistent"
    assert privcheck.audit(measurement, epsilon=1.0, **few).verdict == "violation"


def test_opendp_measurements_claim_what_their_map_says():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    atoms, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    assert privcheck.audit(dp.m.make_laplace(atoms, metric, scale=0.5), runs=100).epsilon_claimed == 2.0
    assert privcheck.audit(dp.m.make_gaussian(atoms, metric, scale=0.5), runs=100).epsilon_claimed is None


@pytest.mark.chance(1e-9, "one verdict on a true claim at this error", fresh=True)
def test_inputs_under_a_monotonic_metric_move_one_way():
    """A noisy maximum of half the noise is private when all scores move the same way, and only then."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    metric = dp.linf_distance(T=int, monotonic=True)
    measurement = dp.m.make_noisy_max(dp.vector_domain(dp.atom_domain(T=int)), metric, dp.max_divergence(), scale=1.0)
    assert measurement.map(1) == 1.0
    claimed = privcheck.audit(measurement, arms=3, runs=2000, error=1e-9, pairs=10)
    assert (claimed.epsilon_claimed, claimed.verdict == "violation") == (1.0, False)
    assert privcheck.audit(measurement, epsilon=0.1, arms=3, runs=8000, pairs=10).verdict == "violation"


def test_inputs_of_a_measurement_are_not_shrunk_as_rows(monkeypatch):
    """(4, 0) and (3, 0) differ in one row as (4, 0) and (0, 0) do, but these are at distance 4."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int), size=2)
    measurement = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=0.1)
    own = []
    monkeypatch.setattr(fixed_runs, "simplest_witness", lambda *_, **options: own.append(options["own"]))
    assert privcheck.audit(measurement, epsilon=0.3, arms=2, runs=200).verdict == "violation"
    privcheck.audit(lambda data, rng: data.sum() + rng.laplace(scale=0.1), epsilon=0.3, runs=200)
    assert own == [True, False]


# Local reports


@pytest.mark.chance(2e-6, "a verdict and a bound at 1e-6")
def test_local_reports_differ_in_any_two_inputs():
    def response(value, rng):
        truth = int(value >= 0.5)
        return truth if rng.random() < math.e / (1.0 + math.e) else 1 - truth

    def broken(value, rng):
        return int(value >= 0.5) if rng.random() < 0.9 else int(rng.integers(2))

    assert privcheck.audit(response, epsilon=1.0, neighbours="report", runs=10_000, error=1e-6).verdict == "consistent"
    report = privcheck.audit(broken, epsilon=1.0, neighbours="report", runs=40_000, confidence=1.0 - 1e-6)
    assert report.verdict == "violation"
    assert 2.7 < report.epsilon_lower < math.log(19) + 0.05


# Kinds of feedback

CONTEXTUAL = {
    "arms": 2,
    "horizon": 4,
    "feedback": "contextual",
    "neighbours": "context-reward",
    "contexts": privcheck.Contexts(shape=(2,)),
}


class OwnContext:
    """Its own round's action shows the context, and nothing else does: consistent under joint DP at any epsilon."""

    def __init__(self, rng, arms):
        self.rng = rng

    def select(self, context):
        return int(context[0] > 0.0)

    def update(self, context, action, reward):
        pass


class LateContext(OwnContext):
    """Broken twin: a raw context decides the next action."""

    last = 0

    def select(self, context):
        return self.last

    def update(self, context, action, reward):
        self.last = int(context[0] > 0.0)


class LateReward(LateContext):
    """Broken twin: a raw reward decides the next action."""

    def update(self, context, action, reward):
        self.last = int(reward > 0.5)


@pytest.mark.chance(0.0, "the actions that are compared are equal")
def test_joint_privacy_hides_the_action_of_the_round_that_differs():
    report = privcheck.audit(OwnContext, epsilon=0.1, runs=3000, **CONTEXTUAL)
    assert report.verdict == "consistent"
    assert report.epsilon_lower == 0.0


@pytest.mark.parametrize("policy", [LateContext, LateReward])
def test_later_actions_show_what_joint_privacy_has_to_hide(policy):
    report = privcheck.audit(policy, epsilon=1.0, runs=2000, pairs=20, **CONTEXTUAL)
    assert report.verdict == "violation"
    assert report.epsilon_lower > 4.0
    assert "(not shown)" in report.witness.event or "pulls" in report.witness.event


class Pairs:
    """Semi-bandit: plays two of three base arms, moved on by a noisy outcome; the true loss is 1."""

    scale = 1.0

    def __init__(self, rng, arms):
        self.rng, self.chosen, self.looked = rng, (0, 1), False

    def select(self):
        return self.chosen

    def update(self, arms, outcomes):
        if not self.looked:
            self.chosen = (1, 2) if outcomes[0] + self.rng.laplace(scale=self.scale) < 0.5 else (0, 2)
            self.looked = True


class HalfNoise(Pairs):
    """Broken twin: the true loss approaches 2, at this threshold 1.3."""

    scale = 0.25


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_super_arms_are_outputs():
    options = {"epsilon": 1.0, "arms": 3, "horizon": 3, "feedback": "semi-bandit", "runs": 10_000, "error": 1e-6}
    assert privcheck.audit(Pairs, **options).verdict == "consistent"
    report = privcheck.audit(HalfNoise, pairs=20, **options)
    assert report.verdict == "violation"
    assert "{" in report.witness.event


class StopsOnRaw:
    """Best-arm identification that stops on raw sums: no finite epsilon."""

    def __init__(self, rng, arms):
        self.rng, self.round, self.sums, self.stopped = rng, 0, [0.0, 0.0], False

    def select(self):
        return self.round % 2

    def update(self, action, reward):
        self.round += 1
        self.sums[action] += reward
        self.stopped = self.round >= 4 and abs(self.sums[0] - self.sums[1]) > 1.5

    def recommend(self):
        return int(self.sums[1] > self.sums[0])


class StopsByClock(StopsOnRaw):
    """Its correct twin: stops after four rounds, recommends by noisy sums."""

    def update(self, action, reward):
        self.round += 1
        self.sums[action] += reward
        self.stopped = self.round == 4

    def recommend(self):
        noise = self.rng.laplace(size=2)
        return int(self.sums[1] + noise[1] > self.sums[0] + noise[0])


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_stopping_time_and_recommendation_are_outputs():
    options = {"epsilon": 1.0, "arms": 2, "horizon": 8, "feedback": "identification", "runs": 3000, "error": 1e-6}
    assert privcheck.audit(StopsByClock, **options).verdict == "consistent"
    report = privcheck.audit(StopsOnRaw, pairs=20, **options)
    assert report.verdict == "violation"
    outputs = ("stopp", "recommended", "begin 0, 1, 0, 1, 0")  # a fifth action says that it did not stop
    assert any(output in report.witness.event for output in outputs)


# Releases


@pytest.mark.chance(5e-6, "two verdicts and a bound at 1e-6, and a bound 4.6 standard errors below its limit")
def test_releases_show_what_actions_do_not():
    """AdaP-UCB at horizon 4, the same two streams: epsilon through its releases, at most 0.853 through its actions."""
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 10_000, "error": 1e-6}
    actions = privcheck.audit("adap-ucb", confidence=1.0 - 1e-6, **options)
    streams = actions.witness.first, actions.witness.second
    releases = privcheck.audit("adap-ucb", observe="releases", streams=streams, **options)
    assert (actions.verdict, releases.verdict) == ("consistent", "consistent")
    assert actions.exact_loss <= 0.8532797
    assert actions.epsilon_lower < actions.exact_loss < releases.epsilon_lower < 1.05


class Publishes(OwnContext):
    """Broken twin: publishes a sum with half of the noise; its actions tell nothing."""

    def __init__(self, rng, arms):
        self.rng, self.total = rng, 0.0
        self.noise = rng.laplace(scale=0.5)

    def select(self):
        return 0

    def update(self, action, reward):
        self.total += reward

    @property
    def released(self):
        return self.total + self.noise


@pytest.mark.chance(1e-6, "one bound at this level")
def test_published_statistics_are_observed():
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 5000, "confidence": 1.0 - 1e-6, "pairs": 20}
    assert privcheck.audit(Publishes, **options).epsilon_lower == 0.0
    report = privcheck.audit(Publishes, observe="releases", **options)
    assert report.verdict == "violation"
    assert 1.6 < report.epsilon_lower < 2.1


# Bad input


def refuse(message, target, **options):
    with pytest.raises(PrivcheckError, match=message):
        privcheck.audit(target, **{"epsilon": 1.0, "runs": 100, "streams": PAIR} | options)


def test_outputs_that_change_with_a_count_of_calls_are_refused():
    turns = itertools.count()
    refuse("different outputs|depend on", lambda data, rng: 1 if next(turns) % 3 else 0.5)


def test_inputs_of_different_lengths_are_no_neighbours():
    refuse("the same shape", laplace, streams=([0.0], [0.0, 1.0]))


def test_a_mechanism_that_raises_is_named():
    def fails(data, rng):
        raise ValueError("no data")

    refuse("ValueError: no data .*test_targets_of_every_kind.py", fails)


def test_randomness_of_its_own_is_noticed():
    own = np.random.default_rng(0)
    refuse("different outputs", lambda data, rng: own.random())


def test_contextual_feedback_needs_contexts():
    refuse("contexts: got None", OwnContext, arms=2, feedback="contextual", neighbours="context-reward", streams=None)


def test_a_super_arm_is_a_tuple_of_distinct_arms():
    for action, message in ((3, "a tuple of integers"), ((1, 1), "at most once"), ((0, 5), "an arm in 0")):
        policy = type("Policy", (Pairs,), {"select": lambda self, action=action: action})
        refuse(message, policy, arms=3, feedback="semi-bandit", streams=None)


def test_identification_needs_to_say_whether_it_has_stopped():
    refuse("no method recommend", Pairs, arms=3, feedback="identification", streams=None)


def spin(clock, seconds, *, runs):
    """Keep busy; as one run, or as many short ones."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if runs:
            clock.next_run()


def test_a_run_that_hangs_is_stopped():
    with pytest.raises(PolicyError, match="a run that takes longer"), limited(0.05) as clock:
        spin(clock, 20.0, runs=False)
    with limited(0.05) as clock:
        spin(clock, 0.3, runs=True)


@pytest.mark.parametrize("instead", [None, ValueError("busy")])
def test_a_run_that_hangs_is_stopped_whatever_it_catches(instead):
    """Code that catches errors of its own caught this one, put out something else, and was accused of that."""

    def caught(clock):
        try:
            spin(clock, 20.0, runs=False)
        except PolicyError:
            if instead is not None:
                raise instead from None

    with pytest.raises(PolicyError, match="a run that takes longer"), limited(0.05) as clock:
        caught(clock)
    with pytest.raises(PolicyError, match="a run that takes longer"), limited(0.05) as clock:
        _play_on(clock, caught)


def _play_on(clock, caught):
    """Play one run that hangs, and catches all errors; no other one begins."""
    clock.next_run()
    with contextlib.suppress(Exception):
        caught(clock)
    clock.next_run()
    raise AssertionError


def test_many_runs_in_one_call_have_time_for_each():
    """Ten seconds are for a run: a call of 50,000 has more, and says what it has."""
    with limited(0.05, batch=100) as clock:  # 1.05 seconds
        spin(clock, 0.3, runs=False)
    with (
        pytest.raises(PolicyError, match=r"a call of 5 runs .* than 0\.1 s"),
        limited(0.05, batch=5) as clock,
    ):
        spin(clock, 20.0, runs=False)
