"""Playing one cell of a sweep, here or in a worker process."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from privcheck.auditing import audit
from privcheck.errors import PrivcheckError
from privcheck.reached_state import is_own_file, own_modules
from privcheck.results import AuditReport, Simulation
from privcheck.serialise import number
from privcheck.simulation import simulate
from privcheck.sweeps._cell import AUDIT, Cell, versions
from privcheck.sweeps._environment_tables import made
from privcheck.sweeps._sweep_file import arguments
from privcheck.sweeps._target_sources import digest_of, from_here

COLUMNS = (
    "verdict", "delta", "epsilon_lower", "epsilon_upper", "confidence", "p_value", "resolution",
    "mean", "se", "median", "q05", "q95", "q99", "runs", "seconds",
)  # fmt: skip
"""What a result adds to the columns of its cell; those of the other kind are None."""

UNEQUAL = ("seconds", "engine")
"""Fields in which equal results may differ."""


@dataclass(frozen=True)
class Played:
    """What became of a cell.

    Parameters
    ----------
    text : the JSON of its result; None if it failed.
    columns : the columns of its result, named by `COLUMNS`.
    error : why it failed, in one line; None if it did not.
    seconds : the time that it took.
    imported : the files of modules that its target imported besides its sources, each with its SHA-256.
    versions : those of the process that has played it; empty if it ended.
    """

    text: str | None
    columns: dict[str, Any]
    error: str | None
    seconds: float
    imported: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


def play(cell: Cell, sources: Mapping[str, Path] | None = None) -> Played:
    """Play a cell to its end.

    Parameters
    ----------
    cell : what is played.
    sources : the files of its target, as `source_files` returns them, whose modules are imported anew: there may be
        modules of the same names from other folders.

    Raises
    ------
    KeyboardInterrupt : it was interrupted; a result that was cut short is not returned.
    OSError : the system failed, not the cell.
    """
    started = time.monotonic()
    text, columns, error = None, {}, None
    with _noticing_signals() as interrupted, _modules_of_its_own(sources or {}) as imported:
        try:
            found = _result(cell)
            text, columns = found.to_json(), columns_of(found)
            if isinstance(found, Simulation) and any(remark.kind == "interrupted" for remark in found.remarks):
                raise KeyboardInterrupt
        except PrivcheckError as refused:
            error = str(refused)
        except OSError:
            raise
        except Exception as fault:
            error = f"internal error: {type(fault).__name__}: {fault}"[:500]
        if interrupted():
            raise KeyboardInterrupt
    told = None if error is None else " ".join(error.split())
    return Played(text, columns, told, time.monotonic() - started, imported, versions())


def _result(cell: Cell) -> AuditReport | Simulation:
    if cell.kind == AUDIT:
        own = arguments(cell.options)
        return audit(cell.target, epsilon=cell.epsilon, horizon=cell.horizon, seed=cell.seed, **own)
    place = made(cell.environment)
    assert cell.horizon is not None
    return simulate(cell.target, place, epsilon=cell.epsilon, horizon=cell.horizon, seed=cell.seed, **cell.options)


def columns_of(found: AuditReport | Simulation) -> dict[str, Any]:
    """Return a result as columns of a table."""
    row = found.rows()[0]
    return {name: row.get(name) for name in COLUMNS}


def read_columns(text: str) -> dict[str, Any]:
    """Return the columns of a result from its JSON.

    Raises
    ------
    PrivcheckError, KeyError, TypeError, ValueError : text of another kind.
    """
    content = json.loads(text)
    if "verdict" in content:
        return columns_of(AuditReport.from_json(text))
    row = {name: number(value) for name, value in content["results"][0].items()}
    return {name: row.get(name) for name in COLUMNS}


def digest(text: str) -> str:
    """Return a hash of a result: SHA-256 of its JSON without the time that it took.

    >>> digest('{"verdict": null, "seconds": 1.5}') == digest('{"seconds": 2.5, "verdict": null}')
    True
    """
    return hashlib.sha256(json.dumps(_timeless(json.loads(text)), sort_keys=True).encode()).hexdigest()


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(item) for name, item in value.items() if name not in UNEQUAL}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


@contextmanager
def _noticing_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether SIGINT or SIGTERM came, at which an audit ends with what it has by then."""
    received: list[int] = []
    before: dict[int, Any] = {}

    def notice(signum: int, frame: FrameType | None) -> None:
        received.append(signum)
        handler = before[signum]
        if callable(handler):
            handler(signum, frame)
        else:
            raise KeyboardInterrupt

    try:
        for signum in map(int, (signal.SIGINT, signal.SIGTERM)):
            if signal.getsignal(signum) not in (signal.SIG_IGN, None):
                before[signum] = signal.signal(signum, notice)
    except ValueError:  # not in the main thread
        pass
    try:
        yield lambda: bool(received)
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


@contextmanager
def _modules_of_its_own(sources: Mapping[str, Path]) -> Iterator[dict[str, str]]:
    """Import the modules of a target in the block, whatever has their names, and put what was there back.

    They are those that a new process would import: none of the user's that is there already, in which something may
    have been set. The places where modules and files are found, which a target may change, are put back too: the next
    cell is looked for there.

    Parameters
    ----------
    sources : its files, as they are known before it is played.

    Yields
    ------
    The files of what it imports besides these, each with its SHA-256; filled at the end of the block.
    """
    places = [name.removesuffix(".py").removesuffix("/__init__").split("/") for name in sources]
    names = {".".join(parts[:length]) for parts in places for length in range(1, 1 + len(parts))}
    before, path, folder = _taken(names | (own_modules() - MAIN)), list(sys.path), os.getcwd()  # noqa: PTH109
    imported, noticed = dict[str, str](), _Noticed()
    sys.meta_path.insert(0, noticed)
    try:
        yield imported
    finally:
        with suppress(ValueError):
            sys.meta_path.remove(noticed)
        sys.path[:] = path
        os.chdir(folder)
        new = own_modules() - MAIN
        files = {Path(str(sys.modules[name].__file__)).resolve() for name in new} - {*sources.values()}
        with suppress(PrivcheckError):  # one that is gone by now
            imported |= {from_here(file): noticed.digests.get(file) or digest_of(file) for file in sorted(files)}
        _taken(names | new)
        sys.modules.update(before)


MAIN = {"__main__", "__mp_main__"}


class _Noticed(MetaPathFinder):
    """Finds no module, and takes note of what is in the files of those that are found after it, before they are loaded:
    they may change while the cell is played.
    """

    def __init__(self) -> None:
        self.digests: dict[Path, str] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Hash the file of a module of the user's."""
        found = PathFinder.find_spec(name, path, target)
        if found is not None and found.has_location and found.origin and is_own_file(found.origin):
            with suppress(PrivcheckError):
                self.digests[Path(found.origin).resolve()] = digest_of(found.origin)


def _taken(names: set[str]) -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name in names}
