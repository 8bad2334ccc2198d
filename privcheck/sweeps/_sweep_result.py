"""What a sweep returns: one row for each cell, also half finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privcheck.serialise import to_json
from privcheck.sweeps._cell import AUDIT
from privcheck.sweeps._cell_store import ASIDE, RESULTS, is_as_written, read_rows
from privcheck.sweeps._play_cell import COLUMNS
from privcheck.sweeps._sweep_file import count_words
from privcheck.tables import Result, Row


@dataclass(frozen=True)
class Sweep(Result):
    """The cells of a sweep and what is known of them.

    Parameters
    ----------
    folder : where the results are.
    cells : one dict for each cell, with equal keys: status ("done", "failed" or "to play"), error (why it failed),
        kind, target, environment, epsilon, horizon, seed, option_... for each other option that was given, the columns
        of audits (verdict, delta, epsilon_lower, epsilon_upper, confidence, p_value, resolution) and of simulations
        (mean, se, median, q05, q95, q99 of the final pseudo-regret), runs, seconds, file (of the result, below the
        folder) and digest (SHA-256 of the result without times). What a cell does not have is None.
    stale : files of results whose source, data or versions have changed since.
    notes : targets whose results were set aside, because one that was played again showed something else.
    """

    folder: str
    cells: tuple[Row, ...] = field(repr=False)
    stale: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    def count(self, status: str) -> int:
        """Return how many cells have a status: "done", "failed" or "to play"."""
        return Counter(cell["status"] for cell in self.cells)[status]

    @property
    def aside(self) -> Path:
        """The folder of results that were set aside."""
        return Path(self.folder, ASIDE)

    def changed(self) -> tuple[str, ...]:
        """Return the files of results that are gone, or not as they were written; the same sweep plays them anew."""
        done = [(str(cell["file"]), str(cell["digest"])) for cell in self.cells if cell["file"]]
        return tuple(file for file, written in done if not is_as_written(Path(self.folder, file), written))

    @property
    def errors(self) -> dict[str, int]:
        """How many cells failed with which error."""
        return dict(Counter(str(cell["error"]) for cell in self.cells if cell["status"] == "failed"))

    @property
    def untested(self) -> int:
        """The number of claims whose audits are not finished, or failed."""
        claims = ("epsilon", "option_rho", "option_mu", "option_tradeoff")
        return sum(
            cell["kind"] == AUDIT and cell["status"] != "done" and any(cell.get(name) is not None for name in claims)
            for cell in self.cells
        )

    @property
    def sentence(self) -> str:
        """How far the sweep is, in words."""
        counts = [(self.count(status), status) for status in ("done", "failed", "to play")]
        stale = f"; {count_words([(len(self.stale), 'stale')])} left out" if self.stale else ""
        return f"{len(self.cells):,} cells: {count_words(counts)}{stale}"

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "cells", a row for each cell."""
        return {"cells": lambda: [*self.cells]}

    def to_json(self) -> str:
        """Return the cells as JSON text: {"schema_version", "sweep": {"cells", "done", "failed", "to_play"}, ...}."""
        counts = {status.replace(" ", "_"): self.count(status) for status in ("done", "failed", "to play")}
        noted = {"notes": self.notes} if self.notes else {}
        return to_json({"sweep": {"cells": len(self.cells)} | counts, "cells": self.cells, "stale": self.stale} | noted)

    def __str__(self) -> str:
        return f"sweep in {self.folder}: {self.sentence}"


def read_sweep(folder: str | Path) -> Sweep:
    """Return the cells in the folder of a sweep, finished or not, as columns.

    Parameters
    ----------
    folder : `store` of `privcheck.sweep`, or the DIR of `privcheck sweep --store DIR`. It may be in use.

    Returns
    -------
    Sweep, with `to_frame()` for pandas or polars.

    Raises
    ------
    PrivcheckError : a folder without a manifest, or one that cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from privcheck import sweep
    >>> plan = {"kind": "simulation", "targets": ["ucb"], "environments": ["c2"], "horizons": [100, 200]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sweep(plan | {"options": {"runs": 5}}, folder)
    ...     found = read_sweep(folder)
    >>> [(cell["status"], cell["target"], cell["horizon"], cell["runs"]) for cell in found.cells]
    [('done', 'ucb', 100, 5), ('done', 'ucb', 200, 5)]
    """
    return sweep_of(folder, *read_rows(folder))


def sweep_of(folder: str | Path, rows: list[dict[str, Any]], stale: list[str], notes: tuple[str, ...] = ()) -> Sweep:
    """Return the rows of a folder, and the keys of its stale results, as columns."""
    return Sweep(str(folder), tuple(_columns(rows)), tuple(f"{RESULTS}/{key}.json" for key in stale), notes)


def _columns(rows: list[dict[str, Any]]) -> list[Row]:
    options = dict.fromkeys(name for row in rows for name in row if name.startswith("option_"))
    first = ("status", "error", "kind", "target", "environment", "epsilon", "horizon", "seed", *options)
    found: list[Row] = []
    for row in rows:
        result = {name: row["result"].get(name) for name in COLUMNS}
        if result["seconds"] is None:
            result["seconds"] = row["cell_seconds"]
        found.append({name: row.get(name) for name in first} | result | {"file": row["file"], "digest": row["digest"]})
    return found
