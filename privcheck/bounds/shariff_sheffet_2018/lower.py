"""Shariff & Sheffet 2018: lower bounds, Claims 13 and 14, Corollary 15."""

from __future__ import annotations

import math

from privcheck.bounds._conditions import POSITIVE_GAP
from privcheck.bounds._instance import Instance
from privcheck.bounds._karwa_vadhan import CLASSIC_EPSILON_LIMIT
from privcheck.bounds._quantity import BANDIT, BANDIT_REGRET, PURE_ONE_REWARD, Quantity
from privcheck.bounds._theorem import PURE, Condition, theorem
from privcheck.bounds.settings.contextual_instance import ContextualInstance
from privcheck.bounds.shariff_sheffet_2018.noise import CONTEXTUAL

ALL_ACTIONS_REGRET = Quantity(
    "pseudo-regret",
    CONTEXTUAL,
    "(epsilon, delta)-DP of all actions, one user replaced",
    "minimax over two arms and two contexts",
    2.0,
)
PULLS = Quantity("pulls of the second-best arm with probability 1/2", BANDIT, PURE_ONE_REWARD)

_SMALL_EPSILON = Condition("epsilon < ln 2", lambda instance: instance.epsilon < math.log(2))
_SMALL_DELTA = Condition("delta < 1/4", lambda instance: instance.delta < 0.25)
_UNIT_VECTORS = Condition(
    "actions and parameters of norm 1 are allowed",
    lambda instance: instance.action_norm >= 1 and instance.parameter_norm >= 1,
)
_TWO_VALUES = Condition(
    "rewards of two values: {-1, 1}, or {0, 1} rescaled",
    lambda instance: instance.family in ("bernoulli", "two-point"),
)
_ROOM = Condition(
    "every suboptimal arm can be raised as far above mu* as it is below: mu* + Delta_a <= 1",
    lambda instance: all(instance.best_mean + gap <= 1 for _, gap in instance.suboptimal),
)
_CLASSIC_EPSILON = Condition(
    "epsilon <= 2.9183, where the lemma of Karwa & Vadhan used in the proof is true",
    lambda instance: instance.epsilon <= CLASSIC_EPSILON_LIMIT,
)
_PRINTED = (PURE, _TWO_VALUES, POSITIVE_GAP)
_PROVEN = (*_PRINTED, _ROOM, _CLASSIC_EPSILON)


@theorem(
    "shariff-sheffet-2018/claim13",
    kind="lower",
    quantity=ALL_ACTIONS_REGRET,
    provenance="explicit",
    source="Shariff & Sheffet 2018, Claim 13, Section 5; proof Appendix C",
    conditions=(_SMALL_EPSILON, _SMALL_DELTA, _UNIT_VECTORS),
    about=ContextualInstance,
    claims=(
        "shariff-sheffet-2018/claim13",
        "shariff-sheffet-2018/claim13-step",
    ),
)
def all_actions_private(instance: ContextualInstance) -> float:
    """Contextual bandit whose actions are all protected, even the one chosen for a user's own context: R_n >= n/4.

    Proof idea: Take two contexts in which the arms 1 and -1 trade places, so that the best action under one is the
    worst under the other. If the action is protected, its probabilities under the two contexts differ by a factor of
    less than 2 and less than 1/4 besides, so that a wrong action has a constant probability in every round.

    Joint DP, which leaves out the action for the replaced user, is not subject to it.

    >>> all_actions_private(ContextualInstance(1, 1000, 0.5, 0.1, alpha=0.1))
    250.0
    """
    return instance.horizon / 4


