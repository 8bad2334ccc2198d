"""The rows of docs/evidence/idioms.md are run: their charge, why they are refused, and what the line to paste does."""

from __future__ import annotations

import ast
import linecache
import math
import re
import statistics
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.certifying import Session
from privcheck.certifying._translated.new_arrays import in_guard
from privcheck.certifying._translated.swapped_code import translation
from privcheck.errors import PrivcheckError
from privcheck.privacy import relation
from privcheck.private_values import LeakError

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "idioms.md"
PRIVATE, WRONG = (
    [tuple(cell.strip("` ") for cell in re.split(r" \| ", line.strip("| "))) for line in part.splitlines()
     if line.startswith("| `")]
    for part in PAGE.read_text("utf-8").split("## Wrong programs")
)  # fmt: skip
READ = "np.ascontiguousarray(({}), float)"
CERTIFIED = [row for row in PRIVATE if len(row) == 2]
REFUSED = [row for row in PRIVATE if len(row) == 3]


def charge(code):
    """Run a row as a function of a file, translated as under the guard; return the largest charge of any datum."""
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    source = session.source

    told = {
        "r": source.scalar(0.7, 0.0, 1.0, 0), "q": source.scalar(0.2, 0.0, 1.0, 1),
        "v": source.vector([0.7, 0.2, 0.4], 0.0, 1.0, 2), "S": privcheck.zeros(3),
        "rng": session.generator(np.random.default_rng(1)),
    }  # fmt: skip
    names = {"np": np, "privcheck": privcheck, "math": math, "statistics": statistics}
    *statements, last = code.split("; ")
    lines = [f"def row({', '.join(told)}):", *(f"    {line}" for line in (*statements, READ.format(last)))]
    linecache.cache["<row>"] = len(code), None, [f"{line}\n" for line in lines], "<row>"
    exec(compile("\n".join(lines), "<row>", "exec"), names)
    names["row"].__code__ = translation(names["row"])
    with session.active(), in_guard(), np.errstate(invalid="ignore"):
        names["row"](**told)
    return session.ledger.epsilon


def why_refused(code):
    """Return the hint of the error that a row raises."""
    with pytest.raises(PrivcheckError) as caught:
        charge(code)
    assert isinstance(caught.value, LeakError)
    return caught.value.leak.hint


@pytest.mark.parametrize(("code", "stated"), CERTIFIED)
def test_a_row_is_charged_what_the_page_says(code, stated):
    assert charge(code) == pytest.approx(float(stated), rel=1e-4)


@pytest.mark.parametrize(("code", "why", "pasted"), REFUSED)
def test_the_line_of_a_refusal_is_the_one_to_paste_and_makes_the_code_work(code, why, pasted):
    hint = why_refused(code)
    assert why in hint
    *lines, last = pasted.split("; ")
    lines = [ast.unparse(ast.parse(line)) for line in (*lines, READ.format(last))]
    assert any(hint.endswith(line) for line in lines), f"{hint!r} does not end with a line of {pasted!r}"
    assert 0.0 < charge(pasted) < 10.0


@pytest.mark.parametrize(("code", "why", "instead"), WRONG)
def test_a_wrong_program_is_refused_and_what_stands_instead_works(code, why, instead):
    assert why in why_refused(code)
    assert 0.0 < charge(instead) < 10.0


def test_nearly_all_private_programs_are_certified_as_they_stand():
    assert len(PRIVATE) == 94
    assert len(CERTIFIED) >= 78
    assert len(WRONG) >= 28
    assert len({row[0] for row in (*PRIVATE, *WRONG)}) == len(PRIVATE) + len(WRONG)
    assert math.isinf(charge("r + rng.normal()"))
