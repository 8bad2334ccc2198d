"""What CONTRIBUTING.md and the architecture send contributors to is there: files, and names in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "docs" / "architecture.md",
    REPOSITORY / "docs" / "evidence" / "inside-an-audit.md",
]
FILE = re.compile(r"[\w./-]+\.(?:py|pyi|md|txt|json|toml|csv)|[\w.-]+(?:/[\w.-]+)*/")
"""A file by its suffix, or a folder by the slash at its end."""
WITH_NAME = re.compile(r"`([A-Za-z_]\w+)`\s+(?:in|of `\w+`|from)?\s*\(?`([^`\s]+\.py)`")
"""As in: `SECTIONS` in `audit.py`, `NAMES` of `Settings` (`_settings.py`), and `BestArmAlgorithm` (`best_arm.py`)."""
MADE = {"out/", "out/site"}
"""What `make` writes."""


def sections(text: str) -> list[str]:
    """Return the parts of a page under its headings, without fences and generated parts."""
    return re.split(r"^#+ .*$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)


def found(name: str, folders: list[Path]) -> Path | None:
    """Return the file of this name in the repository, in the package, or in a folder that the section has named."""
    return next((place / name for place in folders if (place / name).exists()), None)


def missing(text: str) -> list[str]:
    """Return the files that a page names and that are not there, and names that are not in the files it says.

    A file without its folder is looked for in the folders that its section has named before.
    """
    wrong = []
    for section in sections(text):
        folders = [REPOSITORY, REPOSITORY / "privcheck"]
        for name in re.findall(r"`([^`\s]+)`", section):
            if not FILE.fullmatch(name) or name in MADE:
                continue
            if (file := found(name, folders)) is None:
                wrong.append(name)
            else:
                folders.append(file if file.is_dir() else file.parent)
        for word, name in WITH_NAME.findall(section):
            file = found(name, folders)
            if file is not None and not re.search(rf"\b{word}\b", file.read_text(encoding="utf-8")):
                wrong.append(f"{word} in {name}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page):
    assert missing(page.read_text(encoding="utf-8")) == []


def test_pages_name_many_files():
    """What is read is not nothing: names are found with their files, and files with and without their folders."""
    text = PAGES[0].read_text(encoding="utf-8")
    files = {name for name in re.findall(r"`([^`\s]+)`", text) if FILE.fullmatch(name)}
    assert len(files) > 40
    assert {"privcheck/targets/_options/claim_options.py", "game_options.py", "tests/bandits/"} <= files
    assert {
        ("SHIPPED", "privcheck/certifying/_primitives/shipped_declarations.py"),
        ("UNUSUAL", "tests/auditing/test_options.py"),
    } <= set(WITH_NAME.findall(text))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("What is played stands in `privcheck/targets/_options/claim_options.py` and in `game.py`.", ["game.py"]),
        ("What is played stands in `privcheck/targets/_options/claim_options.py` and in `game_options.py`.", []),
        ("# One\n`privcheck/targets/_options/claim_options.py`\n# Two\n`game_options.py`", ["game_options.py"]),
        ("One file in `privcheck/bandit/`, as `ucb.py`.", ["privcheck/bandit/", "ucb.py"]),
        ("In `NAME` of `Settings` (`privcheck/targets/_settings.py`).", ["NAME in privcheck/targets/_settings.py"]),
        ("In `NAMES` of `Settings` (`privcheck/targets/_settings.py`).", []),
        ("An entry in `FIRST` in `audits/dp_se.py`.", ["FIRST in audits/dp_se.py"]),
        ("An entry in `AUDIT` in `audits/dp_se.py`.", []),
    ],
)  # fmt: skip
def test_what_is_not_there_is_noticed(text, wrong):
    assert missing(text) == wrong
