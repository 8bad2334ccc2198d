"""Functions of one number that change by at most as much as the number does, of sums over several data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._entries import SEVERAL, Entries
from privcheck.private_values._several_data.moved_numbers import Moves, entry_roundings, moved_number
from privcheck.private_values._terms import Terms

Function = Callable[[float], float]


def lipschitz(
    entries: Entries,
    names: list[str],
    functions: Sequence[Function],
    ends: tuple[Array, Array],
    const: Array,
    terms: Terms,
) -> tuple[Array, Terms]:
    r"""Return public parts and terms, with f(y) in each entry y of several data that is not left as it is.

    |f(a) - f(b)| <= |a - b|, so a datum that moves y by at most w moves f(y) by at most w, and by no more than the
    width of the interval of f(y).

    Parameters
    ----------
    entries : all of them.
    names : of each function, with its public parameters; "" to leave an entry.
    functions : of each entry, whatever their rounding is exact but for that of the result.
    ends : between which the results lie.
    const, terms : those of the other entries.
    """
    errors, const = entry_roundings(entries), const.copy()
    for row in np.flatnonzero(entries.owners == SEVERAL).tolist():
        if names[row]:
            one = entries.taken(np.array([row]))
            _, owners, widths = Moves.of(one)
            within = float(ends[0][row]), float(ends[1][row])
            found = functions[row](float(one.values[0]))
            const[row], made = moved_number(names[row], one, owners, widths, within, found, float(errors[row]))
            terms = terms.with_row(row, made)
    return const, terms
