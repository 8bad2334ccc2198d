"""Whether code computes the same numbers with ordinary rewards as with wrapped ones, in what it holds and in calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._translated.rewriting import SIDE
from privcheck.private_values import REVEAL, Private, PrivateArray
from privcheck.reached_state import places

MOST_ENTRIES = 10_000
"""Largest array, and longest list of a local variable, that is looked at."""

RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""What rounding may do to a number: in proportion to itself, and to the largest number that was released."""

RETURNED = "what it returns"

Key = tuple[str, str, int]
"""The name of a place, the function whose it is, and which of its calls; nothing and 0 for what is held at the end."""


@dataclass
class Numbers:
    """The numbers of a run, by the place that holds them.

    Attributes
    ----------
    found : what the policy reaches after the last round, and local variables where functions return, in the order in
        which they were found; None for what holds noise that nobody has read.
    calls : how often each function has returned.
    """

    found: dict[Key, list[Array | None]] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, policy: Any) -> Numbers:
        """Return the numbers that a policy holds."""
        found = cls()
        found.held(policy)
        return found

    def held(self, policy: Any) -> None:
        """Take in what a policy holds."""
        for place in places([policy]):
            self._take((place.name, "", 0), place.holds)

    def returns(self, frame: FrameType, value: Any) -> None:
        """Take in the local variables of a function that returns, except what a translation adds to them."""
        code = frame.f_code
        if code.co_varnames[:1] == (SIDE,):
            return
        function = f"{code.co_qualname} ({Path(code.co_filename).name}:{code.co_firstlineno})"
        self.calls[function] += 1
        for name, held in [*frame.f_locals.items(), (RETURNED, value)]:
            if "privcheck" not in name and not name.startswith("."):
                self._take((name, function, self.calls[function]), held)

    def _take(self, key: Key, held: Any) -> None:
        if key[1] and type(held) in (list, tuple) and len(held) <= MOST_ENTRIES:
            for part in held:
                self._take(key, part)
        elif type(held) in NUMBERS or isinstance(held, np.number):
            self.found.setdefault(key, []).append(_numbers(held))

    def others(self, other: Numbers, largest: float = 0.0) -> dict[Key, None]:
        """Return the places whose numbers are others in another run, in which numbers up to `largest` were released."""
        found = dict[Key, None]()
        for key, mine in self.found.items():
            its = other.found.get(key, [])
            known = [one for one in (*mine, *its) if one is not None]
            same_calls = self.calls[key[1]] == other.calls[key[1]]
            if same_calls and len(mine) == len(its) and len(known) == 2 * len(mine):
                one, two = _joined(known[: len(mine)]), _joined(known[len(mine) :])
                close = one.shape == two.shape and np.allclose(
                    one, two, RELATIVE, ABSOLUTE * (1.0 + largest), equal_nan=True
                )
                found |= {} if close else {key: None}
        return found


NUMBERS = (bool, int, float, np.bool_, np.ndarray, Private, PrivateArray)


def _numbers(held: Any) -> Array | None:
    """Return numbers as an array of floats; None of what holds noise, and of what is no number of ordinary size."""
    if type(held) in (Private, PrivateArray):
        return None if held.holds_draws else np.array(held.reveal(REVEAL), np.float64)
    array = np.asarray(held)
    return array.astype(np.float64) if array.dtype.kind in "biuf" and array.size <= MOST_ENTRIES else None


def _joined(every: list[Array]) -> Array:
    """Return numbers as one array; those of several places of one name are in no order."""
    return every[0] if len(every) == 1 else np.sort(np.concatenate([one.ravel() for one in every]))
