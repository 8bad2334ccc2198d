"""The site: it builds without a warning, links and anchors lead somewhere, nothing is asked of another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import privcheck

for needed in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(needed, reason="`make docs` installs what builds the site: the extra docs, 67 MB")

DOCS = Path(__file__).parents[2] / "docs"
REQUESTED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


def build(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(privcheck.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-P", "-m", "sphinx", "-q", "-W", "--keep-going", "-d", f"{out}-doctrees", source, out]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": path})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "html"
    done = build(DOCS, out)
    assert done.returncode == 0, done.stderr
    return out


class Page(HTMLParser):
    """The ids of a page, its links, and what a browser requests to show it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.requests: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif tag in REQUESTED and REQUESTED[tag] in given:
            self.requests.add(given[REQUESTED[tag]])


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def dead(path: Path, page: Page, pages: dict[Path, Page]) -> list[str]:
    found = []
    for link in page.links | page.requests:
        parts = urlsplit(link)
        if parts.scheme in ("", "file"):
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchored = target in pages and unquote(parts.fragment) not in pages[target].ids
            if not target.exists() or (parts.fragment and anchored):
                found.append(link)
    return found


def test_links_and_anchors_lead_somewhere(pages):
    assert len(pages) >= 30
    assert {str(path): found for path, page in pages.items() if (found := dead(path, page, pages))} == {}


def test_a_dead_link_would_be_noticed(tmp_path):
    (tmp_path / "there.html").write_text("")
    page = Page('<a href="there.html">a</a><a href="#mine">b</a><a href="gone.html">c</a><img src="x.png"><p id="me">')
    found = dead(tmp_path / "page.html", page, {tmp_path / "page.html": page})
    assert sorted(found) == ["#mine", "gone.html", "x.png"]


def test_nothing_is_requested_from_another_host(site, pages):
    assert {request for page in pages.values() for request in page.requests if urlsplit(request).netloc} == set()
    for style in site.rglob("*.css"):
        urls = re.findall(r"url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)", style.read_text(encoding="utf-8"))
        assert [url for pair in urls for url in pair if urlsplit(url).netloc] == [], style
    for script in site.rglob("*.js"):
        assert not re.search(r"(fetch|import|importScripts)\(\s*[\"'`]https?:", script.read_text(encoding="utf-8")), (
            script
        )


def test_public_names_and_registries_have_entries_and_sources(site, pages):
    from privcheck.bandits import ALGORITHMS
    from privcheck.bounds import THEOREMS

    reference = site / "reference"
    assert {f"privcheck.{name}" for name in ("audit", "certify", "guard", "simulate")} <= set().union(
        *(page.ids for path, page in pages.items() if path.parent == reference)
    )
    algorithms = pages[reference / "algorithms.html"]
    assert {f"{cls.__module__}.{cls.__qualname__}" for cls in map(ALGORITHMS.__getitem__, ALGORITHMS)} <= algorithms.ids
    theorems = (reference / "theorems.html").read_text(encoding="utf-8")
    assert all(f">{name}</span>" in theorems for name in THEOREMS)
    assert any(
        "_modules/privcheck/auditing/_audit.html#audit" in link for link in pages[reference / "auditing.html"].links
    )
    algorithm = (reference / "algorithms.html").read_text(encoding="utf-8")
    assert algorithm.count(">Guarantee</p>") >= len(list(ALGORITHMS))


def test_a_warning_is_an_error(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text('extensions = ["myst_parser"]\n')
    (tmp_path / "docs" / "index.md").write_text("# Page\n\n[nowhere](missing.md)\n")
    done = build(tmp_path / "docs", tmp_path / "out")
    assert done.returncode != 0
    assert "missing.md" in done.stderr