@theorem(
    "shariff-sheffet-2018/claim14",
    kind="lower",
    quantity=PULLS,
    asymptotic=True,
    provenance="unproven",
    source="Shariff & Sheffet 2018, Claim 14, Section 5",
    conditions=_PRINTED,
    claims=(
        "shariff-sheffet-2018/claim14-coupling",
        "shariff-sheffet-2018/claim14-postulated",
    ),
)
def pulls_of_second_best(instance: Instance) -> float:
    """Rewards in {-1, 1}, epsilon-DP, expected regret at most n^(3/4): arm a is pulled ln n/(100 epsilon Delta_a) times
    with probability at least 1/2, for large n; here for the second-best arm.

    Proof idea: Let E be that arm a is pulled less often than stated. Give the arm a mean that is better than the best
    by Delta_a: there E costs about n Delta_a, so that a regret of at most n^(3/4) leaves it a probability of at most 2
    n^(-1/4)/Delta_a. Under E few rewards differ, and the coupling of Karwa and Vadhan lets the probability of E on the
    first instance be at most n^0.06 times as large.

    As printed; claim14-proven has the conditions that the proof needs. Bernoulli rewards r are mapped to 2 r - 1, which
    doubles the gaps.

    >>> round(pulls_of_second_best(Instance("bernoulli", (0.5, 0.25), epsilon=1.0)), 6)
    0.02
    """
    return _pulls(instance)


@theorem(
    "shariff-sheffet-2018/claim14-proven",
    kind="lower",
    quantity=PULLS,
    asymptotic=True,
    provenance="derived",
    source="Shariff & Sheffet 2018, Claim 14, where its proof holds",
    conditions=_PROVEN,
)
def pulls_of_second_best_proven(instance: Instance) -> float:
    """Rewards in {-1, 1}, epsilon-DP, expected regret at most n^(3/4): as claim14, with room above mu* for the raised
    arm and a budget for which the lemma of Karwa & Vadhan is true.

    Proof idea: As for claim14, with the conditions that its steps need. The raised arm has a mean of at most 1, and the
    budget is one for which the factor exp(6 epsilon Delta_a) per pull is true.

    >>> round(pulls_of_second_best_proven(Instance("bernoulli", (0.5, 0.25), epsilon=1.0)), 6)
    0.02
    """
    return _pulls(instance)


@theorem(
    "shariff-sheffet-2018/cor15",
    kind="lower",
    quantity=BANDIT_REGRET,
    asymptotic=True,
    provenance="unproven",
    source="Shariff & Sheffet 2018, Corollary 15 and its proof, Section 5",
    conditions=_PRINTED,
    claims=("shariff-sheffet-2018/cor15",),
)
def regret_of_two_valued_rewards(instance: Instance) -> float:
    """Rewards in {-1, 1}, epsilon-DP, expected regret at most n^(3/4): Reg/ln n >= (k - 1)/(200 epsilon) for large n.

    Proof idea: By claim14 every suboptimal arm is pulled at least ln n/(100 epsilon Delta_a) times with probability at
    least 1/2, so that its expected pulls are at least half of that. Times its gap, each of the k - 1 arms adds ln
    n/(200 epsilon).

    As printed; cor15-proven has the conditions that the proof needs. Only arms with a positive gap count. For Bernoulli
    rewards r, mapped to 2 r - 1, the regret is half as large.

    >>> regret_of_two_valued_rewards(Instance("bernoulli", (0.5, 0.25, 0.25), epsilon=1.0))
    0.005
    """
    return _regret(instance)


@theorem(
    "shariff-sheffet-2018/cor15-proven",
    kind="lower",
    quantity=BANDIT_REGRET,
    asymptotic=True,
    provenance="derived",
    source="Shariff & Sheffet 2018, Corollary 15, where the proof of Claim 14 holds",
    conditions=_PROVEN,
)
def regret_of_two_valued_rewards_proven(instance: Instance) -> float:
    """Rewards in {-1, 1}, epsilon-DP, expected regret at most n^(3/4): as cor15, where claim14-proven applies.

    Proof idea: As for cor15, on instances where claim14-proven holds for every suboptimal arm. Half of its pulls, times
    the gaps, add up to the same sum.

    >>> regret_of_two_valued_rewards_proven(Instance("bernoulli", (0.5, 0.25, 0.25), epsilon=1.0))
    0.005
    """
    return _regret(instance)


def _pulls(instance: Instance) -> float:
    return 1 / (100 * instance.epsilon * _unit(instance) * min(gap for _, gap in instance.suboptimal))


def _regret(instance: Instance) -> float:
    return len(instance.suboptimal) / (200 * instance.epsilon * _unit(instance))


def _unit(instance: Instance) -> float:
    """Return the factor from the instance's rewards to rewards in {-1, 1}."""
    return 2.0 if instance.family == "bernoulli" else 1.0
