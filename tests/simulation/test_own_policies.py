"""Policies that are not shipped, simulated: their law, their failures, their budget of time."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from privcheck.bandits import ALGORITHMS
from privcheck.environments import LinearContexts, LoggedContexts, TopKArms
from privcheck.errors import PrivcheckError
from privcheck.results import Simulation
from privcheck.simulation import _all_runs as all_runs
from privcheck.simulation import _play_own as play_own
from privcheck.simulation import simulate

FILE = Path(__file__).with_name("own_bandits.py")
_spec = importlib.util.spec_from_file_location("own_bandits", FILE)
own = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(own)


def place(name):
    return f"{FILE}:{name}"


@pytest.mark.chance(1e-6, "one chi-square test")
def test_a_users_ucb_has_the_law_of_the_shipped_one_and_a_broken_twin_has_not(law_test):
    """The chi-square test accuses the right policy with probability 1e-6."""
    arms = {"environment": [0.8, 0.5], "horizon": 300, "seed": 5}
    shipped = simulate("ucb", runs=5000, **arms).results[0].regret[:, -1]
    same = simulate(own.OwnUCB, runs=1000, **arms).results[0].regret[:, -1]
    other = simulate(own.Impatient, runs=1000, **arms).results[0].regret[:, -1]
    assert law_test(shipped, same) > 1e-6
    assert law_test(shipped, other) < 1e-6


def test_runs_do_not_depend_on_jobs_or_on_the_number_of_runs():
    found = simulate(place("OwnUCB"), [0.8, 0.5], horizon=50, runs=40).results[0].regret
    assert np.array_equal(simulate(place("OwnUCB"), [0.8, 0.5], horizon=50, runs=40, jobs=2).results[0].regret, found)
    assert np.array_equal(simulate(place("OwnUCB"), [0.8, 0.5], horizon=50, runs=9).results[0].regret, found[:9])


def test_a_policy_that_fails_is_left_out_and_the_others_are_kept():
    found = simulate([own.Raises, "ucb", own.OutOfRange], [0.8, 0.5], horizon=100, runs=5)
    assert [result.policy for result in found.results] == ["ucb"]
    assert [(remark.policy, remark.kind) for remark in found.remarks] == [
        ("Raises", "failed"),
        ("OutOfRange", "failed"),
    ]
    assert "round 17" in found.remarks[0].text
    assert "7" in found.remarks[1].text
    assert "ZeroDivisionError: no more" in found.to_json()


@pytest.mark.parametrize(
    ("policy", "environment", "said"),
    [
        (own.Raises, [0.8, 0.5], "round 17"),
        (own.OutOfRange, [0.8, 0.5], "round 31"),
        (own.Contextual, [0.8, 0.5], "has no contexts"),
        (own.First, LinearContexts(features=2), "select(context)"),
        (own.Private, [0.8, 0.5], "epsilon"),
        ("nowhere.py:Bandit", [0.8, 0.5], "an existing Python file"),
        (ALGORITHMS["ucb"], [0.8, 0.5], "policies"),
    ],
)
def test_one_line_says_what_is_wrong(policy, environment, said):
    with pytest.raises(PrivcheckError) as caught:
        simulate(policy, environment, horizon=60, runs=2)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_time_budget_gives_the_first_runs_and_says_so(tmp_path):
    few = simulate([own.OwnUCB, "ucb"], [0.8, 0.5], horizon=200, runs=10**5, time_budget=0.05, checkpoints=3)
    assert few.remarks[0].kind == "fewer-runs"
    count = len(few.results[0].regret)
    assert count < len(few.results[1].regret) == 10**5
    assert count.bit_count() == 1, "a power of two, so that a machine's speed mostly changes nothing"
    assert f"{count:,} of 100,000 runs" in few.remarks[0].text
    assert f"runs={count}, seed=0, time_budget=inf" in few.remarks[0].text
    whole = simulate(own.OwnUCB, [0.8, 0.5], horizon=200, runs=count, checkpoints=3)
    assert np.array_equal(whole.results[0].regret, few.results[0].regret)
    short = simulate([own.OwnUCB, "ucb"], [0.8, 0.5], horizon=200, runs=30, checkpoints=3)
    short.save(tmp_path / "short.npz")
    assert Simulation.read_npz(tmp_path / "short.npz").results[0].algorithm == short.results[0].algorithm


@pytest.mark.parametrize("rounds", [[300], [10, 300.0], np.array([300, 10, 10]), (10,)])
def test_the_regret_is_recorded_at_the_rounds_that_are_given(rounds):
    """And at the horizon. Without them the runs are the same."""
    found = simulate(["ucb", own.OwnUCB], [0.8, 0.5], horizon=300, runs=4, checkpoints=rounds)
    whole = simulate(["ucb", own.OwnUCB], [0.8, 0.5], horizon=300, runs=4, checkpoints=300)
    for result, every in zip(found.results, whole.results, strict=True):
        assert result.checkpoints.tolist() == sorted({int(each) for each in rounds} | {300})
        assert np.array_equal(result.regret, every.regret[:, np.isin(every.checkpoints, result.checkpoints)])


@pytest.mark.parametrize(("first", "runs"), [(8.0, 1000), (31.0, 1)])
def test_a_first_run_that_imports_and_compiles_is_not_taken_for_the_speed(monkeypatch, first, runs):
    """The broken twin stops the pilot after a first run of 8 seconds, and plays 7 runs in place of a thousand."""
    clock, costs = [0.0], iter([first, 0.01, 0.01])

    def play_one(*_):
        clock[0] += next(costs)

    monkeypatch.setattr(play_own, "play_one", play_one)
    monkeypatch.setattr(play_own, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    policy = SimpleNamespace(runner=None)
    found, _ = play_own.affordable_runs(policy, None, None, 1000, 0, (), 1, 60.0, False)
    assert found == runs


def test_files_keep_policies_with_fewer_runs(tmp_path):
    found = simulate([own.OwnUCB, "ucb"], [0.8, 0.5], horizon=200, runs=10_000, time_budget=0.05, checkpoints=3)
    found.save(tmp_path / "runs.npz")
    again = Simulation.read_npz(tmp_path / "runs.npz")
    assert again.remarks == found.remarks
    assert again.runs == found.runs
    assert all(np.array_equal(a.regret, b.regret) for a, b in zip(again.results, found.results, strict=True))


def test_an_interruption_keeps_what_is_finished(monkeypatch):
    def interrupted(*arguments, **options):
        for number, chunk in enumerate(chunks(*arguments, **options)):
            if number == 2:
                raise KeyboardInterrupt
            yield chunk

    chunks = all_runs.own_chunks
    monkeypatch.setattr(all_runs, "own_chunks", interrupted)
    monkeypatch.setattr("privcheck.simulation._play_own.CHUNK_SECONDS", 0.0)
    found = simulate(["ucb", own.OwnUCB, "kl-ucb"], [0.8, 0.5], horizon=50, runs=10)
    assert [len(result.regret) for result in found.results] == [10, 2]
    assert [(remark.policy, remark.kind) for remark in found.remarks] == [
        ("OwnUCB", "interrupted"),
        ("kl-ucb", "interrupted"),
    ]


@pytest.mark.chance(1e-6, "a Kolmogorov-Smirnov test at 1e-6, or a binomial count within 7 standard deviations")
@pytest.mark.parametrize("policy", ["ucb", own.First])
def test_a_random_order_of_the_arms_takes_the_gain_of_the_first_place(policy):
    """`First` plays the best arm in half of the runs: 400 runs give fewer than 130 with probability below 1e-11."""
    plain = simulate(policy, [0.9, 0.1], horizon=50, runs=400).results[0].regret[:, -1]
    found = simulate(policy, [0.9, 0.1], horizon=50, runs=400, shuffle_arms=True).results[0].regret[:, -1]
    if policy == "ucb":
        assert stats.ks_2samp(plain, found).pvalue > 1e-6
    else:
        assert plain.max() == 0.0
        assert 130 < np.count_nonzero(found) < 270
        assert set(found.round(9)) == {0.0, 40.0}


def test_contexts_are_shown_and_regret_is_that_of_the_decision_set():
    rng = np.random.default_rng(0)
    rewards = rng.random((40, 3))
    logged = LoggedContexts(rewards[:, :, None], rewards)
    assert simulate(own.Contextual, logged, horizon=40, runs=2).results[0].regret.max() == 0.0
    vectors = LoggedContexts.from_vectors(rng.random((40, 2)), rewards)
    first = simulate([own.Contextual, "lin-ucb"], vectors, horizon=40, runs=2)
    assert np.allclose(first.results[0].regret[:, -1], (rewards.max(axis=1) - rewards[:, 0]).sum())


def test_sets_of_base_arms():
    class Best:
        def __init__(self, rng):
            pass

        def select(self):
            return (0, 2)

        def update(self, action, rewards):
            assert len(rewards) == 2

    found = simulate(Best, TopKArms((0.9, 0.1, 0.8), size=2), horizon=20, runs=2).results[0].regret
    assert np.allclose(found, 0.0)


def test_libraries_policies_play():
    mab = pytest.importorskip("mabwiser.mab")
    from privcheck.adapters import from_mabwiser

    greedy = from_mabwiser(lambda seed: mab.MAB([0, 1], mab.LearningPolicy.EpsilonGreedy(0.1), seed=seed))
    found = simulate([greedy, "ucb"], [0.9, 0.1], horizon=60, runs=3)
    assert found.results[0].policy == "MAB(EpsilonGreedy)"
    with pytest.raises(PrivcheckError, match="environment with 3 arms"):
        simulate(greedy, [0.9, 0.5, 0.1], horizon=60, runs=3)
