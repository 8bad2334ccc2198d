"""Whether targets still do what they did: one finished cell of each is played again before any is believed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from privcheck.serialise import ILL_TYPED
from privcheck.sweeps._cell import AUDIT, Cell
from privcheck.sweeps._cell_store import CellStore
from privcheck.sweeps._play_cell import Played, digest
from privcheck.sweeps._target_sources import source_files

Play = Callable[[Cell, Mapping[str, Path]], Played]


def set_aside_changed(store: CellStore, cells: Sequence[tuple[str, Cell]], play: Play) -> tuple[str, ...]:
    """Play the cheapest finished cell of each target again that is in a file or given a function in one; set all of a
    target aside that shows otherwise.

    Keys see sources, data and versions, and not what this code reads of the environment or of other files.

    Parameters
    ----------
    store : the folder.
    cells : with their keys.
    play : plays a cell, given the files of its target.

    Returns
    -------
    A note for each target whose results were set aside; the files are in the folder `aside`.
    """
    notes, seconds = [], store.seconds()
    for target, places in dict.fromkeys((cell.target, cell.places) for _, cell in cells if cell.places):
        code = [(key, cell) for key, cell in cells if (cell.target, cell.places) == (target, places)]
        finished = [(key, cell) for key, cell in code if key in seconds]
        if finished and (changed := store.changed_imports(target)):
            told = f"{target}: finished results were set aside and are played anew: {', '.join(changed)} changed"
            notes.append(f"{told}, which it imports. The old ones are in {store.set_aside(target)}")
            continue
        for key, cell in sorted(finished, key=lambda keyed: seconds[keyed[0]]):
            kept = _content(store.path(key))
            if kept is None or kept.get("remarks"):  # as many runs as a clock allowed
                continue
            again = play(_repeated(cell, kept), source_files(*places))
            if again.text is None or _compared(json.loads(again.text)) != _compared(kept):
                notes.append(
                    f"{target}: finished results were set aside and are played anew: one that was played again showed "
                    "something else, although source, data and versions are the same; it may read the environment or "
                    f"a file that is not listed under data. The old ones are in {store.set_aside(target)}"
                )
            break
    return tuple(notes)


def _content(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, *ILL_TYPED):
        return None
    return found if isinstance(found, dict) else None


def _repeated(cell: Cell, kept: dict[str, Any]) -> Cell:
    """Return the cell with what a clock decided the first time."""
    if cell.kind != AUDIT:
        return cell
    decided = {name: kept[name] for name in ("runs", "pairs", "stop_after") if kept.get(name) is not None}
    return replace(cell, options=cell.options | decided | {"time_budget": None})


def _compared(content: dict[str, Any]) -> str:
    timed = ("time_budget", "notes")  # which name the seconds that an audit takes on this machine, at this hour
    return digest(json.dumps({name: value for name, value in content.items() if name not in timed}))
