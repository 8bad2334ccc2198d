"""What replays of recorded code have shown, and the certificate that it makes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from privcheck.accounting import BudgetFilter, Charge, Ledger, Notion, ReleaseRefusedError, spent
from privcheck.arrays import Table
from privcheck.certifying._build_certificate import build_certificate
from privcheck.certifying._primitives.hooks import metric_name
from privcheck.certifying._primitives.recorded_calls import ForcedCalls, Measured
from privcheck.certifying._replay import changed_rounds
from privcheck.results import Certificate, PrimitiveUse, ReplayResult
from privcheck.targets import CertifySettings, Claim, Game, Target


class Explored:
    """What replays have shown: the uses of each primitive, the largest loss, and what is wrong.

    Parameters
    ----------
    claim, game : of the settings.
    moved : places of releases whose inputs are measured and not charged, because coins move them on equal data, too.
    why : the random numbers that do so, in words.
    """

    def __init__(self, claim: Claim, game: Game, moved: frozenset[str] = frozenset(), why: Iterable[str] = ()) -> None:
        self.claim, self.game, self.moved = claim, game, moved
        self.filter = None if claim.budget is None else BudgetFilter(claim.budget, claim.accountants)
        self.what = "reward" if game.contexts is None else "context and reward"
        self.replay = ReplayResult(0, 0, 0.0, None)
        self.executions = 0
        self.ledger = self._new()
        self.most = -1.0
        self.uses: dict[tuple[str, str], PrimitiveUse] = {}
        self.refused: defaultdict[str, list[tuple[float, float, str]]] = defaultdict(list)
        self.unknown: dict[str, str] = {}
        self.undeclared = list(why)
        self.uncharged: set[str] = set()
        self.called = False
        self._beyond: list[Table] = []

    @property
    def budget(self) -> Notion | None:
        """The budget of the claim; None without one."""
        return None if self.filter is None else self.filter.budget

    @property
    def too_much(self) -> list[Table]:
        """The first streams on which a release was refused, or an input moved by more than its call states."""
        return self._beyond

    @property
    def places(self) -> set[str]:
        """Where a release was refused, or an input moved by more than its call states."""
        return {*self.refused, *(use.location for use in self.uses.values() if use.exceeds)}

    @property
    def is_clean(self) -> bool:
        """Whether nothing differs, no release costs too much, and everything could be followed."""
        return not (self.replay.divergences or self.places or self.left_open)

    @property
    def left_open(self) -> int:
        """How many things could not be followed."""
        return len(self.undeclared) + len(self.uncharged)

    def refused_alone(self, first: Table, measured: Sequence[Measured]) -> set[str]:
        """Return the places that would be wrong if one datum had moved the inputs of one run so."""
        alone = Explored(self.claim, self.game)
        alone.charge(1, first, measured)
        return alone.places

    def take_back(self, why: list[str]) -> None:
        """Call nothing a finding that was measured, because equal streams differ as well."""
        self.undeclared = list(dict.fromkeys([*self.undeclared, *why]))
        self.refused.clear()
        self.uses = {key: replace(use, excess=None) for key, use in self.uses.items()}

    def _new(self) -> Ledger:
        """Return a ledger in which a group of rounds, which move together, is charged to the first of them."""
        group = self.game.relation.limit
        return Ledger(group, self.what) if self.filter is None else self.filter.new_ledger(group, self.what)

    def add(self, first: Table, second: Table, tape: ForcedCalls, rounds: int | None = None) -> None:
        """Add what one replay measured, in its first rounds if their number is given.

        After rounds in which the actions are alike, two runs receive other rewards of rounds that do not differ.
        """
        self.uncharged |= tape.uncharged if rounds is None else set()
        self.called = self.called or bool(tape.tape.made)
        comparable = [one for one in tape.measured if rounds is None or one.round <= rounds]
        self.charge(changed_rounds(first, second)[0] + 1, first, comparable)

    def charge(self, datum: int, first: Table, measured: Sequence[Measured]) -> None:
        """Charge all releases of one replay to the datum in which its streams differ."""
        ledger = self._new()
        for one in measured:
            if self._use(one):
                self._beyond.append(first)
            if one.made.location in self.moved:
                continue
            if one.charge is None or one.charge.delta or not one.distance:
                if one.charge is None or one.charge.delta:
                    self.unknown[f"{one.made.name} at {one.made.location}"] = _uncharged(one.charge)
                continue
            if min(one.charge.epsilon, one.charge.rho, one.charge.mu) == math.inf:
                why = f"{one.made.location}: {one.made.name} bounds no loss of inputs {one.distance:g} apart"
                self.refused[one.made.location].append((math.inf, math.inf, why))
                self._beyond.append(first)
                continue
            law = getattr(one.made.law, "id", one.made.name)
            scale = _scale(one.made.law)
            owed: Mapping[Any, Charge] = {datum: one.charge}
            refused = "" if self.filter is None else self._refused(self.filter, ledger, owed, one.made.location)
            ledger.record(one.round, law, scale, {datum: one.distance}, owed, one.made.location)
            if refused:
                self._beyond.append(first)
                self.refused[one.made.location].append((ledger.total.epsilon, ledger.total.mu, refused))
        amount = ledger.epsilon if self.filter is None else spent(self.filter, ledger).amount
        if amount > self.most:
            self.most, self.ledger = amount, ledger

    @staticmethod
    def _refused(by: BudgetFilter, ledger: Ledger, owed: Mapping[Any, Charge], location: str) -> str:
        """Return why the budget would refuse a release; "" if it fits."""
        try:
            by.check(ledger, owed, location)
        except ReleaseRefusedError as refusal:
            return str(refusal)
        return ""

    def _use(self, one: Measured) -> bool:
        """Count a use, and tell whether its input moved by more than it states."""
        key = (one.made.name, one.made.location)
        was = self.uses.get(key, PrimitiveUse(*key, 0, metric_name(one.made.metric), None, None, None, None))
        stated = one.made.declared
        excess = None
        if stated is not None and one.distance is not None and one.made.location not in self.moved:
            excess = one.distance / stated if stated > 0.0 else (math.inf if one.distance else 0.0)
        self.uses[key] = replace(
            was,
            calls=was.calls + 1,
            declared=_best(min, was.declared, stated),
            measured=_best(max, was.measured, one.distance),
            excess=_best(max, was.excess, excess),
            epsilon=_best(max, was.epsilon, None if one.charge is None else one.charge.epsilon),
        )
        return self.uses[key].exceeds

    def certificate(self, target: Target, settings: CertifySettings, length: int, notes: list[str]) -> Certificate:
        """Return the certificate: never granted, because only executions that were explored were seen."""
        notes = [
            *notes,
            *(
                f"{why.format(name)}: its sensitivity was measured, and nothing charged"
                for name, why in sorted(self.unknown.items())
            ),
        ]
        notes += [
            f"{place}: undeclared random numbers move what is released here on equal data, too; it was not charged"
            for place in sorted(self.moved)
        ]
        notes += [
            f"{place}: a draw is added to other noise, and protects another number as well; that is not charged"
            for place in sorted(self.uncharged)
        ]
        if not (self.uses or self.called or self.undeclared):
            notes.append("nothing that was read holds noise of a declared primitive: declare the one that made it")
        return build_certificate(
            target,
            settings.claim,
            settings.game,
            length,
            settings.effort.seed,
            by=self.filter,
            ledger=self.ledger,
            replay=self.replay,
            executions=self.executions,
            refusals=[max(found)[-1] for found in self.refused.values()],
            notes=notes,
            primitives=[one if isinstance(one, str) else one.name for one in settings.game.primitives],
            undeclared=self.undeclared,
            primitive_uses=sorted(self.uses.values(), key=lambda use: (use.location, use.name)),
        )


def _uncharged(charge: Charge | None) -> str:
    """Return why a release is not charged, with a place for its name."""
    if charge is None:
        return "the law of {} is not known"
    return "{} states a delta, and deltas of releases are not added up here"


def _best(which: Callable[..., float], one: float | None, two: float | None) -> float | None:
    found = [number for number in (one, two) if number is not None]
    return which(found) if found else None


def _scale(law: Any) -> float:
    try:
        return float(law.scale)
    except (AttributeError, NotImplementedError, TypeError):
        return 0.0
