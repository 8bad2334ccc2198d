"""Guarded runs that stop at the first finding: what a certificate would complain about, in a fraction of its time."""

from __future__ import annotations

import numpy as np

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
    rng = np.random.default_rng([seed, 0])
    elsewhere = GlobalDraws()
    with from_clean(policy.build) as build, translated(build):
        for number in range(runs):
            table = random_table(rng, length, policy.arms, game, number)
            noise, coins = (np.random.default_rng([seed, number, purpose]) for purpose in (1, 2))
            by = claim.budget, noise, game.contexts, claim.accountants
            session = StoppingSession(game.relation, game.rewards, *by)
            with elsewhere.noticed():
                played = build(session.generator(coins))
                drive_guarded(played, table, session, policy.feedback)
            if session.first is not None:
                return session.first
    return elsewhere.names or None
