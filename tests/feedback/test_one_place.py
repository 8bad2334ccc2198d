"""Nothing outside of the room of kinds asks which kind of feedback it has: it asks the kind."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.feedback import FEEDBACKS, kind

PACKAGE = Path(privcheck.__file__).parent
IDS = set(FEEDBACKS)

NAMED = {
    "environments/_base.py": "what rewards an environment can give; others name one kind",
    "environments/_combinatorial_arms.py": "likewise",
    "environments/_decision_set_environment.py": "likewise",
    "targets/_services/other_interpreter.py": "the attribute `batch` of a policy, not the kind",
    "cli/_init_command.py": "names that a package cannot have",
    "cli/_warm_command.py": "what is simulated there has two means of arms, which is bandit feedback",
    "sweeps/_sweep_file.py": "kinds that a sweep may name; identification has no sweep",
    "auditing/_faults/raw_paths.py": "where one number a round is told, its readings can be followed",
    "bandits/dp_ucb.py": "another 'full', a share of the budget",
    "privacy/_contexts.py": "the default of a public function from below the room; callers above say which are meant",
    "privacy/_neighbours.py": "hands that function a kind that goes with a relation, from below the room",
    "testing/_table_strategies.py": "likewise, for a relation without a policy",
    "targets/_adversary.py": "an adversary answers single arms, round by round: two kinds are like that",
    "simulation/_log_replay.py": "a log has one reward a round: its theorem is about bandit feedback",
    "certifying/_later_rounds/numbers_beyond.py": "numpy's `full`, which makes an array",
    "certifying/_recorded/persons.py": "kinds for which it is proved that a person's rewards are one datum each",
    "certifying/_primitives/player.py": "kinds in which replayed actions may be given to a policy",
    "reporting/_text/fix_sentences.py": "`fix` patches policies with bandit feedback",
    "reporting/_text/watch_sentences.py": "an option that is the default of a command is left out",
    "reporting/_descriptions/next_steps.py": "likewise",
    "reporting/_text/simulation_notes.py": "the delta of an identification is no part of its budget",
    "reporting/_pictures/regret_lower_bounds.py": "the theorems whose lines are drawn are about bandit feedback",
}
"""Files that name a kind where a program could decide by it, and why."""


def decided_by(source: str) -> list[str]:
    """Return what may decide by the id of a kind: comparisons, tables and tuples of ids, patterns, conditions."""
    found = []
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            parts = list(node.keys)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            parts = [*node.elts]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        if any(isinstance(part, ast.Constant) and part.value in IDS for part in parts):
            found.append(ast.unparse(node))
    return found


def test_no_kind_is_asked_for_by_name():
    files = (file for file in PACKAGE.rglob("*.py") if "feedback" not in file.relative_to(PACKAGE).parts)
    found = {file.relative_to(PACKAGE).as_posix() for file in files if decided_by(file.read_text(encoding="utf-8"))}
    assert found == set(NAMED)


@pytest.mark.parametrize(
    "twin",
    [
        "wide = feedback == 'semi-bandit'",
        "if policy.feedback not in ('bandit', 'full'): pass",
        "PLAYERS = {'identification': 1}",
        "KINDS = ['contextual']",
        "match feedback:\n    case 'full': pass",
        "told = 'full' if whole else 'bandit'",
    ],
)
def test_a_kind_that_is_asked_for_by_name_is_noticed(twin):
    assert decided_by(twin)


def test_an_argument_that_names_a_kind_decides_nothing():
    assert not decided_by("def audit(target, feedback='bandit'):\n    return Settings(feedback=feedback)")


# What the kinds say of themselves


def test_the_plainest_kinds_come_first():
    shipped = ["bandit", "full", "contextual", "semi-bandit", "identification"]
    assert [name for name in FEEDBACKS if name in shipped] == shipped
    assert [name for name in FEEDBACKS.guarded if name in shipped] == shipped
    assert [name for name in FEEDBACKS.contextual if name in shipped] == ["contextual"]


@pytest.mark.parametrize("name", list(FEEDBACKS))
def test_every_kind_says_how_a_policy_is_called(name):
    said = kind(name)
    assert type(said).__doc__
    assert [method for method in said.methods if f"{method}(" not in said.call] == []
    assert [attribute for attribute in said.attributes if attribute not in said.call] == []
    assert said.length(4) >= 4
    assert said.symbols(5) - 1 <= np.iinfo(said.dtype).max


class Keeper:
    """Plays arm 1 whatever it is told, and keeps the order in which it is called."""

    stopped = False
    arm = 1
    batch, delay = 1, 0

    def __init__(self):
        self.calls = []

    def select(self, *context):
        self.calls.append(("select", *context))
        return self.arm

    def update(self, *told):
        self.calls.append(("update", *told))
        if len(self.calls) == 4:
            raise ValueError("in round 2")

    def recommend(self):
        return 0

    def act(self, n):
        return [self.select()] * n

    learn = update


@pytest.mark.parametrize("name", list(FEEDBACKS))
def test_what_was_played_is_known_where_update_fails(name):
    """The action of a round can be observed before the policy is told its reward."""
    contexts = privcheck.Contexts(shape=(2,)) if kind(name).contextual else None
    table, played = np.zeros((8, 4 if contexts else 2)), []
    policy = type("Policy", (Keeper,), {"arm": (1,)})() if name == "semi-bandit" else Keeper()
    with pytest.raises(ValueError, match="in round 2"):
        kind(name).play(policy, iter(kind(name).rounds(table, 2, contexts)), 2, played)
    assert [call[0] for call in policy.calls] == ["select", "update"] * 2
    assert len(played) >= 2
    assert set(played) == {2 if name == "semi-bandit" else 1}


def test_a_policy_that_fails_is_placed_in_its_round():
    class Late(Keeper):
        def __init__(self, rng):
            super().__init__()

    with pytest.raises(PolicyError, match=r"^round 2: got ValueError: in round 2"):
        privcheck.audit(Late, epsilon=1.0, arms=2, horizon=4, runs=100)


def test_an_unknown_kind_is_refused_with_all_that_there_are():
    with pytest.raises(PrivcheckError, match=r"feedback: got 'ful', expected one of .*; did you mean 'full'"):
        kind("ful")
    with pytest.raises(PrivcheckError, match=f"expected one of {', '.join(map(repr, FEEDBACKS))};"):
        privcheck.audit("ucb", feedback="ful", runs=100)


@pytest.mark.parametrize(("command", "named"), [("audit", list(FEEDBACKS)), ("certify", FEEDBACKS.guarded)])
def test_the_help_names_every_kind(command, named, capsys):
    """The command line starts without the room of kinds, so that its help is written out."""
    assert run([command, "--help"]) == 0
    shown = "".join(capsys.readouterr().out.replace("│", " ").split())
    assert any(all(name in said[:250] for name in named) for said in shown.split("--feedback")[1:])
