"""What the search looks at, and how much of it a "consistent" needs."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

import privcheck
from privcheck.auditing._confirmation.tally import alike_runs, usual_output
from privcheck.auditing._scoring.policy_views import policy_views
from privcheck.auditing._search import equal_coins, stream_families
from privcheck.auditing._search.candidates import searched
from privcheck.auditing._search.differences import differences
from privcheck.auditing._search.equal_coins import COUPLED_RUNS, looked_at, shortlist
from privcheck.auditing._search.observed import Constancy
from privcheck.auditing._search.random_pairs import RANDOM_PAIRS, random_pairs
from privcheck.auditing._search.stream_families import contextual_pairs, spread, structured_pairs
from privcheck.auditing._search.successive_halving import Screening, screening_cost
from privcheck.auditing._verdict import almost, conclude, unrefuted
from privcheck.errors import PolicyError
from privcheck.privacy import check_rewards_range, relation
from privcheck.reporting._text.audit_facts import number_rows
from privcheck.reporting._text.audit_sentences import meaning, verdict_sentence
from privcheck.results import AuditReport, Estimate, Outcome, Resolution, Search
from privcheck.scheduling import HERE
from privcheck.targets import RANDOM, Claim, Game, Outputs, Sampler, StreamPair
from tests.example_results import CERTIFIED, VIOLATION

# Leaks that extreme streams do not show


class LinUCB:
    """One parameter for all arms, in the plane: without noise to speak of."""

    noise = 3e-9

    def __init__(self, rng):
        self.rng = rng
        self.a, self.b, self.c = 1.0, 0.0, 1.0
        self.u, self.v = rng.normal(0.0, self.noise, 2)

    def select(self, features):
        scale = self.a * self.c - self.b**2
        value = []
        for x, y in features.tolist():
            p, q = (self.c * x - self.b * y) / scale, (self.a * y - self.b * x) / scale
            value.append(p * self.u + q * self.v + math.sqrt(max(p * x + q * y, 0.0)))
        return int(value[1] > value[0])

    def update(self, features, action, reward):
        x, y = features[action].tolist()
        self.a, self.b, self.c = self.a + x * x, self.b + x * y, self.c + y * y
        self.u += reward * x + self.rng.normal(0.0, self.noise)
        self.v += reward * y + self.rng.normal(0.0, self.noise)


class PrivateCoin(LinUCB):
    """Its correct twin learns nothing."""

    def select(self, features):
        return int(self.rng.integers(2))

    def update(self, features, action, reward):
        pass


CONTEXTUAL = {
    "arms": 2,
    "horizon": 5,
    "feedback": "contextual",
    "neighbours": "context-reward",
    "contexts": privcheck.Contexts(shape=(2, 2), norm=1.0),
}


@pytest.mark.parametrize("part", ["structured", "random"])
def test_a_contextual_learner_without_noise_is_found(monkeypatch, part):
    """Found by the structured pairs and by the random ones alone; the arms of old bases had the same features."""
    monkeypatch.setattr(stream_families, "MOST_PAIRS", 20)
    if part == "random":
        monkeypatch.setattr(stream_families, "_corners", lambda contexts: contexts.corners[:4])
    else:
        monkeypatch.setattr("privcheck.auditing._search.candidates.RANDOM_PAIRS", 0)
    report = privcheck.audit(LinUCB, epsilon=1.0, runs=200, **CONTEXTUAL)
    assert report.verdict == "violation"
    assert report.epsilon_lower > 2.0


@pytest.mark.chance(
    4e-7,
    "a claim of 1 where the loss is 0, refuted at level 1e-3 by at most 1.2e-7 for each of three events",
)
def test_its_correct_twin_is_consistent(monkeypatch):
    monkeypatch.setattr(stream_families, "MOST_PAIRS", 10)
    report = privcheck.audit(PrivateCoin, epsilon=1.0, runs=300, **CONTEXTUAL)
    assert (report.verdict, report.search.pairs, report.search.screened) == ("consistent", 453, 453)


class Inside:
    """Leaks only a reward between .3 and .4; `noise` is the probability of a random action."""

    noise = 0.0

    def __init__(self, rng, arms):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm if self.rng.random() >= self.noise else int(self.rng.integers(2))

    def update(self, action, reward):
        self.arm = max(self.arm, int(0.3 < reward < 0.4))


class Drowned(Inside):
    """Its correct twin."""

    noise = 1.0


@pytest.mark.chance(
    4e-7,
    "a claim of 1 where the loss is 0, refuted at level 1e-3 by at most 1.2e-7 for each of three events",
)
def test_a_leak_of_rewards_inside_the_range_is_found():
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 200}
    assert privcheck.audit(Inside, **options).verdict == "violation"
    assert privcheck.audit(Drowned, **options).verdict == "consistent"


class NearlyUCB:
    """UCB with noise of scale 1e-9."""

    def __init__(self, rng, arms):
        self.rng, self.sums, self.counts = rng, [0.0] * arms, [0] * arms

    def select(self):
        if 0 in self.counts:
            return self.counts.index(0)
        spread = math.sqrt(2.0 * math.log(sum(self.counts)))
        values = [s / n + spread / math.sqrt(n) for s, n in zip(self.sums, self.counts, strict=True)]
        return values.index(max(values))

    def update(self, action, reward):
        self.sums[action] += reward + self.rng.laplace(0.0, 1e-9)
        self.counts[action] += 1


def test_a_bandit_without_noise_is_found():
    assert privcheck.audit(NearlyUCB, epsilon=1.0, arms=2, horizon=6, runs=200).verdict == "violation"


@pytest.mark.chance(
    4e-7,
    "a claim of 1 where the loss is 0, refuted at level 1e-3 by at most 1.2e-7 for each of three events",
)
def test_a_policy_that_takes_extreme_rewards_only_is_audited_without_the_others():
    class Binary(Drowned):
        def update(self, action, reward):
            assert reward in (0.0, 1.0)

    report = privcheck.audit(Binary, epsilon=1.0, arms=2, horizon=6, runs=200)
    assert report.verdict == "consistent"
    inside = 27 * 5 + RANDOM_PAIRS // 2  # five of nine varied families, and half of the random pairs
    assert inside - 40 < 46 + 243 + RANDOM_PAIRS - report.search.pairs < inside + 40
    assert report.search.pairs == report.search.screened
    assert "raised an error on" in report.notes[0]
    assert "AssertionError" in report.notes[0]
    assert "test_search.py, line" in report.notes[0]


# Random pairs


@pytest.mark.chance(6e-7, "a binomial count within 5 standard deviations")
@pytest.mark.parametrize("neighbours", ["row", "reward", "group:2"])
def test_random_pairs_are_neighbours_that_actions_can_show(neighbours):
    related, rewards = relation(neighbours), (-1.0, 2.5)
    pairs = random_pairs(100, 3, 5, 3, rewards, related)
    for pair in pairs:
        related.check(pair.first, pair.second)
        check_rewards_range(np.concatenate([pair.first, pair.second]), rewards)
        assert pair.changed < 4
    inside = [pair for pair in pairs if not np.isin(pair.first, rewards).all()]
    assert {pair.family for pair in inside} == {"random: rewards inside the range"}
    assert 25 <= len(inside) <= 75  # half of a hundred, by five standard errors
    again, other = (random_pairs(100, seed, 5, 3, rewards, related) for seed in (3, 4))
    assert all((a.first == b.first).all() for a, b in zip(pairs, again, strict=True))
    assert not all((a.first == b.first).all() for a, b in zip(pairs, other, strict=True))


@pytest.mark.parametrize("options", [{}, {"arms": 3}, {"neighbours": "report"}, {"arms": 3, "neighbours": "report"}])
def test_random_inputs_have_the_shape_of_the_others(options):
    shapes = set()

    def mechanism(data, rng):
        shapes.add(np.shape(data))
        return float(rng.normal())

    report = privcheck.audit(mechanism, epsilon=1.0, runs=20, **options)
    assert len(shapes) == 1
    assert any(family.startswith(RANDOM) for family in report.search.families)


# Equal coins


class Recorder:
    """Plays a response that depends on the first row where `leak` says so, and records the seeds."""

    engine, chunk_runs, joblib_backend = "python", 500, "loky"

    def __init__(self, *, reproducible=True):
        self.reproducible, self.seeds = reproducible, {0: [], 1: []}
        self.sides = {}

    def play(self, table, runs, seed, other=None):
        side = self.sides[table.tobytes()]
        self.seeds[side].append((seed.entropy, seed.spawn_key, runs))
        if (table > 1.0).any():
            raise PolicyError("round 1", "a reward", "another")
        leaks = table[0, 1] > 0.5
        coins = np.random.default_rng(seed).integers(2, size=(runs, 2))
        return Outputs.of_symbols(np.full((runs, 2), int(side)) if leaks else coins)


def views(pair, sides, *, thorough):
    return policy_views(pair, sides, arms=2)


def random_family(runner, leaking, number=40, refused=()):
    pairs = []
    for place in range(number):
        first = np.full((2, 2), place / 1000)
        first[0, 1] = 2.0 if place in refused else float(place in leaking)
        second = first.copy()
        second[0, 0] = 0.9
        runner.sides |= {first.tobytes(): 0, second.tobytes(): 1}
        pairs.append(StreamPair(first, second, str(place), RANDOM, "test"))
    return pairs


def test_the_pairs_that_leak_grossly_go_on():
    """The other pairs have fair coins, which are the same on both streams: they never differ."""
    runner = Recorder()
    pairs = random_family(runner, leaking={7, 31})
    found = shortlist(Sampler(runner, 0, HERE, math.inf), pairs, 0, views, lambda _: None)
    assert [pair.label for pair in found.pairs] == ["7", "31"]
    assert (found.runs, found.errors) == (2 * COUPLED_RUNS * 40, ())


def test_coins_are_equal_on_both_streams_and_differ_between_runs_and_pairs():
    runner = Recorder()
    pairs = random_family(runner, leaking=())
    found = shortlist(Sampler(runner, 0, HERE, math.inf), pairs, 0, views, lambda _: None)
    assert found.pairs == pairs[:1], "the search needs a pair"
    assert runner.seeds[0] == runner.seeds[1]
    assert len(set(runner.seeds[0])) == 40 * COUPLED_RUNS
    assert {runs for *_, runs in runner.seeds[0]} == {1}


def test_runs_are_independent_where_coins_cannot_be_set():
    runner = Recorder(reproducible=False)
    shortlist(Sampler(runner, 0, HERE, math.inf), random_family(runner, leaking=()), 0, views, lambda _: None)
    assert not set(runner.seeds[0]) & set(runner.seeds[1])


def test_a_random_pair_that_is_refused_is_left_out():
    runner = Recorder()
    pairs = random_family(runner, leaking={7, 31}, refused={3, 31})
    found = shortlist(Sampler(runner, 0, HERE, math.inf), pairs, 0, views, lambda _: None)
    assert ([pair.label for pair in found.pairs], len(found.errors)) == (["7"], 2)


def test_runs_with_equal_coins_are_not_counted(monkeypatch):
    """No run of the search or of the confirmation has a seed of the comparison."""
    seeds = []
    tasks = equal_coins.Sampler._tasks

    def recorded(self, requests):
        seeds.append({(request.key, request.apart) for request in requests})
        return tasks(self, requests)

    monkeypatch.setattr(Sampler, "_tasks", recorded)
    privcheck.audit(Drowned, epsilon=1.0, arms=2, horizon=4, runs=40)
    coupled, *others = seeds
    assert {apart for _, apart in coupled} == {True}
    rest = set.union(*others)
    assert {apart for _, apart in rest} == {False}
    keys = {key for key, _ in coupled}
    assert not any(key[: len(shorter)] == shorter for key, _ in rest for shorter in keys)
    assert not any(key[: len(longer)] == longer for key in keys for longer, _ in rest)


@pytest.mark.chance(1e-9, "a mean of 4,000 within 6 standard errors")
def test_the_difference_of_laplace_noise_is_its_epsilon():
    """With equal coins medians differ by the shift exactly; the mean deviation of 4,000 draws is within 10 % of 1."""
    noise = np.random.default_rng(0).laplace(size=(4000, 1))
    whole = np.random.default_rng(0).integers(1000, size=(4000, 1))
    exact = [np.full((20, 1), x) for x in (0.0, 1.0)]
    for of, one, two, epsilon in (
        (Outputs.of_numbers, noise, noise + 1.0, pytest.approx(1.0, rel=0.1)),
        (Outputs.of_symbols, whole, whole + 250, pytest.approx(1.0, rel=0.1)),
        (Outputs.of_numbers, *exact, math.inf),
    ):
        ((_, largest, often),) = differences([(of(one), of(two))], equal=True)
        assert (largest, often) == (epsilon, 1.0)


def test_a_step_without_noise_is_far_along_the_discriminant_and_nowhere_else():
    """Of 50 pairs all move every part by 1, which has noise of scale 100; for the last one the parts move apart."""
    rng = np.random.default_rng(0)
    looks = []
    for place in range(50):
        common = rng.laplace(scale=100.0, size=(20, 1))
        small = rng.laplace(scale=0.1, size=(20, 8))
        moved = np.ones(8) if place < 49 else np.arange(8) % 2
        looks.append((Outputs.of_numbers(common + small), Outputs.of_numbers(common + small + moved)))
    discriminated, largest, _ = differences(looks, equal=True).T
    assert largest.max() < 0.1
    assert discriminated[-1] > 10.0 * discriminated[:-1].max()


@pytest.mark.chance(1e-8, "a mean of 200 within 6 standard errors")
def test_twenty_equal_runs_of_independent_noise_are_near_each_other():
    """The measure is cross-fitted: on equal laws and independent coins its mean is 0, with many parts too."""
    rng = np.random.default_rng(0)
    looks = [tuple(Outputs.of_numbers(rng.normal(size=(20, 30))) for _ in range(2)) for _ in range(200)]
    discriminated = differences(looks, equal=False)[:, 0]
    assert abs(discriminated.mean()) < 6.0 * discriminated.std() / math.sqrt(200)
    assert discriminated.max() < 2.0


@pytest.mark.parametrize("random", [0, 10, 40, 200])
@pytest.mark.parametrize("structured", [1, 2, 10, 60, 120, 400, 800])
def test_the_look_costs_no_more_than_planned(structured, random):
    """Beyond its budget the search looks at every pair and at the lines, and reads 48 pairs with the fewest runs."""
    for budget in (0, 2_000, 40_000, 160_000, 1_600_000):
        looks, going_on = looked_at(structured + random, random, budget)
        looking = 2 * COUPLED_RUNS * looks
        reading = screening_cost(going_on, budget - looking)
        assert looks <= structured + random + (160 if looking <= budget / 2 else 24)
        assert going_on <= max(structured + random, 48) or looking <= budget / 2
        assert reading <= max(0, budget - looking) + screening_cost(going_on, 0)


# How much was looked at


def test_a_selection_has_every_family():
    pairs = structured_pairs(16, 3, (0.0, 1.0), "row") + random_pairs(200, 0, 16, 3, (0.0, 1.0), relation("row"))
    families = {pair.family for pair in pairs}
    assert len(families) == 10
    for number in (10, 11, 50, 300, len(pairs)):
        few = spread(pairs, number)
        assert len({id(pair) for pair in few}) == len(few) == number
        assert {pair.family for pair in few} == families
    assert len(spread(pairs, 4)) == 4


def test_every_contextual_family_is_there_and_arms_differ_in_half_of_the_contexts():
    contexts = privcheck.Contexts(shape=(2, 3))
    pairs = contextual_pairs(12, 2, (0.0, 1.0), contexts)
    bases, changes = ("all low", "all high", "one arm high"), ("context", "rewards", "context and rewards")
    assert {pair.family for pair in pairs} == {
        f"{base}: {change}" for base, change in itertools.product(bases, changes)
    }
    features = np.array([contexts.split(pair.first, 2)[1][-1] for pair in pairs])
    differ = (features[:, 0] != features[:, 1]).any(axis=1)
    assert 0.3 < differ.mean() < 0.7


SEARCH = Search(1000, 1000, ("all low: all rewards", "random: extreme rewards"), equal_coins=True)
PARTIAL = [
    dataclasses.replace(SEARCH, screened=899),
    dataclasses.replace(SEARCH, families=SEARCH.families[:1], missing=SEARCH.families[1:]),
    dataclasses.replace(SEARCH, screened=0),
]


def test_consistent_needs_the_search():
    outcome = Outcome("consistent", 1000, 100_000, counted_runs=750)
    assert conclude(outcome, SEARCH) == outcome
    enough = conclude(outcome, dataclasses.replace(SEARCH, screened=900))
    assert enough.verdict == "consistent"
    assert enough.notes[0].startswith("900 of 1,000 candidate pairs")
    for search in PARTIAL:
        assert conclude(outcome, search).verdict == "inconclusive"
        assert conclude(dataclasses.replace(outcome, verdict="violation"), search).verdict == "violation"
        assert conclude(dataclasses.replace(outcome, verdict=None), search).verdict is None
    few, missing = (conclude(outcome, search).notes for search in PARTIAL[:2])
    assert "needs every family and nine in ten of the pairs: a longer time budget" in few[0]
    assert "none of 1 of their families" in missing[0]


def test_an_event_that_is_certain_on_both_streams_is_not_answered_with_more_time_alone():
    """Within the horizon the target had released nothing: a longer audit would have seen the same."""
    certain = Estimate(1.0, 0.99, 1.0)
    nothing = dataclasses.replace(VIOLATION.witness, probability_first=certain, probability_second=certain)
    outcome = Outcome("inconclusive", 1000, 100_000, counted_runs=750, witness=nothing)
    (note,) = conclude(outcome, SEARCH).notes
    for advice in ("smaller batch", "privcheck certify", "more time alone"):
        assert advice in note
    for other in (
        dataclasses.replace(outcome, verdict="consistent"),
        dataclasses.replace(outcome, witness=VIOLATION.witness),
        dataclasses.replace(outcome, witness=None),
    ):
        assert conclude(other, SEARCH).notes == ()


def test_what_was_searched():
    pairs = structured_pairs(4, 2, (0.0, 1.0), "row")
    runner = Recorder()
    whole = searched(pairs, pairs, Outcome(None, 20, 100), runner)
    assert (whole.pairs, whole.screened, whole.missing, whole.equal_coins) == (len(pairs), len(pairs), (), None)
    part = searched(pairs, pairs[:1], Outcome(None, 1, 0), runner)
    assert (part.screened, part.families) == (1, (pairs[0].family,))
    assert set(part.missing) == {pair.family for pair in pairs} - set(part.families)
    ended = searched(pairs, pairs, Outcome(None, 1, 0), runner)
    assert (ended.screened, ended.families) == (0, ())


CLAIM, GAME = Claim(epsilon=1.0), Game()
FINE = Resolution(5.0, 0.01)


def test_consistent_needs_outputs_that_vary():
    assert unrefuted(0.0, FINE, Screening(1, 0), 0.99, CLAIM, GAME) == ("consistent", ())
    verdict, (note,) = unrefuted(0.0, FINE, Screening(1, 0), 0.996, CLAIM, GAME)
    assert verdict == "inconclusive"
    assert note.startswith("99.6 % of the runs on the confirmed pair put out the same")
    constant = Screening(1, 0, constant_within=True, constant=True)
    assert unrefuted(0.0, FINE, constant, 1.0, CLAIM, GAME) == ("consistent", ())
    own = Screening(1, 0, constant_within=True)
    assert unrefuted(0.0, FINE, own, 1.0, CLAIM, GAME)[0] == "inconclusive"
    contextual = Game(feedback="contextual", neighbours="context-reward", contexts=privcheck.Contexts(2))
    assert unrefuted(0.0, FINE, own, 1.0, CLAIM, contextual)[0] == "consistent"


def test_a_bound_above_the_claim_is_no_acquittal():
    verdict, (note,) = unrefuted(1.178, FINE, Screening(1, 0), 0.5, CLAIM, GAME)
    assert (verdict, note.partition(":")[0]) == ("inconclusive", "evidence of a violation at 95 %, not yet at 0.001")
    for error, confidence, times in ((1e-3, 0.95, "four"), (1e-6, 0.95, "nine"), (0.01, 0.99, "twice")):
        (note,) = almost(1.2, Claim(epsilon=1.0, error=error, confidence=confidence), 1.0)
        assert times in note
    assert almost(1.0, CLAIM, CLAIM.epsilon) == almost(3.0, Claim(), None) == ()


def test_the_share_of_the_most_common_output():
    def share(sides):
        usual = usual_output(sides)
        return np.mean([alike_runs(usual, side).mean() for side in sides])

    symbols = np.zeros((1000, 2), np.int8)
    symbols[:4, 1] = 1
    sides = Outputs.of_symbols(symbols), Outputs.of_symbols(np.zeros((1000, 2), np.int8))
    assert share(sides) == 0.998
    numbers = tuple(Outputs.of_numbers(np.column_stack([np.full(50, np.nan), np.full(50, x)])) for x in (0.0, 0.0))
    assert share(numbers) == 1.0
    rng = np.random.default_rng(0)
    assert share(tuple(Outputs.of_numbers(rng.normal(size=(50, 1))) for _ in range(2))) == 0.01


def test_constancy_within_pairs_and_over_all():
    one, two = (StreamPair(np.zeros((2, 1)), np.array([[x], [0.0]])) for x in (1.0, 0.5))
    zeros, ones = (Outputs.of_symbols(np.full((3, 2), x, np.int8)) for x in (0, 1))
    found = Constancy(views)
    seen = []
    for pair, sides in ((one, (zeros, zeros)), (two, (ones, ones)), (two, (zeros, ones)), (one, (zeros, zeros))):
        found.add(pair, sides)
        seen.append((found.within, found.overall))
    assert seen == [(True, True), (True, False), (False, False), (False, False)]


# Reports


def test_reports_keep_the_search_and_older_ones_are_read():
    report = dataclasses.replace(CERTIFIED, search=PARTIAL[1], verdict="inconclusive")
    assert AuditReport.from_json(report.to_json()).search == PARTIAL[1]
    assert AuditReport.from_json(CERTIFIED.to_json()).search is None
    text = report.to_json().replace('"families": ["all low: all rewards"], ', '"families": 3, ')
    with pytest.raises(privcheck.PrivcheckError, match="fields of the wrong type"):
        AuditReport.from_json(text)


def test_pages_and_tables_say_what_was_searched():
    report = dataclasses.replace(CERTIFIED, search=SEARCH, screened_pairs=1044, verdict="consistent")
    searched_row = dict(number_rows(report))["searched"]
    assert searched_row.startswith("1,000 of 1,000 candidate pairs (2 of 2 families) and 44 variants in ")
    assert "random pairs under equal coins" in searched_row
    independent = dataclasses.replace(report, search=dataclasses.replace(SEARCH, equal_coins=False))
    assert "random pairs on independent runs" in dict(number_rows(independent))["searched"]


def test_an_inconclusive_audit_says_what_it_lacks():
    report = dataclasses.replace(CERTIFIED, search=SEARCH, verdict="inconclusive")
    few = dataclasses.replace(report, search=PARTIAL[0])
    above = dataclasses.replace(report, epsilon_lower=1.178)
    sentences = [verdict_sentence(found) for found in (report, few, above)]
    assert "nearly all runs put out the same" in sentences[0]
    assert "only 899 of 1,000 candidate pairs" in sentences[1]
    assert "evidence against the claim epsilon = 1 at 95 % confidence, not yet at level 0.001" in sentences[2]
    assert "not refuted" not in sentences[2]
    assert "evidence against the claim, not for it" in meaning(above)[0]
    assert "too little was looked at" in meaning(few)[0]
