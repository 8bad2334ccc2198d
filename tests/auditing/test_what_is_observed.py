"""Only what is observed may speak: no secret coins, nothing that a mechanism put out and the policy kept to itself."""

import copy
import itertools
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

import privcheck
from privcheck import PolicyError
from privcheck.mechanisms import Laplace
from privcheck.targets import Outputs, PolicyRunner

HIGH = np.array([[1.0, 1.0], [0.0, 0.0]])
LOW, ONES = np.zeros((2, 2)), np.ones((2, 2))


class Subsampled:
    """Leaves a datum out with probability 3/4, by a coin that nobody sees, and adds noise of loss 2."""

    loss = math.log(1.0 + 0.25 * math.expm1(2.0))

    def __init__(self, rng):
        self.rng, self.noise = rng, Laplace.with_scale(0.5)

    def select(self):
        return 0

    def update(self, action, reward):
        self.noise.release(reward if self.coin() else 0.0, self.rng)

    def coin(self):
        return self.rng.random() < 0.25


class SubsampledByAnotherGenerator(Subsampled):
    def coin(self):
        return self.rng.spawn(1)[0].random() < 0.25


class SubsampledByAJump(Subsampled):
    def coin(self):
        return np.random.Generator(self.rng.bit_generator.jumped()).random() < 0.25


class SubsampledByACopy(Subsampled):
    def coin(self):
        return copy.deepcopy(self.rng).random() < 0.25


class SubsampledByTheSeed(Subsampled):
    def coin(self):
        return np.random.default_rng(self.rng.bit_generator.seed_seq).random() < 0.25


class SubsampledByASpawnedSeed(Subsampled):
    def coin(self):
        return np.random.default_rng(self.rng.bit_generator.seed_seq.spawn(1)[0]).random() < 0.25


class SubsampledByTheState(Subsampled):
    def coin(self):
        bits = np.random.PCG64()
        bits.state = self.rng.bit_generator.state
        return np.random.Generator(bits).random() < 0.25


class SubsampledByDrawnIntegers(Subsampled):
    def coin(self):
        return np.random.default_rng(self.rng.integers(1 << 60, size=4)).random() < 0.25


class SubsampledWherePaid(Subsampled):
    """Tosses its coin on one of the two streams only."""

    def update(self, action, reward):
        self.noise.release(reward if reward and self.coin() else 0.0, self.rng)


class ReleasesTheWinner(Subsampled):
    """Adds noise to four scores and releases only which is largest; all four change alike, so nothing leaks."""

    loss = 0.2

    def __init__(self, rng):
        super().__init__(rng)
        self.released = []

    def update(self, action, reward):
        self.released.append(float(np.argmax(self.noise.release(np.full(4, reward), self.rng))))


SECRET = [
    Subsampled,
    SubsampledByAnotherGenerator,
    SubsampledByAJump,
    SubsampledByACopy,
    SubsampledByTheSeed,
    SubsampledByASpawnedSeed,
    SubsampledByTheState,
    SubsampledByDrawnIntegers,
    SubsampledWherePaid,
]


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
@pytest.mark.parametrize("policy", [Subsampled, SubsampledByAnotherGenerator, SubsampledByAJump, ReleasesTheWinner])
def test_what_is_kept_secret_is_not_held_against_a_policy(policy):
    options = {"arms": 2, "horizon": 2, "observe": "releases", "streams": (HIGH, LOW), "runs": 4000}
    options |= {"error": 1e-6, "confidence": 1.0 - 1e-6}
    report = privcheck.audit(policy, epsilon=policy.loss, **options)
    assert report.verdict == "consistent"
    assert report.epsilon_lower <= policy.loss


class LeaksHalf(Subsampled):
    """Broken twin without coins: noise of loss 2, always."""

    def coin(self):
        return True


class SubsampledByAStateElsewhere(Subsampled):
    """A coin from no Generator, which alternates from one build to the next."""

    builds = itertools.count()

    def __init__(self, rng):
        super().__init__(rng)
        self.build = next(self.builds)

    def coin(self):
        return self.build % 3 == 0


def test_only_a_policy_without_coins_is_judged_by_its_likelihood_ratio():
    """The ratio is the best score there is, and stays where it is a function of what is observed."""
    shown = {policy: _ratios(policy) is not None for policy in [*SECRET, LeaksHalf]}
    assert shown == dict.fromkeys(SECRET, False) | {LeaksHalf: True}


class SeldomTosses(LeaksHalf):
    """Broken twin with a coin of its own after a large release."""

    large = 4.5

    def update(self, action, reward):
        if self.noise.release(reward, self.rng) > self.large:
            self.rng.random()


class TossesOften(SeldomTosses):
    large = 3.0


