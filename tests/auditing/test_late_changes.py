"""Changes in a late round of policies that explore at random: runs take more courses before than can be counted."""

import numpy as np
import pytest

import privcheck
from privcheck.auditing._scoring.policy_views import policy_views
from privcheck.targets import Outputs, StreamPair

from .zoo import hidden

LATE = next(twins for twins in hidden.TWINS if twins.name == "rounds 64 to 127 of 200")
HORIZON, ARMS, CHANGED = 200, 5, 99
PAIR = np.zeros((HORIZON, ARMS)), np.eye(HORIZON)[:, [CHANGED] * ARMS]
ERROR = 1e-6


def audited(policy):
    return privcheck.audit(policy, epsilon=1.0, arms=ARMS, streams=PAIR, runs=10_000, confidence=1.0 - ERROR)


def test_a_leak_to_the_next_action_is_read_from_the_actions_around_the_change():
    """Truth: the next action is the last one in 92 % of runs on the second stream and in 2 % on the first."""
    found = audited(LATE.broken)
    assert found.epsilon_lower > 3.0
    assert "the actions from round 100 on begin" in found.witness.event


@pytest.mark.chance(1e-6, "one bound at this level")
def test_its_twin_is_bounded_near_its_loss():
    """Truth: 1, by randomised response."""
    assert 0.85 < audited(LATE.correct).epsilon_lower <= 1.0


def names(pair, outputs, *, thorough):
    views = policy_views(pair, (Outputs.of_symbols(outputs),) * 2, arms=ARMS, thorough=thorough)
    return [view.name for view in views if view.name.startswith("actions")]


@pytest.mark.parametrize("thorough", [False, True])
def test_actions_are_read_from_the_change_on_only_where_many_courses_lead_to_it(thorough):
    rng, pair = np.random.default_rng(0), StreamPair(*PAIR)
    explored = rng.integers(ARMS, size=(2000, HORIZON)).astype(np.int8)
    whole, part = "actions from the change on", "actions in the first rounds from the change on"
    assert names(pair, explored, thorough=thorough) == ["actions", part, *([whole] if thorough else [])]
    begun_alike = explored.copy()
    begun_alike[:, 2:CHANGED] = 0
    assert names(pair, begun_alike, thorough=thorough)[1:] != []
    begun_alike[:, 1:CHANGED] = 0
    assert names(pair, begun_alike, thorough=thorough) == ["actions"]
    ended_alike = explored.copy()
    ended_alike[:, CHANGED:] = 0
    assert names(pair, ended_alike, thorough=thorough) == ["actions", whole]
    last = np.zeros((HORIZON, ARMS)), np.eye(HORIZON)[:, [HORIZON - 1] * ARMS]
    assert names(StreamPair(*last), explored, thorough=thorough) == ["actions", whole]


def test_they_begin_with_the_action_of_the_round_that_differs():
    """That one has the same law on both streams, and may decide with others: here the next equals it, or does not."""
    rng, pair = np.random.default_rng(0), StreamPair(*PAIR)
    first, second = rng.integers(ARMS, size=(2, 4000, HORIZON)).astype(np.int8)
    first[:, CHANGED + 1] = first[:, CHANGED]
    sides = Outputs.of_symbols(first), Outputs.of_symbols(second)
    view = next(v for v in policy_views(pair, sides, arms=ARMS) if v.name.startswith("actions in"))
    scores = [view.scores(view.learn(*sides), side) for side in sides]
    assert scores[0].min() > 0.5
    assert np.mean(scores[1] > 0.5) == pytest.approx(0.2, abs=0.05)
