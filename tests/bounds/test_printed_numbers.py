"""The table of docs/evidence/printed-numbers.md, recomputed row by row, and the flags in docs/bounds.md."""

import math
import re
import runpy
from pathlib import Path

import pytest

from privcheck import bounds

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "evidence" / "printed-numbers.md").read_text(encoding="utf-8")
FLAGS = re.findall(r"^\| [^|]+ \| [^|`]*`(--[^`]*)`", (DOCS / "bounds.md").read_text(encoding="utf-8"), re.MULTILINE)
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([-\d.]+) \| ([\d.]+) \| `([^`]+)` \|$", PAGE, re.MULTILINE)


def test_the_table_was_found():
    assert len(ROWS) == PAGE.count("\n| ") - 1 >= 12


@pytest.mark.parametrize(("paper", "what", "printed", "ours", "how"), ROWS, ids=lambda value: value[:30])
def test_ours_is_what_the_code_gives(paper, what, printed, ours, how):
    digits = len(ours.partition(".")[2])
    assert f"{eval(how, {name: getattr(bounds, name) for name in dir(bounds)} | {'math': math}):.{digits}f}" == ours
    assert paper.partition(" ")[0] in ("Azize", "Jourdan")


def test_one_command_makes_the_column_and_mends_a_wrong_number():
    path = Path(__file__).parents[2] / "benchmarks" / "printed_numbers.py"
    command = runpy.run_path(str(path))
    assert len(command["ROW"].findall(PAGE)) == len(ROWS)
    assert command["recomputed"](PAGE) == PAGE
    spoilt = PAGE.replace("| 1.6368 |", "| 1.6369 |")
    assert spoilt != PAGE == command["recomputed"](spoilt)


@pytest.mark.parametrize("name", ["fig3", "ja25-mu1", "ja25-mu2"])
def test_thresholds_agree_with_what_the_papers_print_to_its_digits(name):
    regime = bounds.privacy_regime(bounds.named_instance(name, epsilon=1))
    printed = {"fig3": 0.3, "ja25-mu1": 2.94, "ja25-mu2": 0.25}[name]
    ours = regime.changes_from / 6 if name == "fig3" else regime.free_from
    assert round(ours, len(str(printed).partition(".")[2])) == printed


def test_the_flags_were_found():
    assert len(FLAGS) >= 8


@pytest.mark.parametrize("flags", FLAGS)
def test_the_page_s_flags_run(flags, monkeypatch, capsys):
    import shlex

    from privcheck.cli import run

    rho = flags.startswith("--rho")
    base = ["--means", "0.75,0.5"] if "--risk" in flags or rho else []
    if flags == "--family finite":
        return
    budget = [] if rho else ["--epsilon", "0.5"]
    assert run(["bounds", *base, *shlex.split(flags), *budget, "--horizon", "1e4"]) == 0
    assert capsys.readouterr().err == ""
