"""The page: complete, self-contained, escaped, written whole or not at all."""

from __future__ import annotations

import html
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.reporting import clean, save_page
from privcheck.reporting import page as render_page
from privcheck.reporting._pages import page_audits as page_module
from privcheck.reporting._text.audit_sentences import meaning, verdict_sentence

VOID = {"meta", "br", "wbr", "hr", "img", "link", "input"}
REFERENCE = re.compile(r"(?:https?:)?//[a-z][^\s\"'<>]*", re.IGNORECASE)


class Reader(HTMLParser):
    """Checks that every element is closed in its turn, and collects text and attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags, self.attributes = [], [], Counter(), []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


@pytest.fixture(scope="module")
def page(reports):
    return render_page(list(reports.values()), title="<i>audits</i>")


@pytest.fixture(scope="module")
def reader(page):
    return read(page)


def test_page_holds_every_report(reports, reader):
    text = " ".join(" ".join(reader.text).split())
    assert "7 audits: 2 violations, 2 consistent, 2 inconclusive, 1 without a claim" in text
    for report in reports.values():
        assert clean(report.target) in text
        assert verdict_sentence(report).partition(": ")[2] in text
        assert all(sentence in text for sentence in meaning(report))
        assert all(note in text for note in report.notes)
    pictures = [(r.witness, r.simplest, r.tradeoff) for r in reports.values()]
    assert reader.tags["figure"] == 1 + sum(part is not None for parts in pictures for part in parts)
    assert reader.tags["figcaption"] == reader.tags["figure"]
    assert reader.tags["caption"] == reader.tags["table"]


def test_page_needs_nothing_else(page, reader):
    for name, value in reader.attributes:
        if name in ("href", "xlink:href"):
            assert value.startswith("#"), value
        assert name not in ("src", "srcset", "data", "poster", "background")
    elsewhere = set(REFERENCE.findall(re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)))
    assert elsewhere == set()
    assert not {"link", "iframe", "object", "image"} & set(reader.tags)
    assert "@import" not in page
    assert "url(#" in page


def test_ids_are_unique_and_links_arrive(page, reader):
    ids = Counter(value for name, value in reader.attributes if name == "id")
    assert max(ids.values()) == 1
    links = {value[1:] for name, value in reader.attributes if name in ("href", "xlink:href")}
    links |= set(re.findall(r"url\(#([^)]+)\)", page))
    assert len(links) > 20
    assert links <= set(ids)


def test_page_escapes_what_users_named(page, reader):
    assert html.escape('x<script>alert("1")</script>') in page
    assert page.count("<script") == 1
    assert "<img" not in page
    assert reader.tags["i"] == 0
    page.encode()


def test_page_is_the_same_twice(reports):
    chosen = [reports["violation"], reports["violation"], reports["early"]]
    page = render_page(chosen)
    assert render_page(chosen) == page
    ids = Counter(value for name, value in read(page).attributes if name == "id")
    assert max(ids.values()) == 1


def test_expectations_are_shown(reports):
    text = " ".join(read(render_page([reports["violation"]], expected=["consistent"])).text)
    assert "not met" in text
    assert "0 of 1 as expected" in text


def test_save_makes_the_folder_and_replaces(reports, tmp_path):
    path = tmp_path / "new" / "audit.html"
    for title in ("first", "second"):
        save_page([reports["early"]], path, title=title)
        assert path.read_text(encoding="utf-8") == render_page([reports["early"]], title=title)
    assert [entry.name for entry in path.parent.iterdir()] == ["audit.html"]


@pytest.mark.parametrize("name", ["audit.pdf", "audit", "folder.html", "file.html/audit.html"])
def test_bad_paths_are_refused_and_leave_nothing(reports, tmp_path, name):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file.html").write_text("kept")
    with pytest.raises(PrivcheckError, match="path: got"):
        save_page([reports["early"]], tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["file.html", "folder.html"]
    assert (tmp_path / "file.html").read_text() == "kept"


def test_a_page_that_cannot_be_drawn_leaves_nothing(reports, tmp_path, monkeypatch):
    (tmp_path / "old.html").write_text("old")

    def fail(*arguments, **settings):
        raise RuntimeError("no ink")

    monkeypatch.setattr(page_module, "bounds_figure", fail)
    for name in ("old.html", "new/audit.html"):
        with pytest.raises(RuntimeError, match="no ink"):
            save_page([reports["early"]], tmp_path / name)
    assert [entry.name for entry in tmp_path.rglob("*")] == ["old.html"]
    assert (tmp_path / "old.html").read_text() == "old"


def test_a_failed_write_leaves_the_old_page(reports, tmp_path, monkeypatch):
    path = tmp_path / "old.html"
    path.write_text("old")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises((OSError, PrivcheckError), match="No space left"):
        save_page([reports["early"]], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_bad_reports_are_refused(reports, tmp_path):
    with pytest.raises(PrivcheckError, match="at least one report"):
        save_page([], tmp_path / "audit.html")
    with pytest.raises(PrivcheckError, match="expected: got 2 verdicts"):
        save_page([reports["early"]], tmp_path / "audit.html", expected=["violation", "violation"])
    assert list(tmp_path.iterdir()) == []


def test_a_real_audit_saves_its_page(tmp_path):
    report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=5_000)
    report.save_html(tmp_path / "audit.html")
    text = " ".join(" ".join(read((tmp_path / "audit.html").read_text(encoding="utf-8")).text).split())
    assert verdict_sentence(report).partition(": ")[2] in text
    assert report.witness.streams in text
