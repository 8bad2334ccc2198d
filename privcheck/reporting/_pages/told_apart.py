"""What tells results of the same target apart: what varies in their sweep, or their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from privcheck.reporting._result_files import IndexRow
from privcheck.reporting._text import numbers
from privcheck.sweeps import Sweep

SHORTEST = 8
"""Characters of a key that are shown at least."""


def told_apart(results: Iterable[IndexRow], sweeps: Iterable[Sweep]) -> list[IndexRow]:
    """Return results that say what tells them from others of the same target.

    Of a cell of a sweep it is what varies among the cells; of other results whose target occurs again, the file's name.
    """
    asked = {path: said for sweep in sweeps for path, said in _varied(sweep).items()}
    results = [replace(result, told_apart=asked.get(result.path, "")) for result in results]
    again = Counter((result.kind, result.name) for result in results)
    return [
        result if again[result.kind, result.name] == 1 or result.path in asked
        else replace(result, told_apart=f"file {result.path.stem}")
        for result in results
    ]  # fmt: skip


def _varied(sweep: Sweep) -> dict[Path, str]:
    """Return, for the file of each cell, the parameters that differ between cells of its target."""
    named = ("environment", "epsilon", "horizon", "seed")
    found = dict[Path, str]()
    for target in {cell["target"] for cell in sweep.cells}:
        cells = [cell for cell in sweep.cells if cell["target"] == target]
        names = [*named, *(name for name in cells[0] if name.startswith("option_"))]
        varying = [name for name in names if len({str(cell[name]) for cell in cells}) > 1]
        for cell in cells:
            given = [f"{name.removeprefix('option_')} {cell[name]}" for name in varying if cell[name] is not None]
            if cell["file"] is not None:
                found[Path(sweep.folder, str(cell["file"]))] = numbers.clean(", ".join(given))
    return found


def short_names(paths: Sequence[Path], folder: Path) -> list[str]:
    """Return files below a folder, with long keys as the shortest beginnings that differ.

    >>> short_names([Path("out/cells", letter * 64 + ".json") for letter in "ab"], Path("out"))
    ['cells/aaaaaaaa….json', 'cells/bbbbbbbb….json']
    """
    keys = sorted({path.stem for path in paths if _is_key(path.stem)})
    length = SHORTEST
    while len({key[:length] for key in keys}) < len(keys):
        length += 1
    shown = []
    for path in paths:
        name = f"{path.stem[:length]}…{path.suffix}" if _is_key(path.stem) else path.name
        shown.append(numbers.clean(str(path.relative_to(folder).with_name(name))))
    return shown


def _is_key(stem: str) -> bool:
    return len(stem) == 64 and set(stem) <= set("0123456789abcdef")
