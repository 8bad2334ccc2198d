"""The exact loss of a random program of `random_releases`, by enumeration. Shares no code with privcheck.

Each function of a datum is affine in each of its numbers, on boxes between thresholds and at thresholds, which
are pieces of their own. So what is released moves the most between corners of pieces: a norm is convex, and a convex
function of what is affine in each coordinate is largest at corners. A corner of an open piece is a limit: a number and
the side from which it is approached, which decides comparisons.

With the outputs v at all corners, divided by the scales of the noise, and n data that may change together,

    epsilon = max_s sum of the n largest over data of (max_v s.v - min_v s.v)   over all vectors s of signs,
    mu      = max || sum_d (v_d - w_d) ||   over n data d and pairs of corners.

A function of one number y_d of each of several data is added to what all of them add. An order statistic is affine
between places where two of these numbers are equal, so that the corners have every y_d at an end of some interval, in
its own one. A variance is a (y_d - m)^2 plus what does not depend on y_d, m the mean of the others. Its change is
affine in m: the others are at ends, and y_d is at an end or at m, unless it moves the same release otherwise. A
standard deviation moves the most if the others are equal. So with variances and deviations the result is a loss that
is attained, and need not be the largest.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from random_releases import Case

MOST_CORNERS = 4000
MOST_OF_GROUPS = 48
"""Different outputs of a datum, if pairs of changes of two data have to be compared."""


class TooLargeError(Exception):
    """A program with more corners than are enumerated here."""


@dataclass(frozen=True)
class Exact:
    """The loss of a program, and of each release the sensitivity by datum, before it is divided by the scale."""

    loss: float
    sensitivities: tuple[dict[int, float], ...]


@dataclass(frozen=True)
class Corners:
    """Corners of a datum's pieces: numbers (one row each), sides (-1 below, 0 at, 1 above) and arms."""

    numbers: np.ndarray
    sides: np.ndarray
    arms: np.ndarray


def exact(case: Case) -> Exact:
    """Return the exact loss and sensitivities."""
    counts = [len(release[3]) for release in case.releases]
    scales = np.repeat([release[5] for release in case.releases], counts)
    ends = np.cumsum([0, *counts])
    if any(statement[0] == "many" for statement in case.statements):
        return _exact_of_many(case, scales, ends.tolist())
    found = [_different(outputs(case, place, corners(case, place))) for place in range(len(case.data))]
    norm = _l1 if case.law == "laplace" else _l2
    each = tuple(
        {place: norm([values[:, start:stop]], 1) for place, values in enumerate(found)}
        for start, stop in itertools.pairwise(ends.tolist())
    )
    return Exact(norm([values / scales for values in found], case.group), each)


def corners(case: Case, place: int) -> Corners:
    """Return all corners of the pieces of a datum."""
    datum, cut = case.data[place], [set[float]() for _ in case.data[place].lows]
    for name, where, *parts in case.statements:
        if where == place and name != "release":
            for what in expressions(name, parts):
                breaks(what, cut)
        elif name == "many":
            for other, i, scale, shift in parts[3]:
                if other == place:
                    cut[i].update((end - shift) / scale for end in _reached(case, parts, place))
    axes: list[Any] = []
    for low, high, at in zip(datum.lows, datum.highs, cut, strict=True):
        inner = [(x, side) for x in at for side in (-1, 0, 1) if low <= x <= high]
        axis = {(low, 0), (high, 0), *(each for each in inner if each not in ((low, -1), (high, 1)))}
        axes.append(sorted(axis))
    axes.append([(arm, 0) for arm in range(max(datum.arms, 1))])
    if np.prod([len(axis) for axis in axes]) > MOST_CORNERS:
        raise TooLargeError
    points = np.array(list(itertools.product(*axes)), dtype=float)
    return Corners(points[:, :-1, 0].T, points[:, :-1, 1].T, points[:, -1, 0])


