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
from privcheck.certifying._primitives.compared_runs import explored
from privcheck.certifying._primitives.declaration import Primitive
from privcheck.certifying._primitives.explored_pairs import neighbours
from privcheck.certifying._primitives.hooks import Hooks
from privcheck.certifying._primitives.lists_of_noise import unread_lists
from privcheck.certifying._primitives.patching import ONE_AT_A_TIME, Patches, patched
from privcheck.certifying._primitives.player import Player
from privcheck.certifying._primitives.recorded_calls import CallTape
from privcheck.certifying._primitives.recorded_generators import (
    RecordedState,
    gauss_hook,
    recorded_generator,
    rvs_hook,
    stand_ins,
    unrecorded_generator,
)
from privcheck.certifying._primitives.replayed_coins import ReplayedCoins, fixed_seeds, seed_hook
from privcheck.certifying._primitives.shipped_declarations import NOISE, SHIPPED, declared
from privcheck.certifying._primitives.takers_of_noise import (
    in_place_hook,
    json_hook,
    stand_ins_of_pandas,
    statistics_hook,
    text_hook,
)
from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts, refuse_adding
from privcheck.results import Certificate
from privcheck.targets import CertifySettings, Loaded, Target


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
    declared(settings.game.primitives)
    count = loaded.arms(settings.game.arms)
    claim, game = loaded.settled(settings.claim, settings.game, count)
    settings = replace(settings, claim=claim, game=game)
    length = game.rounds(count, loaded.warm_up(claim, game, count))
    target = loaded.target(claim, game, length, count)
    if target.feedback != "mechanism":
        refuse_adding(game.neighbours, "a policy, whose horizon is public", policy=True)
    return recorded(target, settings, length, count)


def recorded(target: Target, settings: CertifySettings, length: int, count: int) -> Certificate:
    """Return what record and replay find about a target with settled settings.

    Parameters
    ----------
    target : what is played.
    settings : those of the certificate, with primitives.
    length, count : rounds or rows, and arms or columns.

    Raises
    ------
    PrivcheckError : as `recorded_certificate`.
    """
    game, (noise, primitives) = settings.game, declared(settings.game.primitives)
    if not ONE_AT_A_TIME.acquire(blocking=False):
        raise PrivcheckError("primitives", words("a second certificate"), "one at a time", "they replace functions")
    with _replaced(noise, primitives) as (patches, hooks, coins):
        player = Player(target, game.contexts, coins, bool(noise))
        found = explored(player, settings, length, count)
    notes = [
        f"{left} keeps a function that was replaced: calls through it are not seen"
        for left in dict.fromkeys(patches.unreachable)
    ]
    notes += [
        f"{name} was called {times} times in another thread: these calls were not recorded"
        for name, times in sorted(hooks.elsewhere.items())
    ]
    if not found.uses:
        first = neighbours(game, settings.effort, length, count)[0][0][0]
        called = sets_called(target, game.contexts, first, settings.effort.seed)
        others = {name: where for name, where in called.items() if name not in settings.game.primitives}
        if others:
            notes.append(f"the code calls {'; '.join(others.values())}: --primitives {','.join(others)} records it")
    return found.certificate(target, settings, length, [*notes, *fixed_seeds(player.seeds)])


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
    hooks = Hooks()
    coins = (
        ReplayedCoins(_modules(), recorded_generator, RecordedState)
        if records
        else ReplayedCoins(_modules(), unrecorded_generator)
    )
    try:
        with patched() as patches, unread_lists():
            for primitive in primitives:
                hooks.install(primitive, patches)
            patches.objects([*stand_ins(records), *coins.pairs, *coins.states, *stand_ins_of_pandas()])
            _patch_random(patches, records="random" in noise)
            if "scipy" in noise:
                _patch_scipy(patches)
            _patch_takers(patches)
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


def _patch_takers(patches: Patches) -> None:
    """Let JSON, `statistics` and operations in place of pandas take numbers with noise, as they take numpy's."""
    import json
    import statistics

    encoder: Any = json.JSONEncoder
    patches.function(encoder.default, json_hook)
    patches.function(encoder.iterencode, text_hook)
    for name in ("_sum", "_ss"):
        patches.function(getattr(statistics, name), statistics_hook)
    if "pandas" in sys.modules:
        from pandas.core.generic import NDFrame

        patches.function(NDFrame._inplace_method, in_place_hook)
