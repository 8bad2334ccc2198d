"""Links of the Markdown pages lead somewhere, wherever the site is built or not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGES = [*sorted((REPOSITORY / "docs").rglob("*.md")), *sorted(REPOSITORY.glob("*.md"))]
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


def test_every_page_is_in_the_navigation():
    index = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {
        name.rstrip("?")
        for block in re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)
        for name in block.split()
    }
    pages = {str(page.relative_to(REPOSITORY / "docs").with_suffix("")) for page in (REPOSITORY / "docs").rglob("*.md")}
    assert pages - {"index"} <= listed


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
