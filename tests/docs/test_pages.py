"""What the pages show is true: Python runs in order, commands run and print what is shown, tables are computed."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import privcheck
from tests.announcements import without_announcements

pytestmark = pytest.mark.long

REPOSITORY = Path(__file__).parents[2]
PAGES = {page.name: page.read_text(encoding="utf-8") for page in sorted((REPOSITORY / "docs").glob("*.md"))}
PAGES |= {
    f"{folder}/{page.name}": page.read_text(encoding="utf-8")
    for folder in ("reference", "evidence")
    for page in sorted((REPOSITORY / "docs" / folder).glob("*.md"))
}
PAGES["README.md"] = (REPOSITORY / "README.md").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
OPTIONAL = {re.split(r"\W", need.replace("-", "_"))[0] for needs in EXTRAS.values() for need in needs} - {"privcheck"}
PYTHON = re.compile(r"(<!-- fragment -->\n)?```python\n(?!# \w+\.py\n)(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
INDENTED = re.compile(r"^    (privcheck [a-z].*)$", re.MULTILINE)
CHEAPLY = {
    "runs=20_000": "runs=3_000",
    "horizon=1e5, runs=200, epsilon=1.0, jobs=2": "horizon=2e3, runs=20, epsilon=1.0",
}


def commands(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, continued lines joined, each with what is shown below it."""
    found = [(line, "") for line in INDENTED.findall(page)]
    for block in CONSOLE.findall(page):
        for part in re.split(r"^\$ ", re.sub(r"\\\n\s*", "", block), flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            found.append((line, shown))
    return [(line, shown) for line, shown in found if line.startswith("privcheck ")]


def case(name: str, line: str, *shown: str) -> Any:
    """Return a case of a test, with an id that does not change with the commands before it."""
    return pytest.param(name, line, *shown, id=f"{name}: {line.removeprefix('privcheck ')}"[:120])


def write_files(page: str, folder: Path) -> list[str]:
    files = re.findall(r"```\w+\n(# (\w+\.(?:py|toml))\n.*?)```", page, re.DOTALL)
    for text, name in files:
        (folder / name).write_text(text, encoding="utf-8")
    return [name for _, name in files]


def skip_without_extras(name: str, source: str) -> None:
    needed = set(re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE)) & OPTIONAL
    missing = sorted(package for package in needed if find_spec(package) is None)
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}, which an extra installs")


def run_or_skip(block: str, name: str, namespace: dict[str, object]) -> None:
    """Run a block; where it needs a package of an extra that is not installed, skip the rest of the page."""
    try:
        exec(compile(block, name, "exec"), namespace)
    except ModuleNotFoundError as error:
        if error.name not in OPTIONAL:
            raise
        pytest.skip(f"{name} needs {error.name}, which an extra installs")


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if PYTHON.search(page)])
def test_python_runs_in_order(name, folder):
    write_files(PAGES[name], folder)
    namespace: dict[str, object] = {"__name__": "page"}
    if name == "bounds.md":
        namespace["print"] = lambda *_: None
    ran = 0
    for fragment, block in PYTHON.findall(PAGES[name]):
        if not fragment:
            for dear, cheap in CHEAPLY.items():
                block = block.replace(dear, cheap)
            run_or_skip(block, name, namespace)
            ran += 1
    assert ran


@pytest.mark.parametrize(
    ("name", "line"), [case(name, line) for name in PAGES for line, out in commands(PAGES[name]) if not out]
)
def test_commands_run(name, line, folder, command, capsys):
    """A page that has no file `my_bandit.py` means that of the README; `report` reads what lines before it wrote."""
    for page in (PAGES["README.md"], PAGES[name]):
        write_files(page, folder)
    for file in set(re.findall(r"[\w/]+\.py", line)):
        source = (folder / file).read_text(encoding="utf-8")
        beside = [folder / f"{module}.py" for module in re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE)]
        texts = [source, *(each.read_text(encoding="utf-8") for each in beside if each.is_file())]
        skip_without_extras(name, "\n".join(texts))
    if line.startswith("privcheck report"):
        for before, _ in commands(PAGES[name]):
            if "--json results/" in before:
                command(before)
                capsys.readouterr()
    assert command(line) in (0, 1, 3), capsys.readouterr().err
    assert without_announcements(capsys.readouterr().err) == []


