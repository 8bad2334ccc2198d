"""Functions of one datum: a new feature, with the interval that follows from that of its argument."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array
from privcheck.declared import Real, check
from privcheck.errors import PrivcheckError
from privcheck.private_values._entries import MARGIN, SEVERAL, Entries, quiet
from privcheck.private_values._several_data.of_one_sum import lipschitz
from privcheck.private_values._several_data.sharp_ends import sharp_ends
from privcheck.private_values._shared.shared_cell import Cell
from privcheck.reached_state import applied_apart

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

FUNCTIONS: dict[Any, tuple[Callable[[float], float], str, float, float]] = {
    np.sqrt: (math.sqrt, "rising", 0.0, math.inf),
    np.exp: (math.exp, "rising", -700.0, 700.0),
    np.log: (math.log, "rising", 1e-300, math.inf),
    np.log1p: (math.log1p, "rising", -1.0 + 1e-15, math.inf),
    np.log2: (math.log2, "rising", 1e-300, math.inf),
    np.expm1: (math.expm1, "rising", -700.0, 700.0),
    np.tanh: (math.tanh, "rising", -math.inf, math.inf),
    np.absolute: (abs, "even", -math.inf, math.inf),
    np.reciprocal: (lambda x: 1.0 / x, "falling", 1e-300, math.inf),
    np.sign: (lambda x: float(np.sign(x)), "rising", -math.inf, math.inf),
    np.floor: (lambda x: float(math.floor(x)), "rising", -1e15, 1e15),
    np.ceil: (lambda x: float(math.ceil(x)), "rising", -1e15, 1e15),
    np.rint: (lambda x: float(np.rint(x)), "rising", -1e15, 1e15),
}
"""numpy's functions: how they are computed, where they are monotone or even, and between which numbers."""

FAR = 1e299
"""Limits beyond this ask whether numbers are finite."""

COMPARISONS: dict[Any, tuple[str, Callable[[Any, Any], Any]]] = {
    np.less: ("<", operator.lt), np.less_equal: ("<=", operator.le), np.greater: (">", operator.gt),
    np.greater_equal: (">=", operator.ge), np.equal: ("==", operator.eq), np.not_equal: ("!=", operator.ne),
}  # fmt: skip


NO_NUMBERS = (str, bytes, type(None), dict, set)
"""What equals no number."""


def applied(function: Any, value: Private) -> Private | None:
    """Return numpy's function of each entry; None if one may lie outside of the domain or depends on several data.

    The absolute value of a sum over several data is a number that each of them moves by at most as much as the sum.

    The interval of the new feature is the image of that of its argument; the feature is moved into it.
    """
    compute, shape, least, most = FUNCTIONS[function]
    entries = Entries.of(value)
    lows, highs = entries.interval
    sums = entries.owners == SEVERAL
    if (sums.any() and function is not np.absolute) or not ((least <= lows) & (highs <= most)).all():
        return None
    ends = np.sort([[compute(end) for end in column.tolist()] for column in (lows, highs)], axis=0)
    if shape == "even":
        ends[0] = np.where((lows < 0.0) & (highs > 0.0), 0.0, ends[0])
    integers = function in (np.sign, np.floor, np.ceil, np.rint)
    whole = integers or (entries.whole if function is np.absolute else False)
    numbers = entries.values if function is np.absolute else np.clip(entries.values, lows, highs)
    hidden = np.array([compute(number) for number in numbers.tolist()])
    keys = [("function", function.__name__, key) for key in entries.keys]
    const, terms = entries.replaced(keys, (ends[0], ends[1]), hidden, whole=whole, kept=sums)
    rows = np.flatnonzero(sums)
    const, terms = lipschitz(entries, rows, lambda _: ("absolute", abs), (ends[0], ends[1]), const, terms)
    kind = value.kind if integers or function is np.absolute else "f"
    assert value.source is not None
    if integers:
        results = np.where(ends[0] == ends[1], ends[0], np.nan)
        value.source.decided.note(function.__name__, np.where(entries.private, lows, np.nan), results)
    return value.make(value.source, const.reshape(value.shape), terms).of_kind(kind)


