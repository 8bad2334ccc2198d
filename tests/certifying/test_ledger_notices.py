"""What a guard says of a ledger that it opens, and opens nevertheless: a scope whose name may be misspelled, and a head
that would be restored together with the ledger.
"""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta

import pytest

from privcheck.certifying import read_ledger
from privcheck.cli import run
from tests.modules import beside

policies = beside(__file__, "ledger_policies", registered=True)
guard, close, rows = policies.guard, policies.close, policies.rows


def said(folder, **options):
    """Return what a guard warns of as it is opened, with its head in a folder of its own unless told otherwise."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        close(guard(folder, **{"head": folder / "heads" / "heads.db"} | options))
    return [str(each.message) for each in shown]


@pytest.mark.parametrize("name", ["new", "News", "nwes", "news-2", "newss"])
def test_a_scope_that_is_named_almost_like_another_one_is_said_once(tmp_path, name):
    assert said(tmp_path, scope="orders") == []
    assert said(tmp_path) == []
    (words,) = said(tmp_path, scope=name)
    assert words.startswith(f"the scope {name!r} is new in ")
    assert "has the scope 'news': it begins new budgets, also for persons who gave rewards there; if" in words
    assert words.endswith("continues='news' to keep what was spent")
    assert said(tmp_path, scope=name) == [], "the scope is there now"


def test_a_scope_that_is_numbered_for_the_first_time_is_said(tmp_path):
    """And so is the next one: both begin anew beside the one without a number."""
    assert said(tmp_path) == []
    for number in (2, 3):
        (words,) = said(tmp_path, scope=f"news-{number}")
        assert "has the scope 'news': it begins new budgets" in words


@pytest.mark.parametrize(
    "options",
    [{"scope": "views"}, {"scope": "sports"}, {"scope": "shop 12"}, {"scope": "news-2", "continues": "news"}],
    ids=str,
)
def test_other_names_numbers_and_scopes_that_continue_one_are_not(tmp_path, options):
    assert said(tmp_path) == said(tmp_path, scope="shop 3") == []
    assert said(tmp_path, **options) == []


def test_where_warnings_are_errors_no_scope_is_begun(tmp_path):
    assert said(tmp_path) == []
    with pytest.raises(RuntimeWarning, match="the scope 'nws' is new in"):
        guard(tmp_path, scope="nws", head=tmp_path / "heads" / "heads.db")
    assert rows(tmp_path, "SELECT name FROM scope") == [("news",)]


def test_a_head_beside_its_ledger_is_said_at_each_opening(tmp_path):
    for _ in range(2):
        (words,) = said(tmp_path, head=tmp_path / "heads" / ".." / "heads.db")
        assert words.startswith(f"the head {tmp_path / 'heads.db'} is in the folder of the ledger")
        assert "spends again what was spent since" in words


def test_verify_says_so_too(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    for head, beside_it in ((tmp_path / "heads.db", True), (tmp_path / "heads" / "heads.db", False)):
        ledger = tmp_path / f"budget {beside_it}.db"
        with warnings.catch_warnings(action="ignore"):
            close(guard(tmp_path, ledger=ledger, head=head))
        assert run(["ledger", "verify", str(ledger), "--head", str(head)]) == 0
        assert ("; the head is in the same folder" in capsys.readouterr().out) == beside_it


def test_show_says_when_each_scope_began(tmp_path, capsys):
    before = datetime.now(UTC) - timedelta(seconds=1)
    said(tmp_path)
    said(tmp_path, scope="sports")
    for scope in read_ledger(tmp_path / "budget.db"):
        assert before <= scope.began <= datetime.now(UTC)
    assert run(["ledger", "show", str(tmp_path / "budget.db")]) == 0
    assert capsys.readouterr().out.count(f"  began               on {scope.began:%Y-%m-%d at %H:%M} UTC") == 2
