"""`--help` reads like documentation: its examples run, every option stands under a heading, statuses are told."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from privcheck.cli import run
from privcheck.cli._application import HELP, app
from privcheck.cli._described.help_pages import SECTIONS, VALUES
from tests.announcements import without_announcements

PAGE = (Path(__file__).parents[2] / "docs" / "contextual.md").read_text(encoding="utf-8")
COMMANDS = {str(info.name or info.callback.__name__): inspect.getdoc(info.callback) for info in app.registered_commands}
BANDIT = """
class MyBandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms = rng, arms

    def select(self):
        return int(self.rng.integers(self.arms))

    def update(self, action, reward):
        pass
"""


def examples(text: str) -> list[str]:
    """Return the commands of the indented paragraphs, a line that is indented further being continued."""
    return re.findall(r"^    (privcheck .*(?:\n        .*)*)", inspect.cleandoc(text), re.MULTILINE)


@pytest.mark.parametrize("name", ["privcheck", *COMMANDS])
def test_examples_run_in_order(name, folder, command, capsys):
    (folder / "my_bandit.py").write_text(BANDIT)
    contextual = re.findall(r"```python\n# my_bandit.py\n(.*?)```", PAGE, re.DOTALL)[0]
    (folder / "my_contextual_bandit.py").write_text(contextual)
    plan = re.findall(r"^    ((?!privcheck).*)", inspect.cleandoc(COMMANDS["sweep"]), re.MULTILINE)
    (folder / "sweep.toml").write_text("\n".join(plan))
    for line in examples(COMMANDS.get(name, HELP)):
        if any(f"--{option} " in line for option in ("command", "url", "python")):
            continue  # programs, services and other interpreters are tested in tests/services
        assert command(" ".join(line.split())) in (0, 1, 3), capsys.readouterr().err
        assert without_announcements(capsys.readouterr().err) == []


def help_of(capsys, *arguments: str) -> str:
    assert run([*arguments, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described(name, capsys):
    said = help_of(capsys, name)
    assert examples(COMMANDS[name])
    assert "Exit status: 0" in " ".join(said.split())
    for line in examples(COMMANDS[name]):
        assert f"      {line.splitlines()[0]}\n" in said, "an example is not broken into other lines"
    assert max(len(line) for line in said.splitlines()) <= 84


@pytest.mark.parametrize("name", SECTIONS)
def test_options_stand_under_headings(name, capsys):
    said = help_of(capsys, name)
    headings = re.findall(r"^(\S.*):$", said, re.MULTILINE)
    assert headings == ["Arguments", *SECTIONS[name], "Other options"]
    assert re.findall(r"^  (-\S+)", said.partition("Other options:")[2], re.MULTILINE) == ["-h,"]
    assert "<str>" not in re.sub(r"(TARGET|POLICY\.\.\.|FILE\.toml|DIR|OLD|NEW) <str>", "", said)


def test_an_option_without_a_heading_is_shown_all_the_same(capsys, monkeypatch):
    monkeypatch.setitem(SECTIONS, "certify", {"Effort": ("runs", "seed")})
    assert "--neighbours" in help_of(capsys, "certify").partition("Other options:")[2]


def test_the_group_names_its_commands_and_statuses(capsys):
    said = help_of(capsys)
    assert "..." not in said.partition("Commands:")[2]
    assert re.findall(r"^  (\w+)  ", said.partition("Commands:")[2], re.MULTILINE) == [*COMMANDS, "ledger"]
    for name in ("audit", "certify", "bounds", "simulate"):
        assert f"      privcheck {name} " in said


def test_no_value_is_named_for_an_option_that_does_not_exist():
    known = {parameter for info in app.registered_commands for parameter in inspect.signature(info.callback).parameters}
    assert set(VALUES) <= known
