"""Compiled building blocks that every kernel shares: one source of rewards, one recorder.

A kernel is one compiled function with the signature

    kernel(parameters, table, means, rewards, coins, noise, horizon, runs, actions, checkpoints, regret)

that plays `runs` independent runs of `horizon` rounds. It serves the auditor and the simulator alike:

- rewards come from `table` (float64, (T, K)) when it has rows, else Bernoulli(`means`), one Binomial per episode;
- `rewards`, `coins` and `noise` are three numpy Generators: the environment's, the algorithm's own, the privacy noise;
- `actions` (int8, (runs, T), or (0, 0) to leave out) receives every action;
- `regret` (float64, (runs, C)) receives the pseudo-regret at the C rounds in `checkpoints` (int64, increasing).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.core.caching import FunctionCache

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Actions = npt.NDArray[np.int8]
Kernel = Callable[..., None]

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function with numba: no GIL, IEEE division by zero, cached on disk."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    dispatcher._cache = cast("Any", _CallAwareCache)(function)
    return cast("F", dispatcher)


class _CallAwareCache(FunctionCache):
    """Numba's disk cache, which by itself misses changes to compiled functions of other files that a function calls."""

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        key: tuple[Any, ...] = cast("Any", super())._index_key(signature, codegen)
        return (*key, fingerprint(self._py_func))


def fingerprint(function: Any) -> str:
    """Return a hash of the code of a function, of the compiled functions that it calls and of the constants in them."""
    digest, seen, todo = hashlib.sha256(), set[Any](), [function]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        code = current.__code__
        digest.update(code.co_code + repr((code.co_consts, code.co_names)).encode())
        for name in code.co_names:
            value = current.__globals__.get(name)
            if hasattr(value, "py_func"):
                todo.append(value.py_func)
            elif isinstance(value, int | float):
                digest.update(repr(value).encode())
    return digest.hexdigest()


@compiled
def reward_sum(table: Floats, means: Floats, rewards: np.random.Generator, arm: int, start: int, stop: int) -> float:
    """Return the sum of the rewards of `arm` over the 0-based rounds start, ..., stop - 1."""
    if table.shape[0] > 0:
        total = 0.0
        for t in range(start, stop):
            total += table[t, arm]
        return total
    if stop - start == 1:
        return 1.0 if rewards.random() < means[arm] else 0.0
    return float(rewards.binomial(stop - start, means[arm]))


@compiled
def record(
    actions: Actions,
    run: int,
    checkpoints: Integers,
    gap: float,
    regret: Floats,
    cursor: int,
    total: float,
    arm: int,
    start: int,
    stop: int,
) -> tuple[int, float]:
    """Note that `arm` (of sub-optimality gap `gap`) was played in rounds start, ..., stop - 1; return (cursor, total).

    `cursor` is the first checkpoint not yet written and `total` the pseudo-regret up to `start`.
    """
    if actions.shape[0] > 0:
        for t in range(start, stop):
            actions[run, t] = arm
    while cursor < checkpoints.shape[0] and checkpoints[cursor] <= stop:
        regret[run, cursor] = total + gap * (checkpoints[cursor] - start)
        cursor += 1
    return cursor, total + gap * (stop - start)
