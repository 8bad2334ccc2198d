"""Pages, docstrings and messages are native English: turns that a reader stumbled over do not come back."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
TURNS = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\b(is|are) told\b(?! (apart|otherwise|\*?\*?in private))": "receives, learns, sees",
    r"\bwhat is what\b": "say which words mean the same",
    r"\bas short as they can be said\b": "in short",
    r"\b(shows itself|show themselves)\b": "is displayed",
    r"\blaws that (are no|are not) laws\b": "what is no probability law",
    r"\bfrom then on nothing is played\b": "no further runs are played",
    r"\bin place of two streams\b": "say what the two games are",
    r"\bsay in one line what is wrong with\b": "describe the mistake in one line",
    r"\bafter so many outcomes\b": "after this many outcomes",
    r"\bmakes? (more|\d[\d,]*) runs\b": "play, or do",
    r"\blooks well\b": "looks good",
}
"""Foreign turns and coined words, as patterns, each with what to write."""
QUOTED = re.compile(r"docs/evidence/(azize-basu|chen|hu|jourdan-azize|shariff-sheffet)-|privcheck/claims/papers/")
"""Where the words are those of papers."""
PAGES = [
    *(REPOSITORY / "docs").rglob("*.md"),
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "MIGRATING.md", ".github/SECURITY.md")),
]
MODULES = [*(REPOSITORY / "privcheck").rglob("*.py"), *(REPOSITORY / "audits").rglob("*.py")]


def turns(text: str) -> list[str]:
    """Return the turns in a text, wherever its lines break, with what to write instead."""
    flat = " ".join(text.split())
    return [
        f"{found[0]!r}: write {better}"
        for turn, better in TURNS.items()
        for found in re.finditer(turn, flat, re.IGNORECASE)
    ]


def turns_of_module(source: str) -> list[str]:
    """Return those in the docstrings, messages and names of a module."""
    tree = ast.parse(source)
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name.replace("_", " ") for node in ast.walk(tree) if isinstance(node, defined)]
    return [found for text in (*strings, *names) for found in turns(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_have_none(page):
    if not QUOTED.search(page.as_posix()):
        assert turns(page.read_text(encoding="utf-8")) == []


def test_docstrings_messages_and_names_have_none():
    found = {
        module.relative_to(REPOSITORY).as_posix(): turns_of_module(module.read_text(encoding="utf-8"))
        for module in MODULES
        if not QUOTED.search(module.as_posix())
    }
    assert len(found) > 500
    assert {module: these for module, these in found.items() if these} == {}


@pytest.mark.parametrize(
    "text",
    [
        "Mend the line\nat fault.",
        "The policy is\ntold the reward.",
        "make more runs",
        "makes 1,000 runs",
        "it looks well",
    ],
)
def test_a_broken_page_is_noticed(text):
    assert len(turns(f"# Page\n\n{text}\n")) == 1


def test_a_broken_module_is_noticed():
    source = 'def mend_page():\n    """Mend it."""\n    raise ValueError("make " "more runs")\n'
    assert len(turns_of_module(source)) == 3


@pytest.mark.parametrize("text", ["recommend", "amended", "two laws are told apart", "unless it is told otherwise"])
def test_english_is_let_through(text):
    assert turns(text) == []
