"""Links of the Markdown pages lead somewhere, wherever the site is built or not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(REPOSITORY.glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def slug(heading: str) -> str:
    """Return the anchor that GitHub and MyST give to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def dead(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = []
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not path.startswith("http") and (
            not target.exists()
            or (
                anchor
                and anchor not in {slug(h) for h in re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)}
            )
        ):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert dead(page) == []


def test_a_dead_link_is_noticed(tmp_path):
    (tmp_path / "other.md").write_text("# There\n\n## A heading, here\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#a-heading-here) [c](other.md#nowhere) [d](missing.md) [e](#mine)\n# Mine\n"
    )
    assert dead(page) == ["other.md#nowhere", "missing.md"]


def in_the_navigation(index: Path) -> set[Path]:
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", index.read_text(encoding="utf-8"), re.DOTALL)
    return {index.parent / f"{name}.md" for block in blocks for name in block.split() if not name.startswith(":")}


def test_every_page_is_in_the_navigation():
    listed = in_the_navigation(DOCS / "index.md") | in_the_navigation(DOCS / "evidence" / "index.md")
    assert set(DOCS.rglob("*.md")) - {DOCS / "index.md"} - listed == set()


def linked_from_elsewhere(pages: list[Path]) -> set[Path]:
    """Return what the texts of pages link to; a link of a page to itself does not count."""
    reached = set()
    for page in pages:
        links = LINK.findall(page.read_text(encoding="utf-8"))
        reached |= {(page.parent / link.partition("#")[0]).resolve() for link in links} - {page, page.parent}
    return reached


def test_every_page_is_reached_by_a_link():
    """The reference counts as one page: its first one leads to the others by the navigation."""
    reached = linked_from_elsewhere(PAGES)
    pages = [page for page in PAGES if DOCS in page.parents and page.parent.name != "reference"]
    assert [page.name for page in pages if page not in reached] == []
    assert DOCS / "reference" / "command-line.md" in reached


def test_a_page_that_no_text_links_to_is_noticed(tmp_path):
    (tmp_path / "index.md").write_text("[a](index.md#here) [b](b.md#there)\n```{toctree}\nlost\n```\n")
    assert linked_from_elsewhere([tmp_path / "index.md"]) == {tmp_path / "b.md"}


def test_the_front_page_leads_to_every_how_to():
    front = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    index = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
    for name in (
        "quickstart",
        "audit",
        "reading-an-audit",
        "certificates",
        "testing",
        "bounds",
        "simulation",
        "guarantees",
    ):
        assert f"](docs/{name}.md)" in front
        assert f"]({name}.md)" in index
