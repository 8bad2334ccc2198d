"""Guarded runs that stop at the first finding: what a certificate would complain about, in a fraction of its time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

import numpy as np

from privcheck.accounting import Ledger
from privcheck.certifying._execution import drive_guarded
from privcheck.certifying._explored_streams import random_table
from privcheck.certifying._looking.refusal import Refusal, StoppingSession
from privcheck.certifying._outside.state_apart import from_clean
from privcheck.certifying._translated.swapped_code import translated
from privcheck.generators import GlobalDraws
from privcheck.private_values import Leak
from privcheck.targets import Claim, Game, Target


def first_finding(
    policy: Target, claim: Claim, game: Game, length: int, runs: int, seed: int
) -> Leak | Refusal | list[str] | None:
    """Return the first leak or refused release of guarded runs, on the streams and with the coins of a certificate.

    As for a certificate, the target's own functions run translated.

    Parameters
    ----------
    policy, claim, game, length, runs, seed : as for a certificate.

    Returns
    -------
    The leak or the refusal, or if there is none the global generators that were drawn from, whose noise is not counted;
    None if nothing was found. That is no certificate: nothing was replayed, and lines may not have run.

    Raises
    ------
    PrivcheckError : a policy that fails under the guard.
    """
    elsewhere = GlobalDraws()
    with closing(_played(policy, claim, game, length, runs, seed, elsewhere)) as sessions:
        for session in sessions:
            if session.first is not None:
                return session.first
    return elsewhere.names or None


def unlimited_ledgers(policy: Target, game: Game, length: int, runs: int, seed: int) -> list[Ledger]:
    """Return the ledgers of the same runs without a budget: no release is refused, and a run ends at its first leak.

    They tell how much the budget of a refused release would have to be, or how much more noise it needs.

    Parameters
    ----------
    policy, game, length, runs, seed : as for a certificate.

    Raises
    ------
    PrivcheckError : a policy that fails under the guard.
    """
    with closing(_played(policy, Claim(), game, length, runs, seed, GlobalDraws())) as sessions:
        return [session.ledger for session in sessions]


def _played(
    policy: Target, claim: Claim, game: Game, length: int, runs: int, seed: int, elsewhere: GlobalDraws
) -> Generator[StoppingSession]:
    """Yield the session of each guarded run, after it."""
    rng = np.random.default_rng([seed, 0])
    with from_clean(policy.build) as build, translated(build):
        for number in range(runs):
            table = random_table(rng, length, policy.arms, game, number)
            noise, coins = (np.random.default_rng([seed, number, purpose]) for purpose in (1, 2))
            by = claim.budget, noise, game.contexts, claim.accountants
            session = StoppingSession(game.relation, game.rewards, *by)
            with elsewhere.noticed():
                played = build(session.generator(coins))
                drive_guarded(played, table, session, policy.feedback)
            yield session
