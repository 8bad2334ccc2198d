"""Record and replay of third-party code: what its noise primitives are given on neighbouring streams."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._execution import drive
from privcheck.certifying._explored_streams import replayed_seeds
from privcheck.certifying._primitives.declaration import Primitive
from privcheck.certifying._primitives.drawn_noise import Noise
from privcheck.certifying._primitives.explored import Explored
from privcheck.certifying._primitives.explored_pairs import neighbours
from privcheck.certifying._primitives.hooks import Hooks, running
from privcheck.certifying._primitives.patching import ONE_AT_A_TIME, Patches, patched
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls
from privcheck.certifying._primitives.recorded_generators import (
    gauss_hook,
    recorded_generator,
    recording_noise,
    rvs_hook,
    stand_ins,
    unrecorded_generator,
)
from privcheck.certifying._primitives.repeated_differences import Repeated
from privcheck.certifying._primitives.replayed_coins import SEEDED, ReplayedCoins, fixed_seeds, other_coins, seed_hook
from privcheck.certifying._primitives.shipped_declarations import NOISE, SHIPPED, declared
from privcheck.certifying._primitives.unread_noise import UnreadNoise
from privcheck.certifying._replay import Difference, changed_rounds, replayed
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import kind
from privcheck.mechanisms import DivergenceError, recording
from privcheck.privacy import Contexts, refuse_adding
from privcheck.progress import progress
from privcheck.results import Certificate, ReplayResult
from privcheck.targets import CertifySettings, Loaded, StreamPair, Target, describe_exception

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
    if target.feedback != "mechanism":
        refuse_adding(game.neighbours, "a policy, whose horizon is public", policy=True)
    if not ONE_AT_A_TIME.acquire(blocking=False):
        raise PrivcheckError("primitives", words("a second certificate"), "one at a time", "they replace functions")
    with _replaced(noise, primitives) as (patches, hooks, coins):
        player = Player(target, game.contexts, coins, bool(noise))
        explored = player.explored(settings, length, count)
    notes = [
        f"{left} keeps a function that was replaced: calls through it are not seen"
        for left in dict.fromkeys(patches.unreachable)
    ]
    notes += [
        f"{name} was called {times} times in another thread: these calls were not recorded"
        for name, times in sorted(hooks.elsewhere.items())
    ]
    if not explored.uses:
        first = neighbours(game, settings.effort, length, count)[0][0][0]
        called = sets_called(target, game.contexts, first, settings.effort.seed)
        others = {name: where for name, where in called.items() if name not in settings.game.primitives}
        if others:
            notes.append(f"the code calls {'; '.join(others.values())}: --primitives {','.join(others)} records it")
    return explored.certificate(target, settings, length, [*notes, *fixed_seeds(player.seeds)])


def sets_called(target: Target, contexts: Contexts | None, table: Table, seed: int) -> dict[str, str]:
    """Return the shipped sets of which one run of a policy calls something, each with its first call, in words.

    Parameters
    ----------
    target, contexts, table, seed : what is played: the code as it is, without a guard.

    Returns
    -------
    Empty if nothing is called, if the run fails before, or while another certificate replaces functions.
    """
    if not ONE_AT_A_TIME.acquire(blocking=False):
        return {}
    loaded = [one for shipped in SHIPPED.values() for one in shipped if one.library in sys.modules]
    noise = [name for name in NOISE if name != "scipy" or "scipy.stats" in sys.modules]
    tape = CallTape(np.random.default_rng([seed, 1]))
    with _replaced(noise, loaded) as (_, _, coins), suppress(PrivcheckError):
        Player(target, contexts, coins, noise=True).play(table, tape, seed)
    first = {made.name.partition(".")[0]: f"{made.name} at {made.location}" for made in reversed(tape.made)}
    return {name: first[name] for name in SHIPPED if name in first}


@contextmanager
def _replaced(noise: Sequence[str], primitives: Sequence[Primitive]) -> Iterator[tuple[Patches, Hooks, ReplayedCoins]]:
    """Replace what is declared for the block, and release the lock, which is held, after it."""
    records = "numpy" in noise
    hooks, coins = Hooks(), ReplayedCoins(_modules(), recorded_generator if records else unrecorded_generator)
    try:
        with patched() as patches:
            for primitive in primitives:
                hooks.install(primitive, patches)
            patches.objects([*stand_ins(records), *coins.pairs])
            _patch_random(patches, records="random" in noise)
            if "scipy" in noise:
                _patch_scipy(patches)
            yield patches, hooks, coins
    finally:
        coins.restore()
        ONE_AT_A_TIME.release()


def _modules() -> list[ModuleType]:
    """Return the modules whose generators may be the coins of a target: all but numpy's own."""
    found = [module for name, module in list(sys.modules.items()) if not name.startswith(("numpy", "privcheck."))]
    return [module for module in found if isinstance(module, ModuleType)]


