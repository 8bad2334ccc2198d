"""What contradicts a certificate: releases that move further than was computed, and losses above the bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from privcheck.accounting import BudgetFilter, ByDatum, Pure, ReleaseRefusedError
from privcheck.arrays import Array, Table
from privcheck.certifying._noisy_replay import Played, Player
from privcheck.certifying._outside.playing_again import NOT_THE_SAME
from privcheck.certifying._replay import Build, differing
from privcheck.errors import PrivcheckError
from privcheck.feedback import kind
from privcheck.mechanisms import DivergenceError, Mechanism, RecordedRelease
from privcheck.targets import Claim, Game

SLACK = 4e-9
"""Relative: what the noise is larger for, so that rounding is covered."""

ROUNDED = 4.0 * 2.0**-53
"""What rounding moves each of the numbers that are added up, relative to their magnitude."""

PAIRS = 4
"""Neighbouring streams on which guarded runs are compared."""

DISTANCES: dict[str, Callable[[Array], float]] = {
    "L1": lambda change: float(np.abs(change).sum()),
    "L2": lambda change: float(np.linalg.norm(change)),
    "Frobenius": lambda change: float(np.linalg.norm(change)),
    "range of score differences": lambda change: float(np.ptp(change)) if change.size else 0.0,
    "number of changed entries": lambda change: float(np.count_nonzero(change)),
}
"""How far two values are apart, by the norm of a mechanism's sensitivity; for other norms it is not measured."""


def distance(mechanism: Mechanism, one: Any, two: Any) -> float | None:
    """Return how far the values behind a release are apart, in the norm of the mechanism; None if that is not known.

    >>> from privcheck.mechanisms import Laplace
    >>> distance(Laplace(sensitivity=1.0, epsilon=1.0), [0.0, 1.0], [0.5, 0.0])
    1.5
    """
    measure = DISTANCES.get(mechanism.sensitivity_norm)
    change = np.asarray(one, np.float64) - np.asarray(two, np.float64)
    return None if measure is None else measure(change)


def too_far(
    releases: Sequence[RecordedRelease], values: Sequence[Any], bounds: Iterable[float | None], rounds: int
) -> Iterator[str]:
    """Yield a sentence for each release that neighbouring streams move further than a datum can, as it was computed.

    Parameters
    ----------
    releases : those on the first stream.
    values : what is behind the same releases on the second.
    bounds : for each the sensitivity; None if there is none.
    rounds : T. At most so many numbers were added up, each with its rounding.
    """
    for number, (release, value, bound) in enumerate(zip(releases, values, bounds, strict=False), 1):
        if value is release.value:  # as a tape gives it back; most of them
            continue
        found = distance(release.mechanism, release.value, value)
        if found is None or bound is None or found <= bound:
            continue
        sizes = float(np.abs(release.value).sum() + np.abs(np.asarray(value)).sum())
        if found > (bound + ROUNDED * (rounds + 8) * sizes) * (1.0 + SLACK):
            name = getattr(release.mechanism, "id", type(release.mechanism).__name__)
            yield (
                f"release {number} ({name}) moves by {found:.6g} between neighbouring streams with the same releases "
                f"before it, but at most by {bound:.6g} as it was computed"
            )
            return


def declared(releases: Sequence[RecordedRelease], data: int) -> list[float | None]:
    """Return the sensitivities that the mechanisms declare, for so many data together."""
    found = [getattr(release.mechanism, "sensitivity", None) for release in releases]
    return [None if one is None else data * float(one) for one in found]


