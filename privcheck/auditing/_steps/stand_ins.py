"""What stands in the place of numpy's, Python's and the system's generators: it draws the same numbers, and says so."""

from __future__ import annotations

import _random
import copy
import inspect
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from privcheck.auditing._steps.kinds_of_generators import NUMPY_STATE
from privcheck.auditing._steps.seen_generators import (
    HELD,
    USED,
    announce,
    announce_of_generator,
    bits_of_play,
    is_made,
    of_play,
    one_look_at_a_time,
    run_here,
    unseeded,
)
from privcheck.certifying import Kept, Patches, patched
from privcheck.generators import HandledGenerator, noticed_generator

OURS = str(Path(__file__).parents[2])
OF_NUMPY = str(Path(np.__file__).parent)

NO_DRAWS = {"seed", "get_state", "set_state"}
"""Methods of a RandomState that draw nothing."""

DRAWS = tuple(name for name in dir(np.random.RandomState) if not name.startswith("_") and name not in NO_DRAWS)


class SeenState(np.random.RandomState):
    """Numpy's RandomState, whose draws are seen.

    Parameters
    ----------
    seed : as numpy's class takes it.
    """

    real: Kept | None = None
    """What holds the RandomState that draws in its place: the global one."""

    @property
    def _own(self) -> Any:
        """The RandomState that draws."""
        return self if self.real is None else self.real.function

    def __init__(self, seed: Any = None) -> None:
        bits = bits_of_play(seed) if isinstance(seed, np.random.BitGenerator) else None
        super().__init__(bits if bits is not None else np.random.MT19937(0))
        if bits is None:
            self.seed(seed)
        is_made(self)

    def seed(self, seed: Any = None) -> None:
        """Start from a seed."""
        own: Any = NUMPY_STATE.function.seed
        one = self._own
        own(one, unseeded() if seed is None else seed)
        mixed = of_play(lambda: NUMPY_STATE.function.randint(one, 2**32, size=4, dtype=np.uint64).tolist())
        if mixed is not None:
            own(one, mixed)
        is_made(self, is_global=self.real is not None)

    def get_state(self, legacy: bool = True) -> Any:
        """Return the state."""
        return NUMPY_STATE.function.get_state(self._own, legacy)

    def set_state(self, state: Any) -> None:
        """Set the state."""
        NUMPY_STATE.function.set_state(self._own, state)
        is_made(self, is_global=self.real is not None)

    def __deepcopy__(self, memo: dict[int, Any]) -> SeenState:
        return self._of(copy.deepcopy(self._bit_generator, memo))

    def __copy__(self) -> SeenState:
        return self._of(self._bit_generator)

    def _of(self, bits: Any) -> SeenState:
        made = SeenState.__new__(SeenState)
        NUMPY_STATE.function.__init__(made, bits)
        if isinstance(bits, np.random.MT19937):
            made.set_state(self.get_state(legacy=False))
        return made


def _method(name: str) -> Callable[..., Any]:
    draw = getattr(np.random.RandomState, name)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        announce(name, self)
        return draw(self._own, *args, **kwargs)

    call.__doc__ = f"Return what `{name}` draws."
    return call


for _name in DRAWS:
    setattr(SeenState, _name, _method(_name))


def _of_global() -> SeenState:
    made = SeenState.__new__(SeenState)
    made.real = Kept(np.random.mtrand._rand)
    NUMPY_STATE.function.__init__(made, np.random.mtrand._rand._bit_generator)
    return made


GLOBAL_STATE = Kept(_of_global())
"""Holds what stands in the place of numpy's global RandomState, and draws from that."""


