"""How an implementation becomes a target of `privcheck.audit`."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import privcheck
from audits.wild.implementation import Wild
from privcheck.errors import PrivcheckError, words


def seed_globals(rng: np.random.Generator) -> None:
    """Seed the global generators of numpy and of Python, for code that draws from these."""
    np.random.seed(rng.integers(2**32, size=4, dtype=np.uint32))  # noqa: NPY002
    random.seed(int(rng.integers(2**63)))


APART: dict[str, Any] = {"randomness": "independent"}
"""Options of audits in an interpreter of its own."""

TIMEOUT = 120.0
"""Seconds for a reply from there: imports count towards the first one."""


def target_of(wild: Wild, python: str | None = None) -> Any:
    """Return what `privcheck.audit` plays, by another interpreter if the project is played apart."""
    if wild.project.apart:
        place = f"{wild.play.__module__}:{wild.play.__name__}"
        return privcheck.from_python(python or sys.executable, place, timeout=TIMEOUT)
    if wild.is_bandit:

        def factory(rng: np.random.Generator) -> Any:
            seed_globals(rng)
            return wild.play(rng)

        factory.__name__ = wild.id
        return factory
    return _mechanism(wild) if wild.seeded else _unseeded(wild)


def _function(wild: Wild) -> Callable[[Any, Any], Any]:
    """Return the function of data and a Generator; what takes no data makes it, once."""
    if wild.made_once:
        try:
            made = wild.play()
        except Exception as error:  # whatever other people's code may raise
            got = words(f"{type(error).__name__}: {error}")
            raise PrivcheckError(wild.id, got, "a mechanism", wild.project.how_to_get) from None
        return lambda data, _: made(data)
    return wild.play


def _mechanism(wild: Wild) -> Callable[..., Any]:
    play = _function(wild)

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        seed_globals(rng)
        return play(_input(wild, data), rng)

    mechanism.__name__ = wild.id
    return mechanism


def _unseeded(wild: Wild) -> Any:
    """Return a measurement: the audit takes the independence of its runs for granted, and repeats none of them."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
    numbers = dp.vector_domain(dp.atom_domain(T=float))
    play = _function(wild)

    def function(data: list[float]) -> Any:
        return play(_input(wild, np.asarray(data)), None)

    return dp.m.make_user_measurement(
        numbers, dp.symmetric_distance(), dp.max_divergence(), function, lambda distance: float(distance)
    )


def _input(wild: Wild, data: Any) -> Any:
    """Return the input of a run: one of the pair, which the audit knows by its number, or the data themselves."""
    return data if wild.pair is None else wild.pair[int(data[0])]


def audit(wild: Wild, *, runs: int | None = None, seed: int = 0, python: str | None = None) -> privcheck.AuditReport:
    """Audit an implementation."""
    streams: dict[str, Any] = {} if wild.pair is None else {"streams": ([0.0], [1.0])}
    return privcheck.audit(
        target_of(wild, python),
        epsilon=wild.epsilon,
        delta=wild.delta,
        runs=runs or wild.runs,
        seed=seed,
        **streams,
        **(APART if wild.project.apart else {}),
        **wild.options,
    )
