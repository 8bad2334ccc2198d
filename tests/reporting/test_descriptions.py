"""A report is described once, in parts that the terminal and the page render."""

from __future__ import annotations

import io
from typing import get_args

import pytest
from matplotlib.figure import Figure
from rich.console import Console
from rich.text import Text

from privcheck.reporting import details, page
from privcheck.reporting._descriptions import audit, certificate
from privcheck.reporting._descriptions import parts as p
from privcheck.reporting._pages.rendered_parts import rendered as on_page
from privcheck.reporting._terminal.rendered_parts import rendered as in_terminal
from tests.example_results import GRANTED, VIOLATION

BOTH = {
    p.Alarm("the bounds differ"): "the bounds differ",
    p.Code("privcheck audit x"): "privcheck audit x",
    p.Drawn(lambda: [Text("both")], lambda: ["<p>both</p>"]): "both",
    p.Facts((("claim", "epsilon = 1"),)): "epsilon = 1",
    p.Heading("Leaks"): "Leaks",
    p.Listed(("it is slow",)): "it is slow",
    p.Note("it is slow"): "it is slow",
    p.Said("it is slow"): "it is slow",
    p.Verdict("✓", "certified", " epsilon <= 1", "green"): "✓ certified: epsilon <= 1",
}
TERMINAL = {p.Title("bandit.py:Mine"): "bandit.py:Mine"}
PAGE = {
    p.Picture("losses", lambda width: Figure(figsize=(width, 1)), "the losses"): "the losses",
    p.OnPage((p.Said("read on"),)): "read on",
}


def shown(content):
    console = Console(width=100, file=io.StringIO(), record=True)
    console.print(content)
    return console.export_text()


def html(parts):
    return "\n".join(on_page(parts)).replace("&lt;", "<").replace("<b>", "").replace("</b>", "")


def test_every_part_has_a_case_here():
    assert {type(part) for part in (*BOTH, *TERMINAL, *PAGE)} == set(get_args(p.Part))


@pytest.mark.parametrize("part", BOTH, ids=lambda part: type(part).__name__)
def test_both_media_show_a_part(part):
    assert BOTH[part] in shown(in_terminal([part]))
    assert BOTH[part] in html([part])


@pytest.mark.parametrize("part", [*TERMINAL, *PAGE], ids=lambda part: type(part).__name__)
def test_one_medium_leaves_a_part_to_the_other(part):
    told = (TERMINAL | PAGE)[part]
    assert (told in shown(in_terminal([part])), told in html([part])) == (part in TERMINAL, part in PAGE)


def test_a_terminal_shows_the_first_of_a_long_list():
    part = p.Listed(("one", "two", "three", "four"), most=2)
    assert shown(in_terminal([part])).split() == ["-", "one", "-", "two", "and", "2", "others"]
    assert html([part]).count("<li>") == 4


def test_pictures_on_one_page_have_different_names():
    (picture, _) = PAGE
    assert 'id="losses-2-wide-title"' in "".join(on_page([picture], mark="-2"))


@pytest.mark.parametrize(("description", "result"), [(audit, VIOLATION), (certificate, GRANTED)], ids=["audit", "cert"])
def test_a_new_section_is_one_entry(description, result, monkeypatch):
    """The broken twin is the list without it."""

    def cure(result):
        yield p.Heading("How to cure it")
        yield p.Said(f"Add noise to {result.target.partition('(')[0]}.")

    def media():
        return [" ".join(shown(details(result)).split()), page(result)]

    wanted = f"Add noise to {result.target.partition('(')[0]}."
    assert not any(wanted in told for told in media())
    monkeypatch.setattr(description, "SECTIONS", (*description.SECTIONS, cure))
    assert all(wanted in told and "How to cure it" in told for told in media())
