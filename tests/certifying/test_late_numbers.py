"""A number that the last round chooses by a reward, and a later round reads: never granted, whatever holds it."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest

from privcheck import certify
from privcheck.certifying._later_rounds import second_looks

FILE = Path(__file__).parent / "late_numbers.py"
spec = importlib.util.spec_from_file_location("late_numbers", FILE)
late = importlib.util.module_from_spec(spec)
spec.loader.exec_module(late)


def derived(base):
    classes = {name: value for name, value in vars(late).items() if inspect.isclass(value)}
    return [name for name, value in classes.items() if issubclass(value, base) and value is not late.Base]


NAMES = derived(late.Base)
RIGHT = [name for name in derived(late.Right) if name != "RightGenerator"]
NEW = {"InADeque", "Appended", "Summed", "NewKey", "Waiting", "InAGenerator", "OutOfReach", "InACache", "Twice"}
"""Those that keep it in a new entry, or where it cannot be put: in these it is found in the rounds that follow."""


def certified(name, rounds=late.ROUNDS):
    return certify(f"{FILE}:{name}", epsilon=1.0, arms=2, horizon=rounds, runs=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_number_chosen_in_the_last_round_is_never_granted(name):
    certificate = certified(name)
    assert not certificate.granted, str(certificate)
    assert certificate.leaks or any("private numbers" in note for note in certificate.notes)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NEW])
def test_nor_is_it_if_no_round_follows_that_reads_it(name, monkeypatch):
    """Places are filled with private numbers: so lines read one without a round in which they would do so."""
    monkeypatch.setattr(second_looks.SecondLooks, "leaks_after", lambda _: [])
    monkeypatch.setattr(second_looks, "MOST_AFTER", -1)
    certificate = certified(name)
    assert not certificate.granted
    assert certificate.leaks == []
    assert certificate.epsilon_upper == 1.0
    assert any("was not seen with the private numbers" in note for note in certificate.notes), certificate.notes


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("OutOfReach", "InACache", "Later")])
def test_nor_is_it_if_no_place_is_filled(name, monkeypatch):
    monkeypatch.setattr(second_looks.SecondLooks, "unseen", lambda _: [])
    certificate = certified(name)
    assert certificate.leaks
    assert certificate.epsilon_upper is None


@pytest.mark.parametrize("name", ["OutOfReach", "InACache", "RightGenerator"])
def test_what_is_not_looked_into_is_told(name):
    certificate = certified(name)
    assert certificate.is_inconclusive
    assert "held where it is not seen who reads them" in certificate.notes[0]


def test_the_note_names_the_line_and_the_place():
    (note,) = certified("Later").notes
    lines = FILE.read_text(encoding="utf-8").splitlines()
    reads = next(n for n, text in enumerate(lines, 1) if "self.arms[self.t % 16]" in text)
    chosen = next(n for n, text in enumerate(lines, 1) if "self.keep(1 if reward" in text)
    assert note.startswith(f"late_numbers.py:{reads} (return self.arms[self.t % 16]) was not seen with")
    assert note.endswith(f"Later.arms[2], made at late_numbers.py:{chosen}")


@pytest.mark.parametrize("rounds", [late.ROUNDS, late.ROUNDS + 1])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_that_keeps_such_numbers_is_granted(name, rounds):
    certificate = certified(name, rounds)
    assert certificate.granted, (str(certificate), certificate.notes)
    assert certificate.ledger_epsilon == 1.0
