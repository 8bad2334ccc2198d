"""Random numbers that are not declared: who draws them, and at which line.

One run is watched, and only after a difference was seen. Numpy's functions are replaced while runs are recorded, and
say here what they draw; the other sources are seen by Python's profile events, which name the function that is called.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

from privcheck.certifying._primitives.hooks import RUNNING
from privcheck.certifying._primitives.recorded_calls import LIBRARIES, caller, is_by_privcheck
from privcheck.certifying._translated.profile_functions import set_profile

TORCH = frozenset(
    {"bernoulli", "multinomial", "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn"}
    | {"randn_like", "randperm", "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_"}
    | {"random_", "uniform_", "dropout"}
)
"""Functions and methods of torch that draw."""

WATCHED: ContextVar[dict[str, None] | None] = ContextVar("watched", default=None)
"""What the run that is watched in this thread has drawn, in words; None while no run is watched."""

ELSEWHERE: dict[str, None] = {}
"""What threads that the code started have drawn since the last run began, in words: nothing of it is recorded."""

_URANDOM: Any = os.urandom


def note(name: str) -> None:
    """Take note of a draw of undeclared random numbers, if a run is watched and no declared primitive makes it."""
    found, run = WATCHED.get(), RUNNING.get()
    found = ELSEWHERE if run is None and found is None else found
    if found is not None and not (run is not None and run.inside):
        found[f"{name} at {caller(LIBRARIES)}"] = None


@contextmanager
def watching() -> Iterator[dict[str, None]]:
    """Collect what the code inside the block draws, in words: each function, file and line once."""
    found: dict[str, None] = {}
    token, before = WATCHED.set(found), sys.getprofile()
    set_profile(_profile)
    try:
        yield found
    finally:
        set_profile(before)
        WATCHED.reset(token)


def _profile(frame: FrameType, event: str, called: Any) -> None:
    """Take note of calls of the functions below all others in the standard library, in torch and in jax."""
    name = ""
    if event == "c_call":
        name = _compiled(called, frame)
    elif event == "call":
        module = str(frame.f_globals.get("__name__", ""))
        called_name = frame.f_code.co_name
        if module == "jax._src.random" and not called_name.startswith("_"):
            name = f"jax.random.{called_name}"
        elif module.startswith("scipy.stats") and called_name == "rvs":
            drawn = getattr(frame.f_locals.get("self"), "name", "")  # nothing for a frozen one, which calls this one
            name = f"scipy.stats.{drawn}.rvs" if drawn else ""
    if name and WATCHED.get() is not None and not is_by_privcheck(frame):
        set_profile(None)  # what is called here is no draw of the run
        try:
            note(name)
        finally:
            set_profile(_profile)


def _compiled(called: Any, frame: FrameType) -> str:
    """Return the public name of a compiled function that draws; "" for others."""
    owner = getattr(called, "__self__", None)
    if called is _URANDOM:
        return _outermost(frame) or "os.urandom"
    name = getattr(called, "__name__", "")
    if isinstance(owner, random.Random) and name in ("random", "getrandbits", "randbytes"):
        return _outermost(frame) or f"random.{name}"
    if name in TORCH and type(owner).__module__.startswith("torch"):
        return f"torch.{name}"
    if name in TORCH and getattr(owner, "__module__", "").startswith("torch"):
        return f"torch.{name}"
    return ""


def _outermost(frame: FrameType) -> str:
    """Return the function of `random` or `secrets` that the code called, on the way to a compiled one."""
    found = ""
    here: FrameType | None = frame
    while here is not None and here.f_globals.get("__name__") in ("random", "secrets"):
        owner = here.f_locals.get("self")
        kind = "random.SystemRandom" if isinstance(owner, random.SystemRandom) else str(here.f_globals["__name__"])
        found = f"{kind}.{here.f_code.co_name}"
        here = here.f_back
    return found
