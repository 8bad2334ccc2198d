"""Where the noise of a guarded policy comes from: OpenDP and the system, or a Generator that the policy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.declared import Choice, check
from privcheck.errors import PrivcheckError, words
from privcheck.generators import bits_of
from privcheck.mechanisms import Mechanism, generator


def noise_source(noise: str, rng: Any, coins: list[np.random.Generator]) -> np.random.Generator | None:
    """Return the Generator of float noise, or None for secure noise.

    Parameters
    ----------
    noise : "secure" or "float".
    rng : Generator of float noise, or of its seed; None lets the system seed one.
    coins : the generators of the policy, whose draws can be public.

    Raises
    ------
    PrivcheckError : another noise, `rng` with secure noise, an `rng` that draws what the policy's generators draw.
    """
    check("noise", noise, Choice(("secure", "float")), "secure noise is OpenDP's, float noise numpy's")
    if noise == "secure":
        if rng is not None:
            hint = 'leave it out, or give noise="float", whose last digits can reveal the released value'
            raise PrivcheckError("rng", words("a Generator with secure noise"), "no Generator", hint)
        return None
    if rng is None:
        return np.random.default_rng()
    if any(same_stream(generator(rng), other) for other in coins):
        hint = "the policy could subtract the noise: leave rng out, or seed another one"
        raise PrivcheckError("rng", words("a Generator that draws what one of the policy's draws"), "another one", hint)
    return _apart(generator(rng))


def _apart(rng: np.random.Generator) -> np.random.Generator:
    """Return a Generator that goes on from another one and that no seed makes: a policy may use the same seed later.

    A Generator that was spawned, or has a class of its own, is used as it is.

    >>> one, other = (_apart(np.random.default_rng(8)).random() for _ in range(2))
    >>> one == other, one == np.random.default_rng(8).random()
    (True, False)
    """
    seed = getattr(bits_of(rng), "seed_seq", None)
    if type(rng) is not np.random.Generator or getattr(seed, "spawn_key", False):
        return rng
    return np.random.default_rng(rng.integers(2**63, size=8).tolist())


def same_stream(one: np.random.Generator, other: np.random.Generator) -> bool:
    """Return whether two generators draw the same numbers, now or later: they have one state, one seed or one stream.

    >>> one, other = np.random.default_rng(8), np.random.default_rng(8)
    >>> _ = other.random(5)
    >>> same_stream(one, other), same_stream(one, np.random.default_rng(9)), same_stream(one, one.spawn(1)[0])
    (True, False, False)
    """
    first, second = bits_of(one), bits_of(other)
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    marks = [(_plain(mark(first)), _plain(mark(second))) for mark in (_state, _seed, _stream)]
    return any(known is not None and known == found for known, found in marks)


def check_sampler(mechanism: Mechanism, name: str) -> None:
    """Refuse a mechanism that has no exact sampler."""
    if not mechanism.samples_exactly:
        hint = 'use a mechanism of privcheck.mechanisms, or guard with noise="float"'
        raise PrivcheckError("mechanism", words(f"{name}, which has no exact sampler"), "one with secure noise", hint)


def _state(bits: np.random.BitGenerator) -> Any:
    return bits.state


def _seed(bits: np.random.BitGenerator) -> Any:
    seed = bits.seed_seq
    entropy = getattr(seed, "entropy", None)
    return None if entropy is None else (entropy, tuple(getattr(seed, "spawn_key", ())))


def _stream(bits: np.random.BitGenerator) -> Any:
    """Return what stays the same when a generator draws or jumps: PCG64's increment, Philox's key."""
    state: Any = bits.state["state"]
    return state.get("inc", state.get("key")) if isinstance(state, dict) and len(state) == 2 else None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
