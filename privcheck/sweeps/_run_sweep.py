"""`sweep`: play the cells that are not finished yet, here or in worker processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from privcheck.declared import Integer, Switch, check
from privcheck.errors import PrivcheckError, words
from privcheck.progress import progress
from privcheck.scheduling import end_worker_processes, kept_pool
from privcheck.sweeps._cell import Cell, Files, versions
from privcheck.sweeps._cell_store import CellStore
from privcheck.sweeps._play_cell import Played, play
from privcheck.sweeps._sweep_file import count_words, naming, read_cells
from privcheck.sweeps._sweep_result import Sweep, sweep_of
from privcheck.sweeps._target_sources import source_files
from privcheck.sweeps._tested_cells import set_aside_changed

WAIT = 0.5
"""Seconds after which a client looks again whether another one has finished or given up a cell."""

DIED = "its worker process was killed: by the system for want of memory, or by the target itself"

BROKEN = ("TerminatedWorkerError", "BrokenProcessPool")
"""Exceptions that say so."""

Keyed = tuple[str, Cell]


def sweep(plan: str | Path | Mapping[str, Any], store: str | Path, *, jobs: int = 1, retry: bool = False) -> Sweep:
    """Audit or simulate every combination of targets, settings and seeds, and keep each result in a folder.

    The same call continues after an interruption, also after the process was killed: what is finished is not played
    again. A result is kept under a hash of all that it depends on: what was asked for, the source of the target's file
    and of the modules that it imports from beside it, data files, the source of privcheck, the versions of Python,
    numpy, scipy, numba and llvmlite, and the processor. Before they are believed, one finished cell of each target in a
    file is played again, and one of those that each other process finishes meanwhile. Several may work on one folder at
    once.

    Parameters
    ----------
    plan : a TOML file, or a dict with its keys: kind ("audit" or "simulation"), targets (texts), environments (of
        simulations), epsilons, horizons, seeds, options (the same in all cells), product (a list of values for each
        other option that varies) and data (files that the targets read).
    store : a folder on a disk of this machine; is made if it is not there.
    jobs : worker processes; no result depends on it.
    retry : whether cells that failed before are played again.

    Returns
    -------
    Sweep, with all cells in the folder; see `read_sweep`.

    Raises
    ------
    PrivcheckError : a mistake in the plan, a folder that cannot be written, a disk that is full, a source or data file
        that changed meanwhile. A cell that fails is no error: its message stands in the column `error`.

    Examples
    --------
    >>> import tempfile
    >>> plan = {"kind": "audit", "targets": ["dp-se"], "epsilons": [0.5, 2], "options": {"arms": 2, "runs": 500}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = sweep(plan, folder)
    >>> found.count("done"), [cell["epsilon"] for cell in found.cells]
    (2, [0.5, 2.0])
    """
    return play_sweep(plan, store, jobs=jobs, retry=retry)


def play_sweep(
    plan: str | Path | Mapping[str, Any],
    store: str | Path,
    *,
    jobs: int,
    retry: bool,
    tell: Callable[[str], object] = lambda _: None,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Sweep:
    """Do the same; tell before anything is played how many cells are done, new and stale; play inside `around`."""
    workers, again = check("jobs", jobs, Integer(1)), check("retry", retry, Switch())
    cells, files = read_cells(plan), Files()
    with naming(plan):
        keyed = [(cell.key(files), cell) for cell in cells]
    with CellStore(store) as kept:
        notes, rows = kept.plan(keyed, retry=again), None
        while rows is None:  # once, unless other commands have finished cells meanwhile, which are tested then
            with around():
                notes += set_aside_changed(kept, keyed, partial(_played, workers))
            known = kept.finished()
            new = [(key, cell) for key, cell in keyed if key not in known]
            failed = sum(known.get(key) is not None for key, _ in keyed)
            counts = [(len(cells) - len(new) - failed, "done"), (failed, "failed"), (len(new), "new")]
            tell(f"{len(cells):,} cells: {count_words([*counts, (kept.stale(keyed), 'stale')])}")
            if new:
                with progress("cells", len(new), counted=True) as advance, around():
                    _Client(kept, new, workers, advance).work()
            rows = kept.own_rows(keyed)
        if changed := kept.changed_imports(key for key, _ in keyed):
            raise changed_meanwhile(", ".join(changed))
    return sweep_of(store, *rows, tuple(dict.fromkeys(notes)))


def changed_meanwhile(what: str) -> PrivcheckError:
    """Return the error of a file that is not, at the end, what it was when a cell was played."""
    hint = f"{what}: run the same command again"
    return PrivcheckError("targets", words("files that changed meanwhile"), "files that stay as they are", hint)


def _played(jobs: int, cell: Cell, sources: Mapping[str, Path]) -> Played:
    """Return what a cell shows here or in a worker process."""
    if jobs == 1:
        return play(cell, sources)
    try:
        found: Played = kept_pool(jobs).submit(play, cell, sources).result()
    except Exception as error:
        if type(error).__name__ not in BROKEN:
            raise
        return Played(None, {}, DIED, 0.0)
    except BaseException:
        end_worker_processes()
        raise
    return found


class _Client:
    """One process at work on the cells of a folder."""

    def __init__(self, kept: CellStore, new: Sequence[Keyed], jobs: int, advance: Callable[[int], None]) -> None:
        self.kept, self.jobs, self.advance = kept, jobs, advance
        self.waiting = list(reversed(new))
        self.running: dict[Future[Played], Keyed] = {}
        self.suspects: list[Keyed] = []
        self.sources = {places: source_files(*places) for places in {cell.places for _, cell in new}}

    def work(self) -> None:
        """Play what nobody else plays, until all cells are finished."""
        try:
            self._work()
        except OSError as error:
            self._end_workers()
            expected = "a system on which cells can be played"
            hint = "what is finished is kept, and the same command continues"
            raise PrivcheckError("sweep", words(error.strerror or str(error)), expected, hint) from None
        except BaseException:
            self._end_workers()
            raise

    def _work(self) -> None:
        while self.waiting or self.running or self.suspects:
            self._begin()
            if self.running:
                done, _ = wait(self.running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._finish(future)
            elif self.waiting:
                time.sleep(WAIT)

    def _end_workers(self) -> None:
        """Kill the workers, whose results nobody waits for any more."""
        if self.jobs > 1 and self.running:
            end_worker_processes()

    def _begin(self) -> None:
        """Claim cells and begin to play them; cells that may have killed a worker are played one at a time."""
        if self.suspects:
            if not self.running:
                self._submit(self.suspects[-1])
            return
        taken: list[Keyed] = []
        while self.waiting and len(self.running) < self.jobs:
            key, cell = self.waiting.pop()
            mine = self.kept.claim(key)
            if mine is None:
                self.advance(1)
            elif mine:
                self._submit((key, cell))
            else:
                taken.append((key, cell))
        self.waiting += reversed(taken)

    def _submit(self, keyed: Keyed) -> None:
        sources = self.sources[keyed[1].places]
        if self.jobs == 1:
            future: Future[Played] = Future()
            future.set_result(play(keyed[1], sources))
        else:
            future = kept_pool(self.jobs).submit(play, keyed[1], sources)
        self.running[future] = keyed

    def _finish(self, future: Future[Played]) -> None:
        key, cell = keyed = self.running.pop(future)
        try:
            played = future.result()
        except Exception as error:
            if type(error).__name__ not in BROKEN:
                raise
            if keyed not in self.suspects:
                self.suspects.append(keyed)
                return
            played = Played(None, {}, DIED, 0.0)
        if keyed in self.suspects:
            self.suspects.remove(keyed)
        if cell.key(Files()) != key:
            raise changed_meanwhile(f"{cell.target} or a file that it reads")
        if played.versions not in ({}, versions()):
            raise changed_meanwhile("privcheck or what it needs, of which a worker process found other versions")
        self.kept.keep(key, cell, played)
        self.advance(1)
