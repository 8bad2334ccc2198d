"""Scores of sequences: against exact likelihood ratios of known laws, and by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.stats import spearmanr

from privcheck.auditing._scoring.prefix import PRIOR_RUNS, PrefixScore, sequence_codes
from privcheck.auditing._scoring.view import SequenceView
from privcheck.targets import Outputs

ROUNDS, RUNS = 6, 200_000
ALL = np.array(list(itertools.product((0, 1), repeat=ROUNDS)))

# Two Markov chains on two arms: the probability of arm 1 first, after arm 0 and after arm 1.
FIRST_CHAIN, SECOND_CHAIN = (0.5, 0.30, 0.60), (0.5, 0.15, 0.75)


def log_probability(rows, chain):
    """Return the exact log-probability of each row of actions under a Markov chain."""
    total = np.zeros(len(rows))
    for t in range(rows.shape[1]):
        one = np.full(len(rows), chain[0]) if t == 0 else np.where(rows[:, t - 1] == 1, chain[2], chain[1])
        total += np.log(np.where(rows[:, t] == 1, one, 1.0 - one))
    return total


def draw(chain, runs, seed):
    rng = np.random.default_rng(seed)
    rows = np.zeros((runs, ROUNDS), np.int8)
    rows[:, 0] = rng.random(runs) < chain[0]
    for t in range(1, ROUNDS):
        rows[:, t] = rng.random(runs) < np.where(rows[:, t - 1] == 1, chain[2], chain[1])
    return rows


@pytest.fixture(scope="module")
def runs():
    return draw(FIRST_CHAIN, RUNS, 1), draw(SECOND_CHAIN, RUNS, 2)


@pytest.mark.chance(2e-7, "64 scores within 6 standard errors")
def test_the_score_is_the_exact_log_likelihood_ratio(runs):
    """Sequences that 2000 or more runs a side show in expectation: sqrt(1/k + 1/l) is the standard error of ln(k / l).

    A score may be off by 6 standard errors plus the pull to its prefix, at most PRIOR_RUNS / (k + l) times the
    difference of the two log-odds, far below 0.02. Fewer than 64 sequences are looked at.
    """
    score = PrefixScore(*runs, common=1)
    exact = log_probability(ALL, FIRST_CHAIN) - log_probability(ALL, SECOND_CHAIN)
    expected = RUNS * np.exp([log_probability(ALL, chain) for chain in (FIRST_CHAIN, SECOND_CHAIN)])
    frequent = expected.min(axis=0) >= 2000
    assert 10 <= frequent.sum() < 64
    error = np.abs(score(ALL) - exact)[frequent]
    assert (error <= 6.0 * np.sqrt((1.0 / expected).sum(axis=0))[frequent] + 0.02).all()
    assert np.abs(exact[frequent]).max() > 0.5, "the laws differ enough for the comparison to mean something"


def test_the_ranking_is_the_exact_one(runs):
    """Spearman's rank correlation over all sequences, rare ones too."""
    score = PrefixScore(*runs, common=1)(ALL)
    exact = np.round(log_probability(ALL, FIRST_CHAIN) - log_probability(ALL, SECOND_CHAIN), 9)
    assert spearmanr(score, exact).statistic > 0.98


def test_swapping_the_sides_changes_the_sign(runs):
    forth, back = PrefixScore(*runs, common=1)(ALL), PrefixScore(*runs[::-1], common=1)(ALL)
    assert np.abs(forth).max() > 0.5
    assert forth == pytest.approx(-back, abs=1e-9)


def test_shares_by_hand():
    """Counts (first, second): 0 -> (3, 1), 1 -> (1, 3); then 00 -> (3, 0), 01 -> (0, 1), 11 -> (1, 3), never 10."""
    first = np.array([[0, 0], [0, 0], [0, 0], [1, 1]])
    second = np.array([[0, 1], [1, 1], [1, 1], [1, 1]])
    c = PRIOR_RUNS
    zero, one = (3 + c / 2) / (4 + c), (1 + c / 2) / (4 + c)
    expected = {
        (0, 0): (3 + c * zero) / (3 + c),
        (0, 1): (0 + c * zero) / (1 + c),
        (1, 1): one,  # nothing was decided after 1: the same runs are not counted twice
        (1, 0): one,  # never seen: what is known of its beginning
    }
    score = PrefixScore(first, second)
    for row, share in expected.items():
        assert score(np.array([row]))[0] == pytest.approx(math.log(share / (1 - share)), abs=1e-12)


def test_unseen_continuations_get_their_prefixs_score(runs):
    """Arms that no training run played are scored by the longest beginning that training runs showed."""
    score, symbols = PrefixScore(*runs), ALL[:1].repeat(ROUNDS + 1, axis=0).copy()
    scores = []
    for depth in range(ROUNDS + 1):
        symbols[depth, depth:] = 2
        prefix = PrefixScore(*(side[:, :depth] for side in runs))
        scores.append(score(symbols[depth : depth + 1])[0])
        assert scores[-1] == pytest.approx(prefix(ALL[:1, :depth])[0], abs=1e-12)
    assert score(symbols).tolist() == scores, "a row's score does not depend on the rows beside it"
    assert scores[0] == 0.0
    assert len(set(np.round(scores, 9))) == ROUNDS + 1, "prefixes have scores of their own here"


def test_common_symbols_say_nothing(runs):
    """Columns declared common have score 0 even where the training runs differ by chance or by law."""
    assert (PrefixScore(*runs, common=ROUNDS)(ALL) == 0.0).all()
    three = PrefixScore(*(side[:, :3] for side in runs), common=3)
    assert (three(ALL[:, :3]) == 0.0).all()
    assert (PrefixScore(*runs, common=3)(np.where(np.arange(ROUNDS) < 3, ALL, 2)) == 0.0).all()
    assert (PrefixScore(*(side[:, :3] for side in runs))(ALL[:, :3]) != 0.0).all()


@given(npst.arrays(np.int8, st.tuples(st.integers(1, 60), st.integers(1, 12)), elements=st.integers(0, 3)))
def test_codes_are_equal_exactly_when_rows_are(rows):
    """Different rows of so few symbols collide with probability below 60^2 / 2^64."""
    codes = sequence_codes(rows)
    assert codes.dtype == np.uint64
    for i, j in itertools.combinations(range(len(rows)), 2):
        assert (codes[i] == codes[j]) == np.array_equal(rows[i], rows[j])


def test_codes_of_all_sequences_of_sixteen_rounds_differ():
    rows = (np.arange(2**16)[:, np.newaxis] >> np.arange(16)) & 1
    assert len(np.unique(sequence_codes(rows))) == 2**16
    assert len(np.unique(sequence_codes(rows.astype(np.int8)))) == 2**16


def test_scoring_distinct_sequences_once_changes_nothing(runs):
    score = PrefixScore(*runs, common=1)
    some = runs[0][:2000]
    view = SequenceView("symbols", 1, lambda outputs: outputs.symbols, str)
    assert np.array_equal(view.scores(score, Outputs.of_symbols(some)), score(some))
