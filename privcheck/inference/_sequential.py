"""Evidence against a claim that can be read after every pair of runs: a betting e-process."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Codes, Integers
from privcheck.declared import Integer, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.inference._betting import add_pairs, evidence
from privcheck.inference._counts import DELTA, EPSILON, LEVEL

MOST_BLOCKS = 2048
"""Blocks grow with the number of pairs before them: 611 hold 1e9 pairs, and 1334 hold 2^62."""


class SequentialTest:
    """An anytime-valid test of (epsilon, delta) from independent pairs of runs, one on each input.

    Parameters
    ----------
    epsilon, delta : the claim; epsilon at least 0, delta in [0, 1).
    events : how many events are bet on. Their e-values are averaged, which needs no independence.
    mirrored : whether every event S comes with a mirror image S', disjoint and likelier on the second input.

    Notes
    -----
    Under the claim, the probability that the e-value ever exceeds 1 / level is at most level (Ville), however often it
    is read. That holds if events are chosen anew between updates, as a function of earlier runs: the capital of each
    event's bets is multiplied by a factor whose expectation, given all earlier runs, is at most 1 under the claim for
    every event and every stake that these runs determine. `change_events` says that they have changed.

    Raises
    ------
    PrivcheckError : a parameter outside its range, or outcomes of the wrong shape or value.

    Source
    ------
    Turner, Ly and Grünwald 2024; Waudby-Smith and Ramdas 2024 (betting).

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> test = SequentialTest(epsilon=1.0)
    >>> test.update(rng.random(400) < 0.5, rng.random(400) < 0.5 * math.exp(-2.0))
    >>> test.pairs, test.p_value < 1e-3, 1.0 < test.lower_bound(0.05) < 2.0
    (400, True, True)

    """

    def __init__(self, epsilon: float, delta: float = 0.0, events: int = 1, *, mirrored: bool = False) -> None:
        self.epsilon, self.delta = check("epsilon", epsilon, EPSILON), check("delta", delta, DELTA)
        self.events, self.mirrored = check("events", events, Integer(1)), mirrored
        self._blocks = np.zeros((MOST_BLOCKS, self.events, 4), np.int64)
        self._lengths = np.zeros(MOST_BLOCKS, np.int64)
        self._changes, self._pasts = np.zeros((0, 2), np.int64), np.zeros((0, self.events, 4), np.int64)
        self._filled, self._start, self._highest = 0, 0, 0.0

    @property
    def pairs(self) -> int:
        """Number of pairs so far."""
        return int(self._lengths.sum())

    def update(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None:
        """Add pairs of runs.

        Parameters
        ----------
        first, second : whether each run on the first and on the second input was in the event, shape (pairs,) or
            (pairs, events); booleans, or 1 for S, -1 for its mirror image S' and 0 for neither.

        """
        codes = self._pairs(first, second)
        self._filled, self._start = add_pairs(*codes, self._blocks, self._lengths, self._filled, self._start)
        self._highest = max(self._highest, self._evidence(self.epsilon)[1])

    def add_blocks(self, blocks: Integers, lengths: Integers) -> None:
        """Add all pairs at once, to a test without any: their counts and numbers by block (`counted_pairs`)."""
        self._filled = len(lengths)
        self._blocks[: self._filled], self._lengths[: self._filled] = blocks, lengths
        self._start = int(lengths[:-1].sum())
        self._highest = max(0.0, self._evidence(self.epsilon)[1])

    def change_events(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None:
        """Bet on other events from the next pair on, each with the capital of the event in whose place it comes.

        Parameters
        ----------
        first, second : codes as in `update` of the new events in earlier runs, whether these were bet on or not. The
            first bets on the new events are made as if these runs had come before.

        """
        one, two = self._pairs(first, second)
        past = np.stack([(one == 1).sum(0), (one == -1).sum(0), (two == -1).sum(0), (two == 1).sum(0)], axis=1)
        if not self._filled or self._lengths[self._filled - 1]:  # the block before ends here
            self._start += int(self._lengths[self._filled - 1]) if self._filled else 0
            self._filled += 1
        self._changes = np.append(self._changes, [[self._filled - 1, len(one)]], axis=0)
        self._pasts = np.append(self._pasts, past[None], axis=0)

    @property
    def log_e_value(self) -> float:
        """The natural logarithm of the e-value now."""
        return self._evidence(self.epsilon)[0]

    @property
    def e_value(self) -> float:
        """The e-value now: a value of at least 1 / level refutes the claim."""
        return math.exp(min(700.0, self.log_e_value))

    @property
    def largest_e_value(self) -> float:
        """The largest e-value so far, at most e^700: a value of at least 1 / level refutes the claim."""
        return math.exp(min(700.0, self._highest))

    @property
    def p_value(self) -> float:
        """One over the largest e-value so far: a p-value that may be read at any time."""
        return math.exp(-self._highest)

    def lower_bound(self, level: float, step: float = 0.01) -> float:
        """Return a lower bound of epsilon given delta, valid at all times together with probability at least 1 - level.

        Parameters
        ----------
        level : error probability, in (0, 0.5].
        step : distance of the claims 0, step, 2 step, ... that are tested in this order up to the first that is not
            refuted; the same at every reading.

        """
        threshold = -math.log(check("level", level, LEVEL))
        step = check("step", step, Real(1e-4, 1.0))
        found = 0.0
        for i in range(math.ceil(50.0 / step)):
            if self._evidence(i * step, threshold)[1] < threshold:
                break
            found = i * step
        return found

    def _evidence(self, epsilon: float, enough: float = math.inf) -> tuple[float, float]:
        blocks, lengths = self._blocks[: self._filled], self._lengths[: self._filled]
        r = math.exp(epsilon)
        return evidence(blocks, lengths, self._changes, self._pasts, r, self.delta, self.mirrored, enough)

    def _pairs(self, first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Codes, Codes]:
        codes = self._codes("first", first), self._codes("second", second)
        if len(codes[0]) != len(codes[1]):
            raise PrivcheckError(
                "second", words(f"{len(codes[1])} runs"), f"{len(codes[0])} runs", "runs come in pairs"
            )
        return codes

    def _codes(self, name: str, values: npt.ArrayLike) -> Codes:
        array = np.asarray(values)
        if array.ndim == 1 and self.events == 1:
            array = array[:, None]
        if array.ndim != 2 or array.shape[1] != self.events or array.dtype.kind not in "biuf":
            raise PrivcheckError(name, words(f"an array of shape {array.shape}"), f"numbers, (pairs, {self.events})")
        allowed = (-1, 0, 1) if self.mirrored else (0, 1)
        if not np.isin(array, allowed).all():
            raise PrivcheckError(name, words("other values"), f"only {allowed}", "-1 needs mirrored=True")
        return np.ascontiguousarray(array, np.int8)
