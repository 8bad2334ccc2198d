"""Generators that a policy's own code makes and seeds anew in each run: the guard counts none of their noise."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from privcheck.certifying._translated.known_functions import TABLE
from privcheck.private_values import own_place

MAKERS: dict[Any, str] = {
    np.random.default_rng: "numpy", np.random.Generator: "numpy", np.random.RandomState: "numpy",
    random.Random: "random",
}  # fmt: skip
"""What makes generators, with the set of primitives that records their noise."""

Run = dict[tuple[str, str], set[bytes]]

_RUN: ContextVar[Run | None] = ContextVar("run", default=None)


class OwnGenerators:
    """The generators that own code made in guarded runs: where, and in which states they started."""

    def __init__(self) -> None:
        self._runs: list[Run] = []

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Take note of what is made in a run, which the block builds and plays."""
        run: Run = {}
        self._runs.append(run)
        token, derived = _RUN.set(run), {id(maker): _noting(maker, "random") for maker in _derived(random.Random)}
        TABLE.update(derived)
        try:
            yield
        finally:
            _RUN.reset(token)
            for key in derived:
                TABLE.pop(key, None)

    @property
    def seeded_anew(self) -> dict[str, str]:
        """The lines whose generators start in another state in each run, with the set of primitives for their noise."""
        found = dict[str, str]()
        for key in dict.fromkeys(key for run in self._runs for key in run):
            starts = [run[key] for run in self._runs if key in run]
            if len(starts) > 1 and len(set.union(*starts)) == sum(map(len, starts)):
                found[key[0]] = key[1]
        return found


def _derived(of: type[Any]) -> list[type[Any]]:
    """Return the classes that derive from one and seed generators; those of the system have no seeds.

    >>> class Own(random.Random): ...
    >>> Own in _derived(random.Random), random.SystemRandom in _derived(random.Random)
    (True, False)
    """
    direct: list[type[Any]] = [cls for cls in of.__subclasses__() if cls is not random.SystemRandom]
    return [found for cls in direct for found in (cls, *_derived(cls))]


def _noting(maker: Any, name: str) -> Callable[..., Any]:
    """Return what is called in place of a maker."""

    def make(*arguments: Any, **options: Any) -> Any:
        made, run = maker(*arguments, **options), _RUN.get()
        if run is not None and not any(made is given for given in (*arguments, *options.values())):
            run.setdefault((own_place(), name), set()).add(pickle.dumps(_start(made)))
        return made

    return make


def _start(made: Any) -> Any:
    if isinstance(made, random.Random):
        return made.getstate()
    return made.bit_generator.state if isinstance(made, np.random.Generator) else made.get_state()


TABLE.update({id(maker): _noting(maker, name) for maker, name in MAKERS.items()})


OF_CHILDREN = (
    "{} draws noise from a Generator that rng.spawn returned, and the guard does not count it: draw from rng itself, "
    "the Generator that the policy is built with, or release through privcheck.mechanisms"
)
UNCOUNTED = (
    "{} makes a generator that is seeded anew in each run, and the guard does not count its noise: make it with "
    "np.random.default_rng(rng), where rng is the Generator that the policy is built with, or draw from rng itself"
)
