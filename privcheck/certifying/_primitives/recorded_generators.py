"""Numpy's generators, and the functions of `numpy.random` and `random`, whose noise is recorded while a run is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.certifying._primitives.drawn_noise import Noise
from privcheck.certifying._primitives.hooks import RUNNING
from privcheck.certifying._primitives.patching import Kept
from privcheck.certifying._primitives.recorded_calls import LIBRARIES, OURS, caller
from privcheck.certifying._primitives.replayed_coins import AGAIN, moved, note_seed
from privcheck.certifying._primitives.unread_noise import UnreadNoise, drawn
from privcheck.certifying._primitives.watched_draws import note
from privcheck.generators import HandledGenerator, RecordedDraws
from privcheck.generators import Noise as Draws

ACTIVE: ContextVar[Noise | None] = ContextVar("noise", default=None)
"""The noise of the run that this thread is recording or replaying."""

LEGACY = {
    "laplace": ("laplace", ("loc", "scale", "size"), (0.0, 1.0, None)),
    "normal": ("normal", ("loc", "scale", "size"), (0.0, 1.0, None)),
    "standard_normal": ("normal", ("size",), (None,)),
}
"""Functions of numpy that draw noise: their law, parameters and defaults."""

OTHERS = tuple(
    name
    for name in dir(np.random.RandomState)
    if not name.startswith("_") and name not in {*LEGACY, "randn", "seed", "get_state", "set_state"}
)
"""Functions of numpy whose draws are coins: no law of noise is declared for them."""


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
    return drawn(active, law, loc, scales, size, shown, caller(LIBRARIES))


def recorded_generator(bits: Any) -> HandledGenerator:
    """Return numpy's Generator, whose Laplace and normal noise is recorded while a run is; other draws are its coins.

    >>> recorded_generator(np.random.PCG64(1)).normal() == np.random.default_rng(1).normal()
    True
    """
    return HandledGenerator(RecordedDraws(bits, _of_generator, _note_of_generator))


def unrecorded_generator(bits: Any) -> HandledGenerator:
    """Return numpy's Generator, all of whose draws are coins."""
    return HandledGenerator(RecordedDraws(bits, lambda *_: None, _note_of_generator))


def _of_generator(method: Draws, loc: Any, scale: Any, size: Any) -> Any:
    return _additive(method.law, loc, scale, size, f"numpy.random.Generator.{method.name}")


def _note_of_generator(name: str) -> None:
    note(f"numpy.random.Generator.{name}")


_NUMPY = Kept(np.random.RandomState)


def _method(name: str) -> Callable[..., Any]:
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        shown = f"numpy.random.RandomState.{name}"
        found = _noise(name, shown, args, kwargs) if self.records and name in LEGACY else None
        if found is not None:
            return found
        note(shown)
        function = getattr(_NUMPY.function, name)
        if name == "shuffle" and args and isinstance(args[0], UnreadNoise):
            return args[0].shuffle_by(lambda order: function(self, order))
        return function(self, *args, **kwargs)

    draw.__doc__ = f"Return recorded noise, or coins, of `{name}`."
    return draw


class _Kind(type):
    """The class of a class that takes all of numpy's RandomStates for its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _NUMPY.function)


class RecordedState(np.random.RandomState, metaclass=_Kind):
    """Numpy's RandomState, whose Laplace and normal noise is recorded while a run is."""

    records = True

    def __init__(self, seed: Any = None) -> None:
        super().__init__(_seed(seed, "numpy.random.RandomState"))
        self._move()

    def seed(self, seed: Any = None) -> None:
        """Start from a seed: with other coins where those are asked for."""
        note_seed("numpy.random.RandomState.seed", seed)
        super().seed(seed)
        self._move()

    def _move(self) -> None:
        if again := AGAIN.get():
            super().seed((super().randint(2**31 - 1) + again) % 2**32)

    def randn(self, *shape: int) -> Any:
        """Return recorded noise of the standard normal law."""
        return self.standard_normal(shape or None)


for _name in (*LEGACY, *OTHERS):
    setattr(RecordedState, _name, _method(_name))


def _seed(seed: Any, name: str) -> Any:
    """Return a seed: one from the global state, which both runs start alike, where none was given."""
    note_seed(name, seed)
    if seed is None and RUNNING.get() is not None:
        return int(_GLOBAL.randint(2**31 - 1))
    return seed


_GLOBAL: Any = np.random.mtrand._rand