def above_budget(
    releases: Sequence[RecordedRelease], values: Sequence[Any], claim: Claim, loss: float | None
) -> Iterator[str]:
    """Yield a sentence if what was measured costs more than the budget: an exact loss, or the charges of distances."""
    budget = claim.budget
    if budget is None:
        return
    if isinstance(budget, Pure):
        rounded = sum(map(_rounding_loss, releases, values)) if loss is not None and loss > budget.epsilon else 0.0
        if loss is not None and loss > budget.epsilon * (1.0 + 1e-6) + rounded:
            yield f"the exact loss of a replayed transcript is {loss:.6g}, above the bound {budget.epsilon:.6g}"
        return
    by = BudgetFilter(budget, claim.accountants)
    ledger = by.new_ledger(1, "reward")
    for number, (release, value) in enumerate(zip(releases, values, strict=False), 1):
        found = distance(release.mechanism, release.value, value)
        if not found:
            continue
        exact = release.mechanism.integers is not None  # what integers move is not rounded, and is an integer
        charges = ByDatum.of({0: release.mechanism.charge(found if exact else found * (1.0 - 1e-6))})
        try:
            by.check(ledger, charges, "a replay")
        except ReleaseRefusedError:
            yield f"what releases 1 to {number} move between neighbouring streams costs more than the budget, {budget}"
            return
        ledger.record(
            0, type(release.mechanism).__name__, release.mechanism.scale, ByDatum.of({0: found}), charges, "a replay"
        )


@dataclass(frozen=True)
class GuardedRun:
    """What a guarded run showed.

    Parameters
    ----------
    actions, releases : what it played and released.
    computed : for each release, how far each datum can move it; None if that is not known.
    failure : how the code as it is differs from it, in words; nothing if it does not.
    plain : what the code as it is played then.
    """

    actions: list[int]
    releases: list[RecordedRelease]
    computed: list[Mapping[Any, float] | None]
    failure: str = ""
    plain: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, played: Played | None, failure: str = "", plain: Sequence[int] = ()) -> GuardedRun | None:
        """Return what a run showed; None for one that leaked or failed."""
        if played is None:
            return None
        return cls(played.actions, played.session.releases, played.session.computed, failure, list(plain))

    @property
    def played(self) -> tuple[list[int], str, list[int]]:
        """What equal runs have in common: the actions, and how and with which actions the code as it is differs."""
        return self.actions, self.failure, self.plain


def _rounding_loss(release: RecordedRelease, value: Any) -> float:
    """Return what rounding numbers of the size of a released value may add to the loss; infinity if too much."""
    sizes = float(np.abs(release.value).sum() + np.abs(np.asarray(value)).sum())
    try:
        return float(release.mechanism.charge(16.0 * ROUNDED * sizes).epsilon)
    except PrivcheckError:
        return math.inf


def _played(run: GuardedRun | str | None) -> Any:
    return run.played if isinstance(run, GuardedRun) else run


KEPT_STATE = (
    "the second policy of a process plays otherwise than the first, on the same rewards with the same coins and noise, "
    "under the guard too: the code keeps something else than rewards, such as a count of policies or seeds, from one "
    "policy to the next; keep it in the policy, or draw it from the Generator that the policy is given"
)

Run = Callable[[], GuardedRun | str | None]
R = TypeVar("R")


def with_first_runs(
    pairs: Iterable[tuple[Table, Table]], play: Callable[[Table], R]
) -> Iterator[tuple[Table, Table, R]]:
    """Yield pairs of streams, each with the run on its first; pairs that share that stream share the run.

    >>> zeros, ones = np.zeros((1, 2)), np.ones((1, 2))
    >>> played = []
    >>> [run for _, _, run in with_first_runs([(zeros, ones), (zeros, zeros)], lambda first: played.append(first))]
    [None, None]
    >>> len(played)
    1
    """
    runs: dict[bytes, R] = {}
    for first, second in pairs:
        if (key := first.tobytes()) not in runs:
            runs[key] = play(first)
        yield first, second, runs[key]


