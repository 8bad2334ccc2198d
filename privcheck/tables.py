"""What all results can become: data frames, LaTeX tables, BibTeX entries and files."""

from __future__ import annotations

import csv
import html
import importlib.util
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from privcheck.bibliography import bibtex
from privcheck.enclosure import as_given, digits_down, digits_up, p_value_text
from privcheck.errors import PrivcheckError, words
from privcheck.files import check_output, write_whole

Row = Mapping[str, Any]
"""Plain numbers, words and truth values by the name of their column."""

LIBRARIES = ("pandas", "polars")


class Result:
    """What audits, certificates, bounds, simulations, claims and accounts have in common.

    A class that derives from this one gives `tables()`, and `to_json()` if it has a form as JSON.
    """

    latex_columns: ClassVar[tuple[str, ...]] = ()
    """The columns that fit on a page of print; empty for all."""

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return the tables of this result by name, each made when it is called; the first is the usual one."""
        raise NotImplementedError

    def printed_columns(self) -> dict[str, str]:
        """Return the column behind each heading of the terminal that has another name there."""
        return {}

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers that this result rests on."""
        return ()

    def rows(self, table: str | None = None) -> list[Row]:
        """Return a table as one dict per row, all with the same keys.

        Parameters
        ----------
        table : a name of `tables()`; None for the first.

        Raises
        ------
        PrivcheckError : an unknown name.
        """
        known = self.tables()
        name = next(iter(known)) if table is None else table
        if name not in known:
            raise PrivcheckError("table", table, f"one of {', '.join(known)}")
        return known[name]()

    def to_frame(self, table: str | None = None, *, library: str | None = None) -> Any:
        """Return a table as a data frame.

        Parameters
        ----------
        table : a name of `tables()`; None for the first.
        library : "pandas" or "polars"; None for the first of these that is installed.

        Raises
        ------
        PrivcheckError : an unknown table or library, or one that is not installed.
        """
        chosen = _library(library)
        rows = self.rows(table)
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        if chosen == "pandas":
            import pandas as pd

            return pd.DataFrame(columns)
        import polars as pl

        return pl.DataFrame(columns, strict=False)

    def to_csv(self, table: str | None = None) -> str:
        """Return a table as CSV, with empty fields in place of None."""
        rows, text = self.rows(table), io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows[0] if rows else ())
        writer.writerows([["" if cell is None else cell for cell in row.values()] for row in rows])
        return text.getvalue()

    def to_latex(self, table: str | None = None, *, columns: Sequence[str] | None = None) -> str:
        r"""Return a table as a `tabular` with the rules of the LaTeX package booktabs.

        Parameters
        ----------
        table : a name of `tables()`; None for the first.
        columns : which columns, in this order, also by the headings of the terminal; None for all, or for those of
            `latex_columns` if the result has any. A column `cite` becomes `\cite` commands, whose entries `to_bibtex`
            gives.

        Raises
        ------
        PrivcheckError : an unknown table or column.
        """
        rows = self.rows(table) or [{"": "no rows"}]
        known = tuple(rows[0])
        usual = self.latex_columns or known if known != ("",) else known
        asked = usual if columns is None or known == ("",) else tuple(columns)
        printed = self.printed_columns()
        names = tuple(name if name in known else printed.get(name, name) for name in asked)
        for name, column in zip(asked, names, strict=True):
            if column not in known:
                raise PrivcheckError("columns", name, f"columns among {', '.join(known)}")
        aligned = "".join("r" if _numeric([row[name] for row in rows]) else "l" for name in names)
        head = " & ".join(latex_text(name.replace("_", " ")) for name in asked)
        body = [" & ".join(_cell(name, row) for name in names) + r" \\" for row in rows]
        lines = [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule", rf"{head} \\", r"\midrule", *body]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.rows())

    def to_bibtex(self) -> str:
        """Return the BibTeX entries of `citations()`, and that of privcheck."""
        return bibtex(self.citations())

    def save(self, path: str | Path, *, table: str | None = None) -> None:
        """Write this result to a file, whole or not at all.

        Parameters
        ----------
        path : its suffix says what is written: .json all fields (`privcheck.load` reads them), .csv or .tex one table,
            .bib the BibTeX entries, .html a page.
        table : which table goes into a .csv or .tex file; None for the first.

        Raises
        ------
        PrivcheckError : another suffix, or a path that cannot be written.
        """
        writers = self._writers(table)
        target = check_output(path, "path", tuple(writers))
        writers[target.suffix.lower()](target)

    def _writers(self, table: str | None) -> dict[str, Callable[[Path], None]]:
        """Return what writes a file of each suffix."""
        found: dict[str, Callable[[Path], None]] = {
            ".csv": lambda path: write_whole(path, self.to_csv(table)),
            ".tex": lambda path: write_whole(path, self.to_latex(table)),
            ".bib": lambda path: write_whole(path, self.to_bibtex()),
        }
        as_json, page = getattr(self, "to_json", None), getattr(self, "save_html", None)
        if as_json is not None:
            found = {".json": lambda path: write_whole(path, as_json() + "\n")} | found
        if page is not None:
            found[".html"] = page
        return found


def html_table(heading: str, rows: Sequence[Row]) -> str:
    """Return a heading and a table as HTML, for notebooks; most floats have four digits.

    >>> html_table("one", [{"a": 0.123456, "b": "<"}])
    '<p>one</p><table><tr><th>a</th><th>b</th></tr><tr><td>0.1235</td><td>&lt;</td></tr></table>'
    """
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{_plain(name, row)}</td>' for name in names)}</tr>" for row in rows)
    return f"<p>{html.escape(heading)}</p><table><tr>{head}</tr>{body}</table>"


def _plain(name: str, row: Row) -> str:
    cell = row[name]
    if isinstance(cell, float):
        return html.escape(number_text(name, cell, row))
    return "" if cell is None else html.escape(str(cell))


GIVEN = {"claimed", "confidence", "error", "epsilon", "delta", "rho", "mu"}
LOWER, UPPER = {"lower", "low", "resolution", "e"}, {"upper", "high", "ledger", "p"}
"""Words in the names of columns: of numbers that somebody gave, of lower bounds and of upper bounds."""


def number_text(name: str, value: float, row: Row, digits: int = 4) -> str:
    """Return a number to some digits: of a bound rounded to its own side, of a claim or a level with all that it has.

    Parameters
    ----------
    name : of its column.
    value : the number.
    row : it stands in; "kind" says whether a bound in a column without such a name is lower or upper.
    digits : significant ones.

    >>> number_text("epsilon_lower", 0.99996, {}), number_text("epsilon_upper", 1.00001, {})
    ('0.9999', '1.001')
    >>> number_text("value", 1.00001, {"kind": "upper"}), number_text("confidence", 0.99999, {})
    ('1.001', '0.99999')
    """
    parts = {*name.split("_")}
    kind = {"lower": LOWER, "upper": UPPER}.get(row.get("kind", ""), set()) if name in ("value", "constant") else parts
    if kind & LOWER:
        return digits_down(value, digits)
    if name == "p_value":
        return p_value_text(value, digits)
    if kind & UPPER:
        return digits_up(value, digits)
    return as_given(value) if parts & GIVEN else f"{value:.{digits}g}"


def _library(given: str | None) -> str:
    if given is not None and given not in LIBRARIES:
        raise PrivcheckError("library", given, " or ".join(LIBRARIES))
    wanted = LIBRARIES if given is None else (given,)
    for name in wanted:
        if importlib.util.find_spec(name) is not None:
            return name
    missing = words(f"no package {' and no package '.join(wanted)}")
    raise PrivcheckError("library", missing, " or ".join(wanted), f"pip install {wanted[0]}")


def _numeric(cells: Sequence[Any]) -> bool:
    return any(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)


_SPECIAL = {
    "<=": r"$\le$", ">=": r"$\ge$", "×": r"$\times$",
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$", "|": r"$|$", "ε": r"$\epsilon$",
    "δ": r"$\delta$", "≤": r"$\le$", "≥": r"$\ge$", "–": "--",
}  # fmt: skip


def latex_text(text: str) -> str:
    r"""Return text in LaTeX.

    >>> latex_text("T >= 3, a_b"), latex_text("7.7 ln T")
    ('T $\\ge$ 3, a\\_b', '$7.7\\ln T$')
    """
    if rate := re.fullmatch(r"([\d.e+-]+) ln T(?: \(rate\))?", text):
        return rf"{_number(rate[1])[:-1]}\ln T$"
    return "".join(_SPECIAL.get(part, part) for part in re.findall(r"<=|>=|.", text, re.DOTALL))


def _cell(name: str, row: Row) -> str:
    r"""Return a cell in LaTeX.

    >>> row = {"epsilon": float("inf"), "mean": 1234567.0, "claim_": "50 %", "cite": "hu-2021"}
    >>> tuple(_cell(name, row) for name in row)
    ('$\\infty$', '$1.235\\times 10^{6}$', '50 \\%', '\\cite{hu-2021}')
    """
    value = row[name]
    if value is None or value == "":
        return "--"
    if name == "cite":
        return rf"\cite{{{value}}}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"${value}$"
    if isinstance(value, float):
        return "--" if math.isnan(value) else _number(number_text(name, value, row, _digits(value)))
    return latex_text(str(value))


def _digits(value: float) -> int:
    """Return four digits, or all of those before the point."""
    return 6 if 1e5 <= abs(value) < 1e6 else 5 if 1e4 <= abs(value) < 1e5 else 4


def _number(shown: str) -> str:
    if shown.endswith("inf"):
        return r"$\infty$" if shown == "inf" else r"$-\infty$"
    if shown.startswith("<"):
        return r"$< 10^{-300}$"
    digits, _, power = shown.partition("e")
    return rf"${digits}\times 10^{{{int(power)}}}$" if power else f"${digits}$"
