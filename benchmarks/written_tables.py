"""Tables that a benchmark prints, or writes into a page in place of the last ones."""

from __future__ import annotations

from pathlib import Path

BEGIN, END = "<!-- table -->", "<!-- end of table -->"


def hand_out(text: str, page: Path | None) -> None:
    """Print a text, or write it between the marks of a page."""
    if page is None:
        print(text)
        return
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")
