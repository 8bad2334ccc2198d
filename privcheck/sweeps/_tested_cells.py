"""Whether targets still do what they did: one finished cell of each is played again before any is believed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from privcheck.sweeps._cell import AUDIT, Cell
from privcheck.sweeps._cell_store import CellStore
from privcheck.sweeps._play_cell import Played, digest
from privcheck.sweeps._target_sources import source_files

Play = Callable[[Cell, Mapping[str, Path]], Played]


def set_aside_changed(store: CellStore, cells: Sequence[tuple[str, Cell]], play: Play) -> tuple[str, ...]:
    """Play the cheapest finished cell of each target again that is in a file or given a function in one, of each client
    that this one has not tested; set all of a target aside that shows otherwise.

    Keys see sources, data and versions, and not what this code reads of the environment or of other files. What was
    tested counts as this client's, so that the next one tests one cell of all of them.

    Parameters
    ----------
    store : the folder.
    cells : with their keys.
    play : plays a cell, given the files of its target.

    Returns
    -------
    A note for each target whose results were set aside; the files are in the folder `aside`.
    """
    notes, same, mine = list[str](), list[str](), store.client
    clients, seconds = store.clients(), store.seconds()
    for target, places in dict.fromkeys((cell.target, cell.places) for _, cell in cells if cell.places):
        code = {key: cell for key, cell in cells if (cell.target, cell.places) == (target, places)}
        others = [key for key in code if clients.get(key, mine) != mine]
        if others and (changed := store.changed_imports(others)):
            told = f"{target}: finished results were set aside and are played anew: {', '.join(changed)} changed"
            notes.append(f"{told}, which it imports. The old ones are in {store.set_aside(target)}")
            continue
        tested = set[str]()
        for key in sorted(filter(seconds.__contains__, others), key=seconds.__getitem__):
            if clients[key] in tested or (kept := store.content(key)) is None:
                continue
            again = play(_repeated(code[key], kept), source_files(*places))
            if again.text is None or _compared(json.loads(again.text)) != _compared(kept):
                notes.append(
                    f"{target}: finished results were set aside and are played anew: one that was played again showed "
                    "something else, although source, data and versions are the same; it may read the environment or "
                    f"a file that is not listed under data. The old ones are in {store.set_aside(target, key)}"
                )
                break
            tested.add(clients[key])
        else:
            same += others
    store.take_over(same)
    return tuple(notes)


def _repeated(cell: Cell, kept: dict[str, Any]) -> Cell:
    """Return the cell with what a clock decided the first time."""
    if cell.kind == AUDIT:
        decided = {name: kept[name] for name in ("runs", "pairs", "stop_after") if kept.get(name) is not None}
        return replace(cell, options=cell.options | decided | {"time_budget": None})
    if kept.get("remarks"):  # as many runs as fitted into the time
        return replace(cell, options=cell.options | {"runs": kept["results"][0]["runs"], "time_budget": math.inf})
    return cell


def _compared(content: dict[str, Any]) -> str:
    """Return a hash of a result without what names the seconds that it takes on this machine, at this hour."""
    timed = ("time_budget", "notes", "remarks") + (() if "verdict" in content else ("runs",))  # those of its row stay
    return digest(json.dumps({name: value for name, value in content.items() if name not in timed}))
