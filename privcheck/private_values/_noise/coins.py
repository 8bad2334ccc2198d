"""Uniform draws that are compared: with a public number they are coins, with a private one an answer is released."""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array
from privcheck.mechanisms import STEP, Bernoulli
from privcheck.private_values._curves.largest_changes import ends_together
from privcheck.private_values._entries import SEVERAL, Entries
from privcheck.private_values._leaks import own_line, own_place
from privcheck.private_values._noise.held_draws import Held
from privcheck.private_values._refused_operations import Refusals, published, refuse
from privcheck.private_values._shared.views_by_numpy import private_within
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

ANSWERED = "its draw decided an answer that was released: draw another number"
OUTSIDE = (
    "a private chance has to stay away from 0 and 1 whatever the data are, because an answer of chance 0 or 1 reveals "
    "it: keep it inside with privcheck.clip(chance, 0.05, 0.95)"
)

Reveal = Callable[[Any], float]

_NEAR = 1e-6
"""How near to its limit a draw is that is played again: what rounding does to a limit is less."""


@dataclass(frozen=True)
class _Flip:
    """A draw U that is compared: the comparison holds where U < limit, or where it does not."""

    draw: int
    limit: float
    below: bool

    @property
    def chance(self) -> float:
        """The probability that the comparison holds."""
        inside = min(max(self.limit, 0.0), 1.0)
        return inside if self.below else 1.0 - inside

    def value(self, holds: bool) -> float:
        """Return a value of U with which the comparison holds, or does not, but not with a limit beyond it."""
        inside = min(max(self.limit, 0.0), 1.0)
        return inside * (1.0 - _NEAR) if holds == self.below else inside + (1.0 - inside) * _NEAR


def compared(symbol: str, one: Any, two: Any) -> Any:
    """Return what a comparison with uniform draws is; None for any other comparison.

    Each entry has to hold one fresh uniform draw of its own, and no other noise. Without data the comparison is one of
    `Coins`. With data it is U < q or its contrary, with q = -g / k for the difference g + k U of the two sides: the
    release of a bit that is 1 with probability q, which the draw decides.
    """
    if symbol not in ("<", "<=", ">", ">="):
        return None
    private = one if isinstance(one, Refusals) else two
    sides = [private.of(side) for side in (one, two)]
    if any(side is None for side in sides) or private.source is None:
        return None
    try:
        difference = sides[1] - sides[0] if symbol in ("<", "<=") else sides[0] - sides[1]
    except ValueError:
        return None
    held = _uniform(difference)
    if held is None:
        return None
    if not held.data:
        return Coins(symbol, one, two, difference)
    return _answers(symbol, difference, held)


def _uniform(difference: Private) -> Held | None:
    """Return the draws of a value of which each entry holds one fresh uniform draw of its own."""
    difference.settle()
    source, held = difference.source, Held.of(difference.terms)
    if source is None or source.reading or not held.is_simple or len(held.of_row) < difference.size:
        return None
    uniform = all(source.draws[number].law == "uniform" and source.draws[number].fresh for number in held.rows_of)
    return held if uniform and held.rows_of else None


def _flips(difference: Private, held: Held) -> list[_Flip]:
    """Return the draw and the public limit of each entry without data, difference > 0."""
    found = []
    for row, const in enumerate(difference._const.ravel().tolist()):
        ((number, weight),) = held.of_row[row].items()
        found.append(_Flip(number, -const / weight, weight < 0.0))
    return found


def _answers(symbol: str, difference: Private, held: Held) -> Any:
    """Release for each entry whether it is positive."""
    source = difference.source
    assert source is not None
    of_data = held.features >= 0
    rows, features, weights = (column[of_data] for column in (held.rows, held.features, held.weights))
    consts = difference._const.ravel().tolist()
    chances = []
    for row, const in enumerate(consts):
        ((_, weight),) = held.of_row[row].items()
        own = rows == row
        terms = Terms.of(np.zeros(own.sum(), np.int64), features[own], -weights[own] / weight)
        chances.append(difference.make(source, np.array(-const / weight), terms))
    mechanisms = [_mechanism(chance) for chance in chances]
    if any(mechanism is None for mechanism in mechanisms):
        refuse("comparison", symbol, difference, hint=OUTSIDE)
    outcomes = []
    for row, (chance, mechanism) in enumerate(zip(chances, mechanisms, strict=True)):
        ((number, weight),) = held.of_row[row].items()
        if chance.is_public:
            flip = _Flip(number, float(chance._const), weight < 0.0)
            source.draws.flip([number])
            known = source.draws[number].known
            assert known is not None
            outcomes.append((known.const < flip.limit) == flip.below)
            continue
        answer = bool(source.release(mechanism, chance, own_place()))
        source.draws.answer([number], ANSWERED)
        if source.on_answer is not None:
            below = lambda reveal, n=number, q=chance, y=answer: {n: _Flip(n, reveal(q), True).value(y)}  # noqa: E731
            source.on_answer(below)
        outcomes.append(answer == (weight < 0.0))
    return outcomes[0] if difference.ndim == 0 else np.array(outcomes, np.bool_).reshape(difference.shape)


