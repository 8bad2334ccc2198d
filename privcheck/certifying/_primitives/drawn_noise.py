"""The noise of one run: the law of every draw, sums of draws, and what those that were read have become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._primitives.known_normals import KnownNormals
from privcheck.certifying._primitives.measured_distance import metric_of
from privcheck.certifying._primitives.recorded_calls import (
    LIBRARIES,
    CallTape,
    ForcedCalls,
    Made,
    Operation,
    caller,
    operation,
)
from privcheck.mechanisms import Gaussian, Laplace

LAWS: dict[str, type[Laplace] | type[Gaussian]] = {"laplace": Laplace, "normal": Gaussian}
"""The laws of noise that code adds, by the name of numpy's function."""

OTHER_NOISE = "is added to other noise"
BESIDE_NUMBER = "is in a number to which other noise is added"
READ_ALONE = " before anything but 0 is added to it"

NOTHING_LEFT = 1e-9
"""The part of a draw's scale below which draws that are known determine it."""


@dataclass
class Noise:
    """The noise of one run. Draws are numbered from 1, and so are sums of normal draws, which are normal as well.

    The draw z of the release y = c z + s is (y - s) / c from then on, whatever else it was added to. What known draws
    say of a normal one is its projection on them; only the rest of it, which is independent of them, is noise then.
    """

    tape: CallTape | ForcedCalls
    generator: np.random.Generator
    laws: list[str] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    homes: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    coins: set[int] = field(default_factory=set)
    """Draws that were made known because other noise was added to them: what they are beside is not charged."""
    how: str = ""
    """What is reading noise, in words."""
    before: str = READ_ALONE
    is_ours: bool = False
    """Whether what is read next is read in an operation of `read_first`, where the code does not read it yet."""
    read_first: frozenset[Operation] = frozenset()
    """Operations before which the number with noise is read, whatever it is combined with."""
    read_after: frozenset[Operation] = frozenset()
    """Operations whose result is read, because plain numbers are added to noise there."""
    keeping: frozenset[Operation] = frozenset()
    """Operations that multiply numbers with noise by plain arrays and leave them unread."""
    shared: set[Operation] | None = None
    """Collects operations on a number that is combined with several others, where it is not None."""
    adding: set[Operation] | None = None
    """Collects operations that add plain numbers to noise, where it is not None."""
    multiplying: set[Operation] | None = None
    """Collects operations that multiply numbers with noise by plain arrays, where it is not None."""
    _operations: dict[bytes, list[Operation]] = field(default_factory=dict)
    _parts: dict[int, dict[int, float]] = field(default_factory=dict)
    _sums: dict[tuple[tuple[int, float], ...], int] = field(default_factory=dict)
    _known: KnownNormals = field(default_factory=KnownNormals)

    def number(self, law: str, scales: Iterable[float], name: str, place: str) -> int:
        """Take note of draws; return the number of the first."""
        first = len(self.laws) + 1
        self.scales += scales
        count = len(self.scales) - len(self.laws)
        self.laws += [law] * count
        self.places += [place] * count
        self.names += [name] * count
        return first

    def known(self, number: int) -> float:
        """Return a draw that was read."""
        const, weight, output = self.homes[number]
        return (output - const) / weight

    def read(self, numbers: Array, weights: Array, consts: Array) -> Array:
        """Release what is not read yet, and return the values."""
        flat, weight, const = numbers.ravel(), weights.ravel(), consts.ravel()
        first = {int(number): place for place, number in reversed(list(enumerate(flat))) if number}
        self._release_all({n: (float(const[place]), float(weight[place])) for n, place in first.items()})
        values = const.copy()
        for place in np.flatnonzero(flat):
            number = int(flat[place])
            known, factor, output = self.homes[number]
            if factor != weight[place]:
                known, output = weight[place] * known / factor, weight[place] * (output / factor)
            size = abs(float(const[place])) + abs(float(known))
            values[place] = output + self.tape.rest(
                float(const[place] - known), size, self.places[number - 1], number in self.coins
            )
        self.is_ours = False
        return values.reshape(numbers.shape)

    def _release_all(self, wanted: Mapping[int, tuple[float, float]]) -> None:
        """Release numbers that are not read yet, each beside a constant and times a weight."""
        fresh = {
            number: of for number, of in sorted(wanted.items(), key=lambda one: one[0]) if number not in self.homes
        }
        alone, bound, taken = list[int](), list[int](), set[int]()
        for number in fresh:
            parts = self._of(number)
            free = taken.isdisjoint(parts) and self._known.say_nothing_of(parts)
            (alone if free else bound).append(number)
            taken |= parts.keys()
        for law in LAWS:
            self._release(
                law, {n: (*fresh[n], abs(fresh[n][1]) * self.scales[n - 1]) for n in alone if self.laws[n - 1] == law}
            )
        for number in bound:
            self._release_rest(number, *fresh[number])

    def _release(self, law: str, fresh: Mapping[int, tuple[float, float, float]]) -> None:
        """Release numbers: each has a constant, a weight and the scale of its noise."""
        if fresh:
            for (number, (const, weight, _)), output in zip(fresh.items(), self._released(law, fresh), strict=True):
                self._keep(number, const, weight, output)

    def _released(self, law: str, fresh: Mapping[int, tuple[float, float, float]]) -> list[float]:
        """Return what a release of numbers puts out."""
        scales = np.array([scale for _, _, scale in fresh.values()])
        alike = bool((scales == scales[0]).all())
        unit = np.ones(len(scales)) if alike else scales
        mechanism = LAWS[law].with_scale(float(scales[0]) if alike else 1.0)
        value = np.array([const for const, _, _ in fresh.values()]) / unit
        earliest = next(iter(fresh))
        name, drawn_at = self.names[earliest - 1], self.places[earliest - 1]
        read = "" if value.any() or self.is_ours else f"which {self.how} at {caller(LIBRARIES)}{self.before}"
        made = Made(name, mechanism, value, None, metric_of(mechanism), "", drawn_at, read, is_ours=self.is_ours)
        outputs = self.tape.make(made, lambda: value + mechanism.noise(value.shape, self.generator))
        return [float(one) for one in outputs * unit]

    def _keep(self, number: int, const: float, weight: float, output: float) -> None:
        """Take note of a number that is known, and of which no known one said anything."""
        self.homes[number] = (const, weight, output)
        if self.laws[number - 1] != "normal":
            return
        parts, value, is_coin = self._of(number), self.known(number), number in self.coins
        if len(parts) == 1:
            self._known.alone[number] = value, is_coin
        else:
            self._known.learn(value, self._known.projection(parts, self.scales), is_coin)

    def _release_rest(self, number: int, const: float, weight: float) -> None:
        """Release a normal draw of which known ones say something."""
        found = self._known.projection(self._of(number), self.scales)
        said = weight * found.said
        if found.rest > NOTHING_LEFT * self.scales[number - 1]:
            output = self._released("normal", {number: (const + said, weight, abs(weight) * found.rest)})[0]
            self.homes[number] = (const, weight, output)
            self._known.learn(self.known(number), found, number in self.coins)
            return
        if found.is_coin:
            self.coins.add(number)
        beside = self.tape.rest(const + said, abs(const) + abs(said), self.places[number - 1], number in self.coins)
        self.homes[number] = (const, weight, beside)

    def _of(self, number: int) -> dict[int, float]:
        """Return the draws of a sum, with their factors."""
        return self._parts.get(number) or {number: 1.0}

    @property
    def looks_ahead(self) -> bool:
        """Whether operations are taken note of, or some read their number first."""
        return self.shared is not None or bool(self.read_first)

    def is_read_after(self, *, adds: bool) -> bool:
        """Tell whether the result of the operation that is being executed is read, and take note of it.

        Parameters
        ----------
        adds : whether it adds another plain number than 0 to each number with noise.
        """
        if (self.adding is None and not self.read_after) or (here := operation()) is None:
            return False
        if self.adding is not None and adds:
            self.adding.add(here)
        return here in self.read_after

    def is_read_first(self, held: bytes, others: int) -> bool:
        """Tell whether numbers with noise are read before they are combined with plain ones, and take note of it.

        Parameters
        ----------
        held : what is in them, so that equal numbers are equal.
        others : with how many others each is combined: 0 if these are 0, and 2 in place of more.
        """
        if (here := operation()) is None:
            return False
        if self.shared is not None:
            seen = self._operations.setdefault(held, [])
            seen += [here] * others
            if len(seen) > 1:
                self.shared.update(seen)
        self.is_ours = here in self.read_first
        return self.is_ours

    def is_kept(self) -> bool:
        """Tell whether the product that is being made leaves its numbers unread, and take note of it."""
        if (self.multiplying is None and not self.keeping) or (here := operation()) is None:
            return False
        if self.multiplying is not None:
            self.multiplying.add(here)
        return here in self.keeping

    def sum(self, factors: Mapping[int, float]) -> tuple[int, float]:
        """Return the number and the factor of a sum of normal draws; 0 and 0.0 if nothing is left of them."""
        parts: dict[int, float] = {}
        for number, weight in factors.items():
            for part, factor in self._of(number).items():
                parts[part] = parts.get(part, 0.0) + weight * factor
        parts = {part: factor for part, factor in sorted(parts.items()) if factor}
        if not parts:
            return 0, 0.0
        earliest, lead = next(iter(parts.items()))
        if len(parts) == 1:
            return earliest, lead
        parts = {part: factor / lead for part, factor in parts.items()}
        key = tuple((part, round(factor, 12)) for part, factor in parts.items())
        if key not in self._sums:
            scale = float(np.hypot.reduce([factor * self.scales[part - 1] for part, factor in parts.items()]))
            name, place = self.names[earliest - 1], self.places[earliest - 1]
            self._sums[key] = self.number("normal", [scale], name, place)
            self._parts[self._sums[key]] = parts
        return self._sums[key], lead

    def is_sum_normal(self, first: int, second: int) -> bool:
        """Tell whether two numbers are normal draws, so that their sum is another one."""
        return self.laws[first - 1] == self.laws[second - 1] == "normal"

    def read_beside_other(self, coins: Mapping[int, bool]) -> None:
        """Read draws to which other noise is added: that noise protects them, and these are coins.

        Parameters
        ----------
        coins : the draws, and whether a number is with each, which it may be meant to protect. It is said, and changes
            no release: the number may be 0 on the neighbouring stream.
        """
        fresh = {number: (0.0, 1.0) for number in coins if number not in self.homes}
        self.how, self.before = (BESIDE_NUMBER, "") if any(coins.values()) else (OTHER_NOISE, READ_ALONE)
        self.coins |= fresh.keys()
        self._release_all(fresh)
        self.before = READ_ALONE