class StandIn(Kept):
    """What stands in the place of a compiled function: recorded noise or coins in a run, and otherwise the function.

    Parameters
    ----------
    function : the function.
    name : of it in `numpy.random`.
    records : whether numpy's noise is declared; otherwise all draws are coins.
    """

    __slots__ = ("name", "records")

    def __init__(self, function: Any, name: str, records: bool) -> None:
        super().__init__(function)
        self.name, self.records = name, records

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.name == "default_rng":
            return self._generator(*args, **kwargs)
        if self.name == "seed":
            note_seed("numpy.random.seed", next(iter([*args, *kwargs.values()]), None))
            self.function(*args, **kwargs)
            if again := AGAIN.get():
                self.function((int(_GLOBAL.randint(2**31 - 1)) + again) % 2**32)
            return None
        name, given = self.name, args
        if name == "randn":
            name, given = "standard_normal", (args or None,)
        shown = f"numpy.random.{self.name}"
        found = _noise(name, shown, given, kwargs) if self.records and name in LEGACY else None
        if found is not None:
            return found
        note(shown)
        if name == "shuffle" and args and isinstance(args[0], UnreadNoise):
            return args[0].shuffle_by(self.function)
        return self.function(*args, **kwargs)

    def _generator(self, *args: Any, **kwargs: Any) -> Any:
        if RUNNING.get() is None:
            return self.function(*args, **kwargs)
        given = kwargs.get("seed", args[0] if args else None)
        made = self.function(_seed(given, "numpy.random.default_rng"))
        if type(made) is not _GENERATOR.function or made is given:
            return made
        return (recorded_generator if self.records else unrecorded_generator)(moved(made.bit_generator))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


_GENERATOR = Kept(np.random.Generator)


class _KindOfGenerator(type):
    """The class of what stands for numpy's Generator: in a run it makes Generators whose draws are recorded."""

    records = True

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _GENERATOR.function)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, _GENERATOR.function)

    def __call__(cls, bits: Any) -> Any:
        by_privcheck = sys._getframe(1).f_code.co_filename.startswith((OURS, str(Path(np.__file__).parent)))
        if RUNNING.get() is None or by_privcheck:
            return _GENERATOR.function(bits)
        return (recorded_generator if vars(cls)["records"] else unrecorded_generator)(moved(bits))


def stand_ins(records: bool) -> list[tuple[Any, Any]]:
    """Return numpy's functions, with what stands in their place while runs are recorded.

    Parameters
    ----------
    records : whether Laplace and normal noise is declared.
    """
    names = [name for name in (*LEGACY, *OTHERS, "randn", "default_rng", "seed") if hasattr(np.random, name)]
    state = _Kind("RandomState", (RecordedState,), {"records": records})  # a class of its own: `undo` looks for it
    generator = _KindOfGenerator("Generator", (), {"records": records})
    return [(getattr(np.random, name), StandIn(getattr(np.random, name), name, records)) for name in names] + [
        (_NUMPY.function, state),
        (_GENERATOR.function, generator),
    ]


def gauss_hook(name: str) -> Callable[[Any], Any]:
    """Return the hook of `random.Random.gauss` and `normalvariate`."""

    def hook(original: Any) -> Any:
        def call(self: Any, mu: float = 0.0, sigma: float = 1.0) -> Any:
            active = ACTIVE.get()
            if active is None or not 0.0 < sigma < np.inf:
                return original(self, mu, sigma)
            return drawn(active, "normal", mu, sigma, None, f"random.{name}", caller(LIBRARIES))

        return call

    return hook


_OF_SCIPY = {"laplace": "laplace", "norm": "normal"}
"""The distributions of scipy that are noise, with their laws."""


def rvs_hook(original: Any) -> Any:
    """Return the hook of the method `rvs` of scipy's distributions."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        law = _OF_SCIPY.get(getattr(self, "name", ""))
        given: dict[str, Any] = {"loc": 0.0, "scale": 1.0, "size": None}
        given |= dict(zip(("loc", "scale", "size"), args, strict=False)) | kwargs
        note_seed(f"scipy.stats.{getattr(self, 'name', '')}.rvs", given.get("random_state"))
        if law is not None and len(args) <= 3:
            found = _additive(law, given["loc"], given["scale"], given["size"], f"scipy.stats.{self.name}.rvs")
            if found is not None:
                return found
        return original(self, *args, **kwargs)

    return call
