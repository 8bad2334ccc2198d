"""A guarded session: wrapped rewards go in, releases come out, and a ledger and a filter stand in between."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.accounting import BudgetFilter, Ledger, ReleaseRefusedError
from privcheck.accounting.charge import Charge, check_charges
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import COMPARISON_SLACK, Mechanism, recording
from privcheck.privacy import Contexts, Relation
from privcheck.private_values.float_rounding import check_rounding
from privcheck.private_values.integers import check_whole
from privcheck.private_values.source import REVEAL, Leak, Private, PrivateSource


@dataclass
class Session:
    """The private data of one run of a policy, and everything that it has released.

    Parameters
    ----------
    relation : neighbour relation, which determines what one datum is.
    rewards : declared (lowest, highest) reward.
    budget : epsilon that the total charge of no datum may exceed; None records without refusing.
    noise : Generator of the privacy noise, owned by the session.
    contexts : what contexts look like, under contextual feedback.

    Guarantee
    ---------
    With a budget, every ordinary value that leaves the session was released by a mechanism whose loss, calculated from
    computed sensitivities, fitted into the budget of every datum that it touches (of any k data together under
    "group:k"). Any other way of turning a private value into an ordinary one is recorded as a leak and then raises.
    """

    relation: Relation
    rewards: tuple[float, float]
    budget: float | None
    noise: np.random.Generator
    contexts: Contexts | None = None
    round: int = 0
    notes: list[str] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    refusals: list[ReleaseRefusedError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source = PrivateSource(on_leak=self.leaks.append)
        group = self.relation.limit if self.relation.name.startswith("group") else 1
        self.ledger = Ledger(group_size=group, what="reward" if self.contexts is None else "context and reward")
        self._is_reading = False
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

    def contextual(self, context: Any, action: int, reward: float, arms: int) -> tuple[Private, Private, Private]:
        """Wrap this round's context, the action, which depends on it, and the reward; together they are one datum."""
        assert self.contexts is not None
        self._check_range(reward)
        vectors = [
            self.source.vector(vector, *self.contexts.range, data=self.round, l2_norm=self.contexts.radius)
            for vector in np.atleast_2d(context)
        ]
        wrapped: Any = vectors[0] if np.ndim(context) == 1 else np.stack(vectors)
        chosen = self.source.action(action, arms, datum=self.round)
        return wrapped, chosen, self.source.scalar(reward, *self.rewards, datum=self.round)

    def next_round(self) -> None:
        """Go on to the next round: what is wrapped from here on belongs to its datum."""
        self.round += 1

    def note(self, text: str) -> None:
        """Keep a note, unless it is already there."""
        if text not in self.notes:
            self.notes.append(text)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Mark the block in which a policy reads an ordinary context."""
        self._is_reading = True
        try:
            yield
        finally:
            self._is_reading = False

    def _check_range(self, value: float) -> None:
        low, high = self.rewards
        if not low <= value <= high:
            hint = "declare the true range with rewards=(low, high), or clip before the policy sees it"
            got = words("a value outside the declared range")
            raise PrivcheckError(f"reward in round {self.round}", got, f"a number in [{low:g}, {high:g}]", hint)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Send every release of every mechanism through this session inside the block."""
        with recording(self):
            yield

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool = False) -> Any:
        """Charge the data behind `value`, and only then draw the noise; called by `mechanism.release`."""
        if not isinstance(value, Private):
            return mechanism.draw(value, self.noise, secure=secure)
        location = caller()
        try:
            if self._is_reading and self.filter is not None and not value.is_public:
                hint = "whether select() makes a release may depend on the context that it reads: release in update()"
                raise PrivcheckError("release", words("one inside select()"), "releases inside update() only", hint)
            if value.source not in (None, self.source):
                hint = "its data are charged in that run: do not keep private values in class attributes or globals"
                raise PrivcheckError("value", words("a private value of another run"), "one of this run", hint)
            sensitivities = _sensitivities(mechanism, value)
            charges = _charges(mechanism, sensitivities)
            if self.filter is not None:
                self.filter.check(self.ledger, charges, location)
        except ReleaseRefusedError as refused:
            self.refusals.append(refused)
            raise
        except PrivcheckError as error:
            raise self.refuse(error) from None
        scale, failure = mechanism.scale, None
        try:
            with np.errstate(all="ignore"):
                output = mechanism.draw(_hidden(mechanism, value), self.noise, secure=secure)
        except PrivcheckError as error:
            failure = error.parameter, f"a private value of shape {value.shape}", error.expected, error.hint
        except Exception as error:
            failure = "mechanism", f"{_name(mechanism)}, which raises {type(error).__name__}", "one that draws", ""
        if failure:  # raised outside of the handler: the error itself may show the private value
            raise self._refused(location, *failure)
        self.ledger.record(self.round, _name(mechanism), scale, sensitivities, charges, location)
        return output

    def refuse(self, error: PrivcheckError) -> ReleaseRefusedError:
        """Record an error as a refusal that names the line, and return it; the error must show no private value."""
        return self._refused(caller(), error.parameter, str(error.value), error.expected, error.hint)

    def _refused(self, location: str, parameter: str, got: str, expected: str, hint: str) -> ReleaseRefusedError:
        refused = ReleaseRefusedError(parameter, words(f"{got} in a release at {location}"), expected, hint)
        self.refusals.append(refused)
        return refused