class _KindOfState(type):
    """The class of a class that takes all of numpy's RandomStates for its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, NUMPY_STATE.function)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, NUMPY_STATE.function)


_GENERATOR = Kept(np.random.Generator)


class _KindOfGenerator(type):
    """The class of what stands for numpy's Generator: in a run it makes Generators whose draws are seen."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _GENERATOR.function)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, _GENERATOR.function)

    def __call__(cls, bits: Any) -> Any:
        by_others = sys._getframe(1).f_code.co_filename.startswith((OURS, OF_NUMPY))
        return _GENERATOR.function(bits) if by_others else seen_generator(bits)


def seen_generator(bits: Any) -> Any:
    """Return a Generator with these bits whose draws are seen in a run, and that has coins of the play of a call."""
    if run_here() is None:
        return _GENERATOR.function(bits_of_play(bits))
    return noticed_generator(bits, announce_of_generator, is_made)


class _Maker(Kept):
    """What stands in the place of `numpy.random.default_rng`."""

    def __call__(self, seed: Any = None) -> Any:
        made = self.function(unseeded() if seed is None else seed)
        return made if made is seed or type(made) is not _GENERATOR.function else seen_generator(made.bit_generator)


class _SystemBytes(Kept):
    """What stands in the place of a function that asks the system for random bytes."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        announce(f"os.{self.function.__name__}")
        return self.function(*args, **kwargs)


def _of_python(name: str) -> Callable[..., Any]:
    draw = getattr(_random.Random, name)

    def call(self: Any, *args: Any) -> Any:
        announce(name, self)
        return draw(self, *args)

    return call


def _gauss(original: Any) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        announce("gauss", self)  # it keeps the second of two, and returns that without a draw
        return original(self, *args, **kwargs)

    return call


def _seed(original: Any) -> Callable[..., Any]:
    def call(self: Any, a: Any = None, version: int = 2) -> None:
        own = unseeded() if a is None else None
        original(self, a if own is None else repr(own), version)
        mixed = of_play(lambda: [_random.Random.getrandbits(self, 128)])
        if mixed is not None:
            original(self, repr(mixed))
        is_made(self, is_global=self is _PYTHON)

    return call


def _set_state(original: Any) -> Callable[..., Any]:
    def call(self: Any, state: Any) -> None:
        original(self, state)
        is_made(self, is_global=self is _PYTHON)

    return call


def _opendp(original: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        announce("opendp")
        return original(*args, **kwargs)

    return call


_PYTHON: Any = random.random.__self__  # type: ignore[attr-defined]
"""Python's global generator."""


class _Seeing:
    """The replacements that are in force.

    Names of modules are replaced, which takes milliseconds. What else holds a generator, such as a default argument or
    the distributions of scipy, is looked for once the state of a global generator shows that a draw was not seen.
    """

    def __init__(self, patches: Patches) -> None:
        self.patches = patches
        self.held = _held_by_modules()
        self.pairs = [*_pairs(), *self.held]
        self.is_everywhere = False
        _replace_names({id(old): new for old, new in self.pairs})

    def everywhere(self) -> None:
        """Replace them in whatever holds them."""
        self.is_everywhere = True
        self.patches.objects(self.pairs)

    def undo(self) -> None:
        """Give names of modules the originals again, also those that came later."""
        _replace_names({id(new): old for old, new in self.pairs})


def _replace_names(pairs: dict[int, Any]) -> None:
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or pairs.keys().isdisjoint(map(id, names.values())):
            continue
        for name, value in list(names.items()):
            if id(value) in pairs:
                names[name] = pairs[id(value)]


_IN_FORCE: list[_Seeing] = []
"""What is in force."""


@contextmanager
def generators_seen() -> Iterator[None]:
    """Have the draws of all kinds of generators seen inside the block, while a run is played in it.

    Raises
    ------
    PrivcheckError : another part of the process replaces functions at the same time.
    """
    with one_look_at_a_time("generators"), patched() as patches:
        try:
            for name in OF_PYTHON:
                setattr(random.Random, name, _of_python(name))
            for name, hook in {"gauss": _gauss, "seed": _seed, "setstate": _set_state}.items():
                patches.function(getattr(random.Random, name), hook)
            _IN_FORCE.append(_Seeing(patches))
            HELD[:] = [new for _, new in _IN_FORCE[-1].held]
            more_is_seen([GLOBAL_STATE.function, _PYTHON])
            yield
        finally:
            HELD.clear()
            USED.clear()
            while _IN_FORCE:
                _IN_FORCE.pop().undo()
            for name in OF_PYTHON:
                if name in vars(random.Random):
                    delattr(random.Random, name)


