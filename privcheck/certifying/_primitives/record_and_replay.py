"""Record and replay of third-party code: what its noise primitives are given on neighbouring streams."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from privcheck.accounting import BudgetFilter, Charge, Ledger, ReleaseRefusedError, spent
from privcheck.arrays import Table
from privcheck.certifying._build_certificate import build_certificate
from privcheck.certifying._execution import drive
from privcheck.certifying._explored_streams import MOST_ROUNDS, changed_tables, random_table, replayed_seeds
from privcheck.certifying._primitives.hooks import Hooks, metric_name, running
from privcheck.certifying._primitives.patching import ONE_AT_A_TIME, patched
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls, Measured
from privcheck.certifying._primitives.recorded_generators import (
    Coins,
    gauss_hook,
    recorded_generator,
    recording_noise,
    stand_ins,
)
from privcheck.certifying._primitives.shipped_declarations import declared
from privcheck.certifying._primitives.unread_noise import Noise, UnreadNoise
from privcheck.certifying._replay import replayed
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import kind
from privcheck.mechanisms import DivergenceError, recording
from privcheck.privacy import Contexts
from privcheck.progress import progress
from privcheck.results import Certificate, PrimitiveUse, ReplayResult
from privcheck.targets import CertifiedEffort, CertifySettings, Claim, Game, Loaded, Target, describe_exception

MOST_REPLAYS = 500
"""The number of replays above which pairs are replayed with one seed each."""


def recorded_certificate(loaded: Loaded, settings: CertifySettings) -> Certificate:
    """Return what record and replay find about a policy or mechanism whose primitives are declared.

    The code runs on a stream; the private input and the output of every call of a primitive is kept. It runs again on a
    neighbour, with the same coins, and every call returns the recorded output. If the runs then differ, by an action,
    an output, or what is called where and with what parameters, raw data steered them. Otherwise the loss of the
    transcript is at most what the calls cost at the distances of their inputs, added up.

    Raises
    ------
    PrivcheckError : a target that fails, a primitive that cannot be replaced, a certificate within another one.
    """
    noise, primitives = declared(settings.game.primitives)
    count = loaded.arms(settings.game.arms)
    claim, game = loaded.settled(settings.claim, settings.game, count)
    settings = replace(settings, claim=claim, game=game)
    length = game.rounds(count, loaded.warm_up(claim, game, count))
    target = loaded.target(claim, game, length, count)
    if not ONE_AT_A_TIME.acquire(blocking=False):
        raise PrivcheckError("primitives", words("a second certificate"), "one at a time", "they replace functions")
    hooks, coins = Hooks(), Coins(_modules() if "numpy" in noise else [])
    try:
        with patched() as patches:
            for primitive in primitives:
                hooks.install(primitive, patches)
            if "numpy" in noise:
                patches.objects([*stand_ins(), *coins.pairs])
            if "random" in noise:
                _patch_random(patches)
            player = Player(target, game.contexts, coins, bool(noise))
            explored = player.explored(settings, length, count)
    finally:
        coins.restore()
        ONE_AT_A_TIME.release()
    notes = [
        f"{left} keeps a function that was replaced: calls through it are not seen"
        for left in dict.fromkeys(patches.unreachable)
    ]
    notes += [
        f"{name} was called {times} times in another thread: these calls were not recorded"
        for name, times in sorted(hooks.elsewhere.items())
    ]
    return explored.certificate(target, settings, length, notes)


def _modules() -> list[ModuleType]:
    """Return the modules whose generators may be the coins of a target: all but numpy's own."""
    found = [module for name, module in list(sys.modules.items()) if not name.startswith(("numpy", "privcheck."))]
    return [module for module in found if isinstance(module, ModuleType)]


def _patch_random(patches: Any) -> None:
    import random

    for name in ("gauss", "normalvariate"):
        patches.function(getattr(random.Random, name), gauss_hook(name))


