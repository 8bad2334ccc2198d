"""Runs whose released statistics are observed, with the exact likelihood ratio of the releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.arrays import refuse_masks
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.generators import children, is_copied, position
from privcheck.mechanisms import DivergenceError, ForcedTape, Mechanism, RecordedRelease, Tape, recording
from privcheck.targets._data_frames import labels_of
from privcheck.targets._location import describe_exception
from privcheck.targets._outputs import CODED, Outputs, code_of, padded
from privcheck.targets._time_limit import RunClock

Play = Callable[[Any], list[int]]

DIGITS = 9
"""Decimal places of a log-likelihood ratio that are kept: the last bits of x + noise reveal x (Mironov 2012), and would
put whole atoms of the ratio on one side of a threshold. Floating-point artefacts are not audited.
"""

REDRAWN = 10
"""Runs of a chunk that are replayed with other coins. They only look for coins from elsewhere, since those of the
Generator are noticed in every run; two replays in 2 % of the runs cost 1 to 2 % of the time.
"""


def play_releasing(
    build: Callable[[np.random.Generator], Any],
    play: Play,
    again: Play | None,
    runs: int,
    rng: np.random.Generator,
    clock: RunClock,
) -> Outputs:
    """Return actions, released statistics and their likelihood ratio over those of the neighbouring stream.

    The statistics are the policy's `released` if it has that attribute, and otherwise all outputs of its mechanisms.
    The ratio comes from a replay on the other stream with the same releases; it is NaN in a run whose replay plays
    different actions, and if nothing is released through mechanisms. An event of the ratio must be an event of what is
    observed in the same run. Where `released` differs from the outputs of the mechanisms (a release may be clipped, or
    only the winner of a noisy maximum published), the ratio is therefore that of a run whose mechanisms put out what is
    published, and NaN if there is none. It is NaN in a run in which the policy has coins of its own, on either stream,
    which stay secret (a datum may be left out of a release by chance); whether it has follows from the releases before
    the first of them. It has if it draws from its Generator, or reads the Generator's state or seed, from which a
    jumped or copied generator starts. With other coins, then, a replay gives the same ratio: some runs check this.

    Parameters
    ----------
    build : makes the policy from a Generator.
    play : plays it on this stream.
    again : plays it on the neighbouring stream; None omits the ratios.
    runs : number of runs.
    rng : Generator of the coins and the noise.
    clock : counts every run.

    Raises
    ------
    PolicyError : the ratio depends on coins that do not come from the policy's Generator.

    """
    symbols, numbers, ratios = [], [], np.full(runs, np.nan)
    known = False
    for run in range(runs):
        clock.next_run()
        coins, noise = children(rng, 2)
        start = position(coins)
        tape = Tape(noise)
        policy = build(coins)
        with recording(tape):
            actions = play(policy)
        symbols.append(actions)
        released = _released_by(policy)
        everything = as_row([release.output for release in tape.releases])
        numbers.append(everything if released is None else published(released))
        if again is None:
            continue
        if not (released is None or np.array_equal(row := as_row(released), everything)):
            ratio = _ratio_of_published(build, play, again, children(coins, 1)[0], row)
            known, ratios[run] = known or not np.isnan(ratio), ratio
            continue
        if not tape.releases or _has_drawn(coins, start):
            continue
        ratio = _ratio(build, again, coins, tape, actions)
        if _has_drawn(coins, start):  # in the replay on the other stream
            continue
        known, ratios[run] = True, ratio
        if run < REDRAWN:
            others = children(coins, 2)
            moved = _ratio(build, play, others[0], tape, actions)
            elsewhere = _ratio(build, again, others[1], tape, actions)
            if moved != 0.0 or not np.array_equal(elsewhere, ratio, equal_nan=True):
                raise _hidden()
    wide = np.concatenate(padded([row[None, :] for row in numbers], np.nan))
    return Outputs(np.asarray(symbols), wide, ratios if known else None)


def _released_by(policy: Any) -> Any:
    """Return the statistics that a policy publishes, None if it has no such attribute."""
    try:
        return getattr(policy, "released", None)
    except PrivcheckError:
        raise
    except Exception as error:  # a property is a user's code
        got = words(describe_exception(error))
        raise PolicyError("released", got, "released statistics that can be read after the last round") from None


def _has_drawn(coins: np.random.Generator, start: Any) -> bool:
    return is_copied(coins) or position(coins) != start


def _ratio(
    build: Callable[[np.random.Generator], Any], play: Play, coins: np.random.Generator, tape: Tape, actions: list[int]
) -> float:
    """Return how much more likely the releases were than in a replay with these coins; NaN if other actions follow."""
    forced = ForcedTape(tape.releases)
    try:
        with recording(forced):
            same = play(build(coins)) == actions and forced.position == len(tape.releases)
    except DivergenceError:
        same = False
    return round(forced.log_ratio, DIGITS) if same else np.nan


@dataclass
class _Published(Tape):
    """Returns published numbers in order, each release as large and of the type that its mechanism would put out."""

    told: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = field(default_factory=lambda: np.zeros(0))

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:  # noqa: ARG002
        """Take what the release is from the numbers, and record it."""
        usual = mechanism.draw(value, self.noise)
        size = np.size(usual)
        if size > len(self.told):
            raise DivergenceError("more is released than was published")
        taken, self.told = self.told[:size].reshape(np.shape(usual)).astype(np.asarray(usual).dtype), self.told[size:]
        output = taken if isinstance(usual, np.ndarray) else taken.tolist()
        self.releases.append(RecordedRelease(mechanism, np.array(value, float), output))
        return taken.copy() if isinstance(usual, np.ndarray) else output


def _ratio_of_published(
    build: Callable[[np.random.Generator], Any], play: Play, again: Play, coins: np.random.Generator, row: Any
) -> float:
    """Return the ratio of a run whose mechanisms put out just these numbers; NaN if there is no such run, or if it has
    coins. It depends on nothing else: not on what the mechanisms put out instead.
    """
    start, tape = position(coins), _Published(np.random.default_rng(0), told=row)
    try:
        with recording(tape), np.errstate(all="ignore"):
            actions = play(build(coins))
        if len(tape.told) or not tape.releases or _has_drawn(coins, start):
            return np.nan
        ratio = _ratio(build, again, coins, tape, actions)
    except Exception:  # numbers that no mechanism puts out, and what a policy makes of them
        return np.nan
    return np.nan if _has_drawn(coins, start) else ratio


def _hidden() -> PolicyError:
    return PolicyError(
        "target",
        words("another likelihood ratio of the same releases when a run is repeated"),
        "a policy that draws all its randomness from the Generator passed to its factory",
        "a coin comes from somewhere else, or is kept from an earlier run: a module's generator, a cache, a class "
        "attribute",
    )


def published(released: Any) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return what an observer reads of released statistics: their numbers, and after them one for the keys of dicts and
    the labels of data frames.

    A count that is published under the name of the winner tells the name, too.

    >>> published([1.0, 2.0]).tolist(), len(published({"a": 1.0}))
    ([1.0, 2.0], 2)
    >>> published({"a": 1.0})[1] == published({"b": 1.0})[1], published({"a": 1.0})[1] == published({"a": 3.0})[1]
    (np.False_, np.True_)
    """
    keys = _keys(released)
    return np.append(as_row(released), float(CODED - code_of(repr(keys)))) if keys else as_row(released)


def _keys(released: Any) -> tuple[Any, ...]:
    """Return the keys of dicts and the labels of frames in released statistics, each where it stands; nothing if there
    are none.
    """
    if isinstance(released, dict):
        return tuple((key, _keys(part)) for key, part in released.items())
    if isinstance(released, list | tuple):
        found = tuple(map(_keys, released))
        return found if any(found) else ()
    return labels_of(released)


def as_row(released: Any) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return released statistics, numbers or arrays in any nesting, as one row of numbers."""
    refuse_masks("released", released)
    try:
        if isinstance(released, dict):
            released = list(released.values())
        if isinstance(released, list | tuple):
            parts = [as_row(part) for part in released]
            return np.concatenate(parts) if parts else np.zeros(0)
        raw = np.asarray(released)
        parts = [raw.real, raw.imag] if raw.dtype.kind == "c" else [raw]
        row = np.concatenate([np.asarray(part, np.float64).ravel() for part in parts])
    except (TypeError, ValueError):
        got = words(f"an object of type {type(released).__name__}")
        raise PolicyError("released", got, "numbers or arrays of numbers") from None
    if np.isnan(row).any():
        raise PrivcheckError("released", words("NaN"), "released statistics that are numbers", "fix the policy first")
    return row
