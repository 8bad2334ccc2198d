"""While a target is played, libraries of linear algebra have one thread: in this process and in workers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from privcheck.scheduling import Executor, end_worker_processes, one_thread
from privcheck.scheduling import _one_thread as limiting
from privcheck.targets import Claim, Game, Request, Sampler, StreamPair, load

FILE = Path(__file__).parent / "threaded_targets.py"
PAIR = StreamPair(np.zeros((4, 2)), np.ones((4, 2)), "")


def played(name, jobs=1, *, apart=False):
    target = load(f"{FILE}:{name}").target(Claim(), Game(arms=2), 4, 2)
    sampler = Sampler(target.runner, 0, Executor(jobs), np.inf)
    requests = [Request(PAIR, side, 3, (1, side), apart=apart) for side in (0, 1)]
    return sampler.play(requests, lambda _: None)


@pytest.mark.parametrize("apart", [False, True])
def test_a_target_is_played_with_one_thread(apart):
    with threadpool_limits(2):
        for outputs in played("function", apart=apart):
            assert set(outputs.numbers[:, 0].tolist()) == {1.5}
        for outputs in played("Policy", apart=apart):
            assert set(outputs.symbols.ravel().tolist()) == {0}, "a policy that sees two threads plays arm 2"


def test_without_the_limit_the_test_would_see_two(monkeypatch):
    monkeypatch.setattr("privcheck.targets._mechanism.one_thread", limiting.contextmanager(lambda: iter([None])))
    with threadpool_limits(2):
        assert set(played("function")[0].numbers[:, 0].tolist()) == {2.5}


def test_workers_have_one_thread_too():
    try:
        with threadpool_limits(2):
            assert set(played("function", 2)[0].numbers[:, 0].tolist()) == {1.5}
    finally:
        end_worker_processes()


def test_libraries_that_are_loaded_inside_are_limited_by_the_next_block(monkeypatch):
    """A target may import what it needs in its first run, while the audit has a block around all of them."""
    made = []
    real = limiting._limited
    monkeypatch.setattr(limiting, "_limited", lambda: made.append(1) or real())
    with one_thread():
        with one_thread():
            assert len(made) == 1
        monkeypatch.setitem(__import__("sys").modules, "loaded_in_between", limiting)
        with threadpool_limits(2), one_thread():
            assert len(made) == 2
    assert not limiting._limits
