"""The command after an audit is one that the tool takes, and is left out where it has none."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from privcheck.cli import run
from privcheck.reporting._descriptions.next_steps import next_step
from privcheck.results._example_results import VIOLATION

OWN = replace(VIOLATION, target="mine.py:Mine", arms=2, feedback="bandit")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "fix"),
        ({"delta": 1e-6}, "certify"),
        ({"verdict": "consistent"}, "certify"),
        ({"epsilon_claimed": None, "rho": 0.125}, "certify"),
        ({"neighbours": "group:2"}, "certify"),
        ({"rewards": (-1.0, 2.5)}, "fix"),
        ({"feedback": "mechanism", "target": "mine.py:count", "arms": 0}, "certify"),
        ({"feedback": "mechanism", "target": "mine.py:count", "neighbours": "add-remove"}, "certify"),
    ],
)
def test_the_command_takes_its_options(changes, word, tmp_path, monkeypatch, capsys):
    """All of them are checked before the file is looked for, which is not there."""
    monkeypatch.chdir(tmp_path)
    _, command = next_step(replace(OWN, **changes))
    program, found, *arguments = shlex.split(command)
    assert (program, found) == ("privcheck", word)
    assert run([found, *arguments]) == 2
    assert capsys.readouterr().err.startswith("privcheck: target: got ")
    assert run([found, *arguments, "--horizon", "-1"]) == 2
    assert "horizon" in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes",
    [
        {"target": "adap-ucb"},
        {"verdict": "inconclusive"},
        {"verdict": None},
        {"guarded": True},
        {"target": "python x.py"},
    ],
)
def test_where_nothing_comes_next(changes):
    assert next_step(replace(OWN, **changes)) == ("", "")


def test_names_from_outside_write_no_commands():
    _, command = next_step(replace(OWN, target="a b;$(rm).py:Mine"))
    assert shlex.split(command)[2] == "a b;$(rm).py:Mine"
