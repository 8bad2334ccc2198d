"""Views of the outputs of a one-shot mechanism."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Symbols
from privcheck.auditing._scoring.number_views import number_views, numbered
from privcheck.auditing._scoring.view import SequenceView, View
from privcheck.targets import CODED, MISSING, Outputs, Sides, StreamPair, fitted

FEW_SYMBOLS = 2
"""Values of a discrete part up to which reading it as a number adds nothing: any event of two values is one of them."""


def output_views(pair: StreamPair, sides: Sides, *, thorough: bool = False) -> list[View]:  # noqa: ARG001
    """Return the views of a mechanism's outputs: discrete parts in order, and real or many-valued parts as numbers.

    Parameters
    ----------
    pair : the two inputs.
    sides : training runs on each input, which show what there is to read.
    thorough : for the confirmation rather than the search.

    """
    outputs = sides[0]
    read = _Symbols(sides)
    found: list[View] = [SequenceView("output", 0, read, read.in_words)] if read.parts or read.lengths else []
    parts = outputs.symbols.shape[1]
    integers = [
        (read.name(place), _integer(place))
        for place in range(parts)
        if len(np.unique(_integer(place)(outputs[:1000]), equal_nan=True)) > FEW_SYMBOLS
    ]
    columns = [*numbered("output", outputs), *integers]
    return found + number_views(sides, read, columns, "output", thorough=thorough)


class _Symbols:
    """Reads the discrete parts of outputs in order, and before them how many real parts there are, where that varies.

    A part that stands for one text in all training runs, such as the keys of a dict, is read like the others: the other
    input may have another text there. Words leave it out where it has that text.

    Parameters
    ----------
    sides : training runs on each input, which show what there is to read.
    """

    def __init__(self, sides: Sides) -> None:
        outputs = sides[0]
        self.parts = outputs.symbols.shape[1]
        constant = (outputs.symbols == outputs.symbols[:1]).all(axis=0) & _coded(outputs.symbols[:1]).all(axis=0)
        self.usual = {int(place): int(outputs.symbols[0, place]) for place in np.flatnonzero(constant)}
        self.lengths = any(len(np.unique(_lengths(side))) > 1 for side in sides)
        self.places = ["", *places] if (places := outputs.places[0]) else []

    def name(self, place: int) -> str:
        """Return the name of a discrete part."""
        if self.places and place:
            return f"output{self.places[place]}"
        return "output" if self.parts == 1 else f"part {place}"

    def __call__(self, outputs: Outputs) -> Symbols:
        shown: Symbols = fitted(outputs.symbols, self.parts, MISSING)
        return np.column_stack([_lengths(outputs), shown]) if self.lengths else shown

    def in_words(self, symbols: tuple[int, ...]) -> str:
        """Spell out what was read, or its beginning."""
        counted, rest = (symbols[:1], symbols[1:]) if self.lengths else ((), symbols)
        told = [(place, symbol) for place, symbol in enumerate(rest) if self.usual.get(place) != symbol]
        if self.places and not counted and told and rest[0] == self.usual.get(0):
            return ", ".join(f"{self.name(place)} is {symbol}" for place, symbol in told if symbol != MISSING)
        shown = tuple(symbol for _, symbol in told) or rest
        if not counted:
            return in_words(shown)
        known = tuple(symbol for symbol in shown if symbol != MISSING)
        number = f"{counted[0]} real number{'s' * (counted[0] != 1)}"
        return f"{in_words(known)}, with {number}" if known else f"the output has {number}"


def _lengths(outputs: Outputs) -> Symbols:
    return np.asarray((~np.isnan(outputs.numbers)).sum(axis=1), np.int64)


def _coded(symbols: Symbols) -> npt.NDArray[np.bool_]:
    """Return which symbols stand for texts and the like, not for integers."""
    return np.asarray((symbols <= CODED) & (symbols != MISSING))


def _integer(place: int) -> Callable[[Outputs], Array]:
    def read(outputs: Outputs) -> Array:
        column = fitted(outputs.symbols, place + 1, MISSING)[:, place]
        return np.where((column == MISSING) | _coded(column), np.nan, column)

    return read


def in_words(symbols: tuple[int, ...]) -> str:
    """Spell out the discrete parts of an output, or their beginning.

    >>> in_words((3,)), in_words((0, 1, MISSING)), in_words((MISSING,)), in_words(())
    ('the output is 3', 'the output begins 0, 1', 'the output consists of real numbers', 'every run')
    """
    known = [str(symbol) for symbol in symbols if symbol != MISSING]
    if not known:
        return "the output consists of real numbers" if symbols else "every run"
    return f"the output is {known[0]}" if len(symbols) == 1 else f"the output begins {', '.join(known)}"
