"""Functions of one number that change by at most as much as the number does, of sums over several data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._entries import Entries
from privcheck.private_values._several_data.moved_numbers import Moves, entry_roundings, moved_number
from privcheck.private_values._several_data.sharp_ends import sharp_ends
from privcheck.private_values._terms import Terms


def lipschitz(
    entries: Entries,
    rows: Integers,
    function: Callable[[int], tuple[str, Callable[[float], float]]],
    ends: tuple[Array, Array],
    const: Array,
    terms: Terms,
) -> tuple[Array, Terms]:
    r"""Return public parts and terms in which some entries y, of several data each, have become f(y).

    |f(a) - f(b)| <= |a - b|, so a datum that moves y by at most w moves f(y) by at most w, and by no more than the
    width of the interval of f(y).

    Parameters
    ----------
    entries : all of them.
    rows : which become f(y).
    function : of each, with its name and its public parameters as text; it rounds nothing but its result. It rises, or
        it is the absolute value.
    ends : between which the results lie.
    const, terms : those of the other entries.
    """
    if not rows.size:
        return const, terms
    errors, const = entry_roundings(entries), const.copy()
    lows, highs = sharp_ends(entries, rows.tolist())
    for row in rows.tolist():
        name, apply = function(row)
        one = entries.taken(np.array([row]))
        _, owners, widths = Moves.of(one)
        within, found = (float(ends[0][row]), float(ends[1][row])), apply(float(one.values[0]))
        sharp = sorted((apply(float(lows[row])), apply(float(highs[row]))))
        if name == "absolute":
            sharp[0] = 0.0
        const[row], made = moved_number(
            name, one, owners, widths, within, found, float(errors[row]), (sharp[0], sharp[1])
        )
        terms = terms.with_row(row, made)
    return const, terms
