"""What a verdict takes on trust about what is published, said beside it."""

from __future__ import annotations

from dataclasses import replace

from privcheck.results import Outcome
from privcheck.targets import Game, Target

COMPUTED = "this holds provided that encode computes what it returns from the output alone, and reads no data beside it"

ENCODED = "this holds provided that no more of an output is published than what encode returns"

RELEASED = (
    "this holds provided that nothing is published but the actions and `released`, as it is after the last round, or, "
    "of a policy without that attribute, what privcheck's mechanisms release"
)

SILENT = (
    "no run released anything before the search, so that a claim about releases is not called consistent: give the "
    "policy an attribute `released`, let it release through privcheck's mechanisms, or lengthen the horizon"
)


BY_ENCODE = (
    "this holds provided that encode computes what it returns from the output alone, and reads no data beside it; of "
    "what else may be published it says nothing"
)


def taken_of_encode(game: Game) -> tuple[str, ...]:
    """Return what evidence that is neither a violation nor an acquittal takes on trust about a user's `encode`."""
    return () if game.encode is None else (BY_ENCODE,)


def with_observed(outcome: Outcome, policy: Target, game: Game, *, released: bool) -> Outcome:
    """Return the outcome with a note on what was read of all that may be published.

    A violation needs none: whoever sees more than what was read can tell two streams apart at least as well. But what a
    user's `encode` makes of outputs has to be made of them.

    Parameters
    ----------
    outcome : the verdict.
    policy : the target; all releases of a shipped algorithm are read.
    game : what is observed.
    released : whether any run of the check of the target released something.
    """
    if outcome.verdict == "violation" and game.encode is not None:
        return replace(outcome, notes=(*outcome.notes, COMPUTED))
    if not outcome.counted_runs or outcome.verdict not in ("consistent", "inconclusive"):
        return outcome
    if game.encode is not None:
        return replace(outcome, notes=(*outcome.notes, ENCODED))
    if game.observe != "releases" or policy.spec is not None or policy.mechanism is not None:
        return outcome
    if released:
        return replace(outcome, notes=(*outcome.notes, RELEASED))
    return replace(outcome, verdict="inconclusive", notes=(*outcome.notes, SILENT))
