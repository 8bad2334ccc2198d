"""Hu et al.: RNM-FTNL with full information, Theorems 9 and 12, Corollaries 10 and 11."""

from __future__ import annotations

import math
from collections import Counter

from privcheck.bounds._conditions import POSITIVE_GAP, UNIT_REWARDS
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import FULL_INFORMATION, FULL_INFORMATION_REGRET, PURE_ONE_VECTOR, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, PURE, Condition, theorem

UNIT_MINIMAX_REGRET = Quantity(
    "pseudo-regret", FULL_INFORMATION, PURE_ONE_VECTOR, "minimax over rewards in [0, 1]", 1.0
)
SAME_GAP_MINIMAX_REGRET = Quantity(
    "pseudo-regret", FULL_INFORMATION, PURE_ONE_VECTOR, "minimax over Bernoulli rewards with this smallest gap", 0.25
)

SEVERAL_ACTIONS = 256
ONE_ACTION = 264
"""Constants of the proof for a bracket with several actions and with one, for which its r_0 is not defined."""

_GAPS_BELOW_EPSILON = Condition(
    "every gap is at most epsilon", lambda instance: all(gap <= instance.epsilon for gap in instance.gaps)
)
_ONE_SCALE = Condition(
    "all positive gaps are within a factor 2 of each other",
    lambda instance: not instance.suboptimal or max(instance.gaps) <= 2 * _smallest_gap(instance),
)
_FOUR_ACTIONS = Condition("at least four actions", lambda instance: instance.arms >= 4)
_SMALL_GAP = Condition(
    "the smallest positive gap is below 1/4",
    lambda instance: bool(instance.suboptimal) and _smallest_gap(instance) < 0.25,
)
_LONG = Condition(
    "T >= max(ln K/(16 gap^2), ln K/(10 epsilon gap)) for the smallest positive gap",
    lambda instance: (
        instance.horizon is None or not instance.suboptimal or instance.horizon >= _least_horizon(instance)
    ),
)


def _smallest_gap(instance: Instance) -> float:
    return min(gap for _, gap in instance.suboptimal)


def _least_horizon(instance: Instance) -> float:
    gap = _smallest_gap(instance)
    return math.log(instance.arms) / gap * max(1 / (16 * gap), 1 / (10 * instance.epsilon))


@theorem(
    "hu-2021/thm9",
    kind="upper",
    quantity=FULL_INFORMATION_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Theorem 9, Section 5; proof Appendix D.2",
    conditions=(HAS_HORIZON, UNIT_REWARDS, POSITIVE_GAP),
    claims=("hu-2021/thm9", "hu-2021/thm8"),
)
def rnm_ftnl(instance: Instance) -> float:
    """RNM-FTNL: Reg(T) = O(ln K/Delta_min + ln K ln(Delta_max / max(Delta_min, epsilon, 1/T))/epsilon).

    Proof idea: Sort the actions into brackets of gaps within a factor 2. As long as an epoch is shorter than of the
    order of (1 + ln n)/(D min(D, epsilon)), for n actions with gaps of about D, count every round as lost; after that
    Hoeffding's inequality and the tails of the noise make a wrong leader exponentially improbable (Lemma 24). Each
    bracket costs O((1 + ln n)/min(D, epsilon)): where D is below epsilon these add up like a geometric series, and
    there are about ln(Delta_max/max(Delta_min, epsilon, 1/T)) others.

    >>> round(rnm_ftnl(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)), 3)
    1.812
    """
    logarithm, smallest, largest = math.log(instance.arms), _smallest_gap(instance), max(instance.gaps)
    scales = math.log(largest) - math.log(max(smallest, instance.epsilon, 1 / instance.rounds))
    return logarithm / smallest + logarithm * scales / instance.epsilon


@theorem(
    "hu-2021/thm9-explicit",
    kind="upper",
    quantity=FULL_INFORMATION_REGRET,
    provenance="derived",
    source="Hu, Huang, Mehta & Hegde, proof of Theorem 9, Appendix D.2, eqs. (53)-(55), with 264 for lone actions",
    conditions=(HAS_HORIZON, UNIT_REWARDS),
)
def rnm_ftnl_explicit(instance: Instance) -> float:
    """RNM-FTNL: Reg(T) <= sum over brackets l of 256 (1 + ln n_l)/min(D_l, epsilon), with 264 in place of 256 where n_l
    = 1.

    Proof idea: The proof of thm9 with its constants: a bracket costs at most 256 (1 + ln n_l)/min(D_l, epsilon), rounds
    in short epochs and later mistakes taken together. Where a bracket has one action, the printed epoch from which
    mistakes are counted is the logarithm of 0; counting from epoch 1 gives 264.

    Bracket l holds the n_l actions whose gaps lie in `[D_l, 2 D_l)`, where `D_l = 2^(l-1) Delta_min`. The constants are
    those of the proof. The published noise Lap(1/epsilon) gives 2 epsilon-DP; with Lap(2/epsilon), which is epsilon-DP,
    the proof goes through with the same constants.

    >>> round(rnm_ftnl_explicit(Instance("bernoulli", (0.75, 0.5, 0.5), epsilon=1.0, horizon=100)), 3)
    1733.783
    """
    if not instance.suboptimal:
        return 0.0
    smallest = _smallest_gap(instance)
    brackets = Counter(math.frexp(gap / smallest)[1] for _, gap in instance.suboptimal)
    return math.fsum(
        (SEVERAL_ACTIONS if actions > 1 else ONE_ACTION)
        * (1 + math.log(actions))
        / min(math.ldexp(smallest, index - 1), instance.epsilon)
        for index, actions in brackets.items()
    )


