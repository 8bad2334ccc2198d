"""`privcheck warm`: what it compiles is what later commands need, and unknown ids are refused in one line."""

from __future__ import annotations

import pytest

from privcheck.cli import _warm_command, run


def test_ids_are_checked_before_anything_is_compiled(capsys, monkeypatch):
    monkeypatch.setattr(_warm_command, "_play", lambda name: pytest.fail("played"))
    assert run(["warm", "adap-ucb", "no-such-id"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("privcheck: id: got 'no-such-id', expected shipped algorithms, or all")


def test_each_is_named_once_with_its_time(capsys, monkeypatch):
    from privcheck.bandits import ALGORITHMS

    played = []
    monkeypatch.setattr(_warm_command, "_play", played.append)
    assert run(["warm", "ucb", "dp-se", "ucb"]) == 0
    assert played == [None, "ucb", "dp-se"]
    first, second, third, last = capsys.readouterr().out.splitlines()
    assert (first.split(":")[0], second.split(":")[0], third.split(":")[0]) == (_warm_command.OWN, "ucb", "dp-se")
    assert last.startswith("compiled code is kept in ")
    played.clear()
    assert run(["warm", "all"]) == 0
    assert played == [None, *ALGORITHMS]


@pytest.mark.parametrize("name", ["adac-ucb", "lin-ucb-gaussian", "lin-ucb-batches", "kl-ucb"])
def test_each_has_a_budget_of_its_own_notion(name):
    """`privcheck warm all` ended at the first algorithm whose budget is in rho."""
    _warm_command._play(name)


def test_a_simulation_and_an_audit_compile_nothing_afterwards():
    from privcheck import audit, simulate
    from privcheck.bandits import ALGORITHMS

    kernel = ALGORITHMS["ucb"].kernel
    kernel._reset_overloads()  # what other tests have compiled
    assert not kernel.signatures
    _warm_command._play("ucb")
    known = list(kernel.signatures)
    assert known
    simulate("ucb", [0.9, 0.5, 0.1], horizon=50, runs=3)
    audit("ucb", arms=3, horizon=3, runs=200, seed=0)
    assert kernel.signatures == known