def compared(function: Any, value: Private, other: Any) -> Any:
    """Return a comparison with public numbers where that is private or public, and None where it would be a leak.

    Where the intervals decide every entry, for all data, it is an ordinary bool or array. Otherwise it is the indicator
    of each entry, a feature of its one datum; None if some entry depends on several data.
    """
    if isinstance(other, NO_NUMBERS) and not value.ndim and function in (np.equal, np.not_equal):
        return function is np.not_equal
    public = value.of(other)
    if public is None or not public.is_public or value.is_action:
        return None
    try:
        shape = np.broadcast_shapes(value.shape, public.shape)
    except ValueError:
        return None
    symbol, _ = COMPARISONS[function]
    positive = _OPPOSITE.get(symbol, symbol)
    limits = np.broadcast_to(public._const, shape).ravel()
    places = np.broadcast_to(np.arange(value.size).reshape(value.shape), shape).ravel()
    entries = Entries.of(value).taken(places)
    decided = _decided(symbol, entries, limits)
    open_ = np.array([known is None for known in decided])
    above = np.where(open_, np.nan, np.where(limits >= entries.interval[1], 1.0, -1.0))
    asked = entries.private & (np.abs(limits) < FAR)
    assert value.source is not None
    with quiet():
        value.source.decided.note(symbol, np.where(asked, limits - entries.interval[0], np.nan), above)
    if not open_.any():
        return decided[0] if shape == () else np.array(decided, np.bool_).reshape(shape)
    if (entries.owners[open_] == SEVERAL).any() or np.isnan(limits[open_]).any():
        return None
    keys = [("compared", positive, key, limit) for key, limit in zip(entries.keys, limits.tolist(), strict=True)]
    lows = np.array([float(known is not None and known == (positive == symbol)) for known in decided])
    ends, holds = (lows, np.where(open_, 1.0, lows)), COMPARED[positive]
    const, terms = entries.replaced(keys, ends, np.asarray(holds(entries.values, limits), np.float64), whole=True)
    made = value.make(value.source, const.reshape(shape), terms)
    if positive != symbol:
        made = 1.0 - made
    value.source.chooses = True
    made.of_kind("b")._cell.compared = symbol
    return made


def digitized(value: Private, bins: Any, right: Any = False) -> Any:
    """Return numpy's `digitize` for public bins in increasing order: how many of them each entry has reached (passed).

    Ordinary integers if that is the same for all data. None for other bins, and if some entry depends on several data.
    """
    ends = np.asarray(bins.ordinary() if isinstance(bins, type(value)) and bins.is_public else bins)
    if ends.ndim != 1 or ends.dtype.kind not in "biuf" or ends.size > 100 or (np.diff(ends) < 0).any():
        return None
    found: Any = value.public(np.zeros(value.shape, np.int64))
    for end in ends.tolist():
        passed = compared(np.greater if right else np.greater_equal, value, float(end))
        if passed is None:
            return None
        found = found + passed * 1
    return found.of_kind("i") if not found.is_public else np.int64(found.ordinary())


def sorted_into(bins: Any, value: Private, side: Any = "left", sorter: Any = None) -> Any:
    """Return numpy's `searchsorted` for public bins in increasing order, which is `digitize` in other words."""
    return digitized(value, bins, side == "left") if side in ("left", "right") and sorter is None else None


def squared(value: Private) -> Private | None:
    """Return the square of each entry; None if some entry depends on several data."""
    return None if _of_several(Entries.of(value)) else value * value


def limited(value: Private, other: Any, *, smallest: bool) -> Private | None:
    """Return the smaller (larger) of each entry and a public number; None if that is no public number."""
    public = value.of(other)
    if public is None or not public.is_public:
        return None
    if np.isnan(public._const).all():
        missing: Private = value * 0.0 + public
        return missing
    found: Private = value.clip(None, public) if smallest else value.clip(public, None)
    return found