def more_is_seen(met: list[Any]) -> bool:
    """Have draws seen that were not so far: of OpenDP if it has been imported by now, and of global generators.

    Parameters
    ----------
    met : the generators that were seen in a run that has just ended.

    Returns
    -------
    Whether anything is seen now that was not.
    """
    if not _IN_FORCE:
        return False
    seeing, found = _IN_FORCE[-1], False
    invoke = getattr(sys.modules.get("opendp.core"), "measurement_invoke", None)
    if inspect.isfunction(invoke) and not invoke.__code__.co_filename.startswith(OURS):
        seeing.patches.function(invoke, _opendp)
        found = True
    if not seeing.is_everywhere and any(one not in met for one in _drawn_from()):
        seeing.everywhere()
        found = True
    return found


def _drawn_from() -> list[Any]:
    """Return the global generators that are no longer where a seed has put them."""
    state: Any = NUMPY_STATE.function.get_state(GLOBAL_STATE.function._own, legacy=False)
    python = _PYTHON.getstate()
    moved = state["state"]["pos"] != START or state["has_gauss"], python[1][-1] != START or python[2] is not None
    return [one for one, has in zip((GLOBAL_STATE.function, _PYTHON), moved, strict=True) if has]


START = 624
"""The position of a Mersenne twister from which nothing has been drawn since it was seeded."""

OF_PYTHON = ("random", "getrandbits")
"""Methods of `random.Random` by which all others draw; `gauss` keeps a number, too."""


def _pairs() -> list[tuple[Any, Any]]:
    """Return what is replaced, with what stands in its place."""
    names = [name for name in (*DRAWS, *NO_DRAWS) if hasattr(np.random, name)]
    system = [getattr(os, name) for name in ("urandom", "getrandom") if hasattr(os, name)]
    state = GLOBAL_STATE.function
    return [
        *((getattr(np.random, name), getattr(state, name)) for name in names),
        *((getattr(random, name), getattr(_PYTHON, name)) for name in OF_PYTHON),
        *((held, _SystemBytes(held)) for held in system),
        (state.real.function, state),
        (np.random.default_rng, _Maker(np.random.default_rng)),
        (NUMPY_STATE.function, _KindOfState("RandomState", (SeenState,), {})),
        (_GENERATOR.function, _KindOfGenerator("Generator", (), {})),
    ]


def _held_by_modules() -> list[tuple[Any, Any]]:
    """Return the generators that modules hold under a name, each with one that is given coins of each run."""
    found: dict[int, Any] = {}
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and not name.startswith(("numpy", "privcheck", "random")):
            found |= {id(held): held for held in list(vars(module).values()) if type(held) in STAND_INS}
    others = [held for held in found.values() if held is not _PYTHON and held is not np.random.mtrand._rand]
    return [(held, STAND_INS[type(held)]()) for held in others]


def _held_generator() -> Any:
    held: Any = noticed_generator(np.random.PCG64(0), lambda name: announce_of_generator(name, held), is_made)
    return held


STAND_INS: dict[type, Callable[[], Any]] = {
    NUMPY_STATE.function: lambda: SeenState(0),
    _GENERATOR.function: _held_generator,
    random.Random: lambda: random.Random(0),
}
"""What makes the generator that takes the place of one of a module, by its type."""


def is_seen(generator: Any) -> bool:
    """Tell whether the draws of a generator are seen."""
    return isinstance(generator, SeenState | HandledGenerator | random.Random)