def _patch_random(patches: Patches, *, records: bool) -> None:
    import random

    seed: Any = random.Random.seed  # a function, whatever its stub says
    patches.function(seed, seed_hook)
    for name in ("gauss", "normalvariate") if records else ():
        patches.function(getattr(random.Random, name), gauss_hook(name))


def _patch_scipy(patches: Patches) -> None:
    from scipy.stats import rv_continuous

    rvs = next(vars(cls)["rvs"] for cls in rv_continuous.__mro__ if "rvs" in vars(cls))
    patches.function(rvs, rvs_hook)


class Player:
    """Plays a target with recorded primitives."""

    def __init__(self, target: Target, contexts: Contexts | None, coins: ReplayedCoins, noise: bool) -> None:
        self.target, self.contexts, self.coins, self.noise = target, contexts, coins, noise
        self.seeds: dict[int, dict[str, set[str]]] = {}

    def explored(self, settings: CertifySettings, length: int, count: int) -> Explored:
        """Record and replay on streams and their neighbours."""
        pairs, streams = neighbours(settings.game, settings.effort, length, count)
        most = min(replayed_seeds(len(pairs) * length), max(1, MOST_REPLAYS // len(pairs)))
        seeds = [settings.effort.seed + k for k in range(most)]
        found = Explored(settings.claim, settings.game)
        while more := self._confirmed(found, self._replayed(found, pairs, seeds), seeds[0]):
            found = Explored(settings.claim, settings.game, found.moved | more, found.undeclared)
        found.executions = streams
        if self._is_mechanism:
            found.replay = _of_outputs(found.replay)
        return found

    def _replayed(self, found: Explored, pairs: list[tuple[Table, Table]], seeds: list[int]) -> list[Difference]:
        """Replay all pairs, and return what differs."""
        differences: list[Difference] = []
        hidden = _none_hidden if self._is_mechanism else kind(self.target.feedback).hidden
        with progress(f"replaying {self.target.name}", len(pairs) * len(seeds)) as advance:

            def seen(first: Table, second: Table, tape: ForcedCalls) -> None:
                own = [one for one in differences[-1:] if one.forced is tape and one.is_of_outputs]
                found.add(first, second, tape, own[0].rounds_alike if own and not self._is_mechanism else None)
                advance(1)

            found.replay = replayed(self.play, pairs, seeds, hidden, CallTape, _forced, seen, differences.append)
        return differences

    def _confirmed(self, found: Explored, differences: list[Difference], seed: int) -> set[str]:
        """Take back what undeclared random numbers may explain; return the places that are not to be charged."""
        repeated = Repeated(self.play, lambda: self.coins.drawn, found.budget, not self._is_mechanism)
        differed: list[str] = []
        if differences and (differed := repeated.explanations(differences)):
            found.undeclared = list(dict.fromkeys([*found.undeclared, *differed]))
            found.replay = replace(found.replay, divergences=0, first_divergence=None)
        if not found.too_much or found.replay.divergences:
            return set()
        first = max(
            found.too_much, key=lambda table: float(np.abs(table).sum())
        )  # noise beside 0 looks like noise alone
        tape = CallTape(np.random.default_rng([seed, 1]))
        actions = self.play(first, tape, seed)
        if why := repeated.equals_differ(first, tape, seed):
            found.take_back(why)
            return set()
        if not (differed or self._is_mechanism or self.target.feedback in LED):
            return set()  # other coins choose other actions, and these lead to other inputs
        moved = repeated.moved_by_coins(
            first, tape, seed, actions, found.places, found.refused_alone, differed=bool(differed)
        )
        if moved:
            why = [*repeated.drawn_on(first, tape, seed), *repeated.lost_on(first, tape, seed)]
            found.undeclared = list(dict.fromkeys([*found.undeclared, *why]))
        return moved

    @property
    def _is_mechanism(self) -> bool:
        return self.target.feedback == "mechanism"

    def play(
        self, table: Table, tape: CallTape | ForcedCalls, seed: int, again: int = 0, led: Sequence[int] = ()
    ) -> list[Any]:
        """Return the actions, or the numbers of a mechanism's output.

        Parameters
        ----------
        table : the rewards.
        tape : takes the releases.
        seed : of the coins and the noise.
        again : the number of other coins and other noise than the seed's own; 0 for these.
        led : the actions of the first rounds, whatever the policy chooses there; mechanisms have none.
        """
        key = [seed, again] if again else [seed]
        rng = recorded_generator(np.random.PCG64([*key, 0]))
        token = SEEDED.set(None if again else self.seeds.setdefault(seed, {}))
        try:
            with other_coins(again):
                self.coins.start(seed)
                with running(tape, again), self._recording(tape, key):
                    played = (
                        self._output(table, tape, rng) if self._is_mechanism else self._actions(table, tape, rng, led)
                    )
        except PrivcheckError as error:
            if isinstance(tape, CallTape):
                raise
            tape.raise_divergence()
            failed = DivergenceError(f"the run fails on one stream only: {error}")
            failed.actions = tape.played
            raise failed from None
        finally:
            SEEDED.reset(token)
        if isinstance(tape, ForcedCalls):
            tape.raise_divergence()
        return played

    @contextmanager
    def _recording(self, tape: CallTape | ForcedCalls, key: list[int]) -> Iterator[None]:
        if not self.noise:
            yield
            return
        with recording_noise(Noise(tape, np.random.Generator(np.random.PCG64([*key, 2])))):
            yield

    def _actions(self, table: Table, tape: Any, rng: np.random.Generator, led: Sequence[int]) -> list[Any]:
        policy = self.target.build(rng)
        if led and self.target.feedback in LED:
            policy = _Led(policy, led, self.target.arms)
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
            got, hint = words(describe_exception(error)), f"{StreamPair.hint_on(data)}; {ARRAYS_ONLY}"
            raise PrivcheckError("target", got, "a mechanism that returns an output", hint) from None


ARRAYS_ONLY = (
    "for code that takes a data frame or records, certify a function that makes them of the array, as in "
    "f(pandas.DataFrame(data, columns=['age', 'ill']), rng)"
)
"""What to do about a target that takes no arrays."""

LED = ("bandit", "full", "delayed", "identification")
"""Kinds of feedback under which the symbols of a run are the actions that `select()` returns."""


class _Led:
    """A policy whose first actions are given, so that other coins of its choices do not change what it receives."""

    def __init__(self, policy: Any, actions: Sequence[int], arms: int) -> None:
        self._policy, self._actions, self._arms, self._asked = policy, actions, arms, 0

    def select(self) -> Any:
        """Return the given action of this round, or the policy's own after the last of them."""
        own, number = self._policy.select(), self._asked
        self._asked += 1
        given = self._actions[number] if number < len(self._actions) else self._arms
        return given if given < self._arms else own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)


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
    reason = first.reason.replace("the actions differ", "the outputs differ")
    own = replace(
        first,
        round=changed_rounds(first.first, first.second)[0] + 1,
        actions_first=(),
        actions_second=(),
        reason=reason,
    )
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
