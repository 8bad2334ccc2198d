r"""Whether a difference of two replays is due to the data, or may be due to random numbers that nobody declared.

Two runs that differ on neighbouring streams may differ on equal ones as well, and noise that was never linked to what
it hides looks like raw data. A difference is therefore repeated, `TIMES` times on the pair and as often on the first
stream with itself, before it is called a divergence.

*No undeclared randomness is seen.* All runs have the same coins, and k of n runs on the second stream and l of n runs
on the first differ from the recorded one. Fisher's exact test of the two counts has to reject at `LEVEL`.

*Undeclared random numbers are drawn, or declared noise is read alone.* Each repetition draws them anew. Let E be the
event that the output at the place of the difference is another one than the recorded. If those numbers are noise that
keeps the claim, P(E on the second) <= e^c P(E on the first) + delta, where c is epsilon plus the loss of what was
forced, which is negative if that is likelier on the second stream. So besides Fisher's test, Clopper and Pearson's
limits of the two probabilities have to contradict that inequality. A raw output passes: on the first stream it is the
recorded one whatever those numbers are. The actions before that place are the recorded ones, whatever the policy
chooses: its coins of exploration, which hide nothing, would otherwise change all that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from privcheck.accounting import Approximate, Concentrated, GaussianDP, Notion, convert
from privcheck.arrays import Table
from privcheck.certifying._primitives.drawn_noise import OTHER_NOISE
from privcheck.certifying._primitives.measured_distance import numbers
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls, Measured
from privcheck.certifying._primitives.watched_draws import watching
from privcheck.certifying._replay import FEWER_RELEASES, Difference, differing
from privcheck.inference import clopper_pearson
from privcheck.mechanisms import DivergenceError

TIMES = 200
"""Repetitions on the pair, and on its first stream with itself."""

LEVEL = 1e-6
"""The probability with which a difference that is not due to the data is called a divergence."""

MOST_TRIED = 4
"""Differences that are repeated at most: the one of each kind that leaves noise the least to explain, then others."""

MOST_PLACES = 5
"""Places of an output that are compared at most."""

DELTA = 0.01
"""The delta at which a budget in zCDP or Gaussian DP is compared with probabilities."""

NOT_FOUND = "random numbers whose source was not found: equal streams differ, too"

Play = Callable[[Table, ForcedCalls, int, int, Sequence[int]], list[Any]]
"""Plays a table with a tape, the seed of the coins, the number of other coins, and the actions of the first rounds."""

Wrong = Callable[[Table, Sequence[Measured]], set[str]]
"""Returns the places that would be wrong if one datum had moved the inputs of one run so."""


@dataclass(frozen=True)
class Repeated:
    """Plays streams again.

    Parameters
    ----------
    play : plays one.
    drawn : names of generators without stand-ins that the last run drew from.
    budget : of the claim; None without one.
    in_rounds : whether outputs are the actions of rounds, not the parts of one output.
    """

    play: Play
    drawn: Callable[[], list[str]]
    budget: Notion | None
    in_rounds: bool

    def explanations(self, differences: list[Difference]) -> list[str]:
        """Return the randomness that may explain all differences, in words; nothing if data have to explain one."""
        easiest = sorted(differences, key=lambda one: (len(_read_alone(one.forced)), self._loss_before(one)))
        kinds = {_kind(one.reason): one for one in reversed(easiest)}
        found: dict[str, None] = {}
        for one in list(dict.fromkeys([*kinds.values(), *easiest]))[:MOST_TRIED]:
            why = self._explanation(one)
            if not why:
                return []
            found |= dict.fromkeys(why)
        return list(found)

    def equals_differ(self, first: Table, tape: CallTape, seed: int) -> list[str]:
        """Return what makes runs on one stream release other inputs though their coins are alike; else nothing."""
        for _ in range(TIMES):
            forced = ForcedCalls([], tape=tape)
            _, ended = self._outcome(first, forced, seed, 0, ())
            if ended or any(one.distance for one in forced.measured):
                return self.drawn_on(first, tape, seed) or [NOT_FOUND]
        return []

    def moved_by_coins(
        self,
        first: Table,
        tape: CallTape,
        seed: int,
        actions: Sequence[int],
        wrong: set[str],
        alone: Wrong,
        differed: bool,
    ) -> set[str]:
        """Return the places that are wrong on neighbours, and also on equal data with other coins.

        Coins that move the input of a release as far as a datum does may hide the datum, and so may declared noise that
        was read alone. If replays differed for coins, these may lead to other calls, and what is not reached then is
        open as well.
        """
        moved, lost = set[str](), frozenset(self._lost(first, tape, seed, actions))
        for number in range(1, TIMES + 1):
            forced = ForcedCalls([], tape=tape, anew=lost)
            _, ended = self._outcome(first, forced, seed, number, actions)
            moved |= wrong & alone(first, forced.measured)
            if ended and differed:
                moved |= wrong - {one.made.location for one in forced.measured}
            if moved == wrong:
                break
        return moved

    def _explanation(self, one: Difference) -> list[str]:
        """Return the randomness that may explain a difference; nothing if the data have to."""
        lost = _read_alone(one.forced)
        why = [*self.drawn_on(one.first, one.tape, one.seed), *(_lost_words(one.forced, number) for number in lost)]
        places = differing(one.actions, one.played, one.own)[:MOST_PLACES] if one.is_of_outputs else []
        pair, alone = (
            self._counts(one, table, places, frozenset(lost), bool(why)) for table in (one.second, one.first)
        )
        allowed = self._allowed(one) if why else (0.0, 0.0)
        level = LEVEL / len(pair)
        if any(_rejects(k, l, allowed, level) for k, l in zip(pair, alone, strict=True)):
            return []
        return list(dict.fromkeys(why)) or [NOT_FOUND]

    def drawn_on(self, first: Table, tape: CallTape, seed: int) -> list[str]:
        """Return what undeclared random numbers a run on a stream draws, in words."""
        with watching() as found:
            self._outcome(first, ForcedCalls([], tape=tape), seed, 0, ())
        return list(found) or self.drawn()

    def lost_on(self, first: Table, tape: CallTape, seed: int) -> list[str]:
        """Return what declared noise a run on a stream reads alone, in words."""
        return list(self._lost(first, tape, seed, ()).values())

    def _lost(self, first: Table, tape: CallTape, seed: int, actions: Sequence[int]) -> dict[int, str]:
        forced = ForcedCalls([], tape=tape)
        self._outcome(first, forced, seed, 0, actions)
        alone = {number: _lost_words(forced, number) for number in _read_alone(forced)}
        return {number: why for number, why in alone.items() if OTHER_NOISE not in why}

    def _counts(
        self, one: Difference, table: Table, places: list[int], anew: frozenset[int], others: bool
    ) -> list[int]:
        """Return in how many runs the output at each place is not the recorded one; without places, how many end."""
        counts = [0] * max(1, len(places))
        for number in range(1, TIMES + 1):
            forced = ForcedCalls([], tape=one.tape, anew=anew)
            led = one.actions[: places[0]] if places else one.actions
            played, ended = self._outcome(table, forced, one.seed, number if others else 0, led if others else ())
            if not (places or ended or forced.is_finished):
                ended = FEWER_RELEASES
            for place in range(len(counts)):
                counts[place] += (
                    _is_another(one, played, places[place]) if places else _kind(ended) == _kind(one.reason)
                )
        return counts

    def _outcome(
        self, table: Table, forced: ForcedCalls, seed: int, again: int, led: Sequence[int]
    ) -> tuple[list[Any], str]:
        """Return what is played, and the reason if the run ends by a divergence."""
        try:
            return self.play(table, forced, seed, again, led), ""
        except DivergenceError as divergence:
            return divergence.actions, str(divergence)

    def _allowed(self, one: Difference) -> tuple[float, float]:
        """Return the log-ratio of the probabilities of an event, and the difference, that the claim allows."""
        if self.budget is None:
            return math.inf, 0.0
        budget: Any = self.budget
        if isinstance(budget, Concentrated | GaussianDP):
            budget = convert(budget, Approximate, delta=DELTA)
        return max(0.0, float(budget.epsilon) + self._loss_before(one)), float(getattr(budget, "delta", 0.0))

    def _loss_before(self, one: Difference) -> float:
        """Return the log-ratio of what was forced before the first output that differs.

        A release in the round of that output comes before or after it; the larger of the two sums is returned.
        """
        places = differing(one.actions, one.played, one.own)
        measured, stop = one.forced.measured, places[0] + 1 if places and self.in_rounds else math.inf
        earlier = math.fsum(each.log_ratio for each in measured if each.round < stop)
        return max(earlier, math.fsum(each.log_ratio for each in measured if each.round <= stop))


def _rejects(k: int, l: int, allowed: tuple[float, float], level: float) -> bool:
    """Tell whether k of `TIMES` runs are too many beside l for a log-ratio and a difference of their probabilities.

    >>> _rejects(200, 0, (1.0, 0.0), 1e-6), _rejects(200, 150, (1.0, 0.0), 1e-6), _rejects(20, 0, (3.0, 0.0), 1e-6)
    (True, False, False)
    """
    from scipy.stats import fisher_exact

    fisher = float(fisher_exact([[k, TIMES - k], [l, TIMES - l]], alternative="greater").pvalue)
    if fisher >= level:
        return False
    ratio, difference = allowed
    if not (ratio or difference):
        return True
    low, high = clopper_pearson(k, TIMES, level / 2.0)[0], clopper_pearson(l, TIMES, level / 2.0)[1]
    return math.log(max(low - difference, math.ulp(0.0))) > ratio + math.log(high)


def _kind(reason: str) -> tuple[str, ...]:
    """Return what tells differences of two kinds apart: their reasons without numbers."""
    return tuple(part for part in reason.split() if not any(letter.isdigit() for letter in part.rstrip(".,:;")))


def _is_another(one: Difference, played: list[Any], place: int) -> bool:
    if place >= len(played) or place >= len(one.actions):
        return True
    return bool(differing(one.actions[place : place + 1], played[place : place + 1], set()))


def _read_alone(forced: ForcedCalls) -> list[int]:
    """Return the 0-based numbers of releases of nothing but noise: 0 on both streams, and known before it was added."""
    found = []
    for number, one in enumerate(forced.measured):
        value = numbers(one.made.value)
        if one.distance == 0.0 and not one.made.is_ours and value is not None and not value.any():
            found.append(number)
    return found


def _lost_words(forced: ForcedCalls, number: int) -> str:
    made = forced.measured[number].made
    return f"{made.name} at {made.location}, {made.read or 'which is given 0'}"
