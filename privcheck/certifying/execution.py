"""Driving a policy over a table: plainly, or with what it is told wrapped by a session."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.accounting import ReleaseRefusedError
from privcheck.certifying.context_isolation import ask, ask_guarded, generators, kept_context
from privcheck.certifying.session import Session
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.mechanisms.base import Recorder, recording
from privcheck.mechanisms.tape import DivergenceError
from privcheck.privacy import Contexts
from privcheck.private_values.source import LeakError
from privcheck.targets.location import describe_exception

Table = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Execution:
    """What happened in one run: the actions, and whether it was stopped by a refused release."""

    actions: list[int]
    refused: bool


def drive_guarded(policy: Any, table: Table, session: Session, feedback: str) -> Execution:
    """Play a policy on a table of shape (T, K), or with further columns for contexts, with wrapped rewards.

    A leak raises inside the policy; it has been recorded, and the run goes on with the next round (with arm t mod K
    where `select` leaked), so that one run can show several. A refused release ends the run, and so does a policy that
    fails after a leak or a refusal, which may have left it half-updated.
    """
    actions: list[int] = []
    with session.active():
        for t, row in enumerate(table):
            session.round = t + 1
            rewards, context = _parts(row, session.contexts)
            try:
                chosen, asked = ask_guarded(policy, context, session)
                action = _arm(chosen, len(rewards), t + 1)
                if context is not None and asked is not policy:
                    session.leaks += kept_context(policy, asked, context, t + 1)
            except LeakError:
                action = t % len(rewards)
            except Exception as error:
                return _ended(error, actions, session)
            actions.append(action)
            try:
                if context is not None:
                    policy.update(*session.contextual(context, action, float(rewards[action]), len(rewards)))
                elif feedback == "full":
                    policy.update(action, session.reward_vector(rewards))
                else:
                    policy.update(action, session.reward(float(rewards[action]), action))
            except LeakError:
                continue
            except Exception as error:
                return _ended(error, actions, session)
    return Execution(actions, False)


def _ended(error: Exception, actions: list[int], session: Session) -> Execution:
    """Return the run that an error ended, if a leak or a refusal explains it; otherwise the policy has failed."""
    if not (session.leaks or session.refusals):
        raise _failed(error, session.round, session.contexts) from None
    return Execution(actions, isinstance(error, ReleaseRefusedError))


def drive(policy: Any, table: Table, recorder: Recorder, feedback: str, contexts: Contexts | None = None) -> list[int]:
    """Play a policy on a table of shape (T, K) with ordinary rewards, its releases going through `recorder`.

    When the recorder stops the run with a `DivergenceError`, that carries the actions played so far.
    """
    actions: list[int] = []
    coins = generators(policy) if contexts is not None else []
    with recording(recorder):
        for t, row in enumerate(table):
            rewards, context = _parts(row, contexts)
            try:
                action = _arm(ask(policy, context, coins), len(rewards), t + 1)
                actions.append(action)
                if context is not None:
                    policy.update(context, action, float(rewards[action]))
                else:
                    policy.update(action, rewards.copy() if feedback == "full" else float(rewards[action]))
            except DivergenceError as divergence:
                divergence.actions = actions
                raise
            except Exception as error:
                raise _failed(error, t + 1, contexts) from None
    return actions


def _parts(row: Table, contexts: Contexts | None) -> tuple[Table, Table | None]:
    """Return the rewards and the read-only context of a row of a table; None without contexts."""
    if contexts is None:
        return row, None
    rewards, context = contexts.split(row, len(row) - contexts.size)
    seen = context.copy()
    seen.flags.writeable = False
    return rewards, seen


def _arm(action: Any, arms: int, round_number: int) -> int:
    try:
        arm = operator.index(action)
    except TypeError:
        raise PolicyError(f"action in round {round_number}", action, "an integer, the arm to play") from None
    if not 0 <= arm < arms:
        raise PolicyError(f"action in round {round_number}", arm, f"an arm in 0, ..., {arms - 1}")
    return arm


def _failed(error: Exception, round_number: int, contexts: Contexts | None) -> Exception:
    if isinstance(error, PrivcheckError):
        return error
    hint = "" if contexts is None else "select() is asked on a throw-away copy: what it sets does not reach update()"
    got = words(describe_exception(error))
    return PolicyError(f"round {round_number}", got, "a policy that plays every round", hint)
