"""Numpy's generators, and the functions of `numpy.random` and `random`, whose noise is recorded while a run is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any

import numpy as np

from privcheck.certifying._primitives.patching import Kept
from privcheck.certifying._primitives.recorded_calls import caller
from privcheck.certifying._primitives.unread_noise import Noise
from privcheck.generators import HandledGenerator, RecordedDraws, kept_states, put_back, seed_both
from privcheck.generators import Noise as Draws

ACTIVE: ContextVar[Noise | None] = ContextVar("noise", default=None)
"""The noise of the run that this thread is recording or replaying."""

LEGACY = {
    "laplace": ("laplace", ("loc", "scale", "size"), (0.0, 1.0, None)),
    "normal": ("normal", ("loc", "scale", "size"), (0.0, 1.0, None)),
    "standard_normal": ("normal", ("size",), (None,)),
}
"""Functions of numpy that draw noise: their law, parameters and defaults."""

LIBRARIES = ("numpy", "random", "functools")


@contextmanager
def recording_noise(noise: Noise) -> Iterator[None]:
    """Record the noise that the generators of this module draw inside the block."""
    token = ACTIVE.set(noise)
    try:
        yield
    finally:
        ACTIVE.reset(token)


def _noise(name: str, shown: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return recorded noise of one of the functions in `LEGACY`; None if no run is recorded or it is not additive."""
    law, parameters, defaults = LEGACY[name]
    given = dict(zip(parameters, defaults, strict=True)) | dict(zip(parameters, args, strict=False)) | kwargs
    if len(args) > len(parameters) or not set(given) <= {"loc", "scale", "size"}:
        return None
    return _additive(law, given.get("loc", 0.0), given.get("scale", 1.0), given["size"], shown)


def _additive(law: str, loc: Any, scale: Any, size: Any, shown: str) -> Any:
    """Return recorded noise of a law; None if no run is recorded or it is not additive."""
    active = ACTIVE.get()
    if active is None:
        return None
    scales = np.asarray(scale, np.float64)
    if not ((scales > 0.0) & (scales < np.inf)).all():
        return None
    return active.draw(law, loc, scales, size, shown, caller(LIBRARIES))


def recorded_generator(bits: Any) -> HandledGenerator:
    """Return numpy's Generator, whose Laplace and normal noise is recorded while a run is; other draws are its coins.

    >>> recorded_generator(np.random.PCG64(1)).normal() == np.random.default_rng(1).normal()
    True
    """
    return HandledGenerator(RecordedDraws(bits, _of_generator))


def _of_generator(method: Draws, loc: Any, scale: Any, size: Any) -> Any:
    return _additive(method.law, loc, scale, size, f"numpy.random.Generator.{method.name}")


_NUMPY = Kept(np.random.RandomState)


def _method(name: str) -> Callable[..., Any]:
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = _noise(name, f"numpy.random.RandomState.{name}", args, kwargs)
        return getattr(_NUMPY.function, name)(self, *args, **kwargs) if found is None else found

    draw.__doc__ = f"Return recorded noise of `{name}`."
    return draw


class _Kind(type):
    """The class of a class that takes all of numpy's RandomStates for its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _NUMPY.function)


class RecordedState(np.random.RandomState, metaclass=_Kind):
    """Numpy's RandomState, whose Laplace and normal noise is recorded while a run is."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(_seed(seed))

    laplace = _method("laplace")
    normal = _method("normal")
    standard_normal = _method("standard_normal")

    def randn(self, *shape: int) -> Any:
        """Return recorded noise of the standard normal law."""
        return self.standard_normal(shape or None)


def _seed(seed: Any) -> Any:
    """Return a seed: one from the global state, which both runs start alike, where none was given."""
    if seed is None and ACTIVE.get() is not None:
        return int(_GLOBAL.randint(2**31 - 1))
    return seed


_GLOBAL: Any = np.random.mtrand._rand


class StandIn(Kept):
    """What stands in the place of a compiled function: recorded noise in a run, the function itself otherwise."""

    __slots__ = ("name",)

    def __init__(self, function: Any, name: str) -> None:
        super().__init__(function)
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if ACTIVE.get() is None:
            return self.function(*args, **kwargs)
        if self.name == "default_rng":
            seed = _seed(kwargs.get("seed", args[0] if args else None))
            made = self.function(seed)
            return recorded_generator(made.bit_generator) if type(made) is np.random.Generator else made
        name, given = self.name, args
        if name == "randn":
            name, given = "standard_normal", (args or None,)
        found = _noise(name, f"numpy.random.{self.name}", given, kwargs)
        return self.function(*args, **kwargs) if found is None else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


def stand_ins() -> list[tuple[Any, Any]]:
    """Return numpy's functions, with what stands in their place while runs are recorded."""
    names = [*LEGACY, "randn", "default_rng"]
    return [(getattr(np.random, name), StandIn(getattr(np.random, name), name)) for name in names] + [
        (_NUMPY.function, _Kind("RandomState", (RecordedState,), {}))  # a class of its own: `undo` looks for it
    ]


def gauss_hook(name: str) -> Callable[[Any], Any]:
    """Return the hook of `random.Random.gauss` and `normalvariate`."""

    def hook(original: Any) -> Any:
        def call(self: Any, mu: float = 0.0, sigma: float = 1.0) -> Any:
            active = ACTIVE.get()
            if active is None or not 0.0 < sigma < np.inf:
                return original(self, mu, sigma)
            return active.draw("normal", mu, sigma, None, f"random.{name}", caller(LIBRARIES))

        return call

    return hook


class Coins:
    """The global generators, and those that modules hold: every run starts with the same coins.

    Parameters
    ----------
    modules : their generators are coins, and are replaced by recorded ones that share their state.
    """

    def __init__(self, modules: list[ModuleType]) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        for module in modules:
            for held in list(vars(module).values()):
                if type(held) is np.random.Generator and not any(held is old for old, _ in self.pairs):
                    self.pairs.append((held, recorded_generator(held.bit_generator)))
        self._kept = kept_states(), [old.bit_generator.state for old, _ in self.pairs]

    def start(self, seed: int) -> None:
        """Put all coins where the run of this seed starts."""
        seed_both(seed)
        self._put_back()

    def restore(self) -> None:
        """Put all generators back where they were."""
        put_back(self._kept[0])
        self._put_back()

    def _put_back(self) -> None:
        for (old, _), state in zip(self.pairs, self._kept[1], strict=True):
            old.bit_generator.state = state
