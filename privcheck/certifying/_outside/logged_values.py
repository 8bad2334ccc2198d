"""Private numbers in messages of `logging`, which are shown where their level is enabled and a handler writes them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from privcheck.private_values import Private, own_place


@contextmanager
def messages_noticed(note: Callable[[str], object]) -> Iterator[None]:
    """Report each line that gives private numbers without noise to a message, whether or not it is written.

    Values with noise are left out: writing one is a release of its own, which a message that is written makes.

    >>> from privcheck.private_values import PrivateSource
    >>> reward, log = PrivateSource().scalar(0.5, 0.0, 1.0, 1), logging.getLogger("noticed")
    >>> with messages_noticed(lambda place: print("noticed")):
    ...     log.debug("reward %s in round %d", reward, 1)
    ...     log.debug("round %d", 1)
    noticed
    """
    asked = logging.Logger.isEnabledFor

    def is_enabled(logger: logging.Logger, level: int) -> bool:
        if any(map(_is_raw, _given(sys._getframe(1)))):
            note(own_place())
        return asked(logger, level)

    logging.Logger.isEnabledFor = is_enabled  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        logging.Logger.isEnabledFor = asked  # type: ignore[method-assign]


def _given(frame: FrameType | None) -> list[Any]:
    """Return what the methods of `logging` that ask were given for the message."""
    given: list[Any] = []
    while frame is not None and frame.f_code.co_filename == _FILE:
        found = frame.f_locals
        given += [found.get("msg"), *found.get("args", ())]
        frame = frame.f_back
    return given


def _is_raw(value: Any, depth: int = 3) -> bool:
    if isinstance(value, Private):
        return not value.is_public and not (value.terms.ranges[1] < 0).any()
    entries = value.values() if isinstance(value, Mapping) else value
    held = depth and isinstance(value, Mapping | Sequence) and not isinstance(value, str)
    return bool(held) and any(_is_raw(entry, depth - 1) for entry in entries)


_FILE = logging.Logger.debug.__code__.co_filename
