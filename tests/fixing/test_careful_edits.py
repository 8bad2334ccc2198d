"""Edits keep what else a class does: signatures, names, constructors, and which rewards count as high."""

from __future__ import annotations

import ast
import os
import subprocess

import numpy as np
import pytest

from privcheck.fixing._diff import name_in_diffs, split_head, unified
from privcheck.fixing._edits.universal import universal
from privcheck.fixing._program import Program

HEAD = """\
class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.wins, self.losses = [0] * arms, [0] * arms

    def select(self):
        return 0

"""

COUNTS = """\
    def update(self, ACTION, reward):
        if reward MARK LIMIT:
            self.FIRST[ACTION] += 1
        else:
            self.SECOND[ACTION] += 1
"""


def patches(text, epsilon=1.0):
    return {each.edit.name: each.text for each in universal(Program(text, "Bandit"), 0.0, 1.0, epsilon)}


@pytest.mark.parametrize("action", ["action", "i"])
@pytest.mark.parametrize(
    ("mark", "limit", "first"),
    [(">", "0.5", "wins"), (">=", "1", "wins"), ("<", "0.5", "losses"), ("<=", "0.0", "losses"), ("==", "0", "losses"),
     ("==", "1.0", "wins")],
)  # fmt: skip
def test_high_rewards_are_counted_as_high(mark, limit, first, action):
    """With almost no noise, an arm whose rewards are all high wins, and no other arm learns anything."""
    second = "losses" if first == "wins" else "wins"
    code = COUNTS.replace("MARK", mark).replace("LIMIT", limit).replace("ACTION", action)
    text = patches(HEAD + code.replace("FIRST", first).replace("SECOND", second))["noisy-counts"]
    for reward, name in ((1.0, "wins"), (0.0, "losses")):
        space: dict[str, object] = {}
        exec(text, space)
        bandit = space["Bandit"](np.random.default_rng(0), 30, 1e6)
        for _ in range(1 + 2 + 4):
            bandit.update(1, reward)
        assert getattr(bandit, name)[1] == 7
        assert sum(bandit.wins) + sum(bandit.losses) == 7


def test_a_comparison_that_both_ends_pass_counts_nothing():
    code = COUNTS.replace("MARK", ">").replace("LIMIT", "-1").replace("ACTION", "action")
    found = patches(HEAD + code.replace("FIRST", "wins").replace("SECOND", "losses"))
    assert "noisy-counts" not in found
    assert "noisy-rewards" in found


@pytest.mark.parametrize(
    "update",
    [
        "def update(self, action, reward, **info):\n        self.wins[action] += reward",
        "def update(self, action, reward, *, weight=1.0):\n        self.wins[action] += weight * reward",
        "def update(self, action, reward=0.0):\n        self.wins[action] += reward",
        "def update(self, action, reward):\n        self.wins[action] += reward\n        return self",
        "def update(self, count, total):\n        self.wins[count] += total",
    ],
)
def test_no_update_is_replaced_by_one_that_takes_or_returns_less(update):
    found = patches(f"{HEAD}    {update}\n")
    assert set(found) == {"noisy-rewards"}
    signature = update.split("\n")[0]
    assert signature in found["noisy-rewards"]


PLAIN = "    def update(self, action, reward):\n        self.wins[action] += reward\n"


def test_parameters_that_have_no_names_are_kept():
    text = HEAD.replace("self, rng, arms=2, epsilon=1.0", "self, rng, /, arms=2, epsilon=1.0") + PLAIN
    assert "self.rng.laplace" in patches(text)["noisy-rewards"]
    text = text.replace("self.rng, self.epsilon = rng, epsilon", "pass")
    assert "        self.rng = rng\n" in patches(text)["noisy-rewards"], "and no attribute of another argument"
    nameless = "class Bandit:\n    def __init__(self, rng, /):\n        self.r, self.wins = rng, [0, 0]\n\n"
    assert patches(f"{nameless}    def select(self):\n        return 0\n\n{PLAIN}") == {}


WITHOUT = HEAD.replace("self, rng, arms", "self, arms").replace("self.rng, self.epsilon = rng, epsilon", "pass") + PLAIN


@pytest.mark.parametrize(
    "more",
    [
        "DEFAULT = Bandit(3)",
        "class Logged(Bandit):\n    def __init__(self, arms):\n        super().__init__(arms)",
        "def build(arms):\n    return Bandit(arms)",
    ],
)
def test_a_class_that_the_file_builds_is_given_no_other_first_parameter(more):
    assert "self, rng, arms" in patches(WITHOUT)["noisy-rewards"]
    assert patches(f"{WITHOUT}\n\n{more}\n") == {}


