"""Which patches are certified, and in which order: by regret, until two are, one of each kind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from privcheck.fixing import _best_certified
from privcheck.fixing._best_certified import best_certified
from privcheck.fixing._look import Setting
from privcheck.fixing._source_text import SourceText
from privcheck.results import FixEdit, FixPatch, PlaceRegret, PolicyRegret

SOURCE = SourceText.of_bytes(Path("bandit.py"), b"class Bandit: pass\n")


def patch(name, share, *, universal=False, why="", standing="not certified", lines=0):
    regret = PolicyRegret(name, 32, (PlaceRegret("somewhere", share, 0.0, share, share),))
    edit = FixEdit(name, "universal" if universal else "noise", "none", 1)
    return FixPatch(0, standing, why, (edit,), "\n\n\n" + lines * "+\n", name, regret=regret)


@pytest.fixture
def asked(monkeypatch):
    """Note of which patches a certificate and an audit are made; those named "bad" and "loud" do not pass them."""
    found = []

    def certified(source, text, *rest):
        found.append(text)
        return SimpleNamespace(horizon=16), "it leaks" * ("bad" in text)

    def refuted(source, text, *rest):
        found.append(f"audit of {text}")
        return None, "a bound above" * ("loud" in text)

    monkeypatch.setattr(_best_certified, "certified", certified)
    monkeypatch.setattr(_best_certified, "refuted", refuted)
    return found


def standings(*patches):
    return [(each.text, each.standing) for each in best_certified(patches, SOURCE, "Bandit", Setting())]


def test_the_best_of_each_kind_is_certified_and_no_more(asked):
    found = standings(patch("c", 0.3), patch("a", 0.1), patch("u", 0.4, universal=True), patch("b", 0.2))
    assert found == [("a", "recommended"), ("u", "certified"), ("b", "not certified"), ("c", "not certified")]
    assert asked == ["a", "audit of a", "u"]


def test_the_smallest_is_certified_too(asked, monkeypatch):
    big = [patch("a", 0.1, lines=14), patch("b", 0.2, lines=13), patch("c", 0.3, lines=13)]
    found = standings(*big, patch("s", 0.4, lines=1))
    assert found == [("a", "recommended"), ("b", "certified"), ("s", "certified"), ("c", "not certified")]
    assert asked == ["a", "audit of a", "b", "s"]
    assert standings(*big, patch("bad s", 0.4, lines=1))[-1] == ("bad s", "withdrawn")
    clock = iter([0.0, 0.0, 0.0, 200.0])
    monkeypatch.setattr(_best_certified, "computing", lambda: next(clock))
    late = best_certified([*big, patch("s", 0.4, lines=1)], SOURCE, "Bandit", Setting())
    assert {each.text: "took too long" in each.why for each in late if each.why} == {"c": False, "s": True}


def test_fewer_lines_come_first_where_regret_does_not_settle_it(asked):
    given = [patch("a", 0.1, lines=14), patch("b", 0.11, lines=1), patch("c", 0.12, lines=1), patch("d", 0.3)]
    first = [best_certified(given, SOURCE, "Bandit", Setting(), tied)[0].text for tied in ((), "ab", "abc", "bc")]
    assert first == ["a", "b", "b", "b"]
    assert standings(*given)[0] == ("a", "recommended")


def test_the_second_one_is_of_the_same_kind_if_there_is_no_other(asked):
    found = standings(patch("a", 0.1), patch("b", 0.2), patch("bad u", 0.3, universal=True))
    assert found == [("a", "recommended"), ("b", "certified"), ("bad u", "withdrawn")]


def test_what_does_not_pass_is_withdrawn_and_the_next_one_takes_its_place(asked):
    found = standings(patch("bad", 0.1), patch("loud", 0.2), patch("c", 0.3))
    assert found == [("c", "recommended"), ("bad", "withdrawn"), ("loud", "withdrawn")]
    assert asked == ["bad", "loud", "audit of loud", "c", "audit of c"]


def test_patches_that_stop_learning_are_never_recommended(asked):
    stuck = patch("s", 0.01, why="it stops learning")
    assert standings(stuck, patch("a", 0.5))[0] == ("a", "recommended")
    found = best_certified([patch("t", 0.9, why="it stops learning"), stuck], SOURCE, "Bandit", Setting())
    assert [(each.text, each.standing) for each in found] == [("s", "not recommended"), ("t", "not certified")]
    assert found[1].why == "it stops learning; no certificate was made of it"


def test_no_certificate_is_begun_when_the_time_is_over(asked, monkeypatch):
    monkeypatch.setattr(_best_certified, "MOST", 0.0)
    (found,) = best_certified([patch("a", 0.1)], SOURCE, "Bandit", Setting())
    assert (found.standing, found.certificate, asked) == ("not certified", None, [])
    assert "took too long" in found.why


def test_time_that_is_over_before_the_second_certificate_is_told(asked, monkeypatch):
    clock = iter([0.0, 0.0, 200.0, 400.0])
    monkeypatch.setattr(_best_certified, "computing", lambda: next(clock))
    found = best_certified([patch("a", 0.1), patch("b", 0.2)], SOURCE, "Bandit", Setting())
    assert [each.standing for each in found] == ["recommended", "not certified"]
    assert "took too long" in found[1].why


def test_what_was_withdrawn_before_stays_so(asked):
    gone = patch("g", 0.0, why="at epsilon = 0.3: a leak", standing="withdrawn")
    assert standings(gone, patch("a", 0.5)) == [("a", "recommended"), ("g", "withdrawn")]
    assert "g" not in asked