class Player:
    """Plays a target with recorded primitives."""

    def __init__(self, target: Target, contexts: Contexts | None, coins: Coins, noise: bool) -> None:
        self.target, self.contexts, self.coins, self.noise = target, contexts, coins, noise

    def explored(self, settings: CertifySettings, length: int, count: int) -> Explored:
        """Record and replay on streams and their neighbours."""
        pairs, streams = neighbours(settings.game, settings.effort, length, count)
        most = min(replayed_seeds(len(pairs) * length), max(1, MOST_REPLAYS // len(pairs)))
        seeds = [settings.effort.seed + k for k in range(most)]
        found = Explored(settings.claim, settings.game)
        hidden = _none_hidden if self._is_mechanism else kind(self.target.feedback).hidden
        with progress(f"replaying {self.target.name}", len(pairs) * len(seeds)) as advance:

            def seen(first: Table, second: Table, tape: ForcedCalls) -> None:
                found.add(first, second, tape)
                advance(1)

            found.replay = replayed(self.play, pairs, seeds, hidden, CallTape, _forced, seen)
        found.executions = streams
        if self._is_mechanism:
            found.replay = _of_outputs(found.replay)
        return found

    @property
    def _is_mechanism(self) -> bool:
        return self.target.feedback == "mechanism"

    def play(self, table: Table, tape: CallTape | ForcedCalls, seed: int) -> list[Any]:
        """Return the actions, or the numbers of a mechanism's output."""
        self.coins.start(seed)
        rng = recorded_generator(np.random.PCG64([seed, 0]))
        try:
            with running(tape), self._recording(tape, seed):
                played = self._output(table, tape, rng) if self._is_mechanism else self._actions(table, tape, rng)
        except PrivcheckError as error:
            if isinstance(tape, CallTape):
                raise
            raise tape.divergence or DivergenceError(f"the run fails on one stream only: {error}") from None
        if isinstance(tape, ForcedCalls) and tape.divergence is not None:
            raise tape.divergence
        return played

    @contextmanager
    def _recording(self, tape: CallTape | ForcedCalls, seed: int) -> Iterator[None]:
        if not self.noise:
            yield
            return
        with recording_noise(Noise(tape, np.random.Generator(np.random.PCG64([seed, 2])))):
            yield

    def _actions(self, table: Table, tape: Any, rng: np.random.Generator) -> list[Any]:
        policy = self.target.build(rng)
        return drive(policy, table, tape, self.target.feedback, self.contexts)

    def _output(self, table: Table, tape: Any, rng: np.random.Generator) -> list[Any]:
        data = table[:, 0].copy() if self.target.arms == 0 else table.copy()
        function = self.target.mechanism
        tape.clock = lambda: len(table)
        try:
            with recording(tape):
                return flat(_called(function, data, rng))
        except (DivergenceError, PrivcheckError, KeyboardInterrupt):
            raise
        except BaseException as error:
            got = words(describe_exception(error))
            raise PrivcheckError("target", got, "a mechanism that returns an output") from None


def _none_hidden(rounds: list[int]) -> list[int]:  # noqa: ARG001
    return []


def _called(function: Any, data: Any, rng: np.random.Generator) -> Any:
    from privcheck.targets import is_measurement

    return function(data.tolist()) if is_measurement(function) else function(data, rng)


def _forced(tape: CallTape) -> ForcedCalls:
    return ForcedCalls([], tape=tape)


def _of_outputs(found: ReplayResult) -> ReplayResult:
    """Return what was found about outputs, which are not the actions of rounds."""
    first = found.first_divergence
    if first is None:
        return found
    changed = np.flatnonzero((first.first != first.second).any(axis=1))
    reason = first.reason.replace("the actions differ", "the outputs differ")
    own = replace(first, round=int(changed[0]) + 1, actions_first=(), actions_second=(), reason=reason)
    return replace(found, first_divergence=own)


def flat(output: Any) -> list[Any]:
    """Return the parts of an output in order, with the lengths of its lists.

    >>> flat([1, (2.0, None)]), flat(np.ones(2))
    ([2, 1, 2, 2.0, None], [2, 1.0, 1.0])
    """
    if isinstance(output, UnreadNoise):
        output = output._value()
    if isinstance(output, dict):
        output = sorted(output.items(), key=repr)
    if isinstance(output, np.ndarray | np.generic):
        output = output.tolist()
    if isinstance(output, list | tuple):
        return [len(output), *(part for item in output for part in flat(item))]
    return [output if isinstance(output, bool | int | float | str | bytes | type(None)) else type(output).__name__]


def neighbours(game: Game, effort: CertifiedEffort, length: int, count: int) -> tuple[list[tuple[Table, Table]], int]:
    """Return pairs of neighbouring streams, and the number of first streams.

    The second one has a round at the other end of the range, or drawn again.

    The streams are all low, all high, and random: at the ends of the range or inside it.
    """
    rng = np.random.default_rng([effort.seed, 0])
    columns = max(count, 1)
    most = max(2, MOST_ROUNDS // (length * min(length, 100)))
    low, high = game.rewards
    tables = [random_table(rng, length, columns, game, number) for number in range(max(1, effort.runs - 2))]
    if game.contexts is None:
        tables[1:1] = [np.full((length, columns), end) for end in (low, high)]
    pairs = []
    tables = tables[: min(effort.runs, most)]
    for table in tables:
        moved = changed_tables(rng, table, columns, game)
        pairs += moved
        for one, two in moved[:: max(1, len(moved) // 4)]:
            drawn = two.copy()
            places = one[:, :columns] != two[:, :columns]
            drawn[:, :columns][places] = rng.uniform(low, high, int(places.sum()))
            if (drawn != one).any():
                pairs.append((one, drawn))
    return pairs, len(tables)


class Explored:
    """What replays have shown: the uses of each primitive, the largest loss, and what is wrong."""

    def __init__(self, claim: Claim, game: Game) -> None:
        self.filter = None if claim.budget is None else BudgetFilter(claim.budget, claim.accountants)
        self.what = "reward" if game.contexts is None else "context and reward"
        self.replay = ReplayResult(0, 0, 0.0, None)
        self.executions = 0
        self.ledger = self._new()
        self.most = -1.0
        self.uses: dict[tuple[str, str], PrimitiveUse] = {}
        self.refused: defaultdict[str, list[tuple[float, float, str]]] = defaultdict(list)
        self.unknown: set[str] = set()

    def _new(self) -> Ledger:
        return Ledger(what=self.what) if self.filter is None else self.filter.new_ledger(1, self.what)

    def add(self, first: Table, second: Table, tape: ForcedCalls) -> None:
        """Add what one replay measured: all its releases are charged to the datum in which the streams differ."""
        datum = int(np.flatnonzero((first != second).any(axis=1))[0]) + 1
        ledger = self._new()
        for one in tape.measured:
            self._use(one)
            if one.charge is None or not one.distance:
                if one.charge is None:
                    self.unknown.add(f"{one.made.name} at {one.made.location}")
                continue
            law = getattr(one.made.law, "id", one.made.name)
            scale = _scale(one.made.law)
            owed: Mapping[Any, Charge] = {datum: one.charge}
            refused = "" if self.filter is None else self._refused(self.filter, ledger, owed, one.made.location)
            ledger.record(one.round, law, scale, {datum: one.distance}, owed, one.made.location)
            if refused:
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

    def _use(self, one: Measured) -> None:
        key = (one.made.name, one.made.location)
        was = self.uses.get(key, PrimitiveUse(*key, 0, metric_name(one.made.metric), None, None, None, None))
        stated = one.made.declared
        excess = None
        if stated is not None and one.distance is not None:
            excess = one.distance / stated if stated > 0.0 else (math.inf if one.distance else 0.0)
        self.uses[key] = replace(
            was,
            calls=was.calls + 1,
            declared=_best(min, was.declared, stated),
            measured=_best(max, was.measured, one.distance),
            excess=_best(max, was.excess, excess),
            epsilon=_best(max, was.epsilon, None if one.charge is None else one.charge.epsilon),
        )

    def certificate(self, target: Target, settings: CertifySettings, length: int, notes: list[str]) -> Certificate:
        """Return the certificate: never granted, because only executions that were explored were seen."""
        notes = [
            *notes,
            *(
                f"the law of {name} is not known: its sensitivity was measured, and nothing charged"
                for name in sorted(self.unknown)
            ),
        ]
        if not self.uses:
            notes.append("no declared primitive was called: declare the one that the noise comes from")
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
            primitive_uses=sorted(self.uses.values(), key=lambda use: (use.location, use.name)),
        )


def _best(which: Callable[..., float], one: float | None, two: float | None) -> float | None:
    found = [number for number in (one, two) if number is not None]
    return which(found) if found else None


def _scale(law: Any) -> float:
    try:
        return float(law.scale)
    except (AttributeError, NotImplementedError, TypeError):
        return 0.0
