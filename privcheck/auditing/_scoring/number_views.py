"""Views of the real parts of outputs: each part separately, and all parts together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from privcheck.arrays import Array, Symbols
from privcheck.auditing._scoring.combined_parts import Parity, TwoParts
from privcheck.auditing._scoring.discriminant import Discriminant
from privcheck.auditing._scoring.learned import LogisticScore
from privcheck.auditing._scoring.numeric import Distance, Histogram, MostTelling, SumOfHistograms, Value
from privcheck.auditing._scoring.prefix import distinct_rows
from privcheck.auditing._scoring.repeated_values import (
    LEAST_OF_ATOM,
    MOST_ON_GRID,
    Remainder,
    RepeatedValues,
    grid_step,
    has_atoms,
)
from privcheck.auditing._scoring.view import NumberView, View
from privcheck.targets import Outputs, Sides, fitted

MOST_NUMBERS = 8
"""Real parts of an output that are read separately, to bound the number of scores."""

MOST_LISTED = 4
"""Parts with names, such as the keys of a dict, that are listed where all are read together."""

MOST_WEIGHED = 256
"""Real parts of an output that are weighed against each other, to bound the time; in the search a quarter of them."""

RUNS_PER_PART = 2
"""Least training runs per stream for each part that is weighed: with fewer, chance looks like a leak."""

FEW_SEQUENCES = 64
"""Distinct discrete outputs up to which their counts are taken to be enough, so that no regression is fitted."""

COMBINED_FROM = 500
"""Training runs per stream from which parts are read together in the search: those of its last round, where a pair is
judged that others have led to. In fewer runs, the best of many combinations is luck.
"""


def number_views(
    sides: Sides,
    symbols: Callable[[Outputs], Symbols],
    columns: list[tuple[str, Callable[[Outputs], Array]]],
    whole: str,
    *,
    thorough: bool,
) -> list[View]:
    """Return the views of the numbers of an output, of all of them together and, if `thorough`, of everything together.

    Parameters
    ----------
    sides : training runs on each stream, which show what there is to read.
    symbols : reads the discrete parts that an observer may see.
    columns : for each number, its name and a function that reads it.
    whole : the word for an output.
    thorough : adds histograms of each number, of which one has bins for the numbers that many runs have in common,
        remainders, a regression on all parts and the likelihood ratio where it is known.

    """
    found: list[View] = []
    outputs = sides[0]
    numbers, discrete, read_as_numbers = outputs.numbers.shape[1], outputs.symbols.shape[1], len(columns)

    parts = [name for name, _ in columns if name.endswith("]")]
    every = f"all numbers of the {whole}"
    if len(parts) == len(columns) <= MOST_LISTED:
        every = " and ".join([", ".join(parts[:-1]), *parts[-1:]] if len(parts) > 1 else parts) or every

    def real(runs: Outputs) -> Array:
        return np.stack([read(runs) for _, read in columns], axis=1) if columns else np.zeros((len(runs), 0))

    if not thorough and read_as_numbers > 1:
        found.append(NumberView(f"one number of the {whole}", real, MostTelling))
    for label, read in columns[: MOST_NUMBERS if thorough or read_as_numbers == 1 else 0]:
        found.append(NumberView(label, read, Value, plain=True))
        if thorough:
            found.append(NumberView(f"|{label} - its median|", read, Distance, plain=True))
            found.append(NumberView(f"{label} (histogram)", read, Histogram))
            if any(has_atoms(read(side)) for side in sides):
                atoms = partial(RepeatedValues, least=LEAST_OF_ATOM)
                found.append(NumberView(f"{label} (repeated numbers)", read, atoms))
    if read_as_numbers > 1 or (numbers and not thorough):
        found.append(NumberView(f"{every} (histograms)", real, SumOfHistograms))
    most = min(MOST_WEIGHED if thorough else MOST_WEIGHED // 4, len(outputs) // RUNS_PER_PART)
    if 1 < read_as_numbers <= most:
        found.append(NumberView(f"{every} (linear discriminant)", real, Discriminant))
    found += _combined(sides, symbols, columns, real, whole, thorough=thorough)
    if thorough and (read_as_numbers > 1 or (numbers and discrete) or _many(symbols(outputs))):
        everything = f"the whole {whole} (logistic regression)"
        found.append(NumberView(everything, lambda runs: (symbols(runs), real(runs)), LogisticScore))
    if thorough and outputs.ratios is not None:
        found.append(NumberView("the log-likelihood ratio of the releases", _ratios, Value, plain=True))
    return found


def _combined(
    sides: Sides,
    symbols: Callable[[Outputs], Symbols],
    columns: list[tuple[str, Callable[[Outputs], Array]]],
    real: Callable[[Outputs], Array],
    whole: str,
    *,
    thorough: bool,
) -> list[View]:
    """Return the views of what parts say together, of none of which each says anything, and of the grid of numbers."""
    found: list[View] = []
    outputs = sides[0]
    if not thorough and len(outputs) < COMBINED_FROM:
        return found
    if len(columns) > 1:
        names = [name for name, _ in columns]
        found.append(NumberView(f"two numbers of the {whole}", real, partial(TwoParts, names=names)))
    few = columns[:MOST_NUMBERS] if thorough else []
    if any(grid_step(read(side[:MOST_ON_GRID])) for _, read in few for side in sides):
        found.append(
            NumberView(
                f"the remainder of a number of the {whole}",
                lambda runs: np.stack([read(runs) for _, read in few], axis=1),
                partial(Remainder, names=[name for name, _ in few]),
            )
        )
    if _many(symbols(outputs)):
        names = [f"symbol {place + 1}" for place in range(symbols(outputs[:1]).shape[1])]
        found.append(NumberView(f"the parity of some symbols of the {whole}", symbols, partial(Parity, names=names)))
    return found


def numbered(name: str, outputs: Outputs) -> list[tuple[str, Callable[[Outputs], Array]]]:
    """Return the real parts of outputs as columns named `name`, with a number if there are several."""
    count = outputs.numbers.shape[1]
    places = outputs.places[1] or ["" if count == 1 else f" {place}" for place in range(count)]
    return [(f"{name}{where}", _column(place)) for place, where in enumerate(places)]


def _column(place: int) -> Callable[[Outputs], Array]:
    return lambda outputs: fitted(outputs.numbers, place + 1, np.nan)[:, place]


def _ratios(outputs: Outputs) -> Array:
    return np.full(len(outputs), np.nan) if outputs.ratios is None else outputs.ratios


def _many(symbols: Symbols) -> bool:
    return symbols.shape[1] > 1 and len(distinct_rows(symbols)[0]) > FEW_SEQUENCES
