"""Statistical tests declare how often they fail by chance, and all together hardly ever do."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("false_failures", HERE / "false_failures.py")
false_failures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(false_failures)

MOST = 1e-3
"""Probability, at most, with which correct code fails any of the tests."""
FILES = [file for file in sorted(HERE.rglob("test_*.py")) if file != Path(__file__)]


def test_all_together_fail_hardly_ever():
    page = false_failures.read()
    assert len(page) > 100
    assert sum(row.together for row in page.values()) < MOST
    assert sum(row.together for row in page.values() if row.fresh) < MOST / 10


def test_the_page_has_what_the_tests_declare(request):
    """Also where only some tests are collected; where a package is missing there are fewer cases."""
    page = false_failures.read()
    for row in false_failures.rows(request.session.items):
        stated = page.get(row.test)
        said = "python -m pytest --collect-only -q --false-failures docs/false-failures.md writes the page again"
        assert stated is not None, f"{row.test}: {said}"
        assert stated[5] == row.why, said
        assert (stated.fresh, f"{stated.each:.1e}") == (row.fresh, f"{row.each:.1e}"), f"{row.test}: {said}"
        assert row.cases <= stated.cases, f"{row.test}: {said}"


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
