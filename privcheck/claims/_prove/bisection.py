"""Branch and bound: a box is bisected until intervals prove the statement on every part, or the budget is used up.

A leaf of the tree is proven in one of three ways. "interval": the lower bound of the gap between the two sides is not
negative on the box. "outside": a printed condition fails on the whole box. "face": on a face of the domain, where a
variable has its smallest or largest value, the gap and its first derivatives by that variable vanish identically,
which computer algebra shows; and the next derivative has one sign on the box. By Taylor's formula the gap is then not
negative on the box. Where two faces meet on both of which the gap vanishes, its mixed second derivative may have one
sign instead, of which the gap is the integral over a rectangle. This is needed wherever both sides are equal on the
edge of the domain.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privcheck.claims._claim import Reading, Relation
from privcheck.claims._derivative import derivative
from privcheck.claims._expression import Expression, evaluate, expression, substitute
from privcheck.claims._float_intervals import QUICK
from privcheck.claims._prove.symbolic import vanishes
from privcheck.claims._variables import Variable

Box = dict[str, tuple[Fraction, Fraction]]
Tree = dict[str, Any]

MOST_DERIVATIVES = 3


@dataclass(frozen=True)
class Face:
    """A face on which the gap vanishes, or two that meet, with the derivative that decides near it.

    Parameters
    ----------
    sides : the variables that are constant on it, each with whether it is at its smallest value.
    order : of the derivative.
    slope : the derivative, with the sign that makes it not negative where the statement holds.

    """

    sides: tuple[tuple[str, bool], ...]
    order: int
    slope: Expression

    def is_reached(self, part: Box, box: Box) -> bool:
        """Return whether a part of the box reaches it."""
        return all(part[name][0 if low else 1] == box[name][0 if low else 1] for name, low in self.sides)


@dataclass
class Proof:
    """How much of a box was proven.

    Parameters
    ----------
    share : of the box, counted in halvings and rounded down: 1 only if nothing is left open.
    boxes : number of parts that were looked at.
    tree : the bisections and, at the leaves, how each part was proven; `check_tree` repeats it.
    left_open : the parts that were not proven.

    """

    share: float
    boxes: int
    tree: Tree = field(repr=False)
    left_open: list[Box] = field(repr=False)


def prove(reading: Reading, most_boxes: int) -> Proof:
    """Try to prove an inequality on the region of its variables.

    Guarantee
    ---------
    On the parts of the box that are counted in `share` the statement holds: bounds are rounded outwards, and parts
    that a condition excludes are excluded for certain.

    Examples
    --------
    >>> from privcheck.claims._claim import at_most, printed
    >>> from privcheck.claims import exp
    >>> from privcheck.claims._variables import probability
    >>> x = probability("x")
    >>> prove(printed(x, says=at_most(exp(-x.symbol), 1 - x.symbol / 2)), 100).share
    1.0
    """
    says = reading.says
    assert isinstance(says, Relation)
    box: Box = {of.name: of.proved for of in reading.variables}
    faces = zero_faces(reading)
    tree: Tree = {}
    waiting: list[tuple[float, int, Box, Tree]] = [(-1.0, 0, box, tree)]
    share, looked = 0.0, 0
    left_open: list[Box] = []
    while waiting and looked < most_boxes:
        negative, _, part, node = heapq.heappop(waiting)
        looked += 1
        leaf = leaf_of(reading, says.gap, faces, part, box)
        if leaf:
            node.update(leaf)
            share -= negative
            continue
        split = _split(reading.variables, part, box)
        if split is None:
            left_open.append(part)
            continue
        name, low, high = split
        node.update({"split": name, "at": str(low[1]), "low": {}, "high": {}})
        for side, ends in (("low", low), ("high", high)):
            heapq.heappush(waiting, (negative / 2, 2 * looked + (side == "high"), part | {name: ends}, node[side]))
    left_open += [part for _, _, part, _ in waiting]
    whole = 1.0 if not left_open else math.nextafter(1.0, 0.0)  # floats lose what a thousand halvings have left
    return Proof(min(share, whole), looked, tree, left_open)


def described_rest(left_open: Sequence[Box], whole: Box) -> list[dict[str, list[float]]]:
    """Return boxes that hold all parts that were not proven: one for each face of the whole box that parts are next to.

    Parameters
    ----------
    left_open : the parts.
    whole : the box that a proof was tried on.

    Examples
    --------
    >>> unit, tenth, half = (Fraction(0), Fraction(1)), (Fraction(0), Fraction(1, 10)), (Fraction(1, 2), Fraction(1))
    >>> described_rest([{"x": tenth, "y": half}, {"x": tenth, "y": tenth}], {"x": unit, "y": unit})
    [{'x': [0.0, 0.1], 'y': [0.0, 1.0]}]
    """
    groups: dict[tuple[str, bool], list[Box]] = {}
    for part in left_open:
        groups.setdefault(min(_distances(part, whole), key=lambda of: of[0])[1], []).append(part)
    return [
        {name: [float(min(of[name][0] for of in group)), float(max(of[name][1] for of in group))] for name in whole}
        for group in groups.values()
    ]


def _distances(part: Box, whole: Box) -> list[tuple[Fraction, tuple[str, bool]]]:
    """Return how far a part reaches away from each face, beside the length of the whole box, and the face."""
    found = []
    for name, (low, high) in whole.items():
        length = high - low or Fraction(1)
        found += [((part[name][1] - low) / length, (name, True)), ((high - part[name][0]) / length, (name, False))]
    return found


def zero_faces(reading: Reading) -> list[Face]:
    """Return the faces of a domain on which both sides are equal, as far as they can be used, and where two meet."""
    says = reading.says
    assert isinstance(says, Relation)
    found = []
    for of in reading.variables:
        for low in (True, False):
            face = None if of.integer else _zero_face(reading, says.gap, of, low)
            if face is not None:
                found.append(face)
    meeting = [_meeting(says.gap, one, two) for one, two in itertools.combinations(found, 2)]
    return [*found, *filter(None, meeting)]


def _zero_face(reading: Reading, gap: Expression, of: Variable, low: bool) -> Face | None:
    value = of.proved[0 if low else 1]
    others = [other for other in reading.variables if other.name != of.name]
    slope: Expression | None = gap
    order = 0
    while slope is not None and vanishes(substitute(slope, {of.name: expression(value)}), others):
        slope, order = derivative(slope, of.name), order + 1
        if order > MOST_DERIVATIVES:
            return None
    if slope is None or order == 0:
        return None
    return Face(((of.name, low),), order, slope if low or order % 2 == 0 else -slope)


def _meeting(gap: Expression, one: Face, two: Face) -> Face | None:
    """Return where two faces meet; None for two ends of one variable, or without a mixed derivative."""
    ((first, low), (second, also_low)) = sides = one.sides + two.sides
    slope = None if first == second else derivative(gap, first)
    slope = None if slope is None else derivative(slope, second)
    return None if slope is None else Face(sides, 2, slope if low == also_low else -slope)


def leaf_of(
    reading: Reading, gap: Expression, faces: list[Face], part: Box, box: Box, arithmetic: Any = QUICK
) -> Tree | None:
    """Return how a part is proven, or None."""
    if lower(gap, part, arithmetic) >= 0.0:
        return {"by": "interval"}
    for index, condition in enumerate(reading.assumes):
        if condition.sense != "==" and lower(-condition.gap, part, arithmetic) > 0.0:
            return {"by": "outside", "condition": index}
    for face in faces:
        if face.is_reached(part, box) and lower(face.slope, part, arithmetic) >= 0.0:
            return {"by": "face", "sides": dict(face.sides), "order": face.order}
    return None


def lower(node: Expression, part: Mapping[str, tuple[Fraction, Fraction]], arithmetic: Any) -> float:
    """Return a lower bound of an expression on a box."""
    try:
        if arithmetic is QUICK:
            found: float = evaluate(node, QUICK, {name: _outer(ends) for name, ends in part.items()})[0]
            return found
        boxed = {name: arithmetic.between(*ends) for name, ends in part.items()}
        return float(arithmetic.lower(evaluate(node, arithmetic, boxed)))
    except ArithmeticError:
        return float("-inf")


def _outer(ends: tuple[Fraction, Fraction]) -> tuple[float, float]:
    return QUICK.constant(ends[0])[0], QUICK.constant(ends[1])[1]


def _split(
    variables: tuple[Variable, ...], part: Box, whole: Box
) -> tuple[str, tuple[Any, Any], tuple[Any, Any]] | None:
    """Return the variable whose range is largest beside its first one, and the two halves of that range."""
    best, widest = None, 0.0
    for of in variables:
        width = _width(of, *part[of.name]) / max(_width(of, *whole[of.name]), 1e-300)
        if width > widest:
            best, widest = of, width
    if best is None:
        return None
    low, high = part[best.name]
    if best.integer:
        middle = Fraction((low + high) // 2)
        return best.name, (low, middle), (middle + 1, high)
    middle = Fraction(float(low * high) ** 0.5) if _scaled(low, high) else (low + high) / 2
    return best.name, (low, middle), (middle, high)


def _scaled(low: Fraction, high: Fraction) -> bool:
    return low > 0 and high > 4 * low


def _width(of: Variable, low: Fraction, high: Fraction) -> float:
    if high == low:
        return 0.0
    return float(high / low) ** 0.25 - 1 if _scaled(low, high) and not of.integer else float(high - low)
