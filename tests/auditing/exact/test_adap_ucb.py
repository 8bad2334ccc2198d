"""The law of the actions of two-armed AdaP-UCB against the kernel's frequencies, and its worst pair by enumeration."""

import itertools

import numpy as np
import pytest
from scipy import stats

from privcheck.auditing._exact import exact_delta, exact_loss, worst_pair
from privcheck.auditing._exact.adap_ucb_loss import (
    LONGEST_HORIZON,
    LONGEST_SEARCH,
    action_laws,
    paths,
    unit_of,
    worst_tables,
)
from privcheck.bandits import ALGORITHMS

SPEC = ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0)
TABLES = {
    "random": np.random.default_rng(5).random((12, 2)),
    "opposed": np.tile([0.0, 1.0], (12, 1)),
    "ones": np.ones((12, 2)),
}


def played(spec, table, runs=200_000, seed=0):
    actions = np.empty((runs, len(table)), np.int8)
    rewards, coins, noise = (np.random.default_rng((seed, stream)) for stream in range(3))
    none = np.zeros(0, np.int64), np.zeros((0, 0))
    spec.kernel(spec.kernel_parameters(), table, np.zeros(2), rewards, coins, noise, len(table), runs, actions, *none)
    return actions


def p_value(spec, actions, table):
    """Chi-square of the frequencies of all action sequences, rare ones put together; 0 if an unknown one was played."""
    law = action_laws(spec, table, table)
    digits = 2 ** np.arange(len(table))
    known = [int(np.array(path.actions) @ digits) for path in paths(spec, len(table))]
    counts = np.bincount(actions @ digits, minlength=2 ** len(table))
    observed = counts[known]
    if observed.sum() < len(actions):
        return 0.0
    expected = np.exp(law.log_first) * len(actions)
    rare = expected < 20
    groups = [np.append(x[~rare], x[rare].sum()) if rare.any() else x for x in (observed, expected)]
    return stats.chisquare(*groups).pvalue


@pytest.mark.chance(1e-6, "one chi-square test")
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_kernel_plays_by_the_law(name, epsilon):
    """A correct law fails with probability 1e-6 per case over the choice of seed."""
    spec = ALGORITHMS["adap-ucb"](arms=2, epsilon=epsilon)
    assert p_value(spec, played(spec, TABLES[name]), TABLES[name]) > 1e-6


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
@pytest.mark.parametrize("wrong", [{"epsilon": 0.9}, {"epsilon": 1.0, "alpha": 3.0}])
def test_another_law_is_noticed(wrong):
    actions = played(SPEC, TABLES["random"])
    assert p_value(ALGORITHMS["adap-ucb"](arms=2, **wrong), actions, TABLES["random"]) < 1e-9
    assert p_value(SPEC, actions, TABLES["opposed"]) < 1e-9


def test_the_reference_plays_only_known_sequences_and_all_of_the_likely_ones():
    known = {path.actions for path in paths(SPEC, 9)}
    seen = set()
    for seed in range(300):
        policy, actions = SPEC.build(np.random.default_rng(seed)), []
        for _ in range(9):
            actions.append(policy.select())
            policy.update(actions[-1], 0.5)
        seen.add(tuple(actions))
    assert seen <= known
    law = action_laws(SPEC, *[np.full((9, 2), 0.5)] * 2)
    likely = [path.actions for path, log in zip(paths(SPEC, 9), law.log_first, strict=True) if np.exp(log) > 0.05]
    assert len(likely) >= 4
    assert set(likely) <= seen


@pytest.mark.parametrize("horizon", [1, 2, 3, 12, LONGEST_HORIZON])
def test_probabilities_add_up_to_one(horizon):
    law = action_laws(SPEC, np.zeros((horizon, 2)), np.ones((horizon, 2)))
    assert np.exp(law.log_first).sum() == pytest.approx(1.0, rel=1e-12)
    assert np.exp(law.log_second).sum() == pytest.approx(1.0, rel=1e-12)


def test_a_longer_horizon_has_the_shorter_ones_law():
    """The actions of the first 7 of 12 rounds, by summing over the rest."""
    table = TABLES["random"]
    short, long = (action_laws(SPEC, table[:t], table[:t]) for t in (7, 12))
    total = dict.fromkeys((path.actions for path in paths(SPEC, 7)), 0.0)
    for path, log in zip(paths(SPEC, 12), long.log_first, strict=True):
        total[path.actions[:7]] += np.exp(log)
    np.testing.assert_allclose(list(total.values()), np.exp(short.log_first), rtol=1e-12)


