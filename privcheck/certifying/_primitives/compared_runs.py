"""Record and replay on many pairs of streams: what differs, and what data have to explain of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._explored_streams import replayed_seeds
from privcheck.certifying._primitives.explored import Explored
from privcheck.certifying._primitives.explored_pairs import neighbours
from privcheck.certifying._primitives.player import LED, Player
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls, Operation
from privcheck.certifying._primitives.repeated_differences import Repeated
from privcheck.certifying._replay import Difference, changed_rounds, replayed
from privcheck.feedback import kind
from privcheck.progress import progress
from privcheck.results import ReplayResult
from privcheck.targets import CertifySettings, Claim, Game

TRIED = 12
"""Replays that differ on which it is tried whether they differ with other releases as well."""

MOST_REPLAYS = 500
"""The number of replays above which pairs are replayed with one seed each."""

OTHERS = 3
"""How many more seeds there are in a second way that finds nothing, for each seed of the first one."""

_NONE: frozenset[Operation] = frozenset()


def explored(player: Player, settings: CertifySettings, length: int, count: int) -> Explored:
    """Record and replay a target on streams and their neighbours.

    Parameters
    ----------
    player : plays the target.
    settings : of the certificate.
    length, count : rounds or rows, and arms or columns.
    """
    pairs, streams = neighbours(settings.game, settings.effort, length, count)
    most = min(replayed_seeds(len(pairs) * length), max(1, MOST_REPLAYS // len(pairs)))
    seeds = [settings.effort.seed + k for k in range(most)]
    found = ComparedRuns(player, settings.claim, settings.game, pairs, seeds).explored()
    found.executions = streams
    if player.is_mechanism:
        found.replay = _of_outputs(found.replay)
    return found


@dataclass
class ComparedRuns:
    """What a target does on neighbouring streams.

    Parameters
    ----------
    player : plays it.
    claim, game : of the settings.
    pairs : of streams.
    seeds : of the coins with which each is played.
    """

    player: Player
    claim: Claim
    game: Game
    pairs: list[tuple[Table, Table]]
    seeds: list[int]

    def explored(self) -> Explored:
        """Replay all pairs, and again with other releases if anything is found.

        Each way to divide what the code does into releases bounds the loss, so that one in which nothing is found is
        enough. Noise is released as late as it may be, with all that is added to it; or at once, with the first number
        that is added; or late, and a product with a plain array is no release.
        """
        found = self._settled(*self._least_differing())
        if found.is_clean:
            return found
        player, seeds, first = self.player, self.seeds, self.player.read_first
        more = [*seeds, *(seeds[-1] + 1 + k for k in range(OTHERS * len(seeds)))]
        adding, multiplying = self._operations_on_noise()
        for read_after, keeping in ((adding, _NONE), (_NONE, multiplying)):
            player.read_first, player.read_after, player.keeping = first, read_after, keeping
            if not (read_after or keeping):
                continue
            again = self._anew(seeds[:1])
            if again.is_clean:
                again = self._anew(more)  # what was found is not passed over for a few runs
            if again.is_clean:
                return again
            if found.replay.divergences and not again.replay.divergences and again.left_open <= found.left_open:
                found = self._anew(seeds)  # noise that is too small is no divergence
        return found

    def _anew(self, seeds: list[int]) -> Explored:
        self.seeds = seeds
        return self._settled(*self._least_differing())

    def _settled(self, found: Explored, differences: list[Difference]) -> Explored:
        """Replay until nothing is charged that coins may explain."""
        while more := self._confirmed(found, differences, self.seeds[0]):
            found = Explored(self.claim, self.game, found.moved | more, found.undeclared)
            differences = self._replayed(found)
        return found

    def _least_differing(self) -> tuple[Explored, list[Difference]]:
        """Replay all pairs, and again with other releases if they differ and fewer do then.

        Noise may be released with whatever is added to it. Where a number that has noise is combined with several
        others, as what a step of a fit releases is with every row in the next, that number is the release, and the
        others are compared as they are. Whichever it is, replays without differences show the same.
        """
        found, before = Explored(self.claim, self.game), self.player.read_first
        differences = self._replayed(found)
        if not (differences and self._reads_shared_numbers_first(differences[:: len(differences) // TRIED + 1])):
            return found, differences
        again = Explored(self.claim, self.game)
        differing = self._replayed(again)
        if len(differing) < len(differences):
            return again, differing
        self.player.read_first = before
        return found, differences

    def _reads_shared_numbers_first(self, differences: list[Difference]) -> bool:
        """Read numbers that are combined with several others first, and tell whether fewer of some replays differ then.

        What is combined in later steps shows only when the earlier steps are released rightly.
        """
        best, least, left = self.player.read_first, len(differences), differences
        while left and (shared := self._shared(left)):
            self.player.read_first |= shared
            left = [one for one in differences if self._differs(one)]
            if len(left) < least:
                best, least = self.player.read_first, len(left)
        self.player.read_first = best
        return least < len(differences)

    def _differs(self, one: Difference) -> bool:
        found, pair = list[Difference](), (one.first, one.second)
        replayed(self.player.play, [pair], [one.seed], self._hidden, CallTape, _forced, None, found.append)
        return bool(found)

    def _shared(self, differences: list[Difference]) -> frozenset[Operation]:
        """Return the operations on numbers with noise that are combined with several others, but for those known."""
        self.player.shared = shared = set[Operation]()
        try:
            for one in differences:
                self.player.play(one.first, CallTape(np.random.default_rng([one.seed, 1])), one.seed)
        finally:
            self.player.shared = None
        return frozenset(shared - self.player.read_first)

    def _operations_on_noise(self) -> tuple[frozenset[Operation], frozenset[Operation]]:
        """Return the operations that add numbers to noise on some stream, and those that multiply what has noise."""
        player = self.player
        player.adding, player.multiplying = adding, multiplying = set[Operation](), set[Operation]()
        firsts = {first.tobytes(): first for first, _ in self.pairs}
        try:
            for first in firsts.values():
                for seed in self.seeds:
                    player.play(first, CallTape(np.random.default_rng([seed, 1])), seed)
        finally:
            player.adding = player.multiplying = None
        return frozenset(adding), frozenset(multiplying)

    def _replayed(self, found: Explored) -> list[Difference]:
        """Replay all pairs, and return what differs."""
        differences: list[Difference] = []
        with progress(f"replaying {self.player.target.name}", len(self.pairs) * len(self.seeds)) as advance:

            def seen(first: Table, second: Table, tape: ForcedCalls) -> None:
                own = [one for one in differences[-1:] if one.forced is tape and one.is_of_outputs]
                found.add(first, second, tape, own[0].rounds_alike if own and not self.player.is_mechanism else None)
                advance(1)

            play, hidden = self.player.play, self._hidden
            found.replay = replayed(play, self.pairs, self.seeds, hidden, CallTape, _forced, seen, differences.append)
        return differences

    @property
    def _hidden(self) -> Callable[[list[int]], list[int]]:
        return _none_hidden if self.player.is_mechanism else kind(self.player.target.feedback).hidden

    def _confirmed(self, found: Explored, differences: list[Difference], seed: int) -> set[str]:
        """Take back what undeclared random numbers may explain; return the places that are not to be charged."""
        player = self.player
        repeated = Repeated(player.play, lambda: player.coins.drawn, found.budget, not player.is_mechanism)
        differed: list[str] = []
        if differences and (differed := repeated.explanations(differences)):
            found.undeclared = list(dict.fromkeys([*found.undeclared, *differed]))
            found.replay = replace(found.replay, divergences=0, first_divergence=None)
        if not found.too_much or found.replay.divergences:
            return set()
        first = max(found.too_much, key=lambda table: float(np.abs(table).sum()))  # noise beside 0 looks alone
        tape = CallTape(np.random.default_rng([seed, 1]))
        actions = player.play(first, tape, seed)
        if why := repeated.equals_differ(first, tape, seed):
            found.take_back(why)
            return set()
        if not (differed or player.is_mechanism or player.target.feedback in LED):
            return set()  # other coins choose other actions, and these lead to other inputs
        moved = repeated.moved_by_coins(
            first, tape, seed, actions, found.places, found.refused_alone, differed=bool(differed)
        )
        if moved:
            why = [*repeated.drawn_on(first, tape, seed), *repeated.lost_on(first, tape, seed)]
            found.undeclared = list(dict.fromkeys([*found.undeclared, *why]))
        return moved


def _none_hidden(rounds: list[int]) -> list[int]:  # noqa: ARG001
    return []


def _forced(tape: CallTape) -> ForcedCalls:
    return ForcedCalls([], tape=tape)


def _of_outputs(found: ReplayResult) -> ReplayResult:
    """Return what was found about outputs, which are not the actions of rounds."""
    first = found.first_divergence
    if first is None:
        return found
    reason = first.reason.replace("the actions differ", "the outputs differ")
    own = replace(
        first,
        round=changed_rounds(first.first, first.second)[0] + 1,
        actions_first=(),
        actions_second=(),
        reason=reason,
    )
    return replace(found, first_divergence=own)
