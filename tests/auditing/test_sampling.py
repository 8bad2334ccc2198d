"""Randomness: the same seed gives the same report whatever the jobs; nothing shares a stream of random numbers."""

import dataclasses
import json

import numpy as np
import pytest

import privcheck
from privcheck.auditing._search.decision_boundaries import BOUNDARY
from privcheck.auditing._search.equal_coins import COUPLED
from privcheck.bandits import ALGORITHMS
from privcheck.scheduling import Executor
from privcheck.targets import PolicyRunner, Request, Sampler, StoppedError, StreamPair
from privcheck.targets import _sampling as sampling
from privcheck.targets._runners import KernelRunner

TABLE = np.zeros((6, 2))


def request(table, runs, key):
    return Request(StreamPair(table, 1.0 - table, ""), 0, runs, key)


def silent(_):
    pass


def fields(report):
    found = json.loads(report.to_json())
    assert found.pop("seconds") > 0.0
    return found


def sampler(runner, seed=0, jobs=1, deadline=np.inf):
    return Sampler(runner, seed, Executor(jobs), deadline)


def kernel():
    return KernelRunner(ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0))


@pytest.mark.parametrize("jobs", [1, 2])
def test_same_seed_same_report_for_a_kernel(jobs):
    """120,000 runs a side are three chunks: two workers have something to share."""
    options = {"epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 120_000, "pairs": 8, "seed": 3}
    assert options["runs"] > 2 * KernelRunner.chunk_runs
    once = privcheck.audit("adap-ucb", **options)
    assert fields(once) == fields(privcheck.audit("adap-ucb", **options, jobs=jobs))
    assert fields(once) != fields(privcheck.audit("adap-ucb", **options | {"seed": 4}))


@pytest.mark.parametrize("jobs", [1, 2])
def test_same_seed_same_report_for_a_file(place, jobs):
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 1300, "pairs": 8, "seed": 3}
    assert options["runs"] > 2 * PolicyRunner.chunk_runs
    once = privcheck.audit(place("Response"), **options)
    assert fields(once) == fields(privcheck.audit(place("Response"), **options, jobs=jobs))
    assert fields(once) != fields(privcheck.audit(place("Response"), **options | {"seed": 4}))


def test_the_two_sides_use_different_randomness(policies, monkeypatch):
    """A policy that ignores rewards would act alike on both sides if they shared their randomness."""
    played, keys = [], []
    run = sampling._run

    def recording(runner, task):
        outputs = run(runner, task)
        if task.seed.spawn_key[1] not in (COUPLED, BOUNDARY):  # these have equal coins, and are never counted
            played.append(outputs)
            keys.append(task.seed.spawn_key)
        return outputs

    monkeypatch.setattr(sampling, "_run", recording)
    privcheck.audit(policies.Fair, epsilon=1.0, arms=2, horizon=8, runs=300)
    assert len(set(keys)) == len(keys) >= 2
    assert len(keys) % 2 == 0
    for first, second in zip(played[::2], played[1::2], strict=True):
        assert first.symbols.shape == second.symbols.shape
        agreement = (first.symbols == second.symbols).mean()
        assert 0.4 < agreement < 0.6, "2,400 fair coins: outside with probability below 1e-20"


@pytest.mark.parametrize("name", ["kernel", "python"])
def test_chunks_differ_and_depend_on_seed_and_key_alone(policies, name):
    runner = kernel() if name == "kernel" else PolicyRunner(policies.Fair, {"arms": 2}, "bandit")
    table = np.zeros((10, 2))
    runs = 2 * runner.chunk_runs + 7
    (played,) = sampler(runner).play([request(table, runs, (1,))], silent)
    played = played.symbols
    assert played.shape == (runs, 10)
    first, second = played[: runner.chunk_runs], played[runner.chunk_runs : 2 * runner.chunk_runs]
    assert not np.array_equal(first, second)
    (shorter,) = sampler(runner).play([request(table, runner.chunk_runs, (1,))], silent)
    assert np.array_equal(shorter.symbols, first)
    for other in (sampler(runner, seed=1).play([request(table, 100, (1,))], silent)[0],
                  sampler(runner).play([request(table, 100, (2,))], silent)[0]):  # fmt: skip
        assert not np.array_equal(other.symbols, first[:100])


def test_requests_come_back_in_order_and_progress_counts_every_run(policies):
    runner = PolicyRunner(policies.FollowTheReward, {"arms": 2}, "bandit")
    paying, told = np.ones((3, 2)), []
    requests = [request(TABLE[:3], 700, (0,)), request(paying, 300, (1,)), request(TABLE[:3], 5, (2,))]
    played = sampler(runner).play(requests, told.append)
    assert [len(actions) for actions in played] == [700, 300, 5]
    assert sum(told) == 1005
    assert (played[0].symbols == [0, 1, 0]).all()
    assert (played[1].symbols == 0).all()
    assert (played[2].symbols == [0, 1, 0]).all()


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_deadline_ends_the_runs(policies, jobs):
    runner = kernel()
    with pytest.raises(StoppedError):
        sampler(runner, jobs=jobs, deadline=0.0).play([request(TABLE, 200_000, (0,))], silent)


def test_a_request_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        request(TABLE, 1, (0,)).runs = 2
