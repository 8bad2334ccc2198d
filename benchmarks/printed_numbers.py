"""Recompute the column "ours" of docs/evidence/printed-numbers.md: `python benchmarks/printed_numbers.py`."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

from privcheck import bounds

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "printed-numbers.md"
ROW = re.compile(r"^(\| [^|]+ \| [^|]+ \| [-\d.]+ \| )([\d.]+)( \| `([^`]+)` \|)$", re.MULTILINE)


def recomputed(page: str) -> str:
    """Return the page with the column "ours" recomputed from its formulas, to as many digits as before."""
    return ROW.sub(lambda row: f"{row[1]}{ours(row[4]):.{len(row[2].partition('.')[2])}f}{row[3]}", page)


def ours(formula: str) -> float:
    """Return the value of a formula of the page, in which all names are from `bounds` and `math`."""
    return float(eval(formula, {name: getattr(bounds, name) for name in dir(bounds)} | {"math": math}))


def main() -> int:
    """Write the page; the exit status is 1 if a number on it was not what the code gives."""
    before = PAGE.read_text(encoding="utf-8")
    after = recomputed(before)
    PAGE.write_text(after, encoding="utf-8")
    print(f"{len(ROW.findall(after))} numbers, {'none' if after == before else 'some'} changed")
    return int(after != before)


if __name__ == "__main__":
    sys.exit(main())
