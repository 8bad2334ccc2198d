"""Hu et al.: Anytime-Lazy-UCB and Lazy-DP-TS, Theorems 3 and 5. Only orders are printed."""

from __future__ import annotations

import math

from privcheck.bounds._conditions import UNIT_REWARDS
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import BANDIT_REGRET
from privcheck.bounds._theorem import HAS_HORIZON, theorem


@theorem(
    "hu-2021/thm3",
    kind="upper",
    quantity=BANDIT_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Theorem 3, Section 4.1; proof Appendix B.2",
    conditions=(HAS_HORIZON, UNIT_REWARDS),
    claims=("hu-2021/omega", "hu-2021/eq29", "hu-2021/eq30"),
)
def anytime_lazy_ucb(instance: Instance) -> float:
    """Anytime-Lazy-UCB: Reg(T) = O(sum of ln T / min(Delta_j, epsilon)), and O(sqrt(K T ln T) + K ln T/epsilon).

    Proof idea: Once the private mean of arm j rests on an epoch of the order of ln T/(Delta_j min(Delta_j, epsilon))
    rewards, its sampling error, its noise and its bonuses are small against Delta_j, and its index exceeds mu* with a
    probability of the order of 1/t^3. The probability of processing one more epoch, times the length of that epoch, is
    then O(1) (Lemma 19). For the second form, arms with gaps below sqrt(K ln T/T) cost at most sqrt(K T ln T), and the
    first form bounds the others.

    >>> round(anytime_lazy_ucb(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)), 3)
    18.421
    """
    return _order(instance)


@theorem(
    "hu-2021/thm5",
    kind="upper",
    quantity=BANDIT_REGRET,
    provenance="order-only",
    source="Hu, Huang, Mehta & Hegde, Theorem 5, Section 4.2; proof Appendix C.1",
    conditions=(HAS_HORIZON, UNIT_REWARDS),
    claims=("hu-2021/lem7", "hu-2021/lem20-clip", "hu-2021/lem20-e", "hu-2021/lem20-g"),
)
def lazy_dp_ts(instance: Instance) -> float:
    """Lazy-DP-TS: Reg(T) = O(sum of ln T / min(Delta_j, epsilon)), and O(sqrt(K T ln T) + K ln T/epsilon).

    Proof idea: Rounds in which the sample of arm j is high although its private mean is close to mu_j are few after 72
    ln T/(Delta_j min(Delta_j, epsilon)) rewards. Rounds in which the sample of the best arm is low are compared with
    rounds in which that arm is played, as Agrawal and Goyal do; the bonus keeps its Beta law stochastically above the
    one of the mean without noise, whose analysis is known. The second form follows from the first as in thm3.

    >>> round(lazy_dp_ts(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)), 3)
    18.421
    """
    return _order(instance)


def _order(instance: Instance) -> float:
    """Return the smaller of the two printed orders."""
    logarithm, arms = math.log(instance.rounds), instance.arms
    by_gaps = math.fsum(logarithm / min(gap, instance.epsilon) for _, gap in instance.suboptimal)
    return min(by_gaps, math.sqrt(arms * instance.rounds * logarithm) + arms * logarithm / instance.epsilon)
