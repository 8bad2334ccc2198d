"""The source of private values, and the functions with which a policy handles them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from threading import get_ident
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Integers, real_array, zero_array
from privcheck.declared import POSITIVE, Integer, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import finite_array
from privcheck.privacy import ROUNDING
from privcheck.private_values._choices.decided_reads import DecidedReads
from privcheck.private_values._curves.several_releases import SeveralReleases
from privcheck.private_values._features import FeatureTable
from privcheck.private_values._leaks import Leak, LeakError
from privcheck.private_values._noise.draws import Draws
from privcheck.private_values._noise.noised import standard
from privcheck.private_values._noise.threads_in_turn import Turns
from privcheck.private_values._one_datum import gathered
from privcheck.private_values._private import REVEAL, Private
from privcheck.private_values._products import clip as _clip
from privcheck.private_values._products import clip_ordinary
from privcheck.private_values._spans import Spans
from privcheck.private_values._terms import NOTHING, Terms
from privcheck.private_values._vector_bounds import VectorBound
from privcheck.reached_state import Kept, SeparateCoins, keep_as

__all__ = ["REVEAL", "Leak", "LeakError", "Private", "PrivateSource", "clip", "zeros"]

_SWEEP_AFTER = 64
"""Number of new features after which those that nothing refers to are looked for, if few are alive."""

_MOST_CELLS = 1024
"""Number of references to private values after which the dead ones are dropped, if few are alive."""


class PrivateSource:
    """The private data of one run: wraps each value with its datum and its interval.

    Parameters
    ----------
    on_leak : called with each `Leak` before `LeakError` is raised; None only raises.

    Attributes
    ----------
    thread : in which the policy was called last; 0 if it was not.
    turns : taken by threads of the policy where they release something.
    is_filled : whether places were filled with values of it that no run has put there.

    Guarantee
    ---------
    Neighbours: streams that differ in one datum, i.e. in all features with that id at once, each within its interval.
    The intervals must not depend on the data. For row neighbours, give all K rewards of a round one id; for neighbours
    that differ in a single reward, give each reward its own id.

    Examples
    --------
    >>> source = PrivateSource()
    >>> reward = source.scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> (2.0 * reward + 1.0).sensitivities("l1")
    {3: 2.0}
    >>> row = source.vector([0.1, 0.9], 0.0, 1.0, data=4)
    >>> row.sensitivities("l1"), row.sensitivities("range")
    ({4: 2.0}, {4: 2.0})
    >>> entries = source.vector([0.1, 0.9], 0.0, 1.0, data=[(5, 0), (5, 1)])
    >>> entries.sensitivities("range")
    {(5, 0): 1.0, (5, 1): 1.0}
    >>> row
    Private(shape=(2,), data=round 4, hidden)

    """

    def __init__(self, on_leak: Callable[[Leak], object] | None = None) -> None:
        self.features, self.turns = FeatureTable(), Turns()
        self.draws = Draws(partial(standard, rng=np.random.default_rng()))
        self.release: Callable[[Any, Private, str | None], Any] = _no_release
        self.several = SeveralReleases()
        self.thread = 0
        self.forgets, self.reading, self.advice, self.chooses = True, False, "", False
        self.on_winner: Callable[[Any, Any], object] | None = None
        self.on_answer: Callable[[Any], object] | None = None
        self.coins, self.closed = SeparateCoins(), False
        self.on_change: Callable[[str], object] | None = None
        self.on_text: Callable[[str], object] | None = None
        self.on_lent: Callable[[str], object] | None = None
        self.functions: dict[str, Kept | None] = {}
        self.unknown: dict[str, tuple[str, ...]] = {}
        self.compared: dict[str, int] = {}
        self.decided = DecidedReads()
        self.coin_lines: set[tuple[str, int]] = set()
        self.is_filled = False
        self.collected: tuple[Hashable, ...] = ()
        self.refused: tuple[Any, ...] = ()
        self.cells: list[ReferenceType[Any]] = []
        self._settled, self._next_sweep, self._most_cells = 0, _SWEEP_AFTER, _MOST_CELLS
        self.on_leak: Callable[[Leak], object] = on_leak or (lambda _: None)

    def scalar(self, value: float, low: float, high: float, datum: Hashable) -> Private:
        """Return one number of a datum, in [low, high], as a private value of shape ().

        Raises
        ------
        PrivcheckError : the value or an end is not finite, the value is outside [low, high], the id is not hashable.

        """
        floats = type(value) is type(low) is type(high) is float
        if floats and -math.inf < low < high < math.inf and low <= value <= high:  # nearly always: in a few steps
            if len(self.cells) >= self._most_cells or self.features.low._length >= self._next_sweep:
                self._make_room()
            feature = self.features.add(datum if type(datum) is int else _datum(datum), low, high, value)
            return Private.make(self, np.zeros(()), Terms.feature(feature))
        if np.ndim(value) != 0:
            raise PrivcheckError("value", words(f"shape {np.shape(value)}"), "one number", "use vector for several")
        return self._wrapped(np.asarray(value), low, high, [datum])

    def action(self, value: int, arms: int, datum: Hashable) -> Private:
        """Return the action of a datum, one of K arms, as a private integer: see `privcheck.one_hot`."""
        number = check("action", value, Integer(0, arms - 1))
        self._make_room()
        if arms == 1:
            return Private.make(self, np.zeros(()), NOTHING)
        feature = self.features.add(_datum(datum), 0.0, arms - 1.0, number, whole=True)
        self.features.actions[feature] = arms
        return Private.make(self, np.zeros(()), Terms.feature(feature))

    def vector(
        self,
        values: npt.ArrayLike,
        low: npt.ArrayLike,
        high: npt.ArrayLike,
        data: Hashable | Sequence[Hashable],
        *,
        l2_norm: float | None = None,
        l2_diameter: float | None = None,
    ) -> Private:
        """Return K numbers as a private vector of shape (K,).

        Parameters
        ----------
        values : shape (K,), K >= 1.
        low, high : the ends of the intervals: numbers, or shape (K,). An entry with low = high is public.
        data : one id for the whole vector (its entries vary independently), or a list, range or array of K ids, one for
            each entry. A tuple is one id.
        l2_norm : largest L2 norm of the whole vector; it carries over to its products.
        l2_diameter : largest L2 distance between two values of the whole vector, if smaller than that of the box.

        Raises
        ------
        PrivcheckError : as `scalar`; also a wrong shape, a number of ids other than K, a norm or diameter that is not
            positive, a vector that exceeds its norm.

        """
        array = np.asarray(values)
        if array.ndim != 1 or array.size == 0:
            raise PrivcheckError("values", words(f"shape {array.shape}"), "a vector of shape (K,), K >= 1")
        each = isinstance(data, (list, range, np.ndarray))
        ids = list(data) if each else [data]  # type: ignore[arg-type]
        nested = isinstance(data, tuple) and len(data) == array.size and all(isinstance(i, tuple) for i in data)
        if nested or (each and len(ids) != array.size):
            got = words("a tuple of tuples") if nested else words(f"{len(ids)} ids")
            hint = "give a list for one id per entry; a tuple is one id for the whole vector"
            raise PrivcheckError("data", got, f"one id, or a list of {array.size} ids", hint)
        norm = math.inf if l2_norm is None else check("l2_norm", l2_norm, POSITIVE)
        diameter = math.inf if l2_diameter is None else check("l2_diameter", l2_diameter, POSITIVE)
        return self._wrapped(array, low, high, ids, norm, diameter)

    def vectors(self, values: npt.ArrayLike, low: float, high: float, datum: Hashable, *, l2_norm: float) -> Private:
        """Return n vectors of one datum as the rows of a private array of shape (n, K), each as `vector` does."""
        return self._wrapped(np.asarray(values), low, high, [datum], check("l2_norm", l2_norm, POSITIVE))

    def _wrapped(
        self,
        values: Any,
        low: Any,
        high: Any,
        ids: Sequence[Hashable],
        norm: float = math.inf,
        diameter: float = math.inf,
    ) -> Private:
        self._make_room()
        value = _finite("value", values)
        lows, highs = (_ends(name, ends, value.shape[-1:]) for name, ends in (("low", low), ("high", high)))
        rows = value.reshape(-1, lows.size)
        if norm < math.inf and max(math.hypot(*row) for row in rows.tolist()) > norm * (1.0 + ROUNDING):
            raise PrivcheckError("value", words("a vector beyond its norm"), f"an L2 norm of at most {norm:g}")
        for place in np.flatnonzero(lows > highs)[:1]:
            raise PrivcheckError("low, high", (lows[place].item(), highs[place].item()), "low <= high")
        for place in np.flatnonzero(((rows < lows) | (rows > highs)).any(axis=0))[:1]:
            hint = "check or clip values before they are made private"
            expected = f"a value in [{lows[place]:g}, {highs[place]:g}]"
            raise PrivcheckError("value", words("a value outside its interval"), expected, hint)
        groups = np.full(len(rows), -1)
        if min(norm, diameter) < math.inf:
            bound = VectorBound.of(lows, highs, norm, diameter)
            groups = np.array([self.features.add_group(bound) for _ in rows])
        numbers = np.array([self.features.data.number(_datum(datum)) for datum in ids])
        columns = np.broadcast_arrays(numbers, lows, highs, rows, groups[:, None])
        moves = np.flatnonzero((columns[1] < columns[2]).ravel())
        features = self.features.add_all(*(column.ravel()[moves] for column in columns))
        const = np.where(columns[1] < columns[2], 0.0, columns[1]).reshape(value.shape)
        return Private.make(self, const, Terms.of(moves, features, np.ones(moves.size)))

    def _make_room(self) -> None:
        """Forget, at times, what is no longer used."""
        if len(self.cells) >= self._most_cells:
            self._living()
        if len(self.features.low) >= self._next_sweep and self.forgets:
            self.forget()

    def check_thread(self) -> None:
        """Refuse what waits for the call of a policy to end, in a thread of its own for which that may wait."""
        if self.thread not in (0, get_ident()):
            got = words("a call of privcheck.feature in a thread that the policy has started")
            hint = "it waits until update() ends: compute the feature before the thread starts, or after it has ended"
            raise PrivcheckError("feature", got, "calls in the thread in which update() is called", hint)

    def forget(self) -> None:
        """Forget every number that no private value refers to any more; called at times, before a value is wrapped.

        Those that were added since the last time stay: another thread may be about to refer to them.
        """
        count = len(self.features.low)
        recent = np.array([self._settled]), np.array([count - self._settled])
        ranges = self._ranges()
        kept = Spans([*ranges, recent])
        self.features.keep(kept)
        self._settled = count
        self._next_sweep = count + max(_SWEEP_AFTER, kept.size // 4)

    def data_in_use(self) -> set[Hashable]:
        """Return the data that private values refer to."""
        used = Spans(self._ranges())
        owners = self.features.owner.take(used.positions())
        seldom = owners[np.append(True, owners[1:] != owners[:-1])[: owners.size]]  # features of a datum lie together
        return {self.features.data[number] for number in seldom.tolist()}

    def noised(self) -> list[Private]:
        """Return the private values that hold noise, in the order in which they were made, those with data first."""
        if not len(self.draws):
            return []
        found: dict[bool, list[Private]] = {False: [], True: []}
        for cell in self._living():
            cell.settle()
            drawn = cell.terms.tidy().ranges[1] < 0
            if drawn.any():
                found[bool(drawn.all())].append(Private.over(cell))
        return [*found[False], *found[True]]

    def held(self) -> list[Private]:
        """Return the private values that are still referred to and that data are in without noise."""
        every = [Private.over(cell) for cell in self._living()]
        return [value for value in every if value.is_raw]

    def is_used(self) -> bool:
        """Return whether any private values of it are still there."""
        return bool(self._living())

    def _ranges(self) -> list[tuple[Integers, Integers]]:
        """Return the ranges of features that are referred to, and forget the draws that are not."""
        living = self._living()
        if not len(self.draws):
            return [cell.terms.ranges[1:3] for cell in living]
        for cell in living:
            cell.settle()
        every = [cell.terms.ranges[1:3] for cell in living]
        return [
            *((firsts[firsts >= 0], lengths[firsts >= 0]) for firsts, lengths in every),
            *self.draws.keep([(firsts[firsts < 0], lengths[firsts < 0]) for firsts, lengths in every]),
        ]

    def _living(self) -> list[Any]:
        """Return what still refers to numbers, and drop the references to what does not."""
        references, self.cells = self.cells, []
        living = [cell for reference in references if (cell := reference()) is not None]
        self.cells.extend(ref(cell) for cell in living)
        self._most_cells = 2 * len(living) + _MOST_CELLS
        return living

    def __deepcopy__(self, memo: dict[int, Any]) -> PrivateSource:
        return self


def zeros(shape: int | tuple[int, ...]) -> Private:
    """Return an array of zeros that private values can be assigned to; until then it behaves like numpy's.

    >>> sums = zeros(3)
    >>> sums
    Private(shape=(3,), data=none, public)
    >>> float(sums[0])
    0.0
    >>> sums[1] += PrivateSource().scalar(0.5, low=0.0, high=1.0, datum=7)
    >>> sums[1]
    Private(shape=(), data=round 7, hidden)

    Raises
    ------
    PrivcheckError : a shape that is neither a length nor a tuple of lengths, or too large for the memory.

    """
    return Private.make(None, zero_array("shape", shape), NOTHING)


def clip(value: Any, low: Any, high: Any) -> Any:
    """Return each entry moved into [low, high]: numpy.clip for ordinary numbers, and clipped features for private ones.

    A clipped entry is a new feature of the one datum that the entry depends on, and its interval is the clipped
    interval; what it moves together with the unclipped entry is known. An entry whose interval lies inside [low, high]
    stays unchanged.

    Raises
    ------
    PrivcheckError : an entry depends on several data, the limits are not public or not in order, or a value or a limit
        is not a real number.

    Examples
    --------
    >>> reward = PrivateSource().scalar(3.0, low=-10.0, high=10.0, datum=0)
    >>> clip(reward, 0.0, 1.0).sensitivities("l1"), float(clip(3.0, 0.0, 1.0))
    ({0: 1.0}, 1.0)

    """
    value = gathered(value)
    if isinstance(value, Private):
        return _clip(value, low, high)
    if isinstance(low, Private) or isinstance(high, Private):
        return _clip(Private.public(real_array("value", value)), low, high)
    return clip_ordinary(value, low, high)


def _no_release(*_: Any) -> Any:
    """Refuse to release: only a session can."""
    raise PrivcheckError("release", words("a private value outside a session"), "one in a guarded run")


def _finite(name: str, values: Any) -> Any:
    """Return finite numbers as a float array; an error does not show them, since they are private."""
    try:
        return finite_array(name, values)
    except PrivcheckError as error:
        raise PrivcheckError(name, words("something else"), error.expected, error.hint) from None


def _ends(name: str, ends: Any, shape: tuple[int, ...]) -> Array:
    """Return the ends of the intervals of a vector, or of one number as a vector."""
    array = finite_array(name, ends) if shape else np.asarray(check(name, ends, Real()))
    if array.shape not in ((), shape):
        raise PrivcheckError(name, words(f"shape {array.shape}"), f"a number or shape {shape}")
    return np.broadcast_to(array, shape or (1,))


def _datum(datum: Hashable) -> Hashable:
    try:
        hash(datum)
    except TypeError:
        raise PrivcheckError("datum", words(f"a {type(datum).__name__}"), "a hashable id such as a round") from None
    return datum


keep_as(Private, lambda value: value._cell.kept(), lambda value, held: value._cell.put_back(held))
