"""Calls of one function, each of which plays a chunk, and how their results are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from privcheck.scheduling._part_files import Arrays

R = TypeVar("R")


class Form(NamedTuple, Generic[R]):
    """How results are kept: as named arrays, and what makes a result of these."""

    arrays: Callable[[R], Arrays]
    result: Callable[[Arrays], R]


ONE_ARRAY: Form[Any] = Form(lambda array: {"": array}, lambda arrays: arrays[""])


@dataclass(frozen=True)
class Calls(Generic[R]):
    """Calls of one function, each of which plays a chunk.

    Parameters
    ----------
    function, arguments : what is called, and with what, in every call.
    alone : whether a process plays one at a time, as code in Python requires: global generators are seeded for it.
    code : objects whose modules, if nobody has installed them, a worker elsewhere has to load in the same version.
    depends : for each call, everything that decides its result beside `played`, from which its key in a store is made
        (`digest`); None to keep nothing.
    form : how results are kept in a store.
    played : the target, as far as it decides results (`digest`).
    stream : for each call, which of several streams it plays: of each one a kept chunk is tested.
    """

    function: Callable[..., R]
    arguments: Sequence[tuple[Any, ...]]
    alone: bool = False
    code: tuple[Any, ...] = ()
    depends: Callable[[int], Any] | None = None
    form: Form[R] = ONE_ARRAY
    played: Any = None
    stream: Callable[[int], Any] = lambda _: None
