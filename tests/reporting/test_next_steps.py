"""The command after an audit is one that the tool takes, and is left out where it has none."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from privcheck import fixing
from privcheck.cli import run
from privcheck.private_values import Leak
from privcheck.reporting import details
from privcheck.reporting._descriptions.next_steps import next_step
from privcheck.targets import load
from tests.example_results import FIXED_BANDIT, GRANTED, VIOLATION

OF_OBJECTS = replace(VIOLATION.witness, first=np.zeros((0, 0)), second=np.zeros((0, 0)))
"""A witness of two data frames: a certificate hands arrays over, and would say no more than that."""

OWN = replace(VIOLATION, target="mine.py:Mine", arms=2, feedback="bandit")

SLOW = {"verdict": "inconclusive", "engine": "python", "runs": 20, "screening_runs": 100, "seconds": 9.0}


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
        ({"feedback": "mechanism", "target": "mine.py:count", "arms": 3, "rewards": (0.0, 9.0)}, "certify"),
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
        {},
        {"feedback": "mechanism", "target": "mine.py:fit", "arms": 0, "delta": 1e-6},
        {"feedback": "identification", "rewards": (-1.0, 2.0)},
    ],
)
def test_after_too_few_runs_of_slow_code_its_noise_is_looked_at_alone(changes, tmp_path, monkeypatch, capsys):
    """An option that the command does not have would be named before the file, which is not there."""
    monkeypatch.chdir(tmp_path)
    told, command = next_step(replace(OWN, **SLOW | changes))
    program, *arguments = shlex.split(command)
    assert (program, arguments[0]) == ("privcheck", "steps")
    assert "slow" in told
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith("privcheck: target: got 'mine.py'")


@pytest.mark.parametrize(
    "changes",
    [
        {"target": "adap-ucb"},
        {"verdict": "inconclusive"},
        {"verdict": None},
        {"guarded": True},
        {"target": "python x.py"},
        SLOW | {"seconds": 0.1},
        SLOW | {"engine": "./fit"},
        SLOW | {"streams": [[[0.0]], [[1.0]]]},
        {"feedback": "mechanism", "target": "mine.py:count", "arms": 0, "witness": OF_OBJECTS},
    ],
)
def test_where_nothing_comes_next(changes):
    assert next_step(replace(OWN, **changes)) == ("", "")


def test_names_from_outside_write_no_commands():
    _, command = next_step(replace(OWN, target="a b;$(rm).py:Mine"))
    assert shlex.split(command)[2] == "a b;$(rm).py:Mine"


FILE = """
import numpy as np
from elsewhere import Base

class Greedy:
    def __init__(self, rng, arms=2):
        self.rng, self.t, self.sums = rng, 0, np.zeros(arms)
    def select(self):
        return self.t % 2 if self.t < 4 else int(np.argmax(self.sums))
    def update(self, action, reward):
        self.t, self.sums[action] = self.t + 1, self.sums[action] + reward

class Inherits(Base):
    pass

class Two(Greedy):
    def __init__(self, rng, arms=2, window=3):
        super().__init__(rng, arms)

def factory(rng):
    return Greedy(rng)

of_a_lambda = lambda rng: Greedy(rng)
"""
CLASSES, OTHERS = ("Greedy", "Two"), ("factory", "of_a_lambda", "Inherits")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(FILE, "utf-8")
    (tmp_path / "elsewhere.py").write_text(
        FILE.partition("class Inherits")[0]
        .replace("class Greedy", "class Base")
        .replace("from elsewhere import Base", ""),
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)


def printed(result):
    """Return the commands of privcheck in the answer about a result, as they stand there."""
    console = Console(width=1000)
    with console.capture() as shown:
        console.print(details(result))
    text = re.sub(r" *\\ *\n *", " ", shown.get())
    return [line.strip() for line in text.splitlines() if line.strip().startswith("privcheck ")]


LEAK = Leak("function", "mine.py", 8, "select", "return np.argmax(self.sums)", (1,), "", "numpy.argmax")


@pytest.mark.parametrize("name", [*CLASSES, *OTHERS])
def test_every_command_that_an_answer_prints_is_taken_as_printed(name, folder, monkeypatch, capsys):
    """Nothing is played: another horizon, which stands last, is refused once the command itself has been taken."""
    place = f"mine.py:{name}"
    found = {
        *printed(replace(OWN, target=place)),
        *printed(replace(GRANTED, target=place, complete=False, leaks=[LEAK])),
    }
    words = {shlex.split(command)[1] for command in found}
    assert words == ({"audit", "certify", "fix"} if name in CLASSES else {"audit", "certify"})
    monkeypatch.setattr(fixing, "fix", lambda target, **options: FIXED_BANDIT)
    load(place)
    for command in sorted(found):
        _, word, *arguments = shlex.split(command)
        if word == "fix":
            assert run([word, *arguments]) == 0, capsys.readouterr().err
        else:
            assert run([word, *arguments, "--horizon", "-1"]) == 2
            assert "horizon" in capsys.readouterr().err


def test_a_function_is_certified_with_as_many_rows():
    """Noise that is made for 500 rows is far from enough for 16."""
    report = replace(OWN, feedback="mechanism", arms=0, horizon=500, verdict="consistent")
    _, command = next_step(report)
    assert command.endswith("--primitives numpy --horizon 500")
