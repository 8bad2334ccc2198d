"""Errors that code raises with wrapped rewards alone, as a database does that takes no other floats than Python's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._execution import drive
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.mechanisms import Tape
from privcheck.privacy import Contexts

ALONE = (
    "the same code plays on with ordinary rewards: what it calls here takes no wrapped ones; release the reward, or "
    "compute with it in Python and numpy, before it is handed over"
)


@contextmanager
def said_if(alone: Callable[[], bool]) -> Iterator[None]:
    """Let an error of a policy in the block say so, if wrapped rewards alone lead to it."""
    try:
        yield
    except PolicyError as error:
        if error.hint or not alone():
            raise
        raise PolicyError(error.parameter, error.value, error.expected, ALONE) from None


def plays(build: Any, table: Table, seed: list[int], feedback: str, contexts: Contexts | None) -> bool:
    """Tell whether a policy plays a table of ordinary rewards without an error."""
    noise, coins = (np.random.default_rng([*seed, purpose]) for purpose in (1, 2))
    try:
        drive(build(coins), table, Tape(noise), feedback, contexts)
    except PrivcheckError:
        return False
    return True
