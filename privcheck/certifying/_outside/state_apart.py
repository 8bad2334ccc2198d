"""State outside of a policy: what its code reaches is put back before each run and after each contextual `select`."""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import numpy as np

from privcheck.certifying._context_isolation import copied_parts, copy_of_state, generators, separate_coins
from privcheck.certifying._outside.left_behind import LeftBehind, roots_of
from privcheck.certifying._translated.swapped_code import swap_again
from privcheck.errors import PrivcheckError, words
from privcheck.generators import bits_of, paused
from privcheck.reached_state import Kept, SeparateCoins, looked_through, take_as_own

Build = Callable[[np.random.Generator], Any]


@contextmanager
def from_clean(build: Build, left: LeftBehind | None = None) -> Iterator[Build]:
    """Build every policy of the block with the state that its code reaches now, and leave that state as it was.

    What one run leaves in globals, class attributes or caches is not seen by the next; `left` looks at it.
    """
    parts = roots_of(build)
    take_as_own(*parts)
    roots = [os.environ, *parts]
    every = [Kept(roots, often=True)]
    seen = LeftBehind() if left is None else left
    seen.roots = roots

    def anew(rng: np.random.Generator) -> Any:
        every[-1].put_back(seen.look)
        every[-1].empty_caches()
        swap_again()
        made = build(rng)
        if take_as_own(made):  # a factory of the user's may build what is installed: its state is kept from here on
            seen.roots = [type(made), *roots]
            every.append(Kept(seen.roots, often=True))
        return made

    anew.__self__ = getattr(build, "__self__", None)  # type: ignore[attr-defined]
    try:
        yield anew
    finally:
        for kept in reversed(every):
            kept.put_back()
        swap_again()


def secret_coins(coins: np.random.Generator) -> SeparateCoins:
    """Return coins that only who knows the state of a Generator can foretell; it draws none for them."""
    state = repr(bits_of(coins).state).encode()
    return SeparateCoins(int.from_bytes(hashlib.blake2b(state, key=b"state apart").digest(), "big"))


def check_can_be_put_back(policy: Any) -> None:
    """Refuse a contextual policy that reaches what could keep a context and cannot be put back.

    Raises
    ------
    PrivcheckError : an iterator or an open file outside of the policy, or code that runs when an object is given up:
        a method `__del__`, a generator that is suspended in a block, a weak reference that calls something.
    """
    take_as_own(policy)
    kept, copied = Kept([policy]), copied_parts(policy)
    outside = (value for value in (*kept.unknown, *kept.trusted) if _is_outside(value))
    for value in (*kept.refused, *outside):
        if id(value) not in copied:
            got = words(f"code that reaches an object of type {type(value).__name__} outside of the policy")
            hint = "it cannot be put back after select(), which could keep a context in it: hold it in the policy"
            raise PrivcheckError("policy", got, "state that can be copied and refilled", hint)
    later = [f"{cls.__name__}, which has a method __del__" for cls in kept.own_classes() if "__del__" in vars(cls)]
    later += [f"select(), which uses {found}" for found in looked_through(policy.select).late]
    for got in later:
        hint = "it could run when the state that select() reaches has been put back"
        raise PrivcheckError("policy", words(got), "code that runs nothing when an object is given up", hint)


def check_keeps_no_context(policy: Any) -> None:
    """Refuse a contextual policy whose `select` surely acts where nothing is put back; warn if it may.

    Raises
    ------
    PrivcheckError : it opens files, starts threads, prints, or sets what is called later.
    """
    seen = looked_through(policy.select)
    if seen.outside:
        got = words(f"{type(policy).__name__}, whose select() uses {', '.join(seen.outside)}")
        hint = "what it is shown could pass from there to other rounds: do that in update(), or outside of the policy"
        raise PrivcheckError("policy", got, "one that keeps nothing of a context", hint)
    if of_others := [name for name in seen.unknown if "." in name or name == "the attribute register"]:
        given = f"{type(policy).__name__}.select() is guarded provided that what it calls keeps nothing of a context: "
        warnings.warn(given + ", ".join(of_others), RuntimeWarning, stacklevel=2)


OUTSIDE = {"_io", "mmap", "sqlite3", "socket", "_socket", "subprocess", "_dbm", "_gdbm", "dbm"}
"""Modules of objects through which a file, a database, a connection or another process is reached."""


def _is_outside(value: Any) -> bool:
    """Return whether something outside of the process is reached through an object; standard output is not read."""
    if any(value is stream for stream in (sys.stdin, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)):
        return False
    return any(cls.__module__.partition(".")[0] in OUTSIDE for cls in type(value).__mro__)


class Separated:
    """A policy that draws separate coins in `select`; if it keeps the context, replay reveals that.

    Parameters
    ----------
    forgets : whether a copy of the policy chooses, so that what `select` sets is lost, as under the guard.
    """

    def __init__(self, policy: Any, *, forgets: bool = False) -> None:
        self._policy, self._coins, self._apart = policy, generators(policy), SeparateCoins()
        self._forgets = forgets
        self._reached = Kept([policy]).generators

    def select(self, context: Any) -> Any:
        own = {id(generator) for generator in self._coins}
        with separate_coins(self._coins), paused(self._coins), self._apart.drawing(self._reached, own):
            asked = copy_of_state(self._policy, self._coins) if self._forgets else None
            return (self._policy if asked is None else asked).select(context)

    def update(self, *told: Any) -> None:
        self._policy.update(*told)


def select_apart(asked: Any, context: Any) -> Any:
    """Call `select` so that the context variables that it sets are lost."""
    return copy_context().run(asked.select, context)