class Contradictions:
    """What was found that cannot be if the certificate is right.

    Parameters
    ----------
    claim, game, rounds : what is certified.

    Attributes
    ----------
    guarded : sentences about guarded runs: the bound itself is contradicted.
    plain : sentences about runs of the code without the guard.
    unsettled : notes on code that does not repeat itself, so that what differs contradicts nothing.
    """

    def __init__(self, claim: Claim, game: Game, rounds: int) -> None:
        self.guarded: dict[str, None] = {}
        self.plain: dict[str, None] = {}
        self.unsettled: dict[str, None] = {}
        self._claim, self._game, self._rounds = claim, game, rounds

    def replayed(self, first: Table, second: Table, forced: Any) -> None:
        """Look at a replay of the code as it is; `forced` is its tape, after the run on the second stream."""
        data = self._data(first, second)
        releases = forced.recorded
        found = list(too_far(releases, forced.values, declared(releases, data), self._rounds))
        if forced.is_finished:
            found += above_budget(releases, forced.values, self._claim, abs(forced.log_ratio))
        if not self.plain:
            self.plain |= dict.fromkeys(f"without the guard, {sentence}" for sentence in found[:1])

    def of_guarded(self, build: Build, pairs: Sequence[tuple[Table, Table]], seed: int, feedback: str) -> None:
        """Look at guarded runs on neighbouring streams, the second with the releases of the first."""
        player = self.player(build, feedback)

        def played(table: Table, other: GuardedRun | None) -> GuardedRun | str | None:
            try:
                return GuardedRun.of(player.guarded(table, seed, None if other is None else other.releases))
            except DivergenceError as divergence:
                return str(divergence)

        for first, second, one in with_first_runs(pairs[:PAIRS], lambda first: played(first, None)):
            if isinstance(one, GuardedRun):
                again = partial(played, first, None), partial(played, second, one)
                self.compared(first, second, one, played(second, one), feedback, again)

    def player(self, build: Build, feedback: str) -> Player:
        """Return what plays the policy with the settings of the certificate."""
        return Player(build, feedback, self._game.contexts, self._game.relation, self._game.rewards)

    def compared(
        self,
        first: Table,
        second: Table,
        one: GuardedRun,
        two: GuardedRun | str | None,
        feedback: str,
        again: tuple[Run, Run],
        *,
        keeps_state: bool = False,
    ) -> None:
        """Compare a guarded run with one on a neighbouring stream that makes the same releases, or cannot.

        Parameters
        ----------
        again : plays the two runs again. If these differ from what they were, there is no contradiction.
        keeps_state : whether the code plays otherwise as the second policy of a process, also under the guard: then
            runs of the code as it is, which come second, contradict nothing.
        """
        guarded, plain = self._between(first, second, one, two, feedback)
        if keeps_state:
            self.unsettled[KEPT_STATE], plain = None, {}
        if (guarded or plain) and any(
            _played(play()) != _played(run) for play, run in zip(again, (one, two), strict=True)
        ):
            self.unsettled[NOT_THE_SAME] = None
            return
        self.guarded |= guarded
        self.plain |= plain

    def _between(
        self, first: Table, second: Table, one: GuardedRun, two: GuardedRun | str | None, feedback: str
    ) -> tuple[dict[str, None], dict[str, None]]:
        """Return what two runs contradict, in sentences about guarded runs and about the code as it is."""
        if two is None:
            return {}, {}
        if isinstance(two, str):
            return {f"in guarded runs on neighbouring streams, {two}": None}, {}
        guarded = dict[str, None]()
        changed = np.flatnonzero((first != second).any(axis=1)).tolist()
        own = set(kind(feedback).hidden(changed))
        if differing(one.actions, two.actions, own):
            words = "guarded runs on neighbouring streams with the same coins and releases play different actions"
            guarded[words] = None
        values = [release.value for release in two.releases]
        bounds = [_of_data(found, set(changed)) for found in one.computed]
        found = list(too_far(one.releases, values, bounds, self._rounds))
        found = found or list(above_budget(one.releases, values, self._claim, None))
        guarded |= dict.fromkeys(f"in guarded runs, {sentence}" for sentence in found)
        return guarded, dict.fromkeys(run.failure for run in (one, two) if run.failure)

    def _data(self, first: Table, second: Table) -> int:
        """Return how many data differ between two streams."""
        changed = first != second
        return int(changed.sum() if self._game.relation.unit == "reward" else changed.any(axis=1).sum())


def _of_data(computed: Mapping[Any, float] | None, changed: set[int]) -> float | None:
    """Return the sum of the sensitivities of the data of some rounds, from 0; None if they were not computed."""
    if computed is None:
        return None
    rounds = {t + 1 for t in changed}
    return math.fsum(s for datum, s in computed.items() if (datum[0] if isinstance(datum, tuple) else datum) in rounds)