def test_only_runs_with_a_coin_lack_a_likelihood_ratio():
    runner = PolicyRunner(TossesOften, {"arms": 2}, "bandit", observe="releases")
    chunks = [runner.play(LOW, 500, np.random.SeedSequence(seed), HIGH) for seed in range(4)]
    runs = Outputs.joined([*chunks, Outputs(chunks[0].symbols, chunks[0].numbers)])
    tossed = (runs.numbers > TossesOften.large).any(axis=1)
    assert tossed[:2000].any()
    assert np.array_equal(np.isnan(runs.ratios[:2000]), tossed[:2000])
    assert np.isnan(runs.ratios[2000:]).all()


def test_a_coin_in_a_counted_run_hides_no_leak(monkeypatch):
    """None of the runs before these has one, so the event is one of the ratio."""
    monkeypatch.setattr(PolicyRunner, "chunk_runs", 50)
    options = {"arms": 2, "horizon": 2, "observe": "releases", "streams": (HIGH, LOW), "runs": 1000, "seed": 11}
    assert privcheck.audit(SeldomTosses, epsilon=1.0, **options).verdict == "violation"


def test_a_coin_from_no_generator_moves_the_likelihood_ratio():
    with pytest.raises(PolicyError, match=r"another likelihood ratio of the same releases .* kept from an earlier run"):
        _ratios(SubsampledByAStateElsewhere)


def _ratios(policy):
    runner = PolicyRunner(policy, {"arms": 2}, "bandit", observe="releases")
    return runner.play(LOW, 20, np.random.SeedSequence(0), HIGH).ratios


class ReleasesIfPaid(Subsampled):
    """Broken twin: whether it releases anything depends on the raw reward."""

    def update(self, action, reward):
        if reward > 0.5:
            self.noise.release(0.0, self.rng)


@pytest.mark.parametrize("sequential", [False, True])
def test_the_number_of_releases_may_differ(sequential):
    options = {"arms": 2, "horizon": 2, "observe": "releases", "runs": 2000, "sequential": sequential}
    assert privcheck.audit(ReleasesIfPaid, epsilon=1.0, streams=(HIGH, LOW), **options).verdict == "violation"
    assert privcheck.audit(ReleasesIfPaid, epsilon=1.0, **options).verdict == "violation"


@pytest.mark.chance(1e-9, "a claim of 0.75 where the loss is 0, and a broken twin")
@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "consistent"), (0.5, "violation")])
def test_outputs_may_be_of_any_length(sequential, shift, verdict):
    """Rare lengths are seen in some folds only, or on one input."""

    def bits(data, rng):
        return [int(bit) for bit in rng.random(min(40, rng.geometric(0.3 + shift * data[0]))) < 0.5]

    options = {"streams": (np.zeros(1), np.ones(1)), "runs": 2000, "sequential": sequential, "error": 1e-6}
    assert privcheck.audit(bits, epsilon=0.75, **options).verdict == verdict


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_a_mechanism_may_change_its_input():
    """Every run gets an input of its own: else noise would pile up, and all runs of a chunk put out the last sum."""

    def adds_in_place(data, rng):
        data += rng.laplace(size=data.shape)
        return data

    options = {"streams": (np.zeros(1), np.ones(1)), "runs": 2000, "error": 1e-6, "confidence": 1.0 - 1e-6}
    report = privcheck.audit(adds_in_place, epsilon=1.0, **options)
    assert report.verdict == "consistent"
    assert 0.6 < report.epsilon_lower < 1.05


class NamesTheWinner:
    """Releases the same number under a name that is a function of the raw reward, in a dict or in a list of dicts."""

    def __init__(self, rng, *, arms, nested=False, secret=False):
        self.nested, self.secret, self.total = nested, secret, 0.0

    def select(self):
        return 0

    def update(self, action, reward):
        self.total += reward

    @property
    def released(self):
        named = {"high" if self.total > 0.5 and not self.secret else "low": 7.0}
        return [1.0, named] if self.nested else named


@pytest.mark.parametrize("nested", [False, True])
def test_the_keys_of_released_statistics_are_observed(nested):
    """The numbers alone were, and a winner's name beside its count was called consistent."""

    def differs(secret):
        build = partial(NamesTheWinner, nested=nested, secret=secret)
        runner = PolicyRunner(build, {"arms": 2}, "bandit", observe="releases")
        one, two = (runner.play(table, 3, np.random.SeedSequence(0)) for table in (HIGH, LOW))
        assert (one.numbers == one.numbers[:1]).all()
        return not np.array_equal(one.numbers, two.numbers)

    assert differs(secret=False)
    assert not differs(secret=True)


