"""Features as functions of the numbers of their datum: affine in each of these, on boxes between thresholds."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from privcheck.private_values._curves.corners import values_at_corners

if TYPE_CHECKING:
    from privcheck.private_values._features import FeatureTable

MOST_NUMBERS = 6
"""Numbers of a datum on which a feature may depend; one that depends on more is taken for a number itself."""

_MOST_PARTS = 200
"""Parts of an expression, up to which it is followed."""

_MOST_TERMS = 16
"""Terms of a sum, up to which it is followed."""

_UNIT = sys.float_info.epsilon / 2.0

Expression = tuple[Any, ...]


class Number(NamedTuple):
    """A number of a datum: its interval, and of an action the number of arms (else 0)."""

    low: float
    high: float
    arms: int


Placed = tuple["Shape", tuple[int, ...]]
"""A shape, and which of some numbers those are of which it is a function."""


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """A function of a few numbers, the same for the features of all rounds that are computed in the same way.

    Parameters
    ----------
    numbers : of which it is a function.
    how : the expression, computed in the same order as the hidden value of the feature.
    moving : the numbers in which it is affine between thresholds; in the others it is constant there.
    rises : whether it is monotone between thresholds as it is computed, with rounding, if one number moves it.
    error : how far the computed value may be from that of an exactly affine function, between thresholds. Where it is
        constant there, it is computed as the hidden value is, so that comparisons with it are decided as they are.
    low, high : between which its computed values lie.
    bit : whether it is -1, 0 or 1, so that products with it are not rounded.
    size : the number of parts of the expression.
    """

    numbers: tuple[Number, ...]
    how: Expression
    moving: frozenset[int]
    rises: bool
    error: float
    low: float
    high: float
    bit: bool
    size: int


class Curve(NamedTuple):
    """A feature: the numbers of its datum that it is computed from, each a feature or a form of some, and its shape."""

    atoms: tuple[Hashable, ...]
    shape: Shape


def made_curve(atoms: tuple[Hashable, ...], shape: Shape) -> Curve:
    """Return a curve, without the constructor of named tuples: choices by a datum run no code that is generated."""
    return tuple.__new__(Curve, (atoms, shape))


Curves = Mapping[int, Curve]
"""The features that are computed from others in known ways."""


def curve_of(key: tuple[Any, ...], low: float, high: float, table: FeatureTable) -> Curve | None:
    """Return what a new feature is a function of, and of which shape; None if that is not known.

    Parameters
    ----------
    key : what it is computed from, and how: see `FeatureTable.derived`.
    low, high : the interval into which it is moved.
    table : the features that it is computed from.
    """
    kind, *parts = key
    if kind != "one hot" and kind != "compared" and any(_is_short(part, table) for part in parts):
        return None
    if kind == "product":
        if _of_vectors(parts, table):
            return None
        return _joined("product", (), [_form(form, table) for form in parts], low, high)
    if kind == "selected":
        return _joined("selected", (), [_form(form, table) for form in parts], low, high)
    if kind == "compared":
        symbol, form, limit = parts
        return _of_one("compared", (symbol, limit), form, low, high, table)
    if kind == "clip":
        form, lowest, highest = parts
        return _of_one("clip", (lowest, highest), form, low, high, table)
    if kind == "function" and parts[0] == "absolute":
        return _of_one("absolute", (), parts[1], low, high, table)
    if kind == "one hot":
        action, arm = parts
        return _joined("compared", ("==", float(arm)), [single(action, table)], low, high)
    return None


def single(feature: int, table: FeatureTable) -> Curve:
    """Return a feature as a function of what it is computed from, or of itself."""
    found = table.curves.get(feature)
    return found or made_curve(
        (feature,), _number(table.low[feature], table.high[feature], table.actions.get(feature, 0))
    )


def _of_vectors(forms: Sequence[tuple[Any, ...]], table: FeatureTable) -> bool:
    """Return whether an entry of a vector with norm bounds is among the factors: these are bounded together."""
    alone = [form[0] for form in forms if len(form) == 1]
    return any(feature not in table.curves and table.group[feature] >= 0 for feature in alone)


def _is_short(form: Any, table: FeatureTable) -> bool:
    """Return whether the norm of a vector keeps a form of its entries within a part of what their intervals allow.

    What is computed from it is moved into an interval that follows from the norm, so that it is not affine at corners
    of the intervals.
    """
    if type(form) is not tuple or form[0] == "public":
        return False
    _, terms = _terms_of(form)
    groups = {table.group[feature] for feature, _ in terms}
    if len(groups) > 1 or (group := groups.pop()) < 0 or all(feature in table.curves for feature, _ in terms):
        return False
    shares = [weight / math.sqrt(table.multiplicity[feature]) for feature, weight in terms]
    low, high = _interval(0.0, terms, table)
    return math.hypot(*shares) * table.bounds[group].l2_radius < max(-low, high)


def _terms_of(form: tuple[Any, ...]) -> tuple[float, list[tuple[int, float]]]:
    """Return the public part of a form, and its features with their weights."""
    if len(form) == 1:
        return 0.0, [(form[0], 1.0)]
    count = (len(form) - 1) // 2
    return form[count], list(zip(form[:count], form[count + 1 :], strict=True))


def _interval(const: float, terms: list[tuple[int, float]], table: FeatureTable) -> tuple[float, float]:
    """Return the ends of a sum of features that move independently."""
    ends = [sorted((weight * table.low[feature], weight * table.high[feature])) for feature, weight in terms]
    return const + sum(low for low, _ in ends), const + sum(high for _, high in ends)


def _of_one(
    word: str, how: tuple[Any, ...], form: tuple[Any, ...], low: float, high: float, table: FeatureTable
) -> Curve | None:
    """Return a function of one form: if its thresholds are not known by the numbers in it, it is a number itself."""
    found = _joined(word, how, [_form(form, table)], low, high)
    return found if found is not None else _joined(word, how, [_whole(form, table)], low, high)


def _form(form: tuple[Any, ...], table: FeatureTable) -> Curve:
    """Return a form, see `Entries.keys`, as a function of what its features are computed from, or as a number."""
    if form[0] == "public":
        return made_curve((), _public(form[1]))
    if len(form) == 1:
        return single(form[0], table)
    count = (len(form) - 1) // 2
    if count > _MOST_TERMS:
        return _whole(form, table)
    parts = [single(feature, table) for feature in form[:count]]
    return _joined("sum", (form[count], form[count + 1 :]), parts) or _whole(form, table)


def _whole(form: tuple[Any, ...], table: FeatureTable) -> Curve:
    """Return a form as a number of which nothing else is known than its interval, widened by its rounding.

    With n terms, computed numbers and ends are off by at most (n + 1) u (|const| + sum |w f|), to first order. That far
    what is computed from the number may be moved, into its own interval, and is then not affine.
    """
    if len(form) == 1:
        return made_curve((form[0],), _number(table.low[form[0]], table.high[form[0]], table.actions.get(form[0], 0)))
    const, terms = _terms_of(form)
    sizes = [abs(weight) * max(-table.low[feature], table.high[feature]) for feature, weight in terms]
    margin = (2.0 * len(terms) + 4.0) * _UNIT * (abs(const) + sum(sizes)) + 2.0**-1070
    low, high = _interval(const, terms, table)
    return made_curve((form,), _number(low - margin, high + margin, 0, 2.0 * margin))


def _joined(
    word: str, how: tuple[Any, ...], parts: Sequence[Curve], low: float = -math.inf, high: float = math.inf
) -> Curve | None:
    """Return a function of several curves."""
    if len(parts) == 1:
        atoms = parts[0].atoms
        shape = _shape(word, how, ((parts[0].shape, tuple(range(len(atoms)))),), low, high)
    else:
        places: dict[Hashable, int] = {}
        placed = tuple((shape, tuple(places.setdefault(atom, len(places)) for atom in atoms)) for atoms, shape in parts)
        atoms = tuple(places)
        shape = _shape(word, how, placed, low, high)
    return None if shape is None else made_curve(atoms, shape)


@lru_cache(maxsize=4096)
def _number(low: float, high: float, arms: int, error: float = 0.0) -> Shape:
    """Return the function that is a number itself; an action is none between its arms."""
    moving = frozenset[int]() if arms else frozenset({0})
    return Shape((tuple.__new__(Number, (low, high, arms)),), ("x", 0), moving, True, error, low, high, False, 1)


@lru_cache(maxsize=4096)
def _public(number: float) -> Shape:
    return Shape((), ("number", number), frozenset(), True, 0.0, number, number, number in (0.0, 1.0), 1)


@lru_cache(maxsize=4096)
def _shape(word: str, how: tuple[Any, ...], parts: tuple[Placed, ...], low: float, high: float) -> Shape | None:
    """Return the shape of a function of several; None if it is not affine in each number between known thresholds."""
    numbers = _numbers(parts)
    size = 1 + sum(shape.size for shape, _ in parts)
    if not 0 < len(numbers) <= MOST_NUMBERS or size > _MOST_PARTS:
        return None
    found = _MADE[word](how, parts)
    if found is None:
        return None
    expression, moving, rises, error, bit = found
    if word == "sum":
        low, high = _ends(how, parts)
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if word != "sum":
        if error:
            error += 8.0 * _UNIT * max(abs(low), abs(high))
        if word == "compared" or sum(len(places) for _, places in parts) > len(numbers):
            low, high = _tight(Shape(numbers, expression, moving, rises, error, low, high, bit, size), low, high)
        expression = ("within", expression, low, high)
    return Shape(numbers, expression, moving, rises, error, low, high, bit, size)


def _numbers(parts: tuple[Placed, ...]) -> tuple[Number, ...]:
    found = {place: number for shape, places in parts for place, number in zip(places, shape.numbers, strict=True)}
    return tuple(found[place] for place in range(len(found)))


def _tight(shape: Shape, low: float, high: float) -> tuple[float, float]:
    """Return the ends of the values that a function takes, within an interval; into these the feature is moved."""
    values = values_at_corners(((shape, tuple(range(len(shape.numbers)))),), shape.numbers)
    if values is None:
        return low, high
    least, most = (min(max(float(end), low), high) for end in (values.min(), values.max()))
    return least, most


def _moving(parts: tuple[Placed, ...]) -> list[frozenset[int]]:
    """Return in which numbers each part is affine."""
    return [frozenset(places[number] for number in shape.moving) for shape, places in parts]


def _at(parts: tuple[Placed, ...]) -> tuple[Expression, ...]:
    """Return the expressions of the parts, as functions of all numbers."""
    return tuple(
        shape.how if places == tuple(range(len(places))) else ("at", places, shape.how) for shape, places in parts
    )


Made = tuple[Expression, frozenset[int], bool, float, bool]
"""An expression, the numbers in which it is affine, and whether it is monotone; its error, and whether it is a bit."""


def _sum(how: tuple[Any, ...], parts: tuple[Placed, ...]) -> Made:
    r"""Return const + sum of w f, rounded once for each product and once for the sum.

    With n terms, it is off by at most u (2 |const| + 3 sum |w f|), to first order, and its interval, into which others
    are moved, by (n + 1) u (|const| + sum |w f|); if f is only scaled by a power of two, by underflow alone.
    """
    const, weights = how
    moving = _moving(parts)
    sizes = [abs(w) * max(-part.low, part.high, 0.0) for w, (part, _) in zip(weights, parts, strict=True)]
    error = sum(abs(w) * part.error for w, (part, _) in zip(weights, parts, strict=True))
    if len(parts) > 1 or const != 0.0 or math.frexp(abs(weights[0]))[0] != 0.5:
        error += (4.0 + len(parts)) * _UNIT * (abs(const) + 2.0 * sum(sizes)) + 2.0**-1070
    elif abs(weights[0]) < 1.0:
        error += 2.0**-1070
    bit = len(parts) == 1 and parts[0][0].bit and {*_ends(how, parts), const, weights[0]} <= {-1.0, 0.0, 1.0}
    many = sum(bool(each) for each in moving)
    rises = many == 0 or (many == 1 and all(part.rises for part, _ in parts))
    return ("sum", const, weights, *_at(parts)), frozenset().union(*moving), rises, error, bit


def _ends(how: tuple[Any, ...], parts: tuple[Placed, ...]) -> tuple[float, float]:
    """Return an interval in which a sum lies."""
    const, weights = how
    ends = [sorted((w * part.low, w * part.high)) for w, (part, _) in zip(weights, parts, strict=True)]
    return const + sum(low for low, _ in ends), const + sum(high for _, high in ends)


def _product(_: tuple[Any, ...], parts: tuple[Placed, ...]) -> Made | None:
    (one, _), (two, _) = parts
    moving = _moving(parts)
    if moving[0] & moving[1]:
        return None
    error = 0.0
    if one.bit or two.bit:
        error = max(one.error, two.error)
    else:
        sizes = [max(abs(part.low), abs(part.high)) for part in (one, two)]
        error = (sizes[0] + one.error) * two.error + sizes[1] * one.error + 4.0 * _UNIT * sizes[0] * sizes[1]
        error += 2.0**-1070
    rises = not (moving[0] and moving[1]) and one.rises and two.rises
    return ("product", *_at(parts)), moving[0] | moving[1], rises, error, one.bit and two.bit


def _selected(_: tuple[Any, ...], parts: tuple[Placed, ...]) -> Made | None:
    one, two = parts[1][0], parts[2][0]
    moving = _moving(parts)
    if moving[0]:
        return None
    error, bit = max(one.error, two.error), one.bit and two.bit
    return ("selected", *_at(parts)), moving[1] | moving[2], one.rises and two.rises, error, bit


def _compared(how: tuple[Any, ...], parts: tuple[Placed, ...]) -> Made | None:
    if (axis := _axis(parts)) is None or not math.isfinite(how[1]):
        return None
    return ("compared", *_at(parts), axis, *how), frozenset(), True, 0.0, True


def _clip(how: tuple[Any, ...], parts: tuple[Placed, ...]) -> Made | None:
    if (axis := _axis(parts)) is None:
        return None
    part = parts[0][0]
    return ("clip", *_at(parts), axis, *how), part.moving, True, part.error, False


def _absolute(how: tuple[Any, ...], parts: tuple[Placed, ...]) -> Made | None:
    if (axis := _axis(parts)) is None:
        return None
    part = parts[0][0]
    return ("absolute", *_at(parts), axis, *how), part.moving, True, part.error, part.bit


def _axis(parts: tuple[Placed, ...]) -> int | None:
    """Return the only number that moves a part between thresholds, -1 for none; None if its thresholds are unknown."""
    part = parts[0][0]
    if len(part.moving) > 1 or not part.rises:
        return None
    return next(iter(part.moving), -1)


_MADE: dict[str, Any] = {
    "sum": _sum, "product": _product, "selected": _selected, "compared": _compared, "clip": _clip,
    "absolute": _absolute,
}  # fmt: skip
