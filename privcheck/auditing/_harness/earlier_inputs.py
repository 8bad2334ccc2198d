"""The refusal of a target without seeds whose outputs follow the inputs of earlier runs."""

from __future__ import annotations

import math

from privcheck.auditing._harness.exchangeable_runs import Columns
from privcheck.errors import PolicyError, words
from privcheck.inference import log_capital
from privcheck.targets import Course, Outputs

MOST_COLUMNS = 16
"""Parts of the outputs that are looked at, evenly chosen, and their sums."""

FALSE_REFUSAL = 1e-6
"""Probability, at most, with which a target is refused whose outputs do not depend on earlier inputs."""


def refuse_earlier_inputs(course: Course) -> None:
    """Refuse a target whose outputs follow the inputs of earlier runs, by the coins that decided about these.

    Raises
    ------
    PolicyError : bets on the coins have won a million times their stake.
    """
    if not course.outputs:
        return
    outputs = Outputs.joined(course.outputs)
    rows = Columns([[outputs]], MOST_COLUMNS).read([[outputs]])[0, 0]
    won = log_capital(course.second, rows)
    if won >= -math.log(FALSE_REFUSAL):
        raise PolicyError(
            "target",
            words(f"outputs that follow earlier inputs (e-value {math.exp(min(won, 690.0)):.1g})"),
            "runs that are independent: none may depend on the inputs of those before it",
            "look for what a run leaves behind: a mean, a normaliser, a cache, a policy that is not built anew",
        )