def _mechanism(chance: Private) -> Bernoulli | None:
    """Return the release of an answer with this chance; None if it can come too near to 0 or 1."""
    if chance.is_public:
        return Bernoulli(0.5, 0.5)
    entries = Entries.of(chance)
    low, high = (float(end[0]) for end in entries.interval)
    if not 0.0 < low <= high < 1.0 and entries.owners[0] != SEVERAL:  # as of u + v - 2 u v, of two bits of a datum
        ends = ends_together(entries.weights, entries.features, entries.table)
        low, high = (low, high) if ends is None else (float(chance._const) + end for end in ends)
    return Bernoulli(low, high) if 4.0 * STEP <= low <= high <= 1.0 - 4.0 * STEP else None


class Coins:
    """The outcome of uniform draws compared with public numbers, a bool or an array of them, unread until it is used.

    Only as the condition of `numpy.where` it stays unread, because that may be randomised response: see `chosen`.
    """

    __slots__ = ("_difference", "_sides", "_symbol", "_whole")

    def __init__(self, symbol: str, one: Any, two: Any, difference: Private) -> None:
        self._symbol, self._difference = symbol, difference
        self._sides = tuple(copy.copy(side) for side in (one, two))  # what is written into them later changes nothing
        self._whole: Any = None

    @property
    def outcome(self) -> Any:
        """The outcome, which makes the draws public numbers."""
        if self._whole is None:
            private = [*private_within(self._sides)]
            if (why := published(private)) is not None:
                refuse("comparison", self._symbol, *private, hint=why)
            source = self._difference.source
            assert source is not None
            source.coin_lines.add(own_line())
            one, two = (side.ordinary() if isinstance(side, Refusals) else side for side in self._sides)
            self._whole = _OPERATORS[self._symbol](one, two)
        return self._whole

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ndarray if self._difference.ndim else bool

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.outcome, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(_read, inputs), **{name: _read(item) for name, item in options.items()})

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.where and len(arguments) == 3 and not options and type(arguments[0]) is Coins:
            found = chosen(*arguments)
            if found is not None:
                return found
        return function(*map(_read, arguments), **{name: _read(item) for name, item in options.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.outcome, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self if self._whole is None or not self._difference.ndim else self._whole.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (np.array, (self.outcome,)) if self._difference.ndim else (bool, (self.outcome,))

    def __setitem__(self, key: Any, new: Any) -> None:
        self.outcome[key] = new

    def __iter__(self) -> Any:
        return iter(self.outcome)

    def __hash__(self) -> int:
        return hash(self.outcome)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _read(item: Any) -> Any:
    """Return an argument with the outcome of every coin in it."""
    if type(item) is Coins:
        return item.outcome
    if type(item) in (list, tuple):
        return type(item)(map(_read, item))
    return item


def _unary(name: str, function: Callable[..., Any]) -> None:
    def method(self: Coins, *arguments: Any) -> Any:
        return function(self.outcome, *arguments)

    method.__name__ = name
    setattr(Coins, name, method)


def _binary(name: str, function: Callable[[Any, Any], Any]) -> None:
    def method(self: Coins, other: Any) -> Any:
        return function(self.outcome, _read(other))

    def reflected(self: Coins, other: Any) -> Any:
        return function(_read(other), self.outcome)

    setattr(Coins, f"__{name}__", method)
    setattr(Coins, f"__r{name}__", reflected)


for _name in ("lt", "le", "gt", "ge", "eq", "ne", "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
              "and_", "or_", "xor", "lshift", "rshift"):  # fmt: skip
    _binary(_name.rstrip("_"), getattr(operator, _name))
_binary("divmod", divmod)
_METHODS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "abs": abs, "bool": bool, "int": int,
    "float": float, "complex": complex, "index": operator.index, "round": round, "format": format, "str": str,
    "repr": repr, "len": len, "getitem": operator.getitem, "contains": operator.contains, "trunc": math.trunc,
    "floor": math.floor, "ceil": math.ceil,
}  # fmt: skip
for _name, _function in _METHODS.items():
    _unary(f"__{_name}__", _function)


def chosen(condition: Coins, one: Any, two: Any) -> Any:
    r"""Return numpy's `where` for coins that have not been read, where that is randomised response; otherwise None.

    Each entry has a coin of its own, which is heads with probability p. Heads gives the bit A, tails the bit B, and
    these are numbers of private data that are 0 or 1 whatever the data are, or other coins. Then the answer is 1 with
    probability q = p E[A] + (1 - p) E[B], the coins aside, and it is released with that charge. None if q may be 0 or
    1, as where the choice itself is public: the coin is read then, and what it chooses stays private.
    """
    if condition._whole is not None:
        return None
    difference = condition._difference
    of: Any = difference.of
    shape = difference.shape
    sides: list[Any] = [
        side._difference if type(side) is Coins and side._whole is None else of(side) for side in (one, two)
    ]
    if any(side is None for side in sides) or np.broadcast_shapes(shape, *(side.shape for side in sides)) != shape:
        return None
    coins: list[list[_Flip]] = []
    for side, given in zip((difference, *sides), (condition, one, two), strict=True):
        flips: list[_Flip] = []
        if type(given) is Coins and side is not None:
            held = _uniform(side)
            if held is None or held.data or side.shape != shape:
                return None
            flips = _flips(side, held)
        coins.append(flips)
    draws = [flip.draw for flips in coins for flip in flips]
    if len(set(draws)) < len(draws):
        return None
    bits = [side if not flips else None for side, flips in zip(sides, coins[1:], strict=True)]
    if any(bit is not None and not _is_bit(bit) for bit in bits):
        return None
    heads: Any = np.array([flip.chance for flip in coins[0]]).reshape(shape)
    expected: list[Any] = [
        np.array([flip.chance for flip in flips]).reshape(shape) if flips else bit
        for flips, bit in zip(coins[1:], bits, strict=True)
    ]
    of_heads, of_tails, one_bit, other_bit = (of(part) for part in (heads, 1.0 - heads, *expected))
    chance: Any = of_heads * one_bit + of_tails * other_bit
    return _responses(chance, coins, bits)


def _responses(chance: Private, coins: list[list[_Flip]], bits: list[Private | None]) -> Array | None:
    """Release the answers with these chances; None if one of them may be 0 or 1."""
    source, flat = chance.source, chance.ravel()
    if source is None:
        return None
    chances = [chance] if chance.ndim == 0 else [flat[i] for i in range(chance.size)]
    mechanisms = [_mechanism(q) for q in chances]
    if any(q.is_public for q in chances) or any(mechanism is None for mechanism in mechanisms):
        return None
    answers = []
    for row, (q, mechanism) in enumerate(zip(chances, mechanisms, strict=True)):
        answer = int(source.release(mechanism, q, own_place()))
        own = [flips[row] if flips else None for flips in coins]
        source.draws.answer([flip.draw for flip in own if flip is not None], ANSWERED)
        if source.on_answer is not None:
            values = [None if bit is None else _entry(bit, row, chance.shape) for bit in bits]
            source.on_answer(lambda reveal, y=answer, own=own, values=values: _behind(reveal, y, own, values))
        answers.append(float(answer))
    return np.array(answers).reshape(chance.shape)


def _behind(reveal: Reveal, answer: int, flips: list[Any], values: list[Any]) -> dict[int, float]:
    """Return values of the draws with which the code gives an answer."""
    coin, *others = flips
    fits = [value is None or round(reveal(value)) == answer for value in values]
    heads = fits[0]
    found = {coin.draw: coin.value(heads)}
    found.update({other.draw: other.value(bool(answer)) for other in others if other is not None})
    return found


def _entry(bit: Private, row: int, shape: tuple[int, ...]) -> Any:
    """Return the number at a place of an array that is spread over a shape."""
    found = bit.view_as(lambda array: np.broadcast_to(array, shape).ravel()[row : row + 1].copy())
    return found[0]


def _is_bit(value: Private) -> bool:
    """Tell whether every entry is 0 or 1 whatever the data are."""
    if value.is_public:
        return bool(np.isin(value._const, (0.0, 1.0)).all())
    if value.holds_draws or value.is_action:
        return False
    entries = Entries.of(value)
    low, high = entries.interval
    return bool((entries.whole & (low >= 0.0) & (high <= 1.0)).all())
