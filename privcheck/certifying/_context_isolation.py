"""Calling a contextual policy's `select` on a throw-away copy with fresh coins, so that it keeps nothing it reads."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._recorded.deep_copies import deep_copy
from privcheck.generators import bits_of, copying
from privcheck.private_values import RELEASE, Leak

KEPT = (
    "whatever `select` sets is lost under the guard, which calls it on a throw-away copy; keep the private context "
    f"that `update` receives, and {RELEASE}"
)

NOT_COPIED = (
    "the policy cannot be copied (copy.deepcopy), so whatever select() keeps of a context survives: no upper bound"
)


def throw_away(policy: Any, seeds: list[tuple[Any, int]] | None = None) -> Any | None:
    """Return a deep copy of a policy whose generators have fresh states, or None if it cannot be copied.

    Every numpy Generator in the copy gets the state of a child of its original, so its coins are independent of all
    coins that the policy itself will draw. Their seeds, and what these have spawned, are added to `seeds`.

    >>> class Policy:
    ...     def __init__(self, rng):
    ...         self.rng, self.again = rng, rng
    >>> policy = Policy(np.random.default_rng(0))
    >>> one, two = throw_away(policy), throw_away(policy)
    >>> one.rng is one.again, one.rng.random() == two.rng.random()
    (True, False)
    >>> policy.rng.random() == np.random.default_rng(0).random()
    True
    """
    memo: dict[int, Any] = {}
    try:
        with copying():
            copied = deep_copy(policy, memo)
            for original in _generators(memo):
                bits_of(memo[id(original)]).state = _fresh(original)
                if seeds is not None:
                    own: Any = bits_of(original).seed_seq
                    seeds.append((own, own.n_children_spawned))
    except Exception:
        return None
    return copied


def go_on(seeds: list[tuple[Any, int]]) -> None:
    """Let seeds spawn next what comes after what was spawned of them for a copy, although that was put back.

    Otherwise all copies would draw the same.
    """
    for own, spawned in seeds:
        if own.n_children_spawned < spawned:
            own.spawn(spawned - own.n_children_spawned)


def generators(policy: Any) -> list[np.random.Generator]:
    """Return the numpy Generators within a policy; none if it cannot be copied."""
    memo: dict[int, Any] = {}
    try:
        with copying():
            copy.deepcopy(policy, memo)
    except Exception:
        return []
    return _generators(memo)


def copied_parts(policy: Any) -> set[int]:
    """Return the numbers (`id`) of the objects of a policy that are copied with it; none if it cannot be copied."""
    memo: dict[int, Any] = {}
    try:
        with copying():
            copy.deepcopy(policy, memo)
    except Exception:
        return set()
    return {id(part) for part in memo.get(id(memo), ())}


def copy_of_state(policy: Any, shared: list[np.random.Generator]) -> Any | None:
    """Return a deep copy of a policy that draws from the same generators; None if it cannot be copied.

    >>> class Policy:
    ...     def __init__(self, rng):
    ...         self.rng, self.pulls = rng, [0, 0]
    >>> policy = Policy(np.random.default_rng(0))
    >>> before = copy_of_state(policy, generators(policy))
    >>> before.rng is policy.rng, before.pulls is policy.pulls
    (True, False)
    """
    memo: dict[int, Any] = {id(original): original for original in shared}
    try:
        with copying():
            copied = deep_copy(policy, memo)
    except Exception:
        return None
    return None if copied is policy else copied


@contextmanager
def separate_coins(coins: list[np.random.Generator]) -> Iterator[None]:
    """Let generators draw fresh coins inside the block, and afterwards continue as if they had drawn none.

    The number of coins that `select` draws may depend on the context, and must not affect later rounds.
    """
    states = [bits_of(original).state for original in coins]
    for original in coins:
        bits_of(original).state = _fresh(original)
    try:
        yield
    finally:
        for original, state in zip(coins, states, strict=True):
            bits_of(original).state = state


def kept_context(policy: Any, asked: Any, context: Array, round_number: int) -> list[Leak]:
    """Return a leak for each attribute that holds the context in the copy on which `select` ran, but not in the policy.

    It searches attributes, lists, tuples, dictionaries and sets for arrays that share memory with the context or equal
    it. A leak is located at the first line of `select` that assigns the attribute or failing that names it, and of
    several such lines at the first that names the context.
    """
    before, after = _attributes(policy), _attributes(asked)
    kept = [name for name in after if _holds(after[name], context) > _holds(before.get(name), context)]
    return [_placed(asked, name, round_number) for name in kept]


def _generators(memo: dict[int, Any]) -> list[np.random.Generator]:
    """Return the generators that `copy.deepcopy` copied: its memo keeps all originals alive in one list."""
    return [original for original in memo.get(id(memo), ()) if isinstance(original, np.random.Generator)]


def _fresh(original: np.random.Generator) -> Any:
    return np.random.Generator(bits_of(original)).spawn(1)[0].bit_generator.state


def _attributes(policy: Any) -> dict[str, Any]:
    slots = [name for cls in type(policy).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: getattr(policy, name) for name in slots if hasattr(policy, name)} | getattr(policy, "__dict__", {})


def _holds(value: Any, context: Array, depth: int = 3) -> int:
    """Return how many arrays within a value are the context."""
    if isinstance(value, np.ndarray):
        return int(np.may_share_memory(value, context) or np.array_equal(value, context))
    if depth == 0 or value is None or isinstance(value, str | bytes | int | float):
        return 0
    if isinstance(value, dict):
        value = list(value.values())
    elif not isinstance(value, list | tuple | set | frozenset):
        value = list(_attributes(value).values())
    return sum(_holds(part, context, depth - 1) for part in value)


def _placed(policy: Any, name: str, round_number: int) -> Leak:
    """Return the leak at the line of `select` that names the attribute, or at the head of `select` if none does."""
    select = type(policy).select
    try:
        lines, start = inspect.getsourcelines(select)
        file = str(Path(inspect.getsourcefile(select) or "").resolve())
    except (OSError, TypeError):
        lines, start, file = [""], 0, "source unknown"
    naming = [place for place, line in enumerate(lines) if f".{name}" in line]
    (context, *_) = [*list(inspect.signature(policy.select).parameters), "context"]
    assigning = [place for place in naming if re.search(rf"\.{name}\b[^=()]*=(?!=)", lines[place])]
    candidates = assigning or naming or [0]
    place = next((place for place in candidates if context in lines[place]), candidates[0])
    operation = f"keeping the context in {name}"
    return Leak("kept", file, start + place, "select", lines[place].strip(), (round_number,), KEPT, operation)
