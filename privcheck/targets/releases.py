"""Runs whose released statistics are observed, with the exact likelihood ratio of the releases."""

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
"""Decimal places of a log-likelihood ratio that are kept: the last bits of x + noise reveal x (Mironov 2012), and would
put whole atoms of the ratio on one side of a threshold. Floating-point artefacts are not audited.
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
    different actions. There is no ratio if nothing is released through mechanisms, or if the ratio would reveal more
    than is observed: if `released` differs from the outputs of the mechanisms (only the winner of a noisy maximum may
    be published), or if the policy draws coins of its own, which stay secret (a datum may be left out of a release by
    chance).

    Parameters
    ----------
    build : makes the policy from a Generator.
    play : plays it on this stream.
    again : plays it on the neighbouring stream; None omits the ratios.
    runs : number of runs.
    rng : Generator of the coins and the noise.
    clock : is told of every run.

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
    """Return the state that changes when numbers are drawn or generators are spawned."""
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
