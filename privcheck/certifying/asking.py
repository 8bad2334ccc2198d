"""Asking a policy for its action; a contextual one is asked so that it cannot keep the context."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.certifying.coins import separate_coins, throw_away
from privcheck.certifying.session import Session

Context = npt.NDArray[np.float64]

NOT_COPIED = (
    "the policy cannot be copied (copy.deepcopy), so that what select() keeps of a context survives: no upper bound"
)


def ask(policy: Any, context: Context | None, coins: list[np.random.Generator]) -> Any:
    """Return the action of a policy with ordinary rewards; it may keep the context, which a replay then shows."""
    if context is None:
        return policy.select()
    with separate_coins(coins):
        return policy.select(context)


def ask_guarded(policy: Any, context: Context | None, session: Session) -> tuple[Any, Any]:
    """Return the action of a guarded policy and who was asked: with a context, a throw-away copy with fresh coins.

    Where the policy cannot be copied it is asked itself, and a note of the session says so.
    """
    if context is None:
        return policy.select(), policy
    asked = throw_away(policy)
    if asked is None:
        session.note(NOT_COPIED)
        asked = policy
    with session.reading():
        return asked.select(context), asked
