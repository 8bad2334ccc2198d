"""Statistical tests declare how often they fail by chance, and all together hardly ever do."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from tests.modules import beside

HERE = Path(__file__).parent
false_failures = beside(__file__, "false_failures")

MOST = 1e-3
"""Probability, at most, with which correct code fails any of the tests."""
REFUSALS = 6e-5
"""Of 5000 audits, at most 5 % of which the check of independence suspects of each of two layouts, at 1.25e-7 each."""
FILES = [file for file in sorted(HERE.rglob("test_*.py")) if file != Path(__file__)]


def test_all_together_fail_hardly_ever():
    page = false_failures.read()
    assert len(page) > 100
    assert sum(row.together for row in page.values()) + REFUSALS < MOST
    assert sum(row.together for row in page.values() if row.fresh) < MOST / 10


def test_the_page_has_what_the_tests_declare(request):
    """Also where only some of them are collected."""
    command = "python -m pytest --collect-only -q --false-failures=docs/evidence/false-failures.md"
    assert false_failures.stale(request.session.items) == [], f"write the page again: {command}"


def test_the_page_has_no_test_that_is_gone():
    declared = {
        f"{file.relative_to(HERE).as_posix()}::{name}"
        for file in FILES
        for name in re.findall(r"def (test_\w+)\(", file.read_text(encoding="utf-8"))
    }
    assert set(false_failures.read()) <= declared


def test_statistical_tests_declare_their_chance():
    silent = [
        f"{file.relative_to(HERE).as_posix()}::{name}"
        for file in FILES
        for name, declared in false_failures.statistical(file)
        if not declared
    ]
    assert silent == [], "add @pytest.mark.chance(probability, why); 0.0 if nothing in it is random"


BROKEN = '''
import pytest
from scipy import stats

def sample():
    return audit(target, epsilon=1.0)

def helper(draws):
    return stats.kstest(draws, "norm").pvalue

@pytest.mark.chance(1e-6, "one test")
def test_declared():
    assert helper(draws) > 1e-6

def test_through_a_helper():
    assert helper(draws) > 1e-6

def test_of_an_audit():
    assert sample().verdict == "consistent"

def test_of_a_bound():
    assert sample().epsilon_lower <= 1.0

def test_in_words():
    """Within six standard errors."""

def test_of_a_twin():
    assert sample().verdict == "violation"

def test_plain():
    assert 1 + 1 == 2
'''


def test_a_test_without_a_declaration_is_noticed(tmp_path):
    (tmp_path / "test_it.py").write_text(BROKEN, encoding="utf-8")
    assert list(false_failures.statistical(tmp_path / "test_it.py")) == [
        ("test_declared", True), ("test_through_a_helper", False), ("test_of_an_audit", False),
        ("test_of_a_bound", False), ("test_in_words", False),
    ]  # fmt: skip


def test_a_page_that_is_not_current_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{false_failures.HEAD}| old | 1 | 1 | 1 | fresh | gone |\n", encoding="utf-8")
    case = {"path": HERE / "test_it.py", "originalname": "test_it", "nodeid": "test_it.py::test_it"}

    def items(*chance, cases=2, **more):
        mark = SimpleNamespace(args=chance, kwargs=more)
        return [SimpleNamespace(**case, get_closest_marker=lambda _: mark)] * cases

    false_failures.write(page, items(1e-6, "one test"))
    row = false_failures.Row("test_it.py::test_it", 2, 1e-6, 2e-6, False, "one test")
    assert page.read_text(encoding="utf-8") == f"Before.\n\n{false_failures.HEAD}{row}\n"
    assert false_failures.read(page) == {row.test: row}
    assert false_failures.stale(items(1e-6, "one test"), page) == []
    assert false_failures.stale(items(1e-6, "one test", cases=1), page) == []
    assert false_failures.stale(items(0.0, "no random numbers"), page) == []
    for other in (items(2e-6, "one test"), items(1e-6, "two"), items(1e-6, "one test", fresh=True),
                  items(1e-6, "one test", cases=3)):  # fmt: skip
        assert false_failures.stale(other, page) == [row.test]


def test_other_seeds_are_other_numbers(monkeypatch):
    drawn = [np.random.default_rng(3).random(), np.random.SeedSequence(3, spawn_key=(1,)).generate_state(1)[0]]
    for name in ("default_rng", "SeedSequence"):
        monkeypatch.setattr(np.random, name, getattr(np.random, name))
    false_failures.reseed(1)
    other = [np.random.default_rng(3).random(), np.random.SeedSequence(3, spawn_key=(1,)).generate_state(1)[0]]
    assert other == [np.random.default_rng(3).random(), np.random.SeedSequence(3, spawn_key=(1,)).generate_state(1)[0]]
    assert drawn[0] != other[0]
    assert drawn[1] != other[1]
