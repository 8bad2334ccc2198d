"""The draws of a guarded policy of which many are unlikely: what a rare coin decides is seen within few runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from itertools import pairwise
from typing import Any

import numpy as np

from privcheck.generators._draws_on_private_values import GuardedDraws
from privcheck.generators._handled_generator import Call
from privcheck.private_values import Private, PrivateSource

MOST = 32
"""How many of the numbers that the code names, or of the entries of a choice, are tried as outcomes."""

STEP = 2.0**-53
"""What all numbers in [0, 1) that numpy draws are multiples of."""

Outcomes = list[Any]
"""Unlikely outcomes of a draw, each a number or an array of them, one for each of several draws."""


class UnlikelyDraws(GuardedDraws):
    """Of the draws that are public numbers about half are exchanged for unlikely ones.

    These are numbers at the ends of the law's range or far out in its tails, and of whole numbers and of numbers in
    an interval also those that the code names. Each has a positive probability, so that whatever a policy does with
    them, it may do without the guard, however rarely. Left alone are private noise, orders, draws without replacement,
    and laws that are not listed here.

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
    ([0, 7, 999999], [0, 0, 0, 1, 1, 1, 0, 0, 0])
    """

    def __init__(
        self, bits: Any, source: PrivateSource, *, chances: np.random.Generator, named: Collection[float]
    ) -> None:
        super().__init__(bits, source)
        self._chances = chances
        self._named = sorted({float(number) for number in named if math.isfinite(number)})
        self._exchange_flips()

    def exposed(self) -> None:
        """Let further draws be public numbers, of which as many are exchanged."""
        super().exposed()
        self._exchange_flips()

    def _exchange_flips(self) -> None:
        draws, likely = self._source.draws, self._source.draws.sample

        def sample(law: str, scale: float) -> float:
            given = (-math.expm1(-1.0 / scale) if law == "geometric" else scale,)
            located = (0.0, *given) if law in ("laplace", "normal", "gumbel") else given
            return float(self._one_of(likely(law, scale), self._unit() if law == "uniform" else _LAWS[law](*located)))

        draws.sample = sample

    def coin(self, call: Call) -> Any:
        """Return public numbers, of which about half are unlikely."""
        found, name = super().coin(call), call.method.name
        own: dict[str, Callable[..., Outcomes]] = {
            "integers": self._whole, "choice": self._entries, "random": self._unit, "uniform": self._between,
        }  # fmt: skip
        of_law = own.get(name) or _LAWS.get(name)
        is_short = getattr(found, "dtype", None) == np.float32  # in which numbers near 1 are 1
        if of_law is None or is_short or isinstance(found, Private) or "out" in call.options:
            return found
        options = {key: _read(value) for key, value in call.options.items() if key not in _OF_THE_CALL}
        return self._one_of(found, of_law(*map(_read, call.given), **options))

    def _one_of(self, found: Any, outcomes: Outcomes) -> Any:
        """Return draws, of which about half are exchanged for one of their outcomes each."""
        if not outcomes:
            return found
        taken = self._chances.integers(2 * len(outcomes), size=np.shape(found))
        if not isinstance(found, np.ndarray):
            return type(found)(outcomes[int(taken)]) if taken < len(outcomes) else found
        for number, outcome in enumerate(outcomes):
            chosen = taken == number
            found[chosen] = np.broadcast_to(outcome, found.shape)[chosen]
        return found

    def _whole(self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False) -> Outcomes:  # noqa: ARG002
        if high is None:
            low, high = 0, low
        first, last = np.asarray(low), np.asarray(high) - (not endpoint)
        named = [int(number) for number in self._named if number.is_integer()]
        return [first, last, *(number for number in named if (first <= number).all() and (number <= last).all())][:MOST]

    def _entries(self, of: Any, size: Any = None, replace: bool = True, p: Any = None) -> Outcomes:
        entries = np.arange(of) if np.ndim(of) == 0 else np.asarray(of)
        if entries.ndim > 1 or not (replace or size is None):
            return []
        chances = np.ones(entries.size) if p is None else np.asarray(p, np.float64)
        rare = np.argsort(chances, kind="stable")
        return [entries[place] for place in rare if chances[place] > 0.0][:MOST]

    def _unit(self, size: Any = None) -> Outcomes:  # noqa: ARG002
        """Return numbers near 0 and 1, between any two that the code names, and on either side of each."""
        named = [number for number in self._named if 0.0 < number < 1.0]
        sides = [number + side for number in named for side in (-STEP, STEP)]
        found = [math.floor(number / STEP) * STEP for number in (*sides, *((a + b) / 2.0 for a, b in pairwise(named)))]
        return [STEP, 1.0 - STEP, *(number for number in found if 0.0 < number < 1.0)][:MOST]

    def _between(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Outcomes:
        widths = np.asarray(high, np.float64) - low
        return [low + widths * number for number in self._unit(size)]


_OF_THE_CALL = ("dtype", "axis", "shuffle", "method")
"""Keywords that say nothing about a law."""


def _read(value: Any) -> Any:
    return np.asarray(value, np.float64) if isinstance(value, Private) else value


def _located(low: float, high: float) -> Callable[..., Outcomes]:
    def outcomes(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
        return [np.asarray(loc) + np.asarray(scale) * far for far in (low, high)]

    return outcomes


def _standard(low: float, high: float) -> Callable[..., Outcomes]:
    return lambda size=None: [low, high]  # noqa: ARG005


def _exponential(scale: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
    return [np.asarray(scale) * far for far in (STEP, 40.0)]


def _gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Outcomes:  # noqa: ARG001
    return [np.asarray(scale) * STEP, np.asarray(scale) * (np.asarray(shape) + 40.0)]


def _standard_gamma(shape: Any, size: Any = None) -> Outcomes:  # noqa: ARG001
    return _gamma(shape)


def _geometric(p: Any, size: Any = None) -> Outcomes:  # noqa: ARG001
    return [1, _beyond(1.0 / np.asarray(p, np.float64))]


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
    return np.ceil(mean + np.minimum(20.0 * mean + 20.0, 200.0))


_LAWS: dict[str, Callable[..., Outcomes]] = {
    "laplace": _located(-40.0, 40.0), "logistic": _located(-40.0, 40.0), "gumbel": _located(-3.5, 40.0),
    "normal": _located(-8.0, 8.0), "standard_normal": _standard(-8.0, 8.0), "exponential": _exponential,
    "standard_exponential": _standard(STEP, 40.0), "gamma": _gamma,
    "standard_gamma": _standard_gamma, "geometric": _geometric, "binomial": _binomial, "poisson": _poisson,
    "beta": _beta,
}  # fmt: skip
"""The unlikely outcomes of laws with their parameters."""