def _sensitivities(mechanism: Mechanism, value: Private) -> dict[Hashable, float]:
    if mechanism.notion != "pure":
        got = words(f"{_name(mechanism)}, a mechanism of {mechanism.notion} privacy")
        raise PrivcheckError("mechanism", got, "a pure-DP mechanism", "this ledger adds up pure epsilon-DP losses")
    if mechanism.sensitivity_norm not in NORMS:
        got = words(f"{_name(mechanism)}, whose sensitivity is a {mechanism.sensitivity_norm}")
        hint = "sensitivities of private values are computed in these norms"
        raise PrivcheckError("mechanism", got, f"a mechanism for {', '.join(NORMS)}", hint)
    found = {d: s for d, s in value.sensitivities(NORMS[mechanism.sensitivity_norm]).items() if s > 0.0}
    if mechanism.integers is None:
        if found:
            check_rounding(value, max(found.values()))
        return found
    check_whole(value, *mechanism.integers)
    # a change of integers is an integer, so any fraction in its bound is slack
    return {datum: float(math.floor(s * (1.0 + COMPARISON_SLACK))) for datum, s in found.items()}


def _charges(mechanism: Mechanism, sensitivities: dict[Hashable, float]) -> dict[Hashable, Charge]:
    """Return the charge of each datum; data of equal sensitivity get the same charge."""
    by_sensitivity = {s: mechanism.charge(s) for s in dict.fromkeys(sensitivities.values())}
    check_charges(by_sensitivity.values())
    return {datum: by_sensitivity[s] for datum, s in sensitivities.items()}


def _hidden(mechanism: Mechanism, value: Private) -> Any:
    hidden = value.reveal(REVEAL)
    return hidden if mechanism.integers is None else np.asarray(hidden, np.int64)


def _name(mechanism: Mechanism) -> str:
    return getattr(mechanism, "id", type(mechanism).__name__)


NORMS = {"L1": "l1", "L2": "l2", "Frobenius": "frobenius", "range of score differences": "range"}
NORMS |= {"number of changed entries": "changed"}

_PACKAGE = str(Path(__file__).parents[1])


def caller() -> str:
    """Return the file and line of the innermost frame outside the packages that make releases for their callers."""
    frame = sys._getframe(1)
    outside = ("accounting", "certifying", "mechanisms", "private_values")
    while frame.f_back is not None and any(
        frame.f_code.co_filename.startswith(str(Path(_PACKAGE) / folder)) for folder in outside
    ):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