def _reached(case: Case, parts: Any, place: int) -> set[float]:
    """Return the ends of the numbers in a function of several data, and the means of those of all but one datum."""
    ends = {other: _ends(case, other, line) for other, *line in parts[3]}
    found = {end for pair in ends.values() for end in pair}
    if parts[0] in ("var", "std"):
        others = [pair for other, pair in ends.items() if other != place]
        found |= {float(np.mean(each)) for each in itertools.product(*others)}
    return found


def _ends(case: Case, place: int, line: Any) -> list[float]:
    """Return the ends of the interval of an affine function of a number of a datum."""
    i, scale, shift = line
    return [scale * end[i] + shift for end in (case.data[place].lows, case.data[place].highs)]


def expressions(name: str, parts: Any) -> list[Any]:
    """Return the functions in a statement."""
    match name:
        case "several":
            return list(parts[1])
        case "index":
            return [parts[0], parts[2]]
        case "decay":
            return []
    return [parts[-1]]


def breaks(what: Any, cut: list[set[float]]) -> None:
    """Add the places at which a function changes its piece, for each number."""
    match what:
        case "compare", i, scale, _, limit:
            cut[i].add(limit / scale)
        case "digit", i, bins:
            cut[i].update(bins)
        case "distance", i, middle:
            cut[i].add(middle)
        case "again", parts, _:
            for _, one in parts:
                breaks(one, cut)
        case "clip", one, low, high:
            breaks(one, cut)
            for i, scale, shift in _lines(one):
                cut[i].update([(low - shift) / scale, (high - shift) / scale])
        case _, *parts:
            for one in parts:
                if isinstance(one, tuple):
                    breaks(one, cut)


def _lines(what: Any) -> list[Any]:
    """Return the affine functions that a function is on some piece."""
    if what[0] == "affine":
        return [what[1:]]
    inner = [part for part in what[1:] if isinstance(part, tuple) and isinstance(part[0], str)]
    return [line for part in inner for line in _lines(part)]


def outputs(case: Case, place: int, at: Corners) -> np.ndarray:
    """Return all that is released at all corners of a datum, of shape (corners, numbers), without the other data."""
    sums, published = np.zeros((case.size, len(at.arms))), []
    for name, where, *parts in case.statements:
        if name == "release":
            published.append(np.array(parts[1]) @ sums)
        elif name == "decay":
            sums = parts[0] * sums
        elif where == place and where is not None:
            sums = sums + added(case, name, parts, at)
    return np.concatenate(published).T


def added(case: Case, name: str, parts: Any, at: Corners) -> np.ndarray:
    """Return what a statement adds to the entries at each corner."""
    found = np.zeros((case.size, len(at.arms)))
    match name:
        case "entry":
            entry, weight, what = parts
            found[entry] = weight * number(what, at)
        case "all":
            weights, what = parts
            found = np.outer(weights, number(what, at))
        case "several":
            matrix, what = parts
            found = np.array(matrix) @ np.array([number(one, at) for one in what])
        case "arm" | "index":
            which, weight, what = parts
            chosen = at.arms if name == "arm" else number(which, at)
            found = (np.arange(case.size)[:, None] == chosen) * weight * number(what, at)
        case _:
            raise ValueError(name)
    return found


def number(what: Any, at: Corners) -> np.ndarray:
    """Return a function of the numbers of a datum at each corner."""
    match what:
        case "public", value:
            return np.full(len(at.arms), value)
        case "affine", i, scale, shift:
            return scale * at.numbers[i] + shift
        case "compare", i, scale, symbol, limit:
            return _holds(scale * at.numbers[i] - limit, at.sides[i] * np.sign(scale), symbol)
        case "both" | "mask" | "times", one, two:
            return number(one, at) * number(two, at)
        case "not", one:
            return 1.0 - number(one, at)
        case "arm is", arm:
            return (at.arms == arm) * 1.0
        case "again", parts, limit:
            return (sum(weight * number(one, at) for weight, one in parts) > limit) * 1.0
        case "chosen", test, one, two, _:
            return np.where(number(test, at) == 1.0, number(one, at), number(two, at))
        case "clip", one, low, high:
            return np.minimum(np.maximum(number(one, at), low), high)
        case "distance", i, middle:
            return np.abs(at.numbers[i] - middle)
        case "digit", i, bins:
            return np.sum([_holds(at.numbers[i] - end, at.sides[i], ">=") for end in bins], axis=0)
    raise ValueError(what)


