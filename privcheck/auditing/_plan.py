"""The first step of an audit: what is to be played, and refusals of what cannot be, before anything is played."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from privcheck.auditing._harness.source_of_randomness import source_of_randomness
from privcheck.auditing._law_of_outputs import LawOfOutputs
from privcheck.auditing._search.candidates import candidate_pairs
from privcheck.targets import (
    Adversary,
    Claim,
    Game,
    Loaded,
    Settings,
    StreamPair,
    Target,
    against,
    check_sent,
    function_at,
)


@dataclass(frozen=True)
class Plan:
    """What is to be played.

    Parameters
    ----------
    settings : those that were given, with what the target knows of its contexts and accountants.
    policy : the target, under a guard if that was asked for.
    unguarded : the target without a guard.
    candidates : the pairs among which is searched.
    arms, horizon : K and T.
    randomness : "seeded" or "independent".
    law : that of the outputs, if it was given.
    """

    settings: Settings
    policy: Target
    unguarded: Target
    candidates: list[StreamPair]
    arms: int
    horizon: int
    randomness: str
    law: LawOfOutputs | None

    @property
    def adversary(self) -> Adversary | None:
        """What chooses the rewards; None where streams are fixed beforehand."""
        return adversary_of(self.settings)


def make_plan(loaded: Loaded, settings: Settings) -> Plan:
    """Return what is to be played.

    Raises
    ------
    PrivcheckError : a target and options that do not fit together.
    """
    arms = loaded.arms(settings.game.arms)
    claim, game = loaded.settled(settings.claim, settings.game, arms)
    settings = replace(settings, claim=claim, game=game)
    by, adversary = settings.execution, adversary_of(settings)
    candidates = [adversary.pair()] if adversary else candidate_pairs(loaded, game, settings.effort, arms)
    law = None if game.law is None else LawOfOutputs(function_at(game.law), loaded.mechanism)
    pair = candidates[0].first, candidates[0].second
    one_row = game.neighbours == "report" and settings.effort.streams is None
    horizon = 1 if one_row else max(len(np.atleast_1d(table)) for table in pair)
    horizon = game.rounds(arms) if adversary else horizon
    policy = loaded.target(claim, game, horizon, arms, by.time_limit)
    if adversary:
        policy = against(policy, adversary, game, horizon, guarded=by.guarded, time_limit=by.time_limit)
    unguarded, policy = policy, _under_guard(policy, claim, game) if by.guarded else policy
    randomness = source_of_randomness(game.randomness, policy)
    for name, place in (("scheduler", by.scheduler), ("store", by.store)):
        if place is not None:
            check_sent(policy.runner, name)
    return Plan(settings, policy, unguarded, candidates, arms, horizon, randomness, law)


def adversary_of(settings: Settings) -> Adversary | None:
    """Return the adversary among the options; None without one."""
    streams = settings.effort.streams
    return streams if isinstance(streams, Adversary) else None


def _under_guard(policy: Target, claim: Claim, game: Game) -> Target:
    from privcheck.auditing._harness.guarded_build import under_guard

    return under_guard(policy, claim, game)