def feature(function: Callable[[float], float], value: Any, low: float, high: float) -> Any:
    """Return a function of each entry, moved into [low, high]; of private entries, each of one datum, a private value.

    Parameters
    ----------
    function : takes one number and returns one; it must depend on nothing else that is private, and change nothing.
    value : a number, an array, or a private value or a list of them, of which each entry depends on one datum.
    low, high : finite ends of the result, low < high; the sensitivity follows from them alone.

    Guarantee
    ---------
    The result is moved into [low, high], and a result that is no number, or an error, becomes low: whatever the
    function does with a datum, the new feature of that datum lies in the declared interval. No warning is shown
    meanwhile, and of all exceptions only a KeyboardInterrupt passes. A function that may keep something of a private
    number (some of its instructions or names are on no list) is called apart: all that it reaches is put back after
    each call, so that no datum enters the feature of another one. It is looked through first: one that surely tells or
    keeps something elsewhere (it prints, warns, starts a thread, reads frames) is refused.

    Raises
    ------
    PrivcheckError : an entry that depends on several data, ends that are not in order, or a function that reaches an
        object which cannot be put back, such as an iterator, or that tells something elsewhere.

    Source: a function of one datum does not depend on other data, so its sensitivity is that of its interval.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> feature(lambda r: r**3 - r, reward, -0.5, 0.0).sensitivities("l1")
    {3: 0.5}
    >>> feature(lambda r: r**3 - r, 0.5, -0.5, 0.0)
    -0.375
    """
    from privcheck.private_values._private import Private

    least: float = check("low", low, Real())
    most: float = check("high", high, Real())
    if not least < most:
        raise PrivcheckError("low, high", (low, high), "low < high")

    def inside(number: float) -> float:
        try:
            result = float(function(number))
        except KeyboardInterrupt:  # of a person, or of a system that ends the process
            raise
        except BaseException:  # SystemExit, too: whether there is one depends on the datum
            return least
        return least if math.isnan(result) else min(max(result, least), most)

    value = gathered(value)
    if not isinstance(value, Private) or value.is_public:
        array = np.asarray(value.ordinary() if isinstance(value, Private) else value, np.float64)
        with quiet():
            found = np.array(applied_apart(function, inside, array.ravel().tolist())).reshape(array.shape)
        return float(found) if found.ndim == 0 else found
    entries = Entries.of(value)
    entries.check_single("feature", "apply the function to the value of each datum before adding it")
    assert value.source is not None
    lows, highs = entries.interval
    probes = [float(lows[0] + share * (highs[0] - lows[0])) for share in (0.0, 1.0, 0.37, 0.71)] if entries.size else []
    with quiet():  # whether numpy warns depends on the datum
        hidden = np.array(applied_apart(function, inside, entries.values.tolist(), probes, value.source))
    ends = np.where(entries.private, least, hidden), np.where(entries.private, most, hidden)
    const, terms = entries.replaced([("declared", object()) for _ in range(entries.size)], ends, hidden)
    return value.make(value.source, const.reshape(value.shape), terms)


def gathered(value: Any, *, still: bool = False) -> Any:
    """Return a list of private values, or an array of them as objects, as one private array; anything else as it is.

    Parameters
    ----------
    value : what a policy gave.
    still : whether a private value is copied, so that what other threads of the policy write into it changes nothing.
    """
    from privcheck.private_values._private import Private

    if still and isinstance(value, Private):
        return Private.over(_apart(value))
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
        found = Private.of(value)
        return value if found is None or found.is_public else found
    return value


def _apart(value: Any) -> Cell:
    """Return the entries of a private value in a cell of their own."""
    cell = Cell(value.source, value.terms, value._const.copy())
    for name in ("reused", "compared", "kind", "made", "reads_noise"):
        setattr(cell, name, getattr(value._cell, name))
    return cell


def _of_several(entries: Entries) -> bool:
    """Return whether some entry depends on several data."""
    return bool((entries.owners == SEVERAL).any())


def _decided(symbol: str, entries: Entries, limits: Array) -> list[bool | None]:
    """Return where comparisons hold, or fail, whatever the data are; None where that depends on them."""
    lows, highs = entries.interval
    holds = COMPARED[symbol]
    with quiet():
        slack = np.where(entries.plain, 0.0, MARGIN * (np.abs(lows) + np.abs(highs) + np.abs(entries.const)))
        if symbol in ("==", "!="):
            apart = (limits < lows - slack) | (limits > highs + slack)
            always, never = (apart, apart & False) if symbol == "!=" else (apart & False, apart)
        else:
            ends = (highs + slack, lows - slack) if symbol in ("<", "<=") else (lows - slack, highs + slack)
            always, never = holds(ends[0], limits), ~holds(ends[1], limits)
        always = np.where(entries.private, always, holds(entries.const, limits))
    decided = always | never | ~entries.private
    if symbol not in ("==", "!=") and (open_ := np.flatnonzero(~decided & ~entries.plain).tolist()):
        sharp = sharp_ends(entries, open_)
        least, most = sharp if symbol in (">", ">=") else sharp[::-1]
        with quiet():
            always, never = always | (~decided & holds(least, limits)), never | (~decided & ~holds(most, limits))
        decided |= always | never
    return [bool(yes) if known else None for yes, known in zip(always.tolist(), decided.tolist(), strict=True)]


COMPARED = dict(COMPARISONS.values())
_OPPOSITE = {"<": ">=", "<=": ">", "!=": "=="}
"""Comparisons that are one minus another one, so that x and 1 - x are known to belong together."""
