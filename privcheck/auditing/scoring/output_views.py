"""Views of the outputs of a one-shot mechanism."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privcheck.arrays import Array, Symbols
from privcheck.auditing.scoring.number_views import number_views, numbered
from privcheck.auditing.scoring.view import SequenceView, View
from privcheck.targets.outputs import MISSING, Outputs, fitted
from privcheck.targets.stream_pair import StreamPair

FEW_SYMBOLS = 2
"""Values of a discrete part up to which reading it as a number adds nothing: any event of two values is one of them."""


def output_views(pair: StreamPair, outputs: Outputs, *, thorough: bool = False) -> list[View]:  # noqa: ARG001
    """Return the views of a mechanism's outputs: discrete parts in order, and real or many-valued parts as numbers.

    Parameters
    ----------
    pair : the two inputs.
    outputs : training runs, which show what there is to read.
    thorough : for the confirmation rather than the search.

    """
    parts = outputs.symbols.shape[1]

    def symbols(runs: Outputs) -> Symbols:
        return fitted(runs.symbols, parts, MISSING)

    found: list[View] = [SequenceView("output", 0, symbols, in_words)] if parts else []
    integers = [
        ("output" if parts == 1 else f"part {place}", _integer(place))
        for place in range(parts)
        if len(np.unique(outputs.symbols[:1000, place])) > FEW_SYMBOLS
    ]
    columns = [*numbered("output", outputs), *integers]
    return found + number_views(outputs, symbols, columns, "output", thorough=thorough)


def _integer(place: int) -> Callable[[Outputs], Array]:
    def read(outputs: Outputs) -> Array:
        column = fitted(outputs.symbols, place + 1, MISSING)[:, place]
        return np.where(column == MISSING, np.nan, column)

    return read


def in_words(symbols: tuple[int, ...]) -> str:
    """Spell out the discrete parts of an output, or their beginning.

    >>> in_words((3,)), in_words((0, 1, MISSING)), in_words(())
    ('the output is 3', 'the output begins 0, 1', 'every run')
    """
    known = [str(symbol) for symbol in symbols if symbol != MISSING]
    if not known:
        return "every run"
    return f"the output is {known[0]}" if len(symbols) == 1 else f"the output begins {', '.join(known)}"