def _holds(difference: np.ndarray, side: np.ndarray, symbol: str) -> np.ndarray:
    """Return where a number that lies at a difference from the limit, or just beside it, passes the comparison."""
    sign = np.where(difference == 0.0, side, np.sign(difference))
    passing = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "==": (0,), "!=": (-1, 1)}[symbol]
    return np.isin(sign, passing) * 1.0


def _different(values: np.ndarray) -> np.ndarray:
    return np.unique(values, axis=0)


def _l1(found: list[np.ndarray], group: int) -> float:
    signs = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=found[0].shape[1] - 1)])
    moved = np.array([np.ptp(signs @ values.T, axis=1) for values in found])
    return float(np.sort(moved, axis=0)[-group:].sum(axis=0).max())


def _l2(found: list[np.ndarray], group: int) -> float:
    count = min(group, len(found))
    if count == 1:
        return max(map(_diameter, found))
    changes = [_changes(values) for values in found]
    return max(_largest_sum(list(each)) for each in itertools.combinations(changes, count))


def _diameter(values: np.ndarray) -> float:
    """Return the largest distance of two rows."""
    values = values - values.mean(axis=0)
    squares = np.square(values).sum(axis=1)
    one, two = np.unravel_index(np.argmax(squares[:, None] + squares - 2 * values @ values.T), (len(values),) * 2)
    return float(np.linalg.norm(values[one] - values[two]))


def _changes(values: np.ndarray) -> np.ndarray:
    """Return the differences of all pairs of rows, the longest first."""
    if len(values) > MOST_OF_GROUPS:
        raise TooLargeError
    found = np.unique((values[:, None] - values).reshape(-1, values.shape[1]).round(14), axis=0)
    return found[np.argsort(-np.linalg.norm(found, axis=1))]


def _largest_sum(changes: list[np.ndarray]) -> float:
    """Return the norm of the longest sum of one change of each datum: those too short to be in it are left out."""
    first, *rest = changes
    reach = sum(float(np.linalg.norm(each[0])) for each in rest)
    best = 0.0
    for change in first:
        length = float(np.linalg.norm(change))
        if length + reach <= best:
            break
        best = max(best, _longest(change, rest, best))
    return best


def _longest(start: np.ndarray, changes: list[np.ndarray], best: float) -> float:
    if len(changes) == 1:
        return float(np.linalg.norm(start + changes[0], axis=1).max())
    first, *rest = changes
    reach = sum(float(np.linalg.norm(each[0])) for each in rest)
    sums = start + first
    for each in sums[np.argsort(-np.linalg.norm(sums, axis=1))]:
        if float(np.linalg.norm(each)) + reach <= best:
            break
        best = max(best, _longest(each, rest, best))
    return best


# Functions of several data.

MANY: dict[str, Any] = {
    "var": lambda y, ddof: np.var(y, axis=-1, ddof=ddof),
    "std": lambda y, ddof: np.std(y, axis=-1, ddof=ddof),
    "median": lambda y, _: np.median(y, axis=-1),
    "max": lambda y, _: np.max(y, axis=-1),
    "min": lambda y, _: np.min(y, axis=-1),
    "quantile": lambda y, q: np.quantile(y, q, axis=-1),
    "sorted": lambda y, place: np.sort(y, axis=-1)[..., place],
}


