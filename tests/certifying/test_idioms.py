"""The rows of docs/idioms.md are run: what they are charged, and why they are refused."""

from __future__ import annotations

import linecache
import math
import re
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.certifying.session import Session
from privcheck.privacy import relation
from privcheck.private_values.source import LeakError

PAGE = Path(__file__).parents[2] / "docs" / "idioms.md"
ROWS = re.findall(r"^\| `(.+)` \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)


def charge(code):
    """Run a row; return the largest charge of any datum."""
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    source = session.source
    names = {
        "r": source.scalar(0.7, 0.0, 1.0, 0), "q": source.scalar(0.2, 0.0, 1.0, 1),
        "v": source.vector([0.7, 0.2, 0.4], 0.0, 1.0, 2), "S": privcheck.zeros(3), "np": np, "privcheck": privcheck,
        "rng": session.generator(np.random.default_rng(1)),
    }  # fmt: skip
    *statements, last = code.split("; ")
    with session.active(), np.errstate(invalid="ignore"):
        linecache.cache["<row>"] = len(code), None, [f"{line}\n" for line in statements], "<row>"
        exec(compile("\n".join(statements), "<row>", "exec"), names)
        found = eval(last, names)
        for part in found if isinstance(found, tuple | list) else [found]:
            np.asarray(part, np.float64) if np.ndim(part) else float(part)
    return session.ledger.epsilon


@pytest.mark.parametrize(("code", "stated"), ROWS)
def test_a_row_of_the_page_is_true(code, stated):
    if stated.startswith("refused: "):
        with pytest.raises(LeakError) as caught:
            charge(code)
        assert stated.removeprefix("refused: ") in caught.value.leak.hint
    else:
        assert charge(code) == pytest.approx(float(stated))


def test_there_are_sixty_rows_and_most_are_certified():
    assert len(ROWS) == 60
    refused = [code for code, stated in ROWS if stated.startswith("refused")]
    private = [
        code
        for code in refused
        if not re.search(r"uniform|np\.random|abs\(rng|z = rng|v \+ rng.laplace\(\)|gumbel", code)
    ]
    assert len(private) <= 5
    assert math.isinf(charge("r + rng.normal()"))


def test_the_line_of_a_refusal_pasted_makes_the_code_work():
    code = "a = np.zeros(3); a[0] += r; a + rng.laplace(0, 1, 3)"
    with pytest.raises(LeakError):
        charge(code)
    (line,) = [stated.removeprefix("refused: ") for row, stated in ROWS if row == code]
    assert charge(code.replace("a[0]", f"{line}; a[0]")) == 1.0
    assert charge("(r > 0.5) * 1.0 + rng.laplace()") == 1.0
    assert charge("privcheck.clip(privcheck.clip(r, 0.5, None), None, 1) + rng.laplace()") == 0.5
