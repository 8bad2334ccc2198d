"""A translation that does something else than the code: plain replays run the code as it was written, and differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from privcheck import certify
from privcheck.certifying._outside.same_path import ACTIONS
from privcheck.certifying._translated import private_choices, swapped_code
from privcheck.certifying._translated.definitions import _definitions
from privcheck.certifying._translated.rewriting import ANSWERED, CHOSEN
from tests.certifying.translated_programs import loaded

COUNTS = """\
class Policy:
    def __init__(self, rng, arms, epsilon):
        self.rng, self.t, self.s, self.arm = rng, 0, 0.0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.s += LINE
        if self.t == 4:
            self.arm = int(self.s + self.rng.laplace(0.0, 0.1) > 1.1)
"""
CHOICE = COUNTS.replace("LINE", "1.0 if reward > 0.3 else 0.0")
LAMBDAS = "UP, DOWN = (lambda x: max(0.0, x - 0.3)), (lambda x: min(0.4, x))\n\n\n"
LAMBDAS += COUNTS.replace("LINE", "DOWN(reward)")


@pytest.fixture
def fresh():
    swapped_code._translation.cache_clear()
    yield
    swapped_code._translation.cache_clear()


def certified(text, folder):
    return certify(loaded(text, folder), epsilon=10.0, arms=2, horizon=8, runs=2)


@pytest.mark.parametrize("text", [CHOICE, LAMBDAS])
def test_the_code_as_it_is_translated_agrees_with_it(text, tmp_path, fresh):
    found = certified(text, tmp_path)
    assert found.granted
    assert found.replay.replays > 0


def test_exchanged_branches_are_found(tmp_path, fresh, monkeypatch):
    wrong = lambda condition, yes, no: private_choices.chosen(condition, no, yes)  # noqa: E731
    for helper in (CHOSEN, ANSWERED):
        monkeypatch.setitem(swapped_code._STANDS_FOR, helper, wrong)
    found = certified(CHOICE, tmp_path)
    assert found.replay.divergences > 0
    assert (found.complete, found.granted) == (False, False)


def test_a_lambda_that_is_taken_for_another_is_found(tmp_path, fresh, monkeypatch):
    def first(code, names):
        text = Path(code.co_filename).read_text("utf-8")
        return _definitions(text).get((code.co_name, code.co_firstlineno), [None])[0]

    monkeypatch.setattr(swapped_code, "definition", first)
    found = certified(LAMBDAS, tmp_path)
    assert found.replay.divergences > 0 or ACTIONS in found.notes
    assert (found.complete, found.granted) == (False, False)
