"""Driving a policy over a reward table: plainly, or with its rewards wrapped by a session."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.accounting import ReleaseRefusedError
from privcheck.auditing.factories import describe_exception
from privcheck.certifying.private import LeakError
from privcheck.certifying.recording import DivergenceError
from privcheck.certifying.session import Session
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.mechanisms.base import Recorder, recording

Table = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Execution:
    """What happened in one run: the actions, and whether it was stopped by a refused release."""

    actions: list[int]
    refused: bool


def drive_guarded(policy: Any, table: Table, session: Session, feedback: str) -> Execution:
    """Play a policy on a table of shape (T, K) with wrapped rewards.

    A leak raises inside the policy; it has been recorded, and the run goes on with the next round (with arm t mod K
    where `select` leaked), so that one run can show several. A refused release ends the run, and so does a policy that
    fails after a leak or a refusal, which may have left it half-updated.
    """
    actions: list[int] = []
    with session.active():
        for t, row in enumerate(table):
            session.round = t + 1
            try:
                action = _arm(policy.select(), len(row), t + 1)
            except LeakError:
                action = t % len(row)
            except Exception as error:
                return _ended(error, actions, session)
            actions.append(action)
            reward = session.reward_vector(row) if feedback == "full" else session.reward(float(row[action]), action)
            try:
                policy.update(action, reward)
            except LeakError:
                continue
            except Exception as error:
                return _ended(error, actions, session)
    return Execution(actions, False)


def _ended(error: Exception, actions: list[int], session: Session) -> Execution:
    """Return the run that an error ended, if a leak or a refusal explains it; otherwise the policy has failed."""
    if not (session.leaks or session.refusals):
        raise _failed(error, session.round) from None
    return Execution(actions, isinstance(error, ReleaseRefusedError))


def drive(policy: Any, table: Table, recorder: Recorder, feedback: str) -> list[int]:
    """Play a policy on a table of shape (T, K) with ordinary rewards, its releases going through `recorder`.

    When the recorder stops the run with a `DivergenceError`, that carries the actions played so far.
    """
    actions: list[int] = []
    with recording(recorder):
        for t, row in enumerate(table):
            try:
                action = _arm(policy.select(), len(row), t + 1)
                actions.append(action)
                policy.update(action, row.copy() if feedback == "full" else float(row[action]))
            except DivergenceError as divergence:
                divergence.actions = actions
                raise
            except Exception as error:
                raise _failed(error, t + 1) from None
    return actions


def _arm(action: Any, arms: int, round_number: int) -> int:
    try:
        arm = operator.index(action)
    except TypeError:
        raise PolicyError(f"action in round {round_number}", action, "an integer, the arm to play") from None
    if not 0 <= arm < arms:
        raise PolicyError(f"action in round {round_number}", arm, f"an arm in 0, ..., {arms - 1}")
    return arm


def _failed(error: Exception, round_number: int) -> Exception:
    if isinstance(error, PrivcheckError):
        return error
    return PolicyError(f"round {round_number}", words(describe_exception(error)), "a policy that plays every round")
