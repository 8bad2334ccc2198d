"""Where the random numbers of a target come from: from seeds, or from elsewhere, as in `runs_without_seeds.py`."""

from __future__ import annotations

from privcheck.errors import PrivcheckError, words
from privcheck.targets import Target


def source_of_randomness(asked: str | None, policy: Target) -> str:
    """Return "seeded" or "independent", or refuse what the target cannot be.

    Parameters
    ----------
    asked : what the user said.
    policy : the target.

    Raises
    ------
    PrivcheckError : a target that has seeds and was called independent, or the other way round.

    Examples
    --------
    >>> from privcheck.targets._options.claim_options import Claim
    >>> from privcheck.targets._options.game_options import Game
    >>> from privcheck.targets._target import load
    >>> source_of_randomness(None, load("ucb").target(Claim(), Game(), 4, 2))
    'seeded'
    """
    found = "seeded" if policy.runner.reproducible else "independent"
    if asked in (None, found):
        return found
    why = "it is played from seeds" if found == "seeded" else "it draws from the operating system"
    got = words(f"{asked!r} for {policy.name}")
    raise PrivcheckError("randomness", got, f"{found!r}: {why}", "leave randomness out")
