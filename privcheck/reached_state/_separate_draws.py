"""Random generators that run apart for a while: they draw coins of their own, and then go on as if they had not."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

_NUMPY: Any = np.random  # whose stubs leave out some functions
_BITS: Any = np.random.Generator.bit_generator
_STATE: Any = np.random.PCG64.state  # by which a subclass that takes note of what is read takes none
_SEEDS: Any = np.random.BitGenerator.__dict__["_seed_seq"]


class SeparateCoins:
    """Gives states to generators, new ones in every block.

    Parameters
    ----------
    entropy : equal numbers give equal states; in deployment, one that nobody knows.

    Attributes
    ----------
    drawn : None, or a set that takes the names of the generators that were drawn from.

    Examples
    --------
    >>> one, two = (np.random.default_rng(7) for _ in range(2))
    >>> with SeparateCoins(1).drawing([one]):
    ...     drawn = one.random()
    >>> drawn == two.random(), one.random() == np.random.default_rng(7).random()
    (False, True)
    """

    def __init__(self, entropy: int = 0) -> None:
        self._entropy, self._calls = entropy, 0
        self.drawn: set[str] | None = None
        self._made: Any = None

    @property
    def _of_numpy(self) -> Any:
        """What numpy's global generator draws from meanwhile; most runs never need one."""
        if self._made is None:
            self._made = np.random.MT19937(0)
        return self._made

    @contextmanager
    def drawing(self, generators: Sequence[Any], left_out: Container[int] = ()) -> Iterator[None]:
        """Let generators, and the global ones, draw coins of their own in the block, and go on afterwards as before.

        Those whose numbers (`id`) are in `left_out` stay as they are.
        """
        self._calls += 1
        own = [(each, _get(each)) for each in generators]
        of_both = self._separate_global()
        try:
            for place, generator in enumerate(generators):
                if id(generator) not in left_out:
                    _set(generator, self._fresh(generator, place))
            given = None if self.drawn is None else self._states(generators)
            yield
            if self.drawn is not None and given is not None:
                now = self._states(generators)
                self.drawn.update(name for place, (name, state) in enumerate(given) if now[place] != (name, state))
        finally:
            random.setstate(of_both[0])
            _NUMPY.set_bit_generator(of_both[1])
            for generator, state in own:
                if id(generator) not in left_out:
                    _set(generator, state)

    def _separate_global(self) -> tuple[Any, Any]:
        """Give fresh coins to the global generators of numpy and Python, and return what they go on with.

        numpy's global generator draws from another bit generator meanwhile: reading its state would take as long as all
        the rest. The second of two normal numbers, which it may hold in reserve, is dropped, whatever is drawn.
        """
        number = self._number(-1)
        own = random.getstate(), _NUMPY.get_bit_generator()
        random.seed(number)
        self._of_numpy._legacy_seeding(number % 2**32)
        _NUMPY.set_bit_generator(self._of_numpy)
        return own

    def _states(self, generators: Sequence[Any]) -> list[tuple[str, Any]]:
        """Return the name of each generator, and what can be compared of its state."""
        of_numpy = self._of_numpy.state["state"]
        found = [("random", random.getstate()), ("np.random", (of_numpy["key"].tobytes(), of_numpy["pos"]))]
        return found + [(f"a {type(each).__name__} outside of the policy", repr(_get(each))) for each in generators]

    def _number(self, place: int) -> int:
        key = f"{self._entropy} {self._calls} {place}".encode()
        return int.from_bytes(hashlib.blake2b(key, digest_size=32).digest(), "big")

    def _fresh(self, generator: Any, place: int) -> Any:
        number = self._number(place)
        if isinstance(generator, random.Random):
            return random.Random(number).getstate()
        bits = _bits(generator)
        if isinstance(bits, np.random.PCG64):
            inner = {"state": number % 2**128, "inc": (number >> 128) | 1}
            return {"bit_generator": "PCG64", "state": inner, "has_uint32": 0, "uinteger": 0}
        fresh = type(bits)(np.random.SeedSequence(number))
        return np.random.RandomState(fresh).get_state(legacy=False) if _is_legacy(generator) else fresh.state


def seeds_of(generator: Any) -> Any:
    """Return the seed sequence of a generator, which counts what is spawned; None if it has none.

    >>> seeds_of(np.random.default_rng(7)).entropy, seeds_of(random.Random(7))
    (7, None)
    """
    bits = None if isinstance(generator, random.Random) else _bits(generator)
    return _SEEDS.__get__(bits) if isinstance(bits, np.random.BitGenerator) else None


def _is_legacy(generator: Any) -> bool:
    return isinstance(generator, np.random.RandomState)


def _bits(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return _BITS.__get__(generator)
    return generator._bit_generator if _is_legacy(generator) else generator


def _get(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if _is_legacy(generator):
        return generator.get_state(legacy=False)
    bits = _bits(generator)
    return _STATE.__get__(bits) if isinstance(bits, np.random.PCG64) else bits.state


def _set(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif _is_legacy(generator):
        generator.set_state(state)
    elif isinstance(bits := _bits(generator), np.random.PCG64):
        _STATE.__set__(bits, state)
    else:
        bits.state = state
