"""Guarded runs on the streams of a witness: where they leak, and the release by which a datum exceeds the claim."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.accounting import BudgetFilter, Ledger, Release, ReleaseRefusedError
from privcheck.arrays import Table
from privcheck.auditing._faults.other_randomness import Taken
from privcheck.auditing._faults.paired_number import Place
from privcheck.certifying import Session, drive_guarded, translated
from privcheck.errors import PrivcheckError
from privcheck.feedback import Feedback, kind, public_attribute
from privcheck.private_values import COLLECT, REVEAL, Leak, Private
from privcheck.targets import Claim, Game, Target

MOST_ARRAYS = 4
"""Times that a run is played again with more arrays wrapped."""


@dataclass(frozen=True)
class Overspent:
    """Releases of which one takes the total loss of a datum above the claim.

    Parameters
    ----------
    data : of the witness, if their total exceeds the claim; one, or several that are protected together.
    releases : those that charge them.
    place : of the releases, the one that exceeds the claim.
    alone : whether it would have exceeded the claim without those before.
    """

    data: tuple[Hashable, ...]
    releases: tuple[Release, ...]
    place: int
    alone: bool

    @property
    def release(self) -> Release:
        """The release that exceeds the claim."""
        return self.releases[self.place]

    def total(self, *releases: Release) -> float:
        """Return what releases charge, in epsilon; infinite where nothing bounds it."""
        return math.fsum(one.charges[datum].epsilon for one in releases for datum in self.data if datum in one.charges)


@dataclass(frozen=True)
class GuardedRun:
    """A guarded run without a budget.

    Parameters
    ----------
    leaks, ledger, refusals : what leaked, what was released, and what a mechanism could not release.
    read : the numbers that leaked first at a line after some actions; None where they are not known.
    """

    leaks: tuple[Leak, ...]
    ledger: Ledger
    refusals: tuple[ReleaseRefusedError, ...]
    read: dict[tuple[Place, tuple[int, ...]], Any]


def guarded_run(
    target: Target, game: Game, table: Table, seed: int, taken: Taken, coins: int | None = None
) -> GuardedRun | None:
    """Return what a guarded run on a table shows; None if the policy fails with wrapped rewards.

    Where rewards are put into ordinary arrays that the policy keeps, these are wrapped too and it is played again.
    """
    found, arrays = None, set[str]()
    for _ in range(MOST_ARRAYS):
        try:
            found = _run(target, game, table, seed, arrays, taken, seed if coins is None else coins)
        except PrivcheckError:
            return found
        filled = {name for leak in found.leaks if (name := _filled(leak))}
        if filled <= arrays:
            break
        arrays |= filled
    return found


def _filled(leak: Leak) -> str:
    """Return the attribute with the ordinary array into which a private value was put; nothing for other leaks."""
    name = re.match(r"self\.(\w+)\[", leak.code) if leak.hint.startswith(COLLECT) else None
    return name[1] if name else ""


def _run(target: Target, game: Game, table: Table, seed: int, arrays: set[str], taken: Taken, drawn: int) -> GuardedRun:
    coins, noise = np.random.default_rng([drawn, 0]), np.random.default_rng([seed, 1])
    session = Session(game.relation, game.rewards, None, noise, game.contexts)
    leaked = list[tuple[Place, int, Any]]()

    def on_leak(leak: Leak) -> None:
        session.leaks.append(leak)
        numbers = [np.asarray(value.reveal(REVEAL), float).ravel().tolist() for value in session.source.refused]
        leaked.append(((leak.file, leak.line), session.round, numbers or None))

    session.source.on_leak = on_leak
    generator = session.generator(coins)
    with taken.from_elsewhere(generator, drawn), translated(target.build):
        policy = target.build(generator)
        if arrays:
            _wrap(policy, arrays)
            if game.contexts is None:
                policy = _Wrapped(policy, kind(target.feedback), arrays)
        actions = drive_guarded(policy, table, session, target.feedback).actions
    read = dict[tuple[Place, tuple[int, ...]], Any]()
    for place, number, numbers in leaked:
        read.setdefault((place, tuple(actions[:number])), numbers)
    return GuardedRun(tuple(session.leaks), session.ledger, tuple(session.refusals), read)


def is_noised(place: Place, runs: list[GuardedRun]) -> bool:
    """Tell whether the numbers that leak at a line may differ between runs of a stream with the same actions before."""
    found, compared = dict[tuple[int, ...], Any](), False
    for run in runs:
        for (where, before), numbers in run.read.items():
            if where == place:
                compared = compared or before in found
                if numbers is None or found.setdefault(before, numbers) != numbers:
                    return True
    return not compared


def _wrap(policy: Any, arrays: set[str]) -> None:
    """Turn arrays of floats that a policy keeps into private ones, which rewards can be added to."""
    for name, value in list(getattr(policy, "__dict__", {}).items()):
        if name in arrays and type(value) is np.ndarray and value.dtype == np.float64 and value.ndim:
            setattr(policy, name, Private.public(value))


class _Wrapped:
    """A policy some of whose arrays are wrapped before every call."""

    def __init__(self, policy: Any, by: Feedback, arrays: set[str]) -> None:
        self._policy, self._kind, self._arrays = policy, by, arrays

    def select(self, *asked: Any) -> Any:
        _wrap(self._policy, self._arrays)
        return getattr(self._policy, self._kind.chooses)(*asked)

    act = select

    def update(self, *told: Any) -> None:
        _wrap(self._policy, self._arrays)
        getattr(self._policy, self._kind.learns)(*told)

    learn = update

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return public_attribute(self._kind, self._policy, name)

    def recommend(self) -> Any:
        return self._policy.recommend()


def overspent(ledger: Ledger, claim: Claim, rounds: tuple[int, ...]) -> Overspent | None:
    """Return the first release that exceeds the claim, for a datum of these rounds if one of them is exceeded.

    Under "group:k" the data of these rounds are charged together.
    """
    if claim.budget is None:
        return None
    limit = BudgetFilter(claim.budget, claim.accountants)
    own = [datum for datum in ledger.paid if (datum[0] if isinstance(datum, tuple) else datum) in rounds]
    together = [tuple(own)] if ledger.group_size > 1 else []
    for data in (*together, *((datum,) for datum in (*own, *ledger.paid))):
        if (found := _of(data, ledger, limit)) is not None:
            return found
    return None


def _of(data: tuple[Hashable, ...], ledger: Ledger, limit: BudgetFilter) -> Overspent | None:
    """Return the release by which these data exceed the limit together."""
    paid = limit.new_ledger(ledger.group_size, ledger.what)
    charging = [release for release in ledger.releases if any(datum in release.charges for datum in data)]
    for place, release in enumerate(charging):
        charge = {datum: release.charges[datum] for datum in data if datum in release.charges}
        try:
            limit.check(paid, charge, release.location)
        except ReleaseRefusedError:
            alone = not limit.fits(limit.new_ledger(ledger.group_size, ledger.what), charge)
            return Overspent(data, tuple(charging), place, alone)
        moved = {datum: release.sensitivities.get(datum, 0.0) for datum in charge}
        paid.record(release.round, release.mechanism, release.scale, moved, charge, release.location)
    return None