def _exact_of_many(case: Case, scales: np.ndarray, ends: list[int]) -> Exact:
    norm = _distance_1 if case.law == "laplace" else _distance_2
    each: list[dict[int, float]] = [{} for _ in case.releases]
    for place in range(len(case.data)):
        for values in _changing(case, (place,)):
            for number, (start, stop) in enumerate(itertools.pairwise(ends)):
                found = norm(values[:, start:stop])
                each[number][place] = max(each[number].get(place, 0.0), found)
    count = min(case.group, len(case.data))
    subsets = itertools.combinations(range(len(case.data)), count)
    loss = max(norm(values / scales) for subset in subsets for values in _changing(case, subset))
    return Exact(loss, tuple(each))


def _changing(case: Case, subset: tuple[int, ...]) -> Any:
    """Yield for all places of the other data what is released at all corners of some data, without what others add."""
    nodes = [statement[2:] for statement in case.statements if statement[0] == "many"]
    at = {place: corners(case, place) for place in range(len(case.data))}
    near = {place: np.unique(_node_numbers(nodes, place, at[place]), axis=0) for place in at if place not in subset}
    inside = {
        place: np.unique(
            np.column_stack([outputs(case, place, at[place]), _node_numbers(nodes, place, at[place])]), axis=0
        )
        for place in subset
    }
    width = sum(len(release[3]) for release in case.releases)
    rows = np.array(list(itertools.product(*(range(len(inside[place])) for place in subset))))
    if len(rows) > 700 or len(rows) ** 2 * np.prod([len(found) for found in near.values()]) > 2e7:
        raise TooLargeError
    fixed = sum(inside[place][rows[:, k], :width] for k, place in enumerate(subset))
    matrices = [_of_node(case, number) for number in range(len(nodes))]
    for others in itertools.product(*near.values()):
        chosen = dict(zip(near, others, strict=True))
        values = fixed
        for number, (name, parameter, _, items) in enumerate(nodes):
            columns = []
            for item in items:
                place = item[0]
                if place in subset:
                    columns.append(inside[place][rows[:, subset.index(place)], width + number])
                else:
                    columns.append(np.full(len(rows), chosen[place][number]))
            values = values + np.outer(MANY[name](np.column_stack(columns), parameter), matrices[number])
        yield np.unique(values, axis=0)


def _node_numbers(nodes: Any, place: int, at: Corners) -> np.ndarray:
    """Return the number of a datum in each function of several data, at its corners; 0 if it is not in it."""
    found = np.zeros((len(at.arms), len(nodes)))
    for number, node in enumerate(nodes):
        for datum, i, scale, shift in node[3]:
            if datum == place:
                found[:, number] = scale * at.numbers[i] + shift
    return found


def _of_node(case: Case, number: int) -> np.ndarray:
    """Return what is released of a function of several data that is 1."""
    sums, published, count = np.zeros(case.size), [], -1
    for name, _, *parts in case.statements:
        if name == "release":
            published.append(np.array(parts[1]) @ sums)
        elif name == "decay":
            sums = parts[0] * sums
        elif name == "many":
            count += 1
            sums = sums + np.array(parts[2]) * (count == number)
    return np.concatenate(published)


def of_many(case: Case) -> np.ndarray:
    """Return what functions of several data add to all that is released, at the hidden values."""
    found = np.zeros(sum(len(release[3]) for release in case.releases))
    nodes = [statement[2:] for statement in case.statements if statement[0] == "many"]
    for number, (name, parameter, _, items) in enumerate(nodes):
        y = np.array([scale * case.data[place].values[i] + shift for place, i, scale, shift in items])
        found = found + MANY[name](y, parameter) * _of_node(case, number)
    return found


def _distance_1(values: np.ndarray) -> float:
    return float(np.abs(values[:, None] - values).sum(axis=2).max())


def _distance_2(values: np.ndarray) -> float:
    return float(np.linalg.norm(values[:, None] - values, axis=2).max())
