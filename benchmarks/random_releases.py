"""Random programs that release functions of private data, and what privcheck charges them.

A program keeps an array of sums over a few data. A datum has one to three numbers, each in an interval of its own, and
sometimes an arm, all of which are private. Statements add functions of one datum to entries of the array, or forget a
part of it; releases publish linear functions of the array with noise, several times. Everything is a tuple, so that
`charged` can run it on private values, and `exact_norms` on ordinary numbers. Numbers are multiples of 1/8 where they
are compared: no rounding decides a comparison.

To add a kind of function, add what draws its tuple to `KINDS`, and a case to `_number` here, and to `number` and
`breaks` of `exact_norms`. Functions of several data, such as a variance, are in `MANY` here and there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck import PrivcheckError, zeros
from privcheck.certifying import Session
from privcheck.certifying._translated.private_indices import add_at, has_private_index
from privcheck.mechanisms import Gaussian, Laplace
from privcheck.privacy import relation
from privcheck.private_values import Private, clip, one_hot, selected

THEMES = ("sums", "masks", "steps", "arms", "mixed", "many")
WEIGHTS = (1.0, 1.0, 1.0, -1.0, 0.5, 2.0, -0.25, 0.3)
MOST_ENTRIES = 8
"""Numbers that a program publishes in all."""

Tuple = tuple[Any, ...]


@dataclass(frozen=True)
class Datum:
    """Numbers in intervals, thresholds with which each is compared, and an arm (0 arms: none)."""

    lows: tuple[float, ...]
    highs: tuple[float, ...]
    values: tuple[float, ...]
    limits: tuple[tuple[float, ...], ...]
    arms: int = 0
    arm: int = 0


@dataclass(frozen=True)
class Case:
    """A program: statements are (name, datum, ...), and releases ("release", None, form, matrix, shifts, scale).

    A function of several data is ("many", None, name, parameter, weights of entries, (datum, number, scale, shift)...).
    """

    theme: str
    plain: bool
    """Whether each datum adds one function once."""
    law: str
    group: int
    size: int
    data: tuple[Datum, ...]
    statements: tuple[Tuple, ...]

    @property
    def releases(self) -> list[Tuple]:
        return [statement for statement in self.statements if statement[0] == "release"]


def case(seed: int, number: int) -> Case:
    """Return the case of a number."""
    rng = np.random.default_rng([seed, number])
    theme, law, plain = str(rng.choice(THEMES[:5])), str(rng.choice(["laplace", "normal"])), bool(rng.random() < 0.5)
    group, size, count = int(rng.choice([1, 1, 1, 2, 3])), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    if number % 6 == 5:
        theme, group, count = THEMES[5], min(group, 2), max(count, 2)
    data = tuple(_datum(rng, size if theme in ("arms", "mixed") else 0) for _ in range(count))
    statements: list[Tuple] = []
    published = 0
    for place in range(count):
        for _ in range(1 if plain else int(rng.integers(1, 4))):
            where = place if plain or rng.random() < 0.7 else int(rng.integers(place + 1))
            statements.append(_added(rng, theme, plain, size, where, data[where]))
        if theme == "many" and place and (place == count - 1 or rng.random() < 0.5):
            statements.append(_many(rng, size, data[: place + 1]))
        if rng.random() < 0.2:
            statements.append(("decay", None, float(rng.choice([0.5, 0.9]))))
        if place == count - 1 or rng.random() < 0.3:
            release = _release(rng, size)
            if published + len(release[3]) <= MOST_ENTRIES:
                statements.append(release)
                published += len(release[3])
    if not published or (rng.random() < 0.15 and published < MOST_ENTRIES):
        statements.append(("release", None, "sum", ((1.0,) * size,), (0.0,), 1.0))
    return Case(theme, plain, law, group, size, data, tuple(statements))


def _datum(rng: np.random.Generator, arms: int) -> Datum:
    count = int(rng.choice([1, 1, 2, 2, 3]))
    lows = rng.integers(-8, 5, count) / 8
    highs = lows + rng.integers(1, 17, count) / 8
    limits = []
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        grid = np.arange(low, high + 1 / 16, 1 / 8)
        limits.append(tuple(rng.choice(grid, int(rng.integers(1, 4))).tolist()))
    values = [rng.choice([low, high, *known]) for low, high, known in zip(lows, highs, limits, strict=True)]
    arm = int(rng.integers(arms)) if arms else 0
    return Datum(*(tuple(map(float, each)) for each in (lows, highs, values)), tuple(limits), arms, arm)


def _affine(rng: np.random.Generator, datum: Datum) -> Tuple:
    plain = rng.random() < 0.7
    scale, shift = (1.0, 0.0) if plain else (float(rng.choice([-1.0, 2.0, 0.5])), float(rng.choice([0.0, 1.0, -0.5])))
    return "affine", int(rng.integers(len(datum.lows))), scale, shift


def _compare(rng: np.random.Generator, datum: Datum) -> Tuple:
    i, symbol = int(rng.integers(len(datum.lows))), str(rng.choice(["<", "<=", ">", ">=", ">", ">=", "==", "!="]))
    scale = float(rng.choice([1.0, 1.0, 1.0, 1.0, 2.0, -0.5]))
    return "compare", i, scale, symbol, scale * float(rng.choice(datum.limits[i]))


def _test(rng: np.random.Generator, datum: Datum) -> Tuple:
    match int(rng.integers(8)):
        case 0 | 1:
            return "both", _compare(rng, datum), _compare(rng, datum)
        case 2:
            return "not", _compare(rng, datum)
        case 3 if datum.arms > 1:
            return "arm is", int(rng.integers(datum.arms))
    return _compare(rng, datum)


def _steps(rng: np.random.Generator, datum: Datum) -> Tuple:
    match int(rng.integers(8)):
        case 0:
            return _digit(rng, datum)
        case 1:
            return "again", tuple((float(rng.choice([1.0, -1.0, 2.0])), _compare(rng, datum)) for _ in range(2)), 0.5
        case 2:
            other = "public", float(rng.choice([0.0, 0.5, -1.0]))
            return "chosen", _compare(rng, datum), _compare(rng, datum), other, _spelling(rng)
    return _test(rng, datum)


def _digit(rng: np.random.Generator, datum: Datum) -> Tuple:
    i = int(rng.integers(len(datum.lows)))
    return "digit", i, tuple(sorted(set(datum.limits[i])))


def _mask(rng: np.random.Generator, datum: Datum) -> Tuple:
    return "mask", _test(rng, datum), _affine(rng, datum)


def _clip(rng: np.random.Generator, datum: Datum) -> Tuple:
    low = float(rng.integers(-6, 6)) / 8
    inner = (_affine, _mask, _steps)[int(rng.integers(3))](rng, datum)
    return "clip", inner, low, low + float(rng.integers(1, 9)) / 8


def _distance(rng: np.random.Generator, datum: Datum) -> Tuple:
    i = int(rng.integers(len(datum.lows)))
    return "distance", i, float(rng.choice(datum.limits[i]))


def _times(rng: np.random.Generator, datum: Datum) -> Tuple:
    if len(datum.lows) == 1:
        return _mask(rng, datum)
    i, j = rng.choice(len(datum.lows), 2, replace=False).tolist()
    return "times", ("affine", i, 1.0, 0.0), ("affine", j, 1.0, 0.0)


def _choice(rng: np.random.Generator, datum: Datum) -> Tuple:
    return "chosen", _test(rng, datum), _affine(rng, datum), _affine(rng, datum), _spelling(rng)


def _spelling(rng: np.random.Generator) -> str:
    return str(rng.choice(["selected", "where"]))


KINDS: dict[str, Sequence[Callable[[np.random.Generator, Datum], Tuple]]] = {
    "sums": [_affine],
    "masks": [_mask, _mask, _affine],
    "steps": [_steps],
    "arms": [_affine, _affine, _steps],
    "mixed": [_affine, _mask, _steps, _clip, _distance, _times, _choice],
    "many": [_affine, _mask],
}
"""What the functions of one datum are, by theme."""

MANY: dict[str, Callable[[Any, Any], Any]] = {
    "var": lambda y, ddof: np.var(y, ddof=ddof),
    "std": lambda y, ddof: np.std(y, ddof=ddof),
    "median": lambda y, _: np.median(y),
    "max": lambda y, _: np.max(y),
    "min": lambda y, _: np.min(y),
    "quantile": lambda y, q: np.quantile(y, q),
    "sorted": lambda y, place: np.sort(y)[place],
}
"""The functions of several data, of an array and a parameter."""


def _many(rng: np.random.Generator, size: int, data: Sequence[Datum]) -> Tuple:
    """Draw a statement that adds a function of one number of each of several data to entries."""
    chosen = sorted(rng.choice(len(data), int(rng.integers(2, len(data) + 1)), replace=False).tolist())
    items = tuple((place, *_affine(rng, data[place])[1:]) for place in chosen)
    name = str(rng.choice(list(MANY)))
    match name:
        case "var" | "std":
            parameter = float(rng.integers(2))
        case "quantile":
            parameter = float(rng.choice([0.0, 0.25, 0.3, 0.5, 0.9, 1.0]))
        case "sorted":
            parameter = int(rng.integers(len(chosen)))
        case _:
            parameter = 0
    weights = rng.choice(WEIGHTS, size) * (rng.random(size) < 0.7)
    return "many", None, name, parameter, tuple(weights.tolist()), items


def _added(rng: np.random.Generator, theme: str, plain: bool, size: int, where: int, datum: Datum) -> Tuple:
    """Draw a statement that adds functions of a datum to entries."""

    def one() -> Tuple:
        kinds = KINDS[theme]
        return kinds[int(rng.integers(len(kinds)))](rng, datum)

    def weights(*shape: int) -> Any:
        return rng.choice(WEIGHTS, shape) * (rng.random(shape) < 0.7)

    if theme == "arms" or (theme == "mixed" and rng.random() < 0.25):
        what = one() if rng.random() < 0.6 else ("public", 1.0)
        if rng.random() < 0.5 and datum.arms > 1:
            return "arm", where, str(rng.choice(["times", "index"])), float(rng.choice(WEIGHTS)), what
        digit = _digit(rng, datum)
        if len(digit[2]) < size:
            return "index", where, digit, float(rng.choice(WEIGHTS)), what
    match int(rng.integers(4)):
        case 0:
            return "all", where, tuple(weights(size).tolist()), one()
        case 1 if not plain:
            count = int(rng.integers(2, 4))
            matrix = tuple(map(tuple, weights(size, count).tolist()))
            return "several", where, matrix, tuple(one() for _ in range(count))
    return "entry", where, int(rng.integers(size)), float(rng.choice(WEIGHTS)), one()


def _release(rng: np.random.Generator, size: int) -> Tuple:
    """Draw a release: its form, and the linear function that it publishes."""
    form = str(rng.choice(["all", "all", "list", "matrix", "cumsum", "difference", "sum"]))
    if form == "difference" and size == 1:
        form = "all"
    identity = np.eye(size)
    match form:
        case "all":
            matrix = identity
        case "cumsum":
            matrix = np.tri(size)
        case "difference":
            matrix = identity[1:] - identity[:-1]
        case "sum":
            matrix = np.ones((1, size))
        case _:
            shape = (int(rng.integers(1, 4)), size)
            matrix = rng.choice(WEIGHTS, shape) * (rng.random(shape) < 0.6)
    shifts = rng.choice([0.0, 1.0], len(matrix)) if form in ("list", "matrix") else np.zeros(len(matrix))
    scale = float(rng.choice([0.5, 1.0, 1.0, 2.0]))
    return "release", None, form, tuple(map(tuple, matrix.tolist())), tuple(shifts.tolist()), scale


SYMBOLS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True)
class Charged:
    """What privcheck charges: the loss of the ledger, and of each release the sensitivity by datum.

    If something was refused, the words of the refusal are all there is.
    """

    loss: float = 0.0
    sensitivities: tuple[dict[int, float], ...] = ()
    values: tuple[Any, ...] = ()
    """The hidden values of the data, as they were released."""
    refused: str = ""


def charged(each: Case, hidden: Callable[[Any], Any] | None = None) -> Charged:
    """Run a case on private values in a guarded session; `hidden` looks at what each release is given."""
    session = Session(relation(f"group:{each.group}"), (0.0, 1.0), None, np.random.default_rng(0))
    mechanism = Laplace if each.law == "laplace" else Gaussian
    data = [_wrapped(session, datum, place) for place, datum in enumerate(each.data)]
    sums, found, seen = zeros(each.size), [], []
    try:
        with session.active():
            for name, where, *parts in each.statements:
                if name == "release":
                    form, matrix, shifts, scale = parts
                    value = _published(sums, form, np.array(matrix), shifts)
                    seen.append(hidden(value) if hidden else None)
                    count = len(session.ledger.releases)
                    mechanism.with_scale(scale).release(value, None)
                    new = session.ledger.releases[count:]  # none of numbers in which no datum is
                    found.append(dict(new[0].sensitivities.items()) if new else {})
                elif name == "decay":
                    sums = parts[0] * sums
                elif name == "many":
                    function, parameter, weights, items = parts
                    numbers = [_number(("affine", *one), data[datum]) for datum, *one in items]
                    sums = sums + np.array(weights) * MANY[function](np.stack(numbers), parameter)
                else:
                    sums = _statement(sums, name, data[where], parts)
    except PrivcheckError as error:
        return Charged(refused=str(error))
    total = session.ledger.total
    loss = total.epsilon if each.law == "laplace" else total.mu
    return Charged(float(loss), tuple(found), tuple(seen))


def _wrapped(session: Session, datum: Datum, place: int) -> Tuple:
    source = session.source
    ends = zip(datum.values, datum.lows, datum.highs, strict=True)
    numbers = [source.scalar(*each, datum=place) for each in ends]
    return numbers, source.action(datum.arm, datum.arms, datum=place) if datum.arms else None, datum.arms


def _statement(sums: Any, name: str, datum: Tuple, parts: list[Any]) -> Any:
    match name:
        case "entry":
            place, weight, what = parts
            sums[place] += weight * _number(what, datum)
        case "all":
            weights, what = parts
            value = _number(what, datum)
            sums = sums + np.array(weights) * value
        case "several":
            matrix, what = parts
            sums = sums + np.array(matrix) @ np.stack([_number(one, datum) + 0.0 for one in what])
        case "arm":
            how, weight, what = parts
            added = weight * _number(what, datum)
            if how == "times":
                sums += one_hot(datum[1], datum[2]) * added
            else:
                add_at(sums, datum[1], added)
        case "index":
            digit, weight, what = parts
            key = _number(digit, datum)
            if has_private_index(sums, key):
                add_at(sums, key, weight * _number(what, datum))
            else:  # decided for all data
                sums[key] += weight * _number(what, datum)
    return sums


def _number(what: Tuple, datum: Tuple) -> Any:
    """Return a function of the numbers of a datum as a private value."""
    numbers = datum[0]
    match what:
        case "public", value:
            return value
        case "affine", i, scale, shift:
            return numbers[i] if (scale, shift) == (1.0, 0.0) else scale * numbers[i] + shift
        case "mask", test, one:
            return _number(test, datum) * _number(one, datum)
        case "chosen", test, one, two, spelling:
            return _chosen(_number(test, datum), _number(one, datum), _number(two, datum), spelling)
        case "clip", one, low, high:
            return clip(_number(one, datum), low, high)
        case "distance", i, middle:
            return abs(numbers[i] - middle)
        case "times", one, two:
            return _number(one, datum) * _number(two, datum)
        case "digit", i, bins:
            return np.digitize(numbers[i], bins)
    return _indicator(what, datum)


def _indicator(what: Tuple, datum: Tuple) -> Any:
    numbers, arm, arms = datum
    match what:
        case "compare", i, scale, symbol, limit:
            return SYMBOLS[symbol](numbers[i] if scale == 1.0 else scale * numbers[i], limit) * 1.0
        case "both", one, two:
            return _number(one, datum) * _number(two, datum)
        case "not", one:
            return 1.0 - _number(one, datum)
        case "arm is", place:
            return one_hot(arm, arms)[place]
        case "again", parts, limit:
            return (sum(weight * _number(one, datum) for weight, one in parts) > limit) * 1.0
    raise ValueError(what)


def _chosen(test: Any, one: Any, two: Any, spelling: str) -> Any:
    if isinstance(test, Private) and not test.is_public:
        if spelling == "where":
            return np.where(test > 0.5, one, two)
        return selected(test, one, two)
    return one if test > 0.5 else two  # decided for all data


def _published(sums: Any, form: str, matrix: np.ndarray, shifts: Sequence[float]) -> Any:
    """Return what a release is given, in the form in which it is written."""
    match form:
        case "all":
            return sums
        case "cumsum":
            return np.cumsum(sums)
        case "difference":
            return sums[1:] - sums[:-1]
        case "sum":
            return np.sum(sums)
        case "matrix":
            return matrix @ sums + np.array(shifts)
    return [sum(w * sums[k] for k, w in enumerate(row) if w) + shift for row, shift in zip(matrix, shifts, strict=True)]