@pytest.mark.parametrize("horizon", [3, 4, 5])
def test_the_worst_pair_is_the_worst_of_all_tables_of_zeros_and_ones(horizon):
    """Every pair of tables that differ in one row, all four values of the row included."""
    logs = {}
    for bits in itertools.product((0.0, 1.0), repeat=2 * horizon):
        table = np.array(bits).reshape(horizon, 2)
        logs[bits] = action_laws(SPEC, table, table).log_first
    worst = 0.0
    for bits, row in itertools.product(logs, range(horizon)):
        for new in itertools.product((0.0, 1.0), repeat=2):
            other = (*bits[: 2 * row], *new, *bits[2 * row + 2 :])
            worst = max(worst, float(np.abs(logs[bits] - logs[other]).max()))
    assert exact_loss(SPEC, worst_pair(SPEC, horizon)).value == pytest.approx(worst, abs=2e-9)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_worst_pair_is_the_worst_of_all_block_sums(epsilon):
    """Nine rounds: for every path all block sums and all changes of one of them by one."""
    spec = ALGORITHMS["adap-ucb"](arms=2, epsilon=epsilon)
    worst = 0.0
    for path in paths(spec, 9):
        shape = tuple(rate + 1 for rate in path.rates)
        sums = np.array(list(np.ndindex(*shape)))
        logs = np.log(path.probabilities(sums / np.array(path.rates), unit_of(spec))).reshape(shape)
        worst = max(worst, *(float(np.abs(np.diff(logs, axis=axis)).max()) for axis in range(len(shape))))
    assert exact_loss(spec, worst_pair(spec, 9)).value == pytest.approx(worst, abs=2e-9)


@pytest.mark.parametrize("horizon", [6, 12])
def test_no_random_pair_is_worse_and_none_exceeds_the_claim(horizon):
    rng = np.random.default_rng(horizon)
    worst = exact_loss(SPEC, worst_pair(SPEC, horizon))
    assert worst.upper < 1.0
    for _ in range(40):
        first = rng.random((horizon, 2)) if rng.random() < 0.5 else rng.integers(0, 2, (horizon, 2)).astype(float)
        second = first.copy()
        second[rng.integers(horizon)] = rng.random(2)
        assert exact_loss(SPEC, (first, second)).lower <= worst.upper + 1e-9


def test_the_loss_grows_with_the_horizon():
    losses = [exact_loss(SPEC, worst_pair(SPEC, horizon)).value for horizon in (3, 4, 5, 6, 8, 10)]
    assert losses == sorted(losses)
    np.testing.assert_allclose(losses, [0.5945349, 0.8532796, 0.9473681, 0.9995137, 0.9999753, 1.0], atol=6e-8)


def test_the_last_block_and_the_arm_that_is_not_played_do_not_matter():
    table = TABLES["random"]
    other = table.copy()
    other[0, 1] += 0.1
    other[-1] = 0.0
    assert exact_loss(SPEC, (table, other)).upper == 0.0
    assert exact_delta(SPEC, (table, other), 0.0).upper == 0.0


def test_noise_of_half_the_scale_exceeds_the_claim():
    """The twin that budgets twice what it claims."""
    twin = ALGORITHMS["adap-ucb"](arms=2, epsilon=2.0)
    assert exact_loss(twin, worst_pair(twin, 4)).lower > 1.8


@pytest.mark.chance(6e-7, "a difference of shares within 5 standard errors or more")
def test_delta_is_that_of_the_kernels_best_event():
    """The event of all sequences with positive p - e^epsilon q, counted on fresh runs: within five standard errors."""
    first, second = worst_pair(SPEC, 6)
    law = action_laws(SPEC, first, second)
    exact = exact_delta(SPEC, (first, second), 0.3)
    assert exact.width < 1e-10
    gains = [np.exp(a) - np.exp(0.3 + b) for a, b in ((law.log_first, law.log_second), (law.log_second, law.log_first))]
    assert exact.value == pytest.approx(max(np.maximum(gain, 0.0).sum() for gain in gains), abs=1e-12)
    turned = int(np.maximum(gains[1], 0.0).sum() > np.maximum(gains[0], 0.0).sum())
    event = {path.actions for path, gain in zip(paths(SPEC, 6), gains[turned], strict=True) if gain > 0.0}
    tables, runs = (second, first) if turned else (first, second), 100_000
    p, q = (
        np.mean([tuple(row) in event for row in played(SPEC, table, runs, seed).tolist()])
        for seed, table in enumerate(tables, start=7)
    )
    assert abs(p - np.exp(0.3) * q - exact.value) < 5 * np.sqrt((0.25 + np.exp(0.6) * 0.25) / runs)


def test_what_has_no_closed_form_here():
    long = np.zeros((LONGEST_HORIZON + 1, 2))
    assert exact_loss(SPEC, (long, long + 1.0)) is None
    three = ALGORITHMS["adap-ucb"](arms=3, epsilon=1.0)
    assert exact_loss(three, (np.zeros((4, 3)), np.ones((4, 3)))) is None
    assert exact_loss(ALGORITHMS["adap-kl-ucb"](arms=2, epsilon=1.0), (np.zeros((4, 2)), np.ones((4, 2)))) is None
    assert worst_pair(three, 6) is worst_pair(SPEC, LONGEST_SEARCH + 1) is worst_tables(SPEC, 2) is None
    extreme = ALGORITHMS["adap-ucb"](arms=2, epsilon=1e9)
    assert exact_loss(extreme, (np.zeros((12, 2)), np.ones((12, 2)))) is None
