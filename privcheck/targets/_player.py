"""One run of a policy on a table; any exception becomes an error that says in which round it was raised."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.errors import PolicyError, words
from privcheck.feedback import FEEDBACKS, Feedback
from privcheck.mechanisms import DivergenceError
from privcheck.privacy import Contexts
from privcheck.targets._location import describe_exception

Play = Callable[[Any], list[int]]


def player(kind: Feedback, table: Table, arms: int, contexts: Contexts | None) -> Play:
    """Return the function that plays one run of a policy on a table and returns its symbols."""
    rounds = kind.rounds(table, arms, contexts)
    for row in rounds:
        if isinstance(row, np.ndarray):
            row.flags.writeable = False  # the next run gets the same arrays
    return lambda policy: play_rounds(kind, policy, rounds, arms)


def play_rounds(
    kind: Feedback, policy: Any, rounds: Iterable[Any], arms: int, played: list[int] | None = None
) -> list[int]:
    """Return the symbols of one run of a policy on rounds as `Feedback.play` takes them.

    They are also appended to `played` while it runs, for rounds that depend on them.

    >>> class First:
    ...     select, update = lambda self: 0, lambda self, action, reward: None
    >>> play_rounds(FEEDBACKS["bandit"](), First(), [[1.0, 0.0], [0.5, 0.5]], 2)
    [0, 0]

    Raises
    ------
    PolicyError : whatever the policy raises, with the round in which it did.
    """
    played = [] if played is None else played
    remaining = iter(rounds)
    try:
        kind.play(policy, remaining, arms, played)
    except (PolicyError, DivergenceError, KeyboardInterrupt):
        raise
    except BaseException as error:
        place = f"round {max(1, len(played))}"
        if isinstance(rounds, Sequence):
            place = f"round {max(1, len(rounds) - operator.length_hint(remaining))}"
        if isinstance(error, TypeError) and _is_call(error, kind):
            hint = f"another kind of policy needs another feedback, one of {', '.join(FEEDBACKS)}"
            got = words(f"{type(error).__name__}: {error}")
            raise PolicyError(place, got, f"{kind.call} for feedback '{kind.id}'", hint) from None
        raise PolicyError(place, words(describe_exception(error)), "a policy that plays every round") from None
    return played


def _is_call(error: BaseException, kind: Feedback) -> bool:
    """Return whether the call itself failed, before the policy's own code ran."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code is type(kind).play.__code__
