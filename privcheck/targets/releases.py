"""Runs whose released statistics are observed, with the exact likelihood ratio of what was released."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.mechanisms.base import recording
from privcheck.mechanisms.tape import DivergenceError, ForcedTape, Tape
from privcheck.targets.outputs import Outputs, padded
from privcheck.targets.time_limit import RunClock

Play = Callable[[Any], list[int]]

DIGITS = 9
"""Digits of a likelihood ratio that are kept: the last bits of x + noise betray x (Mironov 2012), and would put whole
atoms of the ratio on one side of a threshold. Floating-point artefacts are not what is audited.
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

    The statistics are the policy's `released` where it has that, otherwise whatever its mechanisms put out. The ratio
    comes from a replay: the releases forced, on the other stream; it is NaN in a run in which that plays different
    actions. There is none when nothing is released through mechanisms, and none when it would tell more than is
    observed: when `released` is not what the mechanisms put out (of a noisy maximum only the winner may be), or when
    the policy draws coins of its own, which stay secret (a datum may be left out of a release by chance).

    Parameters
    ----------
    build : makes the policy from a Generator.
    play : plays it on this stream.
    again : plays it on the neighbouring stream; None leaves the ratios out.
    runs : how many.
    rng : of coins and noise.
    clock : told of every run.

    """
    symbols, numbers, ratios = [], [], np.full(runs, np.nan)
    recorded, secret = False, False
    for run in range(runs):
        clock.next_run()
        coins, noise = rng.spawn(2)
        state = _state(coins)
        tape = Tape(noise)
        policy = build(coins)
        with recording(tape):
            actions = play(policy)
        symbols.append(actions)
        released = getattr(policy, "released", None)
        everything = _flat([release.output for release in tape.releases])
        numbers.append(everything if released is None else _flat(released))
        recorded = recorded or bool(tape.releases)
        secret = secret or _state(coins) != state or not np.array_equal(numbers[-1], everything)
        if again is None or secret or not tape.releases:
            continue
        forced = ForcedTape(tape.releases)
        try:
            with recording(forced):
                same = again(build(coins)) == actions and forced.position == len(tape.releases)
        except DivergenceError:
            same = False
        ratios[run] = round(forced.log_ratio, DIGITS) if same else np.nan
    wide = np.concatenate(padded([row[None, :] for row in numbers], np.nan))
    return Outputs(np.asarray(symbols), wide, ratios if recorded and not secret and again is not None else None)


def _state(coins: np.random.Generator) -> tuple[Any, int]:
    """Return what changes when numbers are drawn, or generators spawned."""
    seeds: Any = coins.bit_generator.seed_seq
    return coins.bit_generator.state, seeds.n_children_spawned


def _flat(released: Any) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return released statistics, numbers or arrays in any nesting, as one row of numbers."""
    try:
        if isinstance(released, dict):
            released = list(released.values())
        if isinstance(released, list | tuple):
            parts = [_flat(part) for part in released]
            return np.concatenate(parts) if parts else np.zeros(0)
        row = np.asarray(released, np.float64).ravel()
    except (TypeError, ValueError):
        got = words(f"an object of type {type(released).__name__}")
        raise PolicyError("released", got, "numbers or arrays of numbers") from None
    if np.isnan(row).any():
        raise PrivcheckError("released", words("NaN"), "released statistics that are numbers", "fix the policy first")
    return row