@pytest.mark.parametrize(
    ("name", "line", "shown"), [case(name, line, out) for name in PAGES for line, out in commands(PAGES[name]) if out]
)
def test_commands_print_what_is_shown(name, line, shown, folder, command, capsys):
    """Line breaks and paths aside; `...` stands for something left out."""
    write_files(PAGES[name], folder)
    assert command(line, as_written=True) == (1 if "✗" in shown else 3 if "? inconclusive" in shown else 0)
    said = " ".join(capsys.readouterr().out.replace("\\\n", " ").split())
    parts = [" ".join(part.split()) for text in shown.splitlines() for part in text.split("...")]
    assert [part for part in parts if part not in said] == []


def test_there_is_something_to_test():
    assert sum(len(PYTHON.findall(page)) for page in PAGES.values()) >= 10
    found = [pair for page in PAGES.values() for pair in commands(page)]
    assert len([line for line, shown in found if not shown]) >= 12
    assert len([line for line, shown in found if shown]) >= 4
    assert {line.split()[1] for line, _ in found} >= {"audit", "certify", "bounds", "simulate"}


def test_only_packages_of_extras_may_be_missing():
    assert {"hypothesis", "sphinx"} <= OPTIONAL
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        run_or_skip("import no_such_package", "page", {})


def test_a_wrong_page_would_be_noticed(folder, command, capsys):
    page = "```console\n$ privcheck bounds --means 0.75,0.5 \\\n      --epsilon 1 --horizn 10\n```\n"
    ((line, shown),) = commands(page)
    assert not shown
    assert command(line) == 2
    assert "--horizn" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if "# test_" in page and name != "testing.md"])
def test_test_files_pass(name, folder):
    """Those of testing.md have a test of their own in tests/testing."""
    tests = [file for file in write_files(PAGES[name], folder) if file.startswith("test_")]
    assert tests
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", PAGES[name], re.MULTILINE)) & OPTIONAL
    for module in sorted(imported):
        pytest.importorskip(module, reason=f"{name} needs {module}, which an extra installs")
    installed = any(point.name == "privcheck" for point in metadata.entry_points(group="pytest11"))
    here = str(Path(privcheck.__file__).parents[1])
    options = [] if installed else ["-p", "privcheck.testing.plugin"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "--privcheck-budget=1000", *tests],
        capture_output=True, text=True, check=False, timeout=300, env=os.environ | {"PYTHONPATH": here},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_table_of_epsilons_is_computed():
    """Best test between the two ends of epsilon-DP: power min(e^epsilon a, 1 - e^-epsilon (1 - a)) at size a."""
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) % \| ([\d.]+) % \|$", PAGES["guarantees.md"], re.MULTILINE)
    assert len(rows) == 5
    for epsilon, ratio, belief, power in rows:
        r = math.exp(float(epsilon))
        assert f"{r:.2f}" == ratio
        assert f"{100 * r / (1 + r):.1f}" == belief
        assert f"{100 * min(0.05 * r, 1 - 0.95 / r):.1f}" == power


def test_targets_of_make_and_files_that_are_named_exist():
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name, page in PAGES.items():
        assert set(re.findall(r"`make (\w+)`|^    make (\w+)", page)) <= {(target, "") for target in targets}, name
        for path in re.findall(r"\b((?:benchmarks|examples|notebooks|audits|tests)/[\w/]+\.\w+)", page):
            assert (REPOSITORY / path).exists(), f"{name} names {path}"


def too_much(pages: dict[str, str]) -> list[str]:
    """Return what is longer than a reader's patience: pages, their number, and all of them together.

    Two pages of print are about 1,100 words. Measured tables, proofs and logs stand in docs/evidence and may be longer;
    the reference, which is made from docstrings, counts as one page.
    """
    words = {name: len(page.split()) for name, page in pages.items() if not name.startswith(("evidence/", "README"))}
    count = len({name.partition("/")[0] for name in words})
    found = [f"{name}: {number:,} words" for name, number in words.items() if number > 2200]
    found += [f"{count} pages"] if count > 35 else []
    return found + ([f"{sum(words.values()):,} words together"] if sum(words.values()) > 50_000 else [])


def test_pages_stay_short_and_few():
    assert too_much(PAGES) == []


def test_long_and_many_pages_are_noticed():
    assert too_much({"a.md": "word " * 2201, "evidence/b.md": "word " * 9000}) == ["a.md: 2,201 words"]
    assert too_much({f"{n}.md": "" for n in range(36)}) == ["36 pages"]
    assert too_much({f"{n}.md": "word " * 2000 for n in range(26)}) == ["52,000 words together"]
    assert too_much({f"reference/{n}.md": "" for n in range(36)}) == []
