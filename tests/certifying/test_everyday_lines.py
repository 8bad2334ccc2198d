"""How many right everyday lines that never ran a certificate leaves out, and that it leaves out no twin that leaks."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path

import pytest

from privcheck import certify

LINES = tomllib.loads(Path(__file__).with_name("everyday_lines.toml").read_text(encoding="utf-8"))
PLACES = ("SELECT", "START", "RELEASED", "CHOSEN", "END")

LISTED = ["doubled size", "more noise", "restart", "restart by method"]
"""Right lines that are listed: they draw, or change a size, a scale or the rounds in which something is released."""

HARMLESS = ["explore", "frozen"]
"""Twins that cannot leak: a sum of one reward in [0, 1] is never above 1, and nothing sets `frozen`."""

TWINS = [name for name, line in LINES["lines"].items() if "twin" in line and name not in HARMLESS]


def source(place, lines):
    """Return the policy with lines in one of the places, and nothing in the others."""
    found = []
    for line in LINES["policy"].splitlines():
        name = line.strip()
        text = lines if name == place else "pass"
        found.append(textwrap.indent(text, line[: len(line) - len(name)]) if name in PLACES else line)
    return "\n".join(found) + "\n"


def is_granted(name, kind, folder):
    line = LINES["lines"][name]
    file = folder / "policy.py"
    file.write_text(source(line["place"], line[kind]), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=12, runs=4).granted


@pytest.mark.parametrize("name", LINES["lines"])
def test_right_lines(name, tmp_path):
    assert is_granted(name, "right", tmp_path) == (name not in LISTED)


@pytest.mark.parametrize("name", TWINS)
def test_twins(name, tmp_path):
    assert not is_granted(name, "twin", tmp_path)


def test_their_numbers():
    """Those of docs/evidence/lines-that-never-ran.md."""
    assert (len(LINES["lines"]), len(LINES["lines"]) - len(LISTED), len(TWINS)) == (65, 61, 60)
