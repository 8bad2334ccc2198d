"""A step is tried with other coins: what its call is given is moved by the data, and by no noise that was released.

Coins that the look does not see, of another generator or handed on in a global, are not forced. If they make the
argument of a call, it may differ between the neighbours although it tells no more than what was released before. With
other coins it then differs between two runs on one input as well, unless chance has it stay. Let a step be given a on
one neighbour and b on the other, unlike a. If both are made of what was released, within epsilon, then
P(a) <= e^epsilon P'(a) <= e^epsilon (1 - P'(b)) and in the same way P'(b) <= e^epsilon (1 - P(a)), so that
P(a) P'(b) is at most (e^epsilon / (1 + e^epsilon))^2. So often at most, both stay in a run on each.
"""

from __future__ import annotations

import math

from privcheck.auditing._steps.forced_calls import Forcing, Recording, hooked, played_on
from privcheck.auditing._steps.isolated_calls import other_coins, stays
from privcheck.auditing._steps.search_steps import Step, Steps
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.errors import PrivcheckError
from privcheck.targets import Claim, Runner

FEWEST, MOST = 5, 60
"""Runs on each neighbour with other coins, at least and at most: for claims above 2.8 the most leave more than .001."""


def runs_for(claim: Claim) -> int:
    """Return the number of runs on each neighbour after which what stays is made of what was released too seldom.

    >>> runs_for(Claim(epsilon=1.0)), runs_for(Claim(epsilon=0.01)), runs_for(Claim(epsilon=9.0))
    (12, 6, 60)
    """
    if claim.epsilon is None:
        return FEWEST
    by_chance = -2.0 * math.log1p(math.exp(-claim.epsilon))
    return min(MOST, max(FEWEST, math.ceil(math.log(claim.error) / by_chance)))


def moves_with_other_coins(steps: Steps, step: Step, runner: Runner, number: int, until: LookTime) -> bool | None:
    """Tell whether what a step is given moves with coins that are not forced; None if the time ends before it is known.

    Parameters
    ----------
    steps : that it is one of.
    step : whose runs are repeated, and then played with other coins and the recorded outputs.
    runner : plays the target, in this thread.
    number : of runs on each neighbour.
    until : its end; then no other run is begun.
    """
    pair, place, seed = step.pair, step.place, step.seed
    with hooked(steps.functions):
        try:
            recording = Recording()
            played_on(recording, runner, pair.first, seed)
            there = Forcing(recording)
            played_on(there, runner, pair.second, seed)
            steps.runs += 2
            if place not in there.moved:
                return True
            for repeated in range(1, number + 1):
                if until.is_over:
                    return None
                one, two = Forcing(recording, same_coins=False), Forcing(recording, same_coins=False)
                played_on(one, runner, pair.first, other_coins(seed, 2 * repeated))
                played_on(two, runner, pair.second, other_coins(seed, 2 * repeated + 1))
                steps.runs += 2
                is_there = place in two.moved and not two.is_late(place) and two.moved[place].equals(there.moved[place])
                if not (stays(one, place) and is_there):
                    return True
        except PrivcheckError:  # a run that ends in an error shows nothing
            return True
    return False