@theorem(
    "hu-2021/cor10a",
    kind="upper",
    quantity=FULL_INFORMATION_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Corollary 10 (a), Section 5",
    conditions=(HAS_HORIZON, UNIT_REWARDS, POSITIVE_GAP, _GAPS_BELOW_EPSILON),
    claims=("hu-2021/thm8",),
)
def rnm_ftnl_low_privacy(instance: Instance) -> float:
    """RNM-FTNL when every gap is at most epsilon: Reg(T) = O(ln K/Delta_min).

    Proof idea: No bracket of thm9 has gaps above epsilon, so that all of them cost O((1 + ln n)/D) for gaps of about D.
    As D doubles from bracket to bracket, the first one, of the order of ln K/Delta_min, dominates the sum.

    >>> round(rnm_ftnl_low_privacy(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)), 3)
    2.773
    """
    return math.log(instance.arms) / _smallest_gap(instance)


@theorem(
    "hu-2021/cor10b",
    kind="upper",
    quantity=FULL_INFORMATION_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Corollary 10 (b), Section 5",
    conditions=(HAS_HORIZON, UNIT_REWARDS, POSITIVE_GAP, _ONE_SCALE),
    claims=("hu-2021/cor10b", "hu-2021/thm8"),
)
def rnm_ftnl_one_scale(instance: Instance) -> float:
    """RNM-FTNL when all gaps lie in [Delta_min, 2 Delta_min]: Reg(T) = O(ln K/min(Delta_min, epsilon)).

    Proof idea: All gaps lie in two neighbouring brackets of thm9 at most, because Delta_max/Delta_min is at most 2.
    Each costs O(ln K/min(Delta_min, epsilon)).

    >>> round(rnm_ftnl_one_scale(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)), 3)
    2.773
    """
    return math.log(instance.arms) / min(_smallest_gap(instance), instance.epsilon)


@theorem(
    "hu-2021/cor11",
    kind="upper",
    quantity=UNIT_MINIMAX_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Corollary 11, Section 5",
    conditions=(HAS_HORIZON, UNIT_REWARDS),
    claims=("hu-2021/thm9", "hu-2021/thm8"),
)
def rnm_ftnl_minimax(instance: Instance) -> float:
    """RNM-FTNL on any instance: Reg(T) = O(sqrt(T ln K) + ln K ln T/epsilon).

    Proof idea: Actions with gaps below sqrt(ln K/T) cost at most sqrt(T ln K) together. For the others thm9 holds with
    sqrt(ln K/T) in place of Delta_min: its first term becomes sqrt(T ln K), and its logarithm of gaps is at most of the
    order of ln T.

    >>> round(rnm_ftnl_minimax(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)), 3)
    11.518
    """
    logarithm, rounds = math.log(instance.arms), instance.rounds
    return math.sqrt(rounds * logarithm) + logarithm * math.log(rounds) / instance.epsilon


@theorem(
    "hu-2021/thm12",
    kind="lower",
    quantity=SAME_GAP_MINIMAX_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Theorem 12, Section 5; proof Appendix D.3",
    conditions=(PURE, HAS_HORIZON, UNIT_REWARDS, _FOUR_ACTIONS, _SMALL_GAP, _LONG),
    claims=("hu-2021/packing", "hu-2021/asz", "hu-2021/eq56"),
)
def full_information_order(instance: Instance) -> float:
    """Any epsilon-DP learner with full information, on the worst instance: Reg(T) = Omega(max(ln K/Delta_min, ln
    K/epsilon)).

    Proof idea: The first term is the lower bound without privacy of Mourtada and Gaiffas (2019). For the second take K
    instances, in each of which another action is the best, at a total variation of the order of Delta_min from each
    other: a private test needs of the order of ln K/(epsilon Delta_min) rounds to find the right one (Acharya, Sun and
    Zhang 2021). A learner that played the best action in most of fewer rounds would be such a test, by majority vote,
    so that about half of those rounds are lost.

    >>> round(full_information_order(Instance("bernoulli", (0.75, 0.7, 0.7, 0.7), epsilon=1.0, horizon=1000)), 3)
    27.726
    """
    return math.log(instance.arms) / min(_smallest_gap(instance), instance.epsilon)


@theorem(
    "hu-2021/thm12-explicit",
    kind="lower",
    quantity=SAME_GAP_MINIMAX_REGRET,
    provenance="derived",
    source="Hu, Huang, Mehta & Hegde, proof of Theorem 12, Appendix D.3, eq. (56): its private term",
    conditions=(PURE, HAS_HORIZON, UNIT_REWARDS, _FOUR_ACTIONS, _SMALL_GAP, _LONG),
)
def full_information_lower_bound(instance: Instance) -> float:
    """Any epsilon-DP learner with full information, on the worst instance: Reg(T) >= 0.2 * 0.49 ln K/(10 epsilon).

    Proof idea: As for the second term of thm12, in numbers. Instance j has mean 1/2 + Delta for action j and 1/2 for
    the others, Delta being the smallest gap here. Up to round `ln K/(10 epsilon Delta)` an action is misidentified with
    probability 0.2, and then half of the rounds are lost.

    >>> round(full_information_lower_bound(Instance("bernoulli", (0.75, 0.7, 0.7, 0.7), epsilon=1.0, horizon=1000)), 6)
    0.013586
    """
    return 0.2 * 0.49 * math.log(instance.arms) / (10 * instance.epsilon)
