"""A guarded session: wrapped rewards go in, releases come out, and a ledger and a filter stand in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from privcheck.accounting import (
    BudgetExceededError,
    BudgetFilter,
    ByDatum,
    Charge,
    Ledger,
    Notion,
    Pure,
    ReleaseRefusedError,
    in_units,
)
from privcheck.certifying._calls import Process
from privcheck.certifying._charging.joint_charges import Charged, JointCharges
from privcheck.certifying._charging.one_release import RANGE, charges_of, name_of, sensitivities_of
from privcheck.certifying._charging.refused_release import (
    TOGETHER,
    ReleasesOfRound,
    enough_noise,
    too_much,
    unclipped,
)
from privcheck.certifying._noise_source import check_sampler
from privcheck.certifying._outside.release_generators import ReleaseGenerators
from privcheck.certifying._recorded.draw_log import DrawLog, DrawnBy, FailedDraw
from privcheck.errors import PrivcheckError, words
from privcheck.generators import GuardedDraws, HandledGenerator, bits_of
from privcheck.mechanisms import Mechanism, MechanismCode, Recorder, examined, recording
from privcheck.privacy import Contexts, Relation
from privcheck.private_values import (
    REVEAL,
    UNREAD,
    Leak,
    Private,
    PrivateSource,
    casting_refused,
    gathered,
    own_place,
    refuse,
    without_common_shift,
)
from privcheck.reached_state import KnownCode, SeparateCoins

Draws = Callable[[Any, PrivateSource], GuardedDraws]


@dataclass
class Session(Recorder):
    """The private data of one run of a policy, and everything that it has released.

    Parameters
    ----------
    relation : neighbour relation, which determines what one datum is.
    rewards : declared (lowest, highest) reward.
    budget : what the total charge of no datum may exceed, a notion of privacy or the epsilon of pure privacy; None
        records without refusing.
    noise : Generator of the privacy noise, owned by the session; None for secure noise, OpenDP's and the system's.
    contexts : what contexts look like, under contextual feedback.
    accountants : shares of the budget's delta by accountant: see `privcheck.accounting.BudgetFilter`.

    Guarantee
    ---------
    With a budget, every ordinary value that leaves the session was released by a mechanism whose charge, calculated
    from computed sensitivities, fitted into the budget of every datum that it touches (of any k data together under
    "group:k"). Any other way of turning a private value into an ordinary one is recorded as a leak and then raises.
    """

    relation: Relation
    rewards: tuple[float, float]
    budget: float | Notion | None
    noise: np.random.Generator | None
    contexts: Contexts | None = None
    accountants: Mapping[str, float] | None = None
    round: int = 0
    notes: list[str] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    refusals: list[ReleaseRefusedError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.choices, self.awaited, self.sizes = 0, dict[int, Any](), set[int]()
        self.log: DrawLog | None = None
        self.process, self.charging, self.coins, self.code = Process(), Lock(), SeparateCoins(), KnownCode()
        self.source = PrivateSource(on_leak=self.leaks.append)
        self.source.release = self._release_noised
        self.mechanisms: dict[tuple[MechanismCode, str], None] = {}
        self._is_noised = False
        group = self.relation.limit if self.relation.name.startswith("group") else 1
        what = "reward" if self.contexts is None else "context and reward"
        self.filter = None if self.budget is None else BudgetFilter(self.budget, self.accountants)
        self.ledger = Ledger(group, what) if self.filter is None else self.filter.new_ledger(group, what)
        self.several, self.of_round = JointCharges(group, self.source), ReleasesOfRound()
        self._adds_renyi = self.filter is not None and any(name.startswith("rdp") for name in self.filter.shares)
        self._is_reading, self.watches_generators = False, False
        self.release_generators: ReleaseGenerators | None = None
        self._checked_at, self._looked_at, self._expects, self._most = 0, 0, True, [0.0] * len(BOUNDS)

    def reward(self, value: float, arm: int, of_round: int | None = None) -> Private:
        """Wrap the reward of an arm in this round, or in another."""
        t = self.round if of_round is None else of_round
        self._check_range(value, t)
        return self.source.scalar(value, *self.rewards, datum=(t, arm) if self.relation.unit == "reward" else t)

    def rewards_of_rounds(self, values: Any, arms: Sequence[int]) -> Private:
        """Wrap one reward of each of several rounds, shape (n,), from this round on; the last of them becomes this
        round.
        """
        rounds = range(self.round, self.round + len(values))
        for t, value in zip(rounds, values, strict=True):
            self._check_range(float(value), t)
        by_entry = self.relation.unit == "reward"
        wrapped = self.source.vector(
            values, *self.rewards, data=list(zip(rounds, arms, strict=True)) if by_entry else rounds
        )
        self.round = rounds[-1]
        return wrapped

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
        bounds = {"datum": self.round, "l2_norm": self.contexts.radius}
        wrapped = self.source.vectors(np.atleast_2d(context), *self.contexts.range, **bounds).reshape(np.shape(context))
        chosen = self.source.action(action, arms, datum=self.round)
        return wrapped, chosen, self.source.scalar(reward, *self.rewards, datum=self.round)

    def scratch(self) -> Session:
        """Return a session in the same round that charges nothing, to check the arguments of calls to come."""
        found = Session(self.relation, self.rewards, None, None, self.contexts)
        found.round, found.choices, found.awaited = self.round, self.choices, dict(self.awaited)
        return found

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
        self._is_reading = self.source.reading = True
        try:
            yield
        finally:
            self._is_reading = self.source.reading = False

    def _check_range(self, value: float, of_round: int | None = None) -> None:
        low, high = self.rewards
        if not low <= value <= high:
            hint = "declare the true range with rewards=(low, high), or clip before the policy sees it"
            got = words("a value outside the declared range")
            t = self.round if of_round is None else of_round
            raise PrivcheckError(f"reward in round {t}", got, f"a number in [{low:g}, {high:g}]", hint)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Send every release inside the block through this session."""
        with recording(self), casting_refused(self.source):
            yield

    def generator(self, coins: np.random.Generator, drawn_as: Draws = GuardedDraws) -> HandledGenerator:
        """Return the Generator that a policy is built with: its draws of noise can be released in this session."""
        draws = drawn_as(bits_of(coins), self.source)
        self.release_generators = ReleaseGenerators(draws) if self.watches_generators else None
        return HandledGenerator(draws)

    def draws_from(self, rng: Any) -> None:
        """Take note of the Generator that a mechanism is given; the noise does not come from it."""
        if self.release_generators is not None:
            self.release_generators.used(rng)

    @property
    def has_drawn(self) -> bool:
        """Whether the policy drew noise from its Generator, or had its draws answer for it."""
        return self.source.draws.noisy

    def publish_noised(self) -> None:
        """Release every private value that holds noise of its own, and read the noise that is left.

        Noise in what cannot be read yet is spent: a copy of such a value that `select` keeps, or a part of it that
        `select` takes, would otherwise be released or not, as the context decides.
        """
        self.source.draws.forget_scores()
        for value in self.source.noised():
            value.publish()
        self.source.draws.spend_all(UNREAD)

    def _release_noised(self, mechanism: Mechanism, value: Private, location: str | None) -> Any:
        """Release a value by the mechanism that its own noise amounts to."""
        with self.source.turns:
            before, self._is_noised = self._is_noised, True
            try:
                return self.release(mechanism, value, location=location)
            finally:
                self._is_noised = before

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool = False, location: str | None = None) -> Any:
        """Charge the data behind `value`, and only then draw the noise; called by `mechanism.release`.

        The charge stays if the mechanism raises an exception: whether it does may depend on the data. Threads take
        turns, from the charge until what was drawn is recorded, and nobody changes meanwhile what is released.
        """
        self.process.check("a release")  # first: in a forked process nobody may be left to end a turn
        with self.source.turns:
            return self._release(mechanism, gathered(value, still=True), secure, location)

    def _release(self, mechanism: Mechanism, value: Any, secure: bool, location: str | None) -> Any:
        self._check_open()
        if self.log is not None:
            self.log.check_source(self)
        if self._is_reading and self.filter is not None:
            hint = "whether select() makes a release may depend on the context that it reads: release in update()"
            got = words("one inside select()")
            raise self.refuse(PrivcheckError("release", got, "releases inside update() only", hint))
        secure = secure or self.noise is None
        if not isinstance(value, Private):
            if self.noise is None:
                check_sampler(mechanism, name_of(mechanism))
            draw = partial(mechanism.draw, value, self.noise, secure=secure)
            return draw() if self.log is None else self.drawn(mechanism, np.shape(value), None, own_place(), draw)
        location, value = location or own_place(), self._without_draws(value)
        try:
            if self.noise is None:
                check_sampler(mechanism, name_of(mechanism))
            if value.source not in (None, self.source):
                hint = "its data are charged in that run: do not keep private values in class attributes or globals"
                raise PrivcheckError("value", words("a private value of another run"), "one of this run", hint)
            if mechanism.sensitivity_norm == RANGE:
                value = without_common_shift(value)
            code, charged = self._charge(mechanism, value, location)
        except ReleaseRefusedError as refused:
            self.refusals.append(refused)
            raise
        except PrivcheckError as error:
            raise self.refuse(error) from None
        draw = partial(_sample, mechanism, value, self.noise, secure=secure)
        output = self.drawn(mechanism, value.shape, charged, location, draw)
        if isinstance(output, FailedDraw):
            raise self._refused(location, *output)
        self.mechanisms[code, "numpy" if self._is_noised else ""] = None
        return output

    def _check_open(self) -> None:
        """Refuse a release inside a function of one number: whether it is made may depend on that number."""
        if not self.source.closed:
            return
        if self.source.on_change is not None:
            self.note("a function that privcheck.feature is given makes a release: it is not a function of one number")
        got = words("one inside a function of one number")
        raise PrivcheckError("release", got, "releases in update()", "release what privcheck.feature returns")

    def drawn(
        self, mechanism: Mechanism, shape: Any, charges: Charged | None, location: str, draw: Callable[[], Any]
    ) -> Any:
        """Return what a mechanism draws, or what it drew when this event was recorded; all noise passes through here.

        With a log, what is drawn is durable, together with its charges, before it is returned. Draws on public values
        cost nothing, and are recorded too: what follows depends on them.
        """
        if self.log is None:
            return draw()
        charged = ((), ()) if charges is None else (charges.charges, charges.joint)
        return self.log.drawn(
            DrawnBy(name_of(mechanism), float(mechanism.scale), tuple(shape), charged[0], location, charged[1]), draw
        )

    def _without_draws(self, value: Private) -> Private:
        """Return a value whose own noise is public: the mechanism's noise is what it is charged for."""
        if value.source is self.source and value.holds_draws:
            self.source.draws.flip(number for number in value.terms.features.tolist() if number < 0)
            if value.holds_draws and (why := value.publish()) is not None:
                refuse("function", "a release", value, hint=why)
        return value

    def _charge(self, mechanism: Mechanism, value: Private, location: str) -> tuple[MechanismCode, Charged]:
        sensitivities, scale = sensitivities_of(mechanism, value), mechanism.scale
        code = examined(mechanism, value.shape, max(sensitivities.different, default=1.0), sensitivities.different)
        charges = charges_of(mechanism, sensitivities, with_pairs=self._adds_renyi)
        in_whole = self.log is not None and self.filter is not None and isinstance(self.filter.budget, Pure)
        rounded = in_units if in_whole else _as_it_is
        charges = charges.map(rounded) if in_whole else charges
        with self.charging:  # between the check and the charge no other thread may be charged or read the ledger
            charged = Charged(charges)
            if not self._adds_renyi:
                charged = self.several.of(mechanism, value, charges, rounded, self.log)
            if self.filter is not None:
                try:
                    self.filter.check(self.ledger, charged.charges, location, self.round)
                except BudgetExceededError as exceeded:
                    is_lower = exceeded.datum in charges and charged.charges[exceeded.datum] != charges[exceeded.datum]
                    advice = self._advice(exceeded, mechanism, value, sensitivities, location, is_lower)
                    raise exceeded.advised(advice) from None
            made = self.ledger.record(self.round, name_of(mechanism), scale, sensitivities, charged.charges, location)
            if self.filter is not None:
                self.of_round.keep(made.number, self.round, value)
            self.several.keep(charged)
            if charged.charges is not charges:
                self._note_largest(charges)
        return code, charged

    def _advice(
        self,
        exceeded: BudgetExceededError,
        mechanism: Mechanism,
        value: Private,
        sensitivities: ByDatum[float],
        location: str,
        is_lower: bool,
    ) -> str:
        """Return what to do about a release that the budget does not allow; empty if nothing more is known."""
        if is_lower and exceeded.before:  # it is not charged in full
            return f"{exceeded.hint.partition(' was charged')[0]} {TOGETHER}"
        if exceeded.before:
            return self.of_round.why_again(self.ledger, exceeded, location, self.round, value)
        assert self.filter is not None
        enough = enough_noise(mechanism, value, sensitivities, self.filter, self.ledger, exceeded)
        return too_much(enough, unclipped(value, self.rewards))

    def __reduce_ex__(self, protocol: Any) -> Any:
        hint = "a copy would spend the same budget again, and a file would contain the private rewards"
        raise PrivcheckError("session", words("a copy of a guarded session"), "the session itself", hint)

    @property
    def expects_refusal(self) -> bool:
        """Whether a release like the largest so far could exceed the budget for data that private values refer to.

        It is true before the first release, too. It is found after each, and if so again: new draws seem to be used.
        """
        if self._checked_at != (count := len(self.ledger.releases)) or (self._expects and self._looked_at != count):
            self._looked_at = self._checked_at
            for release in self.ledger.releases[self._checked_at : count]:
                self._note_largest(ByDatum.of(release.charges))
            if any(self._most):
                total = ByDatum.of(dict.fromkeys(self.source.data_in_use(), Charge.total(*self._most)))
                self._expects = self.filter is not None and not self.filter.fits(self.ledger, total)
            self._checked_at = count
        return self._expects

    def _note_largest(self, charges: ByDatum[Charge]) -> None:
        """Take note of the largest charges; what costs less after other releases may cost as much as alone again."""
        for charge in charges.different:
            self._most = [max(n, getattr(charge, name)) for n, name in zip(self._most, BOUNDS, strict=True)]

    def refuse(self, error: PrivcheckError) -> ReleaseRefusedError:
        """Record an error as a refusal that names the line, and return it; the error must show no private value."""
        return self._refused(own_place(), error.parameter, str(error.value), error.expected, error.hint)

    def _refused(self, location: str, parameter: str, got: str, expected: str, hint: str) -> ReleaseRefusedError:
        refused = ReleaseRefusedError(parameter, words(f"{got} in a release at {location}"), expected, hint)
        self.refusals.append(refused)
        return refused


def _as_it_is(charge: Charge) -> Charge:
    return charge


def _hidden(mechanism: Mechanism, value: Private) -> Any:
    hidden = value.reveal(REVEAL)
    return hidden if mechanism.integers is None else np.asarray(hidden, np.int64)


def _sample(mechanism: Mechanism, value: Private, noise: np.random.Generator | None, *, secure: bool) -> Any:
    """Return what a mechanism draws for a private value, or why it raises, in words that do not show the value."""
    try:
        with np.errstate(all="ignore"):
            return mechanism.draw(_hidden(mechanism, value), noise, secure=secure)
    except Exception as error:
        return FailedDraw.of(error, name_of(mechanism), value.shape)


BOUNDS = ("epsilon", "rho", "mu", "delta")
