"""What a notebook shows: lines of its cells by their numbers, and errors without the frames of privcheck."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

CELL = re.compile(r"(?:<(?:ipython-input|python-input)-(?P<number>\d+)(?:-\w+)?>|\b(?P<name>\d{6,}\.py)):(?P<line>\d+)")
"""A line of a cell: IPython calls cells by their numbers, and Jupyter's kernel by hashes of their text."""

OURS = str(Path(__file__).parent)


def in_cells(text: str) -> str:
    """Return a text in which lines of cells are named as a reader of the notebook knows them.

    >>> in_cells("a release at <ipython-input-3-f3a1c2>:48 that costs 2"), in_cells("bandit.py:48 and 2026.py:3")
    ('a release at cell 3, line 48 that costs 2', 'bandit.py:48 and 2026.py:3')
    >>> in_cells("read at 3572611754.py:48")
    'read at the cell, line 48'
    """
    return CELL.sub(_cell, text) if ":" in text else text


def _cell(found: re.Match[str]) -> str:
    number = found["number"] or _number_of(found["name"])
    return f"{'the cell' if number is None else f'cell {number}'}, line {found['line']}"


def _number_of(name: str) -> int | None:
    """Return the number with which a cell was run last, if this process is the kernel that ran it."""
    known = getattr(getattr(_shell(), "compile", None), "_filename_map", None) or {}
    return next((number for file, number in known.items() if Path(file).name == name), None)


def _shell() -> Any:
    """Return IPython's shell in this process; None where there is none."""
    get: Any = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get() if callable(get) else None


def rendered_traceback(error: BaseException) -> list[str]:
    """Return the lines of a traceback with the frames of the user alone, as IPython shows them."""
    import traceback  # as sysconfig below: errors are loaded first of all, and few are ever shown in a notebook

    frames = _without_ours(error.__traceback__)
    shown: Any = getattr(getattr(_shell(), "InteractiveTB", None), "structured_traceback", None)
    if shown is None:
        return traceback.format_exception(type(error), error, frames)
    return list(shown(type(error), error, frames))


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of privcheck, and without those of libraries that it called."""
    import sysconfig

    others = tuple(sysconfig.get_paths().values())  # the folders of Python and of installed packages
    kept, ours = list[TracebackType](), False
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        ours = ours or file.startswith(OURS)
        if not ours or not file.startswith((OURS, *others, "<frozen")):
            kept.append(trace)
        trace = trace.tb_next
    found: TracebackType | None = None
    for each in reversed(kept):
        found = TracebackType(found, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return found
