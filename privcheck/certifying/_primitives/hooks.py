"""What runs in the place of a declared primitive."""

from __future__ import annotations

import copy
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from privcheck.certifying._primitives.declaration import Primitive
from privcheck.certifying._primitives.measured_distance import METRICS, metric_of, numbers
from privcheck.certifying._primitives.patching import Kept, Patches, refuse_unpatchable
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls, Made, caller, public_text
from privcheck.certifying._primitives.unread_noise import UnreadNoise
from privcheck.errors import PrivcheckError, words
from privcheck.generators import global_generators_apart


@dataclass
class Run:
    """A run that is being recorded or replayed, in the thread that started it."""

    tape: CallTape | ForcedCalls
    inside: bool = False
    states: dict[str, Any] = field(default_factory=dict)


RUNNING: ContextVar[Run | None] = ContextVar("running", default=None)


@contextmanager
def running(tape: CallTape | ForcedCalls, again: int = 0) -> Iterator[None]:
    """Send the calls of all declared primitives to a tape inside the block.

    Parameters
    ----------
    tape : takes the calls.
    again : another number for other draws of primitives that draw from the global generators.
    """
    states = {"own": (random.Random(again).getstate(), np.random.RandomState(again).get_state())} if again else {}
    token = RUNNING.set(Run(tape, states=states))
    try:
        yield
    finally:
        RUNNING.reset(token)


@dataclass
class Hooks:
    """Puts hooks in the place of primitives, and counts calls that they could not record, by primitive.

    A thread that the code starts does not belong to the run; what it calls is only counted.
    """

    elsewhere: Counter[str] = field(default_factory=Counter)
    thread: int = field(default_factory=threading.get_ident)
    installed: list[Kept] = field(default_factory=list)

    def install(self, primitive: Primitive, patches: Patches) -> None:
        """Replace one primitive."""
        holder, _, found = primitive.resolve()
        refuse_unpatchable(primitive.name, found)
        method = isinstance(holder, type) and isinstance(found, FunctionType)
        if isinstance(found, staticmethod | classmethod):
            found, method = found.__func__, isinstance(found, classmethod)
        if any(found is other.function for other in self.installed):  # inherited, and declared there
            return
        self.installed.append(Kept(found))
        if isinstance(found, FunctionType):
            patches.function(found, lambda original: self._hook(primitive, original, method))
        else:
            patches.objects([(found, Compiled(found, self._hook(primitive, found, False)))])

    def _hook(self, primitive: Primitive, original: Any, method: bool) -> Callable[..., Any]:
        kept = Kept(original)

        def call(*args: Any, **kwargs: Any) -> Any:
            run = RUNNING.get()
            if run is None and threading.get_ident() != self.thread:
                self.elsewhere[primitive.name] += 1
            if run is None or run.inside:
                return kept.function(*args, **kwargs)
            given = tuple(_read(one) for one in args)
            named = {name: _read(one) for name, one in kwargs.items()}
            owner, rest = (given[0], given[1:]) if method else (None, given)
            made = _made(primitive, kept.function, owner, rest, named)

            def draw() -> Any:
                assert run is not None
                run.inside, handed = True, HandedOver(owner, {**dict(enumerate(rest, 1)), **named})
                try:
                    with global_generators_apart(run.states):
                        output = kept.function(*given, **named)
                finally:
                    run.inside = False
                if how := handed.by(output):
                    got = words(f"{made.name} at {made.location}, which {how}")
                    raise PrivcheckError("primitive", got, "a function that returns what it releases", WRAP)
                return output

            return run.tape.make(made, draw)

        return call


WRAP = "only what it returns is followed: declare a function of your own that calls it and returns that"

KINDS = (np.ndarray, list, dict)
"""What a call may write into."""


class HandedOver:
    """What a call may hand over beside what it returns: arrays, lists and dicts that it is given, and attributes.

    Replay gives the same answer on both streams. What is handed over otherwise would be the noise of another draw.
    """

    def __init__(self, owner: Any, given: dict[Any, Any]) -> None:
        self._owner, self._given = owner, given
        self._before = {name: copy.copy(one) for name, one in given.items() if isinstance(one, KINDS)}
        self._attributes = _numbers_of(owner)

    def by(self, output: Any) -> str:
        """Return how the call handed something over, in words; nothing if it did not."""
        if self._owner is not None and output is self._owner:
            return "returns the object whose method it is"
        for name, before in self._before.items():
            if not _same(before, self._given[name]):
                return f"changes its argument {name} in place"
        if output is None:
            after = _numbers_of(self._owner)
            changed = [name for name in after if not _same(self._attributes.get(name), after[name])]
            return f"returns nothing and sets {changed[0]}" if changed else ""
        return ""


def _same(one: Any, two: Any) -> bool:
    """Return whether a copy made before is what is there now; entries of lists and dicts are compared as objects."""
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(one[name] is two[name] for name in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(a is b for a, b in zip(one, two, strict=True))
    return one is two or bool(
        np.array_equal(np.asarray(one), np.asarray(two), equal_nan=np.asarray(one).dtype.kind == "f")
    )


def _numbers_of(owner: Any) -> dict[str, Any]:
    """Return the attributes of an object that are real numbers or arrays; integers count something."""
    kept = (float, np.floating, np.ndarray)
    return {name: copy.copy(one) for name, one in getattr(owner, "__dict__", {}).items() if isinstance(one, kept)}


class Compiled(Kept):
    """What stands in the place of a compiled function."""

    __slots__ = ("hook",)

    def __init__(self, function: Any, hook: Callable[..., Any]) -> None:
        super().__init__(function)
        self.hook = hook

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.hook(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


def _made(primitive: Primitive, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Made:
    call = primitive.call(function, owner, args, kwargs)
    law = primitive.law_of(call)
    metric = primitive.metric or metric_of(law)
    value = numbers(call.value) if metric in ("L1", "L2", "Linf") and not isinstance(call.value, dict) else None
    kept = copy.deepcopy(call.value) if value is None else value
    place = caller((primitive.library,))
    public = {str(name): public_text(argument) for name, argument in call.arguments.items()}
    declared, private = primitive.declared(call), primitive.value
    private = private if isinstance(private, str) else f"argument {private}"
    return Made(primitive.name, law, kept, declared, metric, str(public), place, arguments=public, private=private)


def _read(value: Any) -> Any:
    return value._value() if isinstance(value, UnreadNoise) else value


def metric_name(metric: Any) -> str:
    """Return the name of a metric, or of the function that measures; "" without one.

    >>> metric_name("L1"), metric_name(None)
    ('L1', '')
    """
    return metric if metric in METRICS else getattr(metric, "__name__", "") if metric is not None else ""