FIELDS = """\
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass
class Base:
    NAME: ClassVar[str] = "a base"
    sums: dict = field(default_factory=dict, init=False)
    source: Any = None
    epsilon: float = 1.0


@dataclass
class Bandit(Base):
    bonus: float = 2.0

    def select(self):
        return 0

    def update(self, action, reward):
        self.sums[action] = self.sums.get(action, 0.0) + reward
"""


def test_the_generator_of_a_data_class_is_its_first_parameter():
    """Fields of a base come before those of the class; some are no parameters."""
    text = patches(FIELDS)["noisy-rewards"]
    assert "self.source.laplace(0.0, 1.0 / self.epsilon)" in text
    space = {"__name__": "builtins"}
    exec(compile(text, "bandit.py", "exec", dont_inherit=True), space)
    space["Bandit"](np.random.default_rng(0), 1.0).update(0, 1.0)


HANDED_ON = """\
class Base:
    def __init__(self, source, arms=2, epsilon=1.0):
        self.source, self.budget, self.wins = source, epsilon, [0.0] * arms


class Bandit(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def select(self):
        return 0

"""


def test_a_constructor_that_hands_all_on_is_that_of_its_base():
    text = patches(HANDED_ON + PLAIN)["noisy-rewards"]
    assert "self.source.laplace(0.0, 1.0 / self.budget)" in text
    assert "def __init__(self, *args, **kwargs):" in text
    elsewhere = HANDED_ON[HANDED_ON.index("class Bandit") :].replace("(Base)", "(dict)")
    assert patches(elsewhere + PLAIN) == {}, "what a base elsewhere does with its arguments is not known"


def test_no_name_of_a_derived_class_is_taken():
    derived = "\n\nclass Sub(Bandit):\n    def _learn(self):\n        self._blocks = 1\n"
    text = patches(HEAD + PLAIN + derived)["noisy-blocks"]
    assert "def _learn_2(self, action, reward)" in text
    assert "self._blocks_2 = {}" in text
    assert "def _learn(self, action, reward)" in patches(HEAD + PLAIN)["noisy-blocks"]


def test_it_is_told_why_an_edit_cannot_be_made():
    unfit = []
    text = f"{WITHOUT}\n\nDEFAULT = Bandit(3)\n"
    assert list(universal(Program(text, "Bandit"), 0.0, 1.0, 1.0, unfit)) == []
    why = "cannot be made here: the file builds the class itself, without a Generator"
    assert unfit == [f"{name} {why}" for name in ("noisy-rewards", "noisy-blocks", "latest-block")]


@pytest.mark.parametrize("epsilon", [0.1234567, 1234567.0, 1.0])
def test_numbers_are_written_exactly(epsilon):
    text = HEAD.replace(", epsilon=1.0", "").replace("self.rng, self.epsilon = rng, epsilon", "self.rng = rng") + PLAIN
    tree = ast.parse(patches(text, epsilon)["noisy-rewards"])
    init = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    assert init.args.defaults[-1].value == epsilon


def test_a_diff_outside_of_a_repository_applies_where_the_command_was_called(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "sub" / "bandit.py"
    file.parent.mkdir()
    file.write_text("a = 1\n")
    (tmp_path / "fix.patch").write_text(unified("a = 1\n", "a = 2\n", name_in_diffs(file)))
    subprocess.run(["git", "apply", "fix.patch"], check=True)
    assert file.read_text() == "a = 2\n"
    monkeypatch.chdir(file.parent)
    assert name_in_diffs(file) == "bandit.py"


@pytest.mark.skipif(os.name != "posix", reason="such names are none elsewhere")
@pytest.mark.parametrize("name", ["a b.py", "naïve.py", 'q"\\.py', 'tab\tq".py', "new\nline\\.py"])
def test_git_takes_every_name(name, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a = 1\n")
    diff = unified("a = 1\n", "a = 2\n", name_in_diffs(tmp_path / name))
    head, lines = split_head(diff)
    assert (head + lines, lines[:2]) == (diff, "@@")
    (tmp_path / "fix.patch").write_text(diff)
    subprocess.run(["git", "apply", "fix.patch"], check=True)
    assert (tmp_path / name).read_text() == "a = 2\n"
