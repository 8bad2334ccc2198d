"""The draws of a guarded run of which many are unlikely: what a rare coin or noise decides is seen in few runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from itertools import pairwise
from typing import Any

import numpy as np

from privcheck.generators._draws_on_private_values import GuardedDraws, as_read
from privcheck.generators._handled_generator import Call, Draw, HandledGenerator, bits_of
from privcheck.generators._methods import Noise
from privcheck.private_values import Private, PrivateSource

MOST = 32
"""How many of the numbers that the code names, or of the entries of a choice, are tried as outcomes."""

STEP = 2.0**-53
"""What all numbers in [0, 1) that numpy draws are multiples of."""

Outcomes = list[Any]
"""Unlikely outcomes of a draw, each a number or an array of them, one for each of several draws."""


class UnlikelyDraws(GuardedDraws):
    """Of the draws that are public numbers many are exchanged for unlikely ones: at first every second one.

    These are numbers at the ends of the law's range or far out in its tails, and of whole numbers and of numbers in
    an interval also those that the code names. In the exact law each has a positive probability or density, so that
    whatever a policy does with them, it may do without the guard, however rarely. Left alone are orders, draws without
    replacement, short floats, laws that are not listed here, and private noise until it is released (`of_releases`).
    Fewer are exchanged the more are drawn: a loop that waits for likely draws ends.

    Parameters
    ----------
    bits, source : as for `GuardedDraws`.
    chances : says which draws are exchanged; not a Generator of the policy.
    named : numbers that the code names.

    Examples
    --------
    >>> from privcheck.generators._handled_generator import HandledGenerator
    >>> chances = np.random.default_rng(1)
    >>> draws = UnlikelyDraws(np.random.PCG64(0), PrivateSource(), chances=chances, named=[7, 0.25])
    >>> rng = HandledGenerator(draws)
    >>> sorted({0, 7, 10**6 - 1} & {int(rng.integers(10**6)) for _ in range(40)}), rng.binomial(1, 1e-9, 9).tolist()
    ([0, 7, 999999], [0, 0, 0, 0, 0, 0, 0, 0, 0])
    """

    def __init__(
        self, bits: Any, source: PrivateSource, *, chances: np.random.Generator, named: Collection[float]
    ) -> None:
        super().__init__(bits, source)
        self._chances, self._drawn = chances, 0
        self._named = sorted({float(number) for number in named if math.isfinite(number)})
        self._exchange_flips()

    def exposed(self) -> None:
        """Let further draws be public numbers, of which some are exchanged, too."""
        super().exposed()
        self._exchange_flips()

    @classmethod
    def of_releases(cls, noise: np.random.Generator, chances: np.random.Generator) -> np.random.Generator:
        """Return a Generator for the noise of mechanisms, with the bits of another one and many unlikely draws.

        >>> rng = UnlikelyDraws.of_releases(np.random.default_rng(0), np.random.default_rng(1))
        >>> {-60.0, 60.0} < {float(rng.laplace(0.0, 2.0)) for _ in range(40)}
        True
        """
        draws = cls(bits_of(noise), PrivateSource(), chances=chances, named=())
        draws.exposed()
        return HandledGenerator(draws)

    def _exchange_flips(self) -> None:
        draws, likely = self._source.draws, self._source.draws.sample
        draws.sample = lambda law, scale: float(self._one_of(likely(law, scale), self._of_law(law, 0.0, scale)))

    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return noise, or public numbers of its law, of which some are exchanged."""
        found = super().noise(method, draw, loc, scale, size)
        return found if isinstance(found, Private) else self._one_of(found, self._of_law(method.law, loc, scale))

    def coin(self, call: Call) -> Any:
        """Return public numbers, of which some are exchanged."""
        found, name = super().coin(call), call.method.name
        own: dict[str, Callable[..., Outcomes]] = {
            "integers": self._whole, "choice": self._entries, "random": self._unit, "uniform": self._between,
        }  # fmt: skip
        of_law = own.get(name) or _LAWS.get(name)
        if of_law is None or isinstance(found, Private):
            return found
        try:
            outcomes = of_law(*map(as_read, call.given), **{key: as_read(value) for key, value in call.options.items()})
        except TypeError:  # numpy took arguments that are not met here: dtype, out, the method
            return found
        return self._one_of(found, outcomes)

    def _of_law(self, law: str, loc: Any, scale: Any) -> Outcomes:
        if law == "uniform":
            return self._unit()
        if law == "geometric":
            with np.errstate(divide="ignore"):  # a scale of 0 is that of the chance 1
                return _geometric(-np.expm1(-1.0 / np.asarray(scale, np.float64)))
        return _exponential(scale) if law == "exponential" else _LAWS[law](loc, scale)

    def _one_of(self, found: Any, outcomes: Outcomes) -> Any:
        """Return draws, or in their place outcomes: of an array, for about half of the entries."""
        self._drawn += 1
        if not outcomes or self._chances.random() * (2.0 + self._drawn / 64.0) > 1.0:
            return found
        if isinstance(found, np.ndarray) and found.size > 1:
            taken = self._chances.integers(2 * len(outcomes), size=found.shape)
            for number, outcome in enumerate(outcomes):
                chosen = taken == number
                found[chosen] = np.broadcast_to(outcome, found.shape)[chosen]
            return found
        outcome = outcomes[int(self._chances.integers(len(outcomes)))]
        if isinstance(found, np.ndarray):
            return np.full_like(found, outcome)
        return type(found)(outcome) if isinstance(found, (bool, int, float, np.number, np.bool_, np.str_)) else found

    def _whole(self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False) -> Outcomes:  # noqa: ARG002
        if high is None:
            low, high = 0, low
        first, last = (int(end) if isinstance(end, (int, np.integer)) else np.asarray(end) for end in (low, high))
        if any(isinstance(end, np.ndarray) and end.dtype.kind != "i" for end in (first, last)):
            return []
        last = last - (not endpoint)
        named = [int(number) for number in self._named if number.is_integer()]
        return [first, last, *(number for number in named if np.all(first <= number) and np.all(number <= last))][:MOST]

    def _entries(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Outcomes:
        if not (replace or size is None):
            return []
        if p is None:
            return self._whole(a) if np.ndim(a) == 0 else _numbers(a, [0, len(a) - 1])
        chances = np.asarray(p, np.float64)
        rare = np.argpartition(chances, min(MOST, chances.size - 1)) if chances.size > MOST else np.argsort(chances)
        places = [int(place) for place in rare[: 2 * MOST] if chances[place] > 0.0][:MOST]
        return places if np.ndim(a) == 0 else _numbers(a, places)

    def _unit(self, size: Any = None) -> Outcomes:  # noqa: ARG002
        """Return numbers near 0 and 1, as often as all of those next to numbers that the code names or between two."""
        named = [number for number in self._named if 0.0 < number < 1.0]
        sides = [number + side for number in named for side in (-STEP, STEP)]
        found = [math.floor(number / STEP) * STEP for number in (*sides, *((a + b) / 2.0 for a, b in pairwise(named)))]
        inside = [number for number in found if 0.0 < number < 1.0][:MOST]
        return [*[STEP, 1.0 - STEP] * (len(inside) // 2 + 1), *inside]

    def _between(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Outcomes:
        widths = np.asarray(high, np.float64) - low
        return [low + widths * number for number in self._unit(size)]


def _numbers(entries: Any, places: list[int]) -> Outcomes:
    """Return entries of a sequence of numbers or texts; of others numpy makes copies that may be anything."""
    given = np.asarray(entries)
    return [given[place] for place in places] if given.ndim == 1 and given.size and given.dtype.kind in "biufU" else []


def _located(low: float, high: float) -> Callable[..., Outcomes]:
    def outcomes(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
        return [np.asarray(loc) + np.asarray(scale) * far for far in (low, high)]

    return outcomes


def _standard(low: float, high: float) -> Callable[..., Outcomes]:
    return lambda size=None: [low, high]  # noqa: ARG005


def _exponential(scale: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
    return [np.asarray(scale) * far for far in (STEP, 30.0)]


def _gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
    of = np.asarray(shape, np.float64)
    return [np.asarray(scale) * np.where(of > 0.0, far, 0.0) for far in (STEP, of + 20.0)]


def _standard_gamma(shape: Any, size: Any = None) -> Outcomes:  # noqa: ARG001
    return _gamma(shape)


def _geometric(p: Any, size: Any = None) -> Outcomes:  # noqa: ARG001
    chance = np.asarray(p, np.float64)
    return [1, np.where(chance < 1.0, _beyond(1.0 / chance), 1)]


def _binomial(n: Any, p: Any, size: Any = None) -> Outcomes:  # noqa: ARG001
    count, chance = np.asarray(n), np.asarray(p, np.float64)
    return [np.where(chance < 1.0, 0, count), np.where(chance > 0.0, count, 0)]


def _poisson(lam: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
    mean = np.asarray(lam, np.float64)
    return [0, np.where(mean > 0.0, _beyond(mean), 0)]


def _beta(a: Any, b: Any, size: Any = None) -> Outcomes:  # noqa: ARG001
    return [STEP, 1.0 - STEP]


def _beyond(mean: Any) -> Any:
    """Return a whole number far above a mean; not too far, because code may loop so often."""
    return np.ceil(mean + np.minimum(10.0 * mean + 10.0, 200.0))


_LAWS: dict[str, Callable[..., Outcomes]] = {
    "laplace": _located(-30.0, 30.0), "logistic": _located(-30.0, 30.0), "gumbel": _located(-3.4, 30.0),
    "normal": _located(-8.0, 8.0), "standard_normal": _standard(-8.0, 8.0), "exponential": _exponential,
    "standard_exponential": _standard(STEP, 30.0), "gamma": _gamma, "standard_gamma": _standard_gamma,
    "geometric": _geometric, "binomial": _binomial, "poisson": _poisson, "beta": _beta,
}  # fmt: skip
"""The unlikely outcomes of laws with their parameters."""
