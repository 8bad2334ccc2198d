"""What is particular to the sparse vector technique: its exact law, variants that are not private, the guard."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privcheck
from privcheck.auditing._exact import exact_loss
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import AboveThreshold
from privcheck.mechanisms.above_threshold_law import log_probability
from privcheck.privacy import relation

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=25)
UNIT = AboveThreshold.with_scale(1.0, answers=1)


class WithoutQueryNoise(AboveThreshold):
    """Lyu, Su and Li (2017), Algorithm 5; with hardly any noise, so that the law has a density."""

    query_scale = 1e-3


class WithoutSplit(AboveThreshold):
    """Their Algorithm 6: the noise does not depend on the number of answers, as if there were one."""

    threshold_scale = property(lambda self: 2.0 * self.scale)
    query_scale = threshold_scale


class OneNoiseForAll(AboveThreshold):
    """The noise of the first query is used again for all others."""

    def _answers(self, exact, runs, rng):
        threshold, query = rng.laplace(0.0, 1.0, (2, runs, 1)) * [[[self.threshold_scale]], [[self.query_scale]]]
        above = exact[1:] + query >= exact[0] + threshold
        return self.of_comparisons(above.astype(np.int64), self.answers)


@FIXED
@given(
    seed=st.integers(0, 2**32), spread=st.sampled_from([0.1, 3.0, 300.0]), ratio=st.sampled_from([0.2, 1.0, 3.0]),
    count=st.integers(1, 12),
)  # fmt: skip
def test_the_law_by_another_rule(sparse, seed, spread, ratio, count):
    rng = np.random.default_rng(seed)
    distances, above = rng.normal(size=count) * spread, rng.random(count) < 0.5
    expected = sparse.log_probability(above.astype(int), [0.0, *distances], 1.0, 1.0 / ratio, 300)
    assert log_probability(distances, above, ratio) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("behind", [0.0, 0.7, 40.0, 900.0])
def test_one_query_in_closed_form(behind):
    """The difference of two Laplace variables of scale 2: P(above) = (2 + x) exp(-x) / 4 at x = behind / 2."""
    mechanism, x = AboveThreshold.with_scale(1.0, answers=1), behind / 2
    assert mechanism.log_density([1], [behind, 0.0]) == pytest.approx(math.log((2 + x) / 4) - x, rel=1e-12)
    assert np.exp(mechanism.log_density([[0], [1]], [behind, 0.0])).sum() == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("answers", [1, 2, 5])
def test_the_probabilities_of_all_answers_add_up(sparse, answers):
    mechanism, value = AboveThreshold.with_scale(2.0, answers=answers), [1.0, 4.0, -3.0, 0.0, 9.0, 1.0]
    sequences = sparse.possible(5, answers)
    assert np.exp(mechanism.log_density(sequences, value)).sum() == pytest.approx(1.0, abs=1e-12)
    others = set(itertools.product((-1, 0, 1), repeat=5)) - set(sequences)
    assert (mechanism.log_density(sorted(others), value) == -math.inf).all()


def worst_found(mechanism, below, above, move=1.0):
    """The exact loss between queries of which the first move up, and the others down by 1 - move."""
    one = np.array([0.0] + [4.0 * mechanism.query_scale] * below + [0.0] * above)
    two = one + np.array([0.0] + [move] * below + [move - 1.0] * above)
    return exact_loss(mechanism, (one, two)).upper


@pytest.mark.parametrize("answers", [1, 2, 3])
def test_published_variants_that_are_not_private_are_refuted(answers):
    for kind in (AboveThreshold, WithoutSplit, WithoutQueryNoise):
        mechanism = kind.with_scale(1.0, answers=answers)
        private = kind is AboveThreshold or (kind is WithoutSplit and answers == 1)
        assert mechanism.loss(1.0) == 1.0
        assert (worst_found(mechanism, 5, answers) <= 1.0) == private
    assert worst_found(AboveThreshold.with_scale(1.0, answers=answers), 6, answers) > 0.9


def test_without_noise_on_the_queries_two_inputs_share_no_answers():
    """Queries (0, 1) and (1, 0): below and then above is nearly impossible for the second, whatever epsilon is."""
    pair = [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]
    assert exact_loss(WithoutQueryNoise.with_scale(10.0, answers=1), pair).lower > 100.0
    assert exact_loss(AboveThreshold.with_scale(10.0, answers=1), pair).upper < 0.2


def test_queries_that_move_in_both_directions_cost_twice_as_much():
    """A range of 2: exact losses are above what queries that move together cost, and below what is charged."""
    mechanism = AboveThreshold.with_scale(1.0, answers=3)
    one = np.array([0.0] + [8.0] * 6 + [0.0] * 3)
    two = one + np.array([0.0] + [1.0] * 6 + [-1.0] * 3)
    assert mechanism.loss(1.0) < exact_loss(mechanism, (one, two)).lower < mechanism.loss(2.0)


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("kind", [WithoutQueryNoise, OneNoiseForAll])
def test_the_auditor_finds_the_variants(kind):
    """The level of the verdict is 1e-6."""
    streams = np.array([0.5, 0.0, 1.0]), np.array([0.5, 1.0, 0.0])
    options = {"epsilon": 2.0, "streams": streams, "rewards": (0.0, 1.0), "runs": 10_000, "error": 1e-6}
    assert privcheck.audit(kind(score_range=2.0, epsilon=2.0, answers=1), **options).verdict == "violation"
    assert privcheck.audit(AboveThreshold(score_range=2.0, epsilon=2.0, answers=1), **options).verdict == "consistent"


@pytest.mark.chance(1e-9, "one chi-square test", fresh=True)
def test_secure_answers_follow_the_law_and_half_the_scale_does_not(sparse):
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    for scale, accepted in ((2.0, True), (1.0, False)):
        mechanism = AboveThreshold.with_scale(scale, answers=2)
        draws = np.array([mechanism.release(sparse.VALUE, None, secure=True) for _ in range(1000)])
        assert (sparse.p_value(AboveThreshold.with_scale(2.0, answers=2), draws) >= 1e-9) == accepted


def test_prefix_sums_against_a_threshold_are_charged_once_under_guard():
    """The first reward is in all five sums; they move in one direction, so that the range with the threshold is 1."""
    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0))
    queries = privcheck.zeros(6)
    queries[0] = 2.5
    for session.round in range(1, 6):
        reward = session.reward(0.5, 0)
        for query in range(session.round, 6):
            queries[query] = queries[query] + reward
    with session.active():
        answers = AboveThreshold(score_range=1.0, epsilon=1.0, answers=1).release(queries, None)
        with pytest.raises(PrivcheckError, match="budget"):
            AboveThreshold(score_range=1.0, epsilon=0.1, answers=1).release(queries, None)
    assert set(answers.tolist()) <= {0, 1, -1}
    assert session.ledger.releases[0].sensitivities == dict.fromkeys(range(1, 6), 1.0)
    assert session.ledger.epsilon == 1.0


def test_rounding_in_the_comparisons_is_charged_where_it_matters():
    """The threshold plus noise is rounded too, although no datum moves it."""
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    queries = 2.0**40 + np.stack([0.0 * session.reward(1.0, 0), session.reward(1.0, 0)])
    with session.active():
        UNIT.release(queries, None)
    (charged,) = session.ledger.releases[0].sensitivities.values()
    assert charged > 1.0 + 6.0 * 2.0**-53 * 2.0**40


def test_the_share_of_the_threshold_has_the_smallest_variance():
    for answers in (1, 2, 9, 100):
        mechanism = AboveThreshold(score_range=2.0, epsilon=0.5, answers=answers)
        chosen = mechanism.threshold_scale**2 + mechanism.query_scale**2
        assert 2.0 / mechanism.threshold_scale + answers * 2.0 / mechanism.query_scale == pytest.approx(0.5, rel=1e-8)
        for share in np.linspace(0.01, 0.99, 99) * 0.5:
            assert (2.0 / share) ** 2 + (answers * 2.0 / (0.5 - share)) ** 2 > chosen * (1 - 1e-8)


@pytest.mark.parametrize("bad", [[2], [0, 0], [0.5], "1", [[1], [1, 2]], 1, [True]], ids=repr)
def test_bad_outputs_are_refused(bad):
    with pytest.raises(PrivcheckError, match="output"):
        UNIT.log_density(bad, [0.0, 1.0])


def test_queries_beyond_the_reach_of_floats_are_refused():
    with pytest.raises(PrivcheckError, match="further apart"):
        UNIT.log_density([1], [1e308, -1e308])
    with pytest.raises(PrivcheckError, match="other"):
        UNIT.log_ratio([1], [0.0, 1.0], [0.0, 1.0, 2.0])
