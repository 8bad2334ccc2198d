"""One audit or simulation of a sweep, and the key under which its result is kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from privcheck.scheduling import fingerprint
from privcheck.serialise import plain
from privcheck.sweeps._environment_tables import files_of, label
from privcheck.sweeps._target_sources import digest_of, is_place, source_files

AUDIT, SIMULATION = KINDS = ("audit", "simulation")
NAMED = ("streams", "encode", "law")
"""The options that may name a function."""


@dataclass(frozen=True)
class Cell:
    """One audit or simulation.

    Parameters
    ----------
    kind : "audit" or "simulation".
    target : a shipped id, FILE.py:NAME or package.module:NAME.
    environment : of a simulation, as a TOML file describes it; None for an audit.
    epsilon : the budget; None without one.
    horizon : rounds; None for what an audit chooses.
    seed : of all randomness.
    given : the other options that were given, as they were written.
    options : all other options that the result depends on, with their defaults.
    data : paths of files that the target reads.
    """

    kind: str
    target: str
    environment: Any
    epsilon: float | None
    horizon: int | None
    seed: int
    given: dict[str, Any]
    options: dict[str, Any]
    data: tuple[str, ...] = ()

    @cached_property
    def described(self) -> dict[str, Any]:
        """Everything that was asked for, in types that JSON has."""
        names = ("kind", "target", "environment", "epsilon", "horizon", "seed", "options")
        return {name: plain(getattr(self, name)) for name in names}

    @cached_property
    def place(self) -> str:
        """A hash of what was asked for: cells with equal places ask the same, perhaps of other source or versions."""
        return _hash(self.described)

    def key(self, files: Files) -> str:
        """Return the hash of everything that the result depends on: SHA-256, in hexadecimal."""
        return _hash({"asked": self.described, "files": files.hashes(self), "versions": versions()})

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Where its code is, if it is in files: that of the target, and of the functions among its options."""
        return tuple(place for place in (self.target, *self.named.values()) if is_place(place))

    @property
    def named(self) -> dict[str, str]:
        """The options that name a function or a file, as they were given."""
        options = {name: self.options.get(name) for name in NAMED}
        return {name: value for name, value in options.items() if isinstance(value, str)}

    @property
    def columns(self) -> dict[str, Any]:
        """The cell as the first columns of a table."""
        shown = {name: getattr(self, name) for name in ("kind", "target")} | {"environment": label(self.environment)}
        shown |= {"epsilon": self.epsilon, "horizon": self.horizon, "seed": self.seed}
        return shown | {f"option_{name}": _cell(value) for name, value in plain(self.given).items()}


class Files:
    """The files that cells depend on, each hashed once."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, str]] = {}
        self._data: dict[str, str] = {}

    def hashes(self, cell: Cell) -> dict[str, Any]:
        """Return the hashes of a cell's sources and data files, by name."""
        data = dict.fromkeys(cell.data, "data") | dict.fromkeys(files_of(cell.environment), "environments")
        data |= {value: name for name, value in cell.named.items() if not is_place(value)}
        for place in cell.places:
            if place not in self._places:
                self._places[place] = {name: digest_of(path) for name, path in source_files(place).items()}
        for path, parameter in data.items():
            if path not in self._data:
                self._data[path] = digest_of(path, parameter)
        return {
            "source": {place: self._places[place] for place in cell.places},
            "data": {p: self._data[p] for p in data},
        }


def versions() -> dict[str, str]:
    """Return the versions that results may depend on, as chunks of a store do."""
    return fingerprint()


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _cell(value: Any) -> Any:
    """Return a value for one cell of a table: lists and tables as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value
