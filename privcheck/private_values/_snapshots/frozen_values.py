"""Private values taken apart for a snapshot, with what is hidden of them, and put together again.

Only `privcheck.guard` does this, for a ledger that has the same numbers anyway. A value is its cell and which of its
entries it shows; what a source holds is kept beside it, and the references to its cells in their order.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from privcheck.private_values._noise.coins import Coins
from privcheck.private_values._private import Private, _new
from privcheck.private_values._shared.shared_cell import Cell
from privcheck.private_values._source import PrivateSource
from privcheck.private_values._terms import NOTHING, Terms, _Buffer

_OF_SOURCE = ("compared", "coin_lines", "collected", "_settled", "_next_sweep", "_most_cells")
_OF_DRAWS = ("sample", "epoch", "next", "_settled", "noisy", "loose", "_draws")


def taken_apart(value: Any) -> Any:
    """Return a function and arguments that make a part of a private value again; NotImplemented for anything else."""
    if isinstance(value, Private):
        if value._whole:
            return Private.over, (value._cell,)
        return _view, (value._cell, value._const, value._positions)
    kind = type(value)
    if kind is Cell:
        about = value.epoch, value.reused, value.compared, value.kind, value.made, value.reads_noise, value.lent
        return _cell, (value.source, value.terms, value.const, *about)
    if kind is _Buffer:  # without the room in which it grows, which holds what the memory held before
        return _buffer, tuple(getattr(value, name)[: value.used].copy() for name in _COLUMNS)
    if kind is Coins:
        return _coins, (value._symbol, value._sides, value._difference, value._whole)
    return NotImplemented


_COLUMNS = ("rows", "firsts", "lengths", "weights")


def _view(cell: Cell, const: Any, positions: Any) -> Private:
    found = _new(const)
    found._cell, found._const, found._positions = cell, const, positions
    found._whole, found._own = False, (NOTHING, NOTHING)
    return found


def _cell(source: Any, terms: Terms, const: Any, epoch: int, *about: Any) -> Cell:
    cell = Cell(source, terms, const)
    cell.epoch, cell.reused, cell.compared, cell.kind, *others = epoch, *about
    for name, given in zip(("made", "reads_noise", "lent"), others, strict=False):  # earlier versions wrote fewer
        setattr(cell, name, given)
    return cell


def _buffer(*columns: Any) -> _Buffer:
    found = _Buffer(columns[0].size)
    found.write(*columns)
    return found


def _coins(symbol: str, sides: tuple[Any, ...], difference: Private, whole: Any) -> Coins:
    found = Coins(symbol, sides[0], sides[1], difference)
    found._sides, found._whole = sides, whole
    return found


def cells_of(source: PrivateSource) -> list[Cell]:
    """Return what holds the private values that somebody refers to, in the order in which they were made."""
    return list(source._living())


def state_of(source: PrivateSource) -> dict[str, Any]:
    """Return what a source holds besides its cells; numbers to which no private value refers any more are not in it."""
    for _ in range(2):  # the first time it keeps those that are new
        source.forget()
    return {
        "source": {name: getattr(source, name) for name in _OF_SOURCE},
        "features": vars(source.features),
        "several": vars(source.several),
        "draws": {name: getattr(source.draws, name) for name in _OF_DRAWS},
    }


def put_together(source: PrivateSource, state: dict[str, Any], cells: list[Cell]) -> None:
    """Let a new source hold what another one held."""
    owners = {"source": source, "features": source.features, "several": source.several, "draws": source.draws}
    for name, owner in owners.items():
        for attribute, value in state[name].items():
            setattr(owner, attribute, value)
    source.cells = [ref(cell) for cell in cells]
