"""Functions of one datum: a new feature, with the interval that follows from that of its argument."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.declared import Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.private_values.entries import Form, collected, forms
from privcheck.private_values.features import FeatureTable
from privcheck.private_values.leaks import describe_data

if TYPE_CHECKING:
    from privcheck.private_values.private import Private

_MARGIN = 1e-9
"""Relative distance from the end of an interval beyond which float rounding decides no comparison."""

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

COMPARISONS: dict[Any, tuple[str, Callable[[float, float], bool]]] = {
    np.less: ("<", operator.lt), np.less_equal: ("<=", operator.le), np.greater: (">", operator.gt),
    np.greater_equal: (">=", operator.ge), np.equal: ("==", operator.eq), np.not_equal: ("!=", operator.ne),
}  # fmt: skip


def applied(function: Any, value: Private) -> Private | None:
    """Return numpy's function of each entry; None if one depends on several data or may lie outside the domain.

    The interval of the new feature is the image of that of its argument; the feature is moved into it.
    """
    compute, shape, least, most = FUNCTIONS[function]
    found = []
    for form, low, high, owners, table in _entries(value):
        if len(owners) > 1 or not least <= low <= high <= most:
            return None
        ends = sorted((compute(low), compute(high)))
        if shape == "even" and low < 0.0 < high:
            ends[0] = 0.0
        if not owners:
            found.append(Form(compute(form.const)))
            continue
        whole = function in (np.sign, np.floor, np.ceil, np.rint) or (form.is_whole(table) and function is np.absolute)
        interval = ends[0], ends[1]
        inside = _limited(compute, low, high)
        found.append(
            _feature(("function", function.__name__, form), inside, form, interval, table, owners, whole=whole)
        )
    return value.make(value.source, *collected(found, value.shape))


def compared(function: Any, value: Private, other: Any) -> Any:
    """Return a comparison with public numbers where that is private or public, and None where it would be a leak.

    Where the intervals decide every entry, for all data, it is an ordinary bool or array. Otherwise it is the indicator
    of each entry, a feature of its one datum; None if some entry depends on several data.
    """
    public = value.of(other)
    if public is None or not public.is_public or value.is_action:
        return None
    try:
        shape = np.broadcast_shapes(value.shape, public.shape)
    except ValueError:
        return None
    symbol, holds = COMPARISONS[function]
    limits = np.broadcast_to(public._const, shape).ravel().tolist()
    places = np.broadcast_to(np.arange(value.size).reshape(value.shape), shape).ravel().tolist()
    entries = _entries(value)
    decided = [_decided(symbol, *entries[i][:3], c) for i, c in zip(places, limits, strict=True)]
    if all(known is not None for known in decided):
        return decided[0] if shape == () else np.array(decided, np.bool_).reshape(shape)
    found = []
    for place, limit, known in zip(places, limits, decided, strict=True):
        form, _, _, owners, table = entries[place]
        if known is not None:
            found.append(Form(float(known)))
        elif len(owners) > 1 or math.isnan(limit):
            return None
        else:
            test = _indicator(holds, limit)
            key = ("compared", symbol, form, limit)
            found.append(_feature(key, test, form, (0.0, 1.0), table, owners, whole=True))
    made = value.make(value.source, *collected(found, shape))
    made._cell.compared = symbol
    return made


def squared(value: Private) -> Private | None:
    """Return the square of each entry; None if some entry depends on several data."""
    return None if any(len(owners) > 1 for _, _, _, owners, _ in _entries(value)) else value * value


def limited(value: Private, other: Any, *, smallest: bool) -> Private | None:
    """Return the smaller (larger) of each entry and a public number; None if some entry depends on several data."""
    public = value.of(other)
    if public is None or not public.is_public or any(len(owners) > 1 for _, _, _, owners, _ in _entries(value)):
        return None
    found: Private = value.clip(None, public._const) if smallest else value.clip(public._const, None)
    return found


def feature(function: Callable[[float], float], value: Any, low: float, high: float) -> Any:
    """Return a function of each entry, moved into [low, high]; of private entries, each of one datum, a private value.

    Parameters
    ----------
    function : takes one number and returns one; it must depend on nothing else that is private, and change nothing.
    value : a number, an array, or a private value of which each entry depends on one datum.
    low, high : finite ends of the result, low < high; the sensitivity follows from them alone.

    Guarantee
    ---------
    The result is moved into [low, high], and a result that is no number, or an error, becomes low: whatever the
    function does with a datum, the new feature of that datum lies in the declared interval.

    Raises
    ------
    PrivcheckError : an entry that depends on several data, or ends that are not in order.

    Source: a function of one datum does not depend on other data, so its sensitivity is that of its interval.

    Examples
    --------
    >>> from privcheck.private_values.source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> feature(lambda r: r**3 - r, reward, -0.5, 0.0).sensitivities("l1")
    {3: 0.5}
    >>> feature(lambda r: r**3 - r, 0.5, -0.5, 0.0)
    -0.375
    """
    from privcheck.private_values.private import Private

    least: float = check("low", low, Real())
    most: float = check("high", high, Real())
    if not least < most:
        raise PrivcheckError("low, high", (low, high), "low < high")

    def inside(number: float) -> float:
        try:
            result = float(function(number))
        except Exception:
            return least
        return least if math.isnan(result) else min(max(result, least), most)

    if not isinstance(value, Private) or value.is_public:
        array = np.asarray(value.ordinary() if isinstance(value, Private) else value, np.float64)
        found = np.array([inside(number) for number in array.ravel().tolist()]).reshape(array.shape)
        return float(found) if found.ndim == 0 else found
    made = []
    for form, _, _, owners, table in _entries(value):
        if len(owners) > 1:
            got = words(f"a sum over {describe_data([table.data[i] for i in sorted(owners)])}")
            hint = "apply the function to the value of each datum before adding it"
            raise PrivcheckError("feature", got, "entries of one datum each", hint)
        made.append(
            _feature(("declared", object()), inside, form, (least, most), table, owners)
            if owners
            else Form(inside(form.const))
        )
    return value.make(value.source, *collected(made, value.shape))


def _limited(compute: Callable[[float], float], low: float, high: float) -> Callable[[float], float]:
    """Return a function that cannot fail for a number that rounding has moved out of its interval."""
    return lambda number: compute(min(max(number, low), high))


def _indicator(holds: Callable[[float, float], bool], limit: float) -> Callable[[float], float]:
    return lambda number: float(holds(number, limit))


def _entries(value: Private) -> list[tuple[Form, float, float, set[int], FeatureTable]]:
    """Return each entry with its interval, its data and the table."""
    assert value.source is not None
    table = value.source.features
    return [(form, *form.interval(table), form.owners(table), table) for form in forms(value)]


def _feature(
    key: tuple[object, ...],
    compute: Callable[[float], float],
    form: Form,
    interval: tuple[float, float],
    table: FeatureTable,
    owners: set[int],
    *,
    whole: bool = False,
) -> Form:
    """Return the feature that a function of an entry is."""
    low, high = interval
    if low == high:
        return Form(low)
    (owner,) = owners
    number = table.derived(
        key, lambda: table.add(table.data[owner], low, high, compute(form.value(table)), whole=whole)
    )
    return Form(0.0, (number,), (1.0,))


def _decided(symbol: str, form: Form, low: float, high: float, limit: float) -> bool | None:
    """Return a comparison that holds, or fails, whatever the data are; None if it depends on them."""
    if not form.features:
        return COMPARED[symbol](form.const, limit)
    slack = 0.0 if form.is_feature else _MARGIN * (abs(low) + abs(high) + abs(form.const))
    if symbol in ("==", "!="):
        return symbol == "!=" if limit < low - slack or limit > high + slack else None
    holds = COMPARED[symbol]
    near, far = (high, low) if symbol in ("<", "<=") else (low, high)
    outward = slack if symbol in ("<", "<=") else -slack
    if holds(near + outward, limit):
        return True
    return None if holds(far - outward, limit) else False


COMPARED = dict(COMPARISONS.values())