def added(noise: Noise, one: Any, two: Any, sign: float) -> tuple[Array, Array, Array]:
    """Return the numbers, weights and constants of a sum in which some entries hold two different draws.

    The sum of two normal draws is a normal draw. Of two others that with the larger scale protects the entry, and the
    other is a coin, which is no different on neighbouring streams. Known draws protect nothing.

    Parameters
    ----------
    noise : of the run.
    one, two : the numbers, weights and constants of each operand.
    sign : 1.0 for a sum, -1.0 for a difference.
    """
    first, second = (np.stack(np.broadcast_arrays(a, b)) for a, b in zip(one[:2], two[:2], strict=True))
    numbers, weights = first.reshape(2, -1), second.reshape(2, -1) * np.array([[1.0], [sign]])
    consts = np.array(one[2] + sign * two[2], np.float64)
    weights = np.where(numbers > 0, weights, 0.0)
    total = weights.sum(axis=0)
    held = np.where(total == 0.0, 0, numbers.max(axis=0))
    flat = consts.reshape(-1)
    places = np.flatnonzero((numbers.min(axis=0) > 0) & (numbers[0] != numbers[1]))
    beside = np.stack([np.broadcast_to(each[2], consts.shape).reshape(-1)[places] for each in (one, two)]).T
    noise.read_beside_other(_coins(noise, numbers[:, places].T, weights[:, places].T, beside))
    for place in places:
        (a, b), (v, w) = (int(n) for n in numbers[:, place]), (float(x) for x in weights[:, place])
        known = [(n, x) for n, x in ((a, v), (b, w)) if n in noise.homes]
        left = [(n, x) for n, x in ((a, v), (b, w)) if n not in noise.homes]
        if len(left) == 2:
            left = [noise.sum({a: v, b: w})]
        elif not left:
            left = [known.pop()]  # beside a known draw as well: what else the entry holds is compared where it is read
        flat[place] += sum(x * noise.known(n) for n, x in known)
        held[place], total[place] = left[0]
    shape = consts.shape
    return held.reshape(shape), total.reshape(shape), consts


def _coins(noise: Noise, numbers: Array, weights: Array, beside: Array) -> dict[int, bool]:
    """Return the draws to read because the other draw of their entry protects it, and whether numbers are with them."""
    found: dict[int, bool] = {}
    for (a, b), (v, w), (x, y) in zip(numbers.tolist(), weights.tolist(), beside.tolist(), strict=True):
        is_open = not any(n in noise.homes or n in found for n in (a, b))
        if is_open and not noise.is_sum_normal(a, b):
            is_first = abs(v) * noise.scales[a - 1] <= abs(w) * noise.scales[b - 1]
            found[a if is_first else b] = bool(x if is_first else y)
    return found
