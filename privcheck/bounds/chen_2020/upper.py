"""Chen et al. 2020: regret of CUCB-LDP1, CUCB-LDP2 and CUCB-DP, Theorems 2, 4 and 8. Only orders are printed."""

from __future__ import annotations

import math

from privcheck.bounds._theorem import HAS_HORIZON, theorem
from privcheck.bounds.chen_2020.quantities import CENTRAL_INSTANCE, LOCAL_INSTANCE, SMOOTH_INF, SMOOTH_ONE
from privcheck.bounds.settings.semi_bandit_instance import SemiBanditInstance


@theorem(
    "chen-2020/thm2",
    kind="upper",
    quantity=LOCAL_INSTANCE,
    provenance="order-only",
    source="Chen et al. 2020, Theorem 2, eq. (3), Section 3.1",
    conditions=(HAS_HORIZON, SMOOTH_INF),
    about=SemiBanditInstance,
    claims=("chen-2020/thm2",),
)
def cucb_ldp1(instance: SemiBanditInstance) -> float:
    """CUCB-LDP1: Reg(T) = O(sum over base arms of K^2 B_inf^2 ln T/(epsilon^2 Delta_min)).

    Proof idea: The reports of a base arm carry Laplace noise of scale K/epsilon, so that its confidence radius is of
    the order K sqrt(ln T/n)/epsilon. As in the analysis of CUCB, a bad super arm is played only while the largest
    radius in it is of the order Delta_min/B_inf. Each base arm is to blame for O(K^2 B_inf^2 ln T/(epsilon^2
    Delta_min^2)) such rounds.

    The bonus omits the sampling noise, so for large epsilon the regret grows almost linearly; and Laplace noise has a
    heavier tail than the bonus assumes, so the order fails for T beyond any practical horizon.

    >>> semi = SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_inf=1.0, horizon=1000)
    >>> round(cucb_ldp1(semi), 3)
    1657.861
    """
    return instance.size**2 * _local(instance)


@theorem(
    "chen-2020/thm4",
    kind="upper",
    quantity=LOCAL_INSTANCE,
    provenance="order-only",
    source="Chen et al. 2020, Theorem 4, eq. (4), Section 3.2",
    conditions=(HAS_HORIZON, SMOOTH_INF),
    about=SemiBanditInstance,
    claims=("chen-2020/thm4",),
)
def cucb_ldp2(instance: SemiBanditInstance) -> float:
    """CUCB-LDP2: Reg(T) = O(sum over base arms of B_inf^2 ln T/(epsilon^2 Delta_min)).

    Proof idea: Under B_inf smoothness the regret of a round is controlled by the largest radius in the super arm alone,
    which is that of the base arm with the fewest reports. It is enough that this one is reported, with noise of scale
    1/epsilon, and the factor K^2 of thm2 is gone.

    The caveats about thm2 apply here too.

    >>> semi = SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_inf=1.0, horizon=1000)
    >>> round(cucb_ldp2(semi), 3)
    414.465
    """
    return _local(instance)


@theorem(
    "chen-2020/thm8",
    kind="upper",
    quantity=CENTRAL_INSTANCE,
    provenance="order-only",
    source="Chen et al. 2020, Theorem 8, Section 4.2",
    conditions=(HAS_HORIZON, SMOOTH_ONE),
    about=SemiBanditInstance,
    claims=(
        "chen-2020/thm8",
        "chen-2020/thm8-logarithm",
    ),
)
def cucb_dp(instance: SemiBanditInstance) -> float:
    """CUCB-DP: Reg(T) = O(sum over base arms of K B_1^2 ln(T)^2/Delta_min + m K B_1 ln(T)^3 ln(B_1 K ln T/(Delta_max
    epsilon))/epsilon).

    Proof idea: While the bonuses are valid, a bad super arm is played only if the radii 4 sqrt(ln T/n) + 24 K
    ln(T)^3/(n epsilon) of its base arms add up to at least Delta/B_1 (Lemma 2). No base arm counts beyond a number of
    pulls n_max, from which on its radius is too small. Summing the radii up to n_max gives the first term from the
    root, and the second, with its logarithm, from 1/n.

    As printed, with Delta_max inside the last logarithm; the paper's proof gives Delta_min there.

    >>> semi = SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_one=1.0, horizon=1000)
    >>> round(cucb_dp(semi), 3)
    25219.827
    """
    logarithm, smooth = math.log(instance.horizon or math.nan), instance.smooth_one or math.nan
    arms, size, epsilon, gap = instance.arms, instance.size, instance.epsilon, instance.gap
    inner = math.log(smooth * size / gap / epsilon) + math.log(logarithm) if logarithm > 0 else 0.0
    private = arms * size * smooth * logarithm**3 * inner / epsilon
    return arms * size * smooth**2 * logarithm**2 / gap + private


def _local(instance: SemiBanditInstance) -> float:
    smooth = instance.smooth_inf or math.nan
    return instance.arms * smooth**2 * math.log(instance.horizon or math.nan) / (instance.epsilon**2 * instance.gap)