LABELLED = {
    "a column": lambda name: pd.Series({name: 7.0}),
    "a frame": lambda name: pd.DataFrame({name: [7.0]}),
    "rows of a frame": lambda name: pd.DataFrame({"n": [7.0]}, index=[name]),
    "in a list": lambda name: [1.0, pd.Series({name: 7.0})],
    "an imaginary part": lambda name: np.array([1.0 + len(name) * 1j]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", LABELLED)
def test_the_labels_of_released_statistics_are_observed(kind):
    """A winner's name in the index of a column, and the second half of a complex number, were read nowhere."""

    class Labels(Subsampled):
        def update(self, action, reward):
            self.released = LABELLED[kind]("high" if reward else "low")

    runner = PolicyRunner(Labels, {"arms": 2}, "bandit", observe="releases")
    one, two, again = (runner.play(table, 2, np.random.SeedSequence(0)).numbers for table in (ONES, LOW, ONES))
    assert not np.array_equal(one, two)
    assert np.array_equal(one, again)


@pytest.mark.parametrize("shape", [list, lambda outputs: dict(enumerate(outputs))])
def test_the_likelihood_ratio_stays_known_where_all_that_is_released_has_names(shape):
    class Named(LeaksHalf):
        def __init__(self, rng):
            super().__init__(rng)
            self.outputs = []

        def update(self, action, reward):
            self.outputs.append(self.noise.release(reward, self.rng))

        @property
        def released(self):
            return shape(self.outputs)

    assert _ratios(Named) is not None


class Publishes:
    """Plays its arms by coins, and publishes by an attribute that no audit knows."""

    def __init__(self, rng):
        self.rng, self.published = rng, []

    def select(self):
        return int(self.rng.random() < 0.5)

    def update(self, action, reward):
        self.published.append(reward)


class PublishesTheLast(Publishes):
    """Publishes a noisy number in every round, of which the last is left at the end."""

    def update(self, action, reward):
        self.released = [reward + self.rng.laplace()]


class PublishesAll(Publishes):
    """Broken twin of an audit that reads nothing: publishes by the attribute that is read."""

    released = property(lambda self: self.published)


LAST_ROUND = "provided that nothing is published but the actions and `released`, as it is after the last round"


@pytest.mark.chance(1e-9, "one verdict on releases that were not read")
def test_a_verdict_on_releases_says_what_was_read():
    """Raw rewards were published, none was read, and the claim was called consistent without a word."""
    options = {"epsilon": 1.0, "arms": 2, "horizon": 2, "observe": "releases", "streams": (HIGH, LOW), "runs": 1000}
    options["error"] = 1e-9
    report = privcheck.audit(Publishes, **options)
    assert report.verdict == "inconclusive"
    assert any("no run released anything" in note and "`released`" in note for note in report.notes)
    last = privcheck.audit(PublishesTheLast, **options)
    assert last.verdict != "violation"
    assert any(LAST_ROUND in note for note in last.notes)
    twin = privcheck.audit(PublishesAll, **options)
    assert twin.verdict == "violation"
    assert not any("provided that" in note for note in twin.notes)
    options |= {"observe": "actions"}
    assert not any("provided that" in note for note in privcheck.audit(Publishes, **options).notes)


def test_statistics_that_cannot_be_read_are_an_error_of_the_policy():
    """It was a traceback."""

    class Raising(Publishes):
        released = property(lambda self: self.unknown / 0)
        unknown = 1

    with pytest.raises(privcheck.PolicyError, match="released: got ZeroDivisionError"):
        privcheck.audit(Raising, arms=2, horizon=2, observe="releases", streams=(HIGH, LOW), runs=100)


@pytest.mark.chance(1e-9, "one verdict on a true claim at this error")
def test_a_verdict_on_encoded_outputs_says_so():
    """What encode leaves out may tell everything."""

    def told(data, rng):
        return {"noisy": data.sum() + rng.laplace(), "raw": data.sum()}

    options = {"epsilon": 1.0, "streams": (np.zeros(1), np.ones(1)), "runs": 1000}
    options["error"] = 1e-9
    report = privcheck.audit(told, encode=lambda output: output["noisy"], **options)
    assert report.verdict != "violation"
    assert "this holds provided that no more of an output is published than what encode returns" in report.notes
    twin = privcheck.audit(told, encode=lambda output: output["raw"], **options)
    assert twin.verdict == "violation"
    assert [note for note in twin.notes if "provided that" in note] == [
        "this holds provided that encode computes what it returns from the output alone, and reads no data beside it"
    ]


def coin(data, rng):
    return int(data.sum()) ^ int(rng.random() < 0.4)


@pytest.mark.chance(2e-9, "two verdicts on true claims, 1e-9 each")
@pytest.mark.parametrize("function", [coin, lambda data, rng: 7])
def test_a_function_of_data_has_no_actions_and_publishes_its_output_whole(function):
    options = {"streams": (np.zeros(1), np.ones(1)), "runs": 1000, "error": 1e-9}
    report = privcheck.audit(function, epsilon=1.0, observe="releases", **options)
    assert report.verdict == "consistent"
    assert not any("released" in note for note in report.notes)
