"""A guarded session: rewards go in wrapped, releases come out, and a ledger and a filter stand in between."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.accounting import BudgetFilter, Ledger, ReleaseRefusedError
from privcheck.accounting.ledger import check_losses
from privcheck.certifying.private import REVEAL, Leak, Private, PrivateSource
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Mechanism, recording
from privcheck.privacy import Relation


@dataclass
class Session:
    """The private data of one run of a policy, and everything that was released of it.

    Parameters
    ----------
    relation : neighbour relation; it decides what one datum is.
    rewards : declared (lowest, highest) reward.
    budget : epsilon that no datum may exceed; None records without refusing.
    noise : Generator of the privacy noise, owned by the session.

    Guarantee
    ---------
    With a budget, whatever ordinary value leaves the session was released by a mechanism whose loss, from computed
    sensitivities, fitted into the budget of every datum that it touches (of every k data under "group:k"). Everything
    else that would turn a private value into an ordinary one raises, after it has been recorded as a leak.
    """

    relation: Relation
    rewards: tuple[float, float]
    budget: float | None
    noise: np.random.Generator
    round: int = 0
    leaks: list[Leak] = field(default_factory=list)
    refusals: list[ReleaseRefusedError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source = PrivateSource(on_leak=self.leaks.append)
        group = self.relation.limit if self.relation.name.startswith("group") else 1
        self.ledger = Ledger(group_size=group)
        self.filter = None if self.budget is None else BudgetFilter(self.budget)

    def reward(self, value: float, arm: int) -> Private:
        """Wrap the reward of this round's arm."""
        self._check_range(value)
        datum = (self.round, arm) if self.relation.unit == "reward" else self.round
        return self.source.scalar(value, *self.rewards, datum=datum)

    def reward_vector(self, values: Any) -> Private:
        """Wrap the rewards of all arms in this round, shape (K,)."""
        for value in values:
            self._check_range(float(value))
        by_entry = [(self.round, arm) for arm in range(len(values))]
        return self.source.vector(
            values, *self.rewards, data=by_entry if self.relation.unit == "reward" else self.round
        )

    def _check_range(self, value: float) -> None:
        low, high = self.rewards
        if not low <= value <= high:
            hint = "declare the true range with rewards=(low, high), or clip before the policy sees it"
            got = words("a value outside of the declared range")
            raise PrivcheckError(f"reward in round {self.round}", got, f"a number in [{low:g}, {high:g}]", hint)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Send every release of every mechanism through this session while the block runs."""
        with recording(self):
            yield

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool = False) -> Any:
        """Charge the data behind `value`, and only then draw the noise; called by `mechanism.release`."""
        if not isinstance(value, Private):
            return mechanism.draw(value, self.noise, secure=secure)
        location = caller()
        try:
            sensitivities = _sensitivities(mechanism, value)
            losses = {datum: mechanism.loss(sensitivity) for datum, sensitivity in sensitivities.items()}
            check_losses(losses)
            if self.filter is not None:
                self.filter.check(self.ledger, losses, location)
        except ReleaseRefusedError as refused:
            self.refusals.append(refused)
            raise
        except PrivcheckError as error:
            raise self._refused(error.parameter, str(error.value), location, error.expected, error.hint) from None
        scale, failure = mechanism.scale, None
        try:
            output = mechanism.draw(value.reveal(REVEAL), self.noise, secure=secure)
        except PrivcheckError as error:
            failure = error.parameter, error.expected, error.hint
        if failure:  # raised outside of the handler: the error itself may show the private value
            parameter, expected, hint = failure
            raise self._refused(parameter, f"a private value of shape {value.shape}", location, expected, hint)
        self.ledger.record(self.round, _name(mechanism), scale, sensitivities, losses, location)
        return output

    def _refused(self, parameter: str, got: str, location: str, expected: str, hint: str) -> ReleaseRefusedError:
        """Return a refusal that has been recorded; it names the line and shows no private value."""
        refused = ReleaseRefusedError(parameter, words(f"{got} in a release at {location}"), expected, hint)
        self.refusals.append(refused)
        return refused


def _sensitivities(mechanism: Mechanism, value: Private) -> dict[Hashable, float]:
    if mechanism.notion != "pure":
        got = words(f"{_name(mechanism)}, a mechanism of {mechanism.notion} privacy")
        raise PrivcheckError("mechanism", got, "a pure-DP mechanism", "this ledger adds up pure epsilon-DP losses")
    if mechanism.sensitivity_norm not in NORMS:
        got = words(f"{_name(mechanism)}, whose sensitivity is a {mechanism.sensitivity_norm}")
        hint = "a private value knows its L1, L2, Frobenius and range sensitivities"
        raise PrivcheckError("mechanism", got, f"a mechanism for {', '.join(NORMS)}", hint)
    return {d: s for d, s in value.sensitivities(NORMS[mechanism.sensitivity_norm]).items() if s > 0.0}


def _name(mechanism: Mechanism) -> str:
    return getattr(mechanism, "id", type(mechanism).__name__)


NORMS = {"L1": "l1", "L2": "l2", "Frobenius": "frobenius", "range of score differences": "range"}

_PACKAGE = str(Path(__file__).parents[1])


def caller() -> str:
    """Return file and line of the innermost frame outside the packages that release on somebody's behalf."""
    frame = sys._getframe(1)
    outside = ("accounting", "certifying", "mechanisms")
    while frame.f_back is not None and any(
        frame.f_code.co_filename.startswith(str(Path(_PACKAGE) / folder)) for folder in outside
    ):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
