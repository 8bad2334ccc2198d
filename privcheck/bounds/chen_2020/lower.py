"""Chen et al. 2020: lower bounds for private semi-bandits, Theorems 5, 6 and 9."""

from __future__ import annotations

import math

from privcheck.bounds._theorem import theorem
from privcheck.bounds.chen_2020.quantities import (
    CENTRAL_WORST_ONE,
    EQUAL_PATHS,
    LOCAL_WORST_INF,
    LOCAL_WORST_ONE,
    SMALL_EPSILON,
    SMALL_GAP_INF,
    SMALL_GAP_ONE,
    SMOOTH_INF,
    SMOOTH_ONE,
    TWO_SUPER_ARMS,
)
from privcheck.bounds.settings.semi_bandit_instance import SemiBanditInstance

_THEOREM_5 = "Chen et al. 2020, Theorem 5, Section 3.3"
_THEOREM_6 = "Chen et al. 2020, Theorem 6, Section 4.1"
_LARGEST = 350.0
"""Double precision overflows at (e^354.9)^2."""
_SHARPER = ", with the best local randomiser of one bit in place of the inequality that its proof rests on"


def local_information(variation: float, epsilon: float) -> float:
    """Largest divergence between epsilon-locally private reports on Bernoulli(1/2 - v) and Bernoulli(1/2).

    Every epsilon-locally private report on one bit is randomised response with epsilon, processed further (Kairouz, Oh
    & Viswanath 2015, Theorem 3.3 with delta = 0), so randomised response attains the largest divergence:
    that of Bernoulli(1/2 - v tanh(epsilon/2)) from Bernoulli(1/2).

    >>> round(local_information(0.1, 1.0), 6), round(local_information(0.1, 100.0), 6)
    (0.004277, 0.020136)
    """
    shift = 2 * variation * math.tanh(epsilon / 2)
    return shift * math.atanh(shift) + math.log1p(-(shift**2)) / 2


@theorem(
    "chen-2020/thm5",
    kind="lower",
    quantity=LOCAL_WORST_INF,
    asymptotic=True,
    provenance="explicit",
    source=_THEOREM_5,
    conditions=(SMOOTH_INF, SMALL_GAP_INF),
    about=SemiBanditInstance,
)
def smooth_inf(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-LDP policy, worst B_inf-smooth instance: liminf Reg/ln T >= B_inf^2 (m-1)/(64 (e^epsilon -
    1)^2 Delta).

    Proof idea: Single base arms, with rewards multiplied by B_inf, are an ordinary bandit of m arms. The divergence of
    two private reports is at most a constant times ((e^epsilon - 1) TV)^2 (Duchi, Jordan and Wainwright 2013), so that
    a consistent policy must pull each of m - 1 arms of order ln T/((e^epsilon - 1) Delta/B_inf)^2 times (Basu,
    Dimitrakakis and Tossou 2019, Theorem 2).

    >>> round(smooth_inf(SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_inf=1.0)), 6)
    0.264607
    """
    return _bound(instance, 64 * _odds(instance.epsilon))


@theorem(
    "chen-2020/thm5-small-epsilon",
    kind="lower",
    quantity=LOCAL_WORST_INF,
    asymptotic=True,
    provenance="explicit",
    source=_THEOREM_5,
    conditions=(SMOOTH_INF, SMALL_GAP_INF, SMALL_EPSILON),
    about=SemiBanditInstance,
)
def smooth_inf_small_epsilon(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-LDP policy, epsilon <= 1/2, worst B_inf-smooth instance: liminf Reg/ln T >= B_inf^2 (m-1)/(128
    epsilon^2 Delta).

    Proof idea: As thm5, because (e^epsilon - 1)^2 is at most 2 epsilon^2. That is true for epsilon up to 0.657, so that
    the printed 1/2 is on the safe side.

    >>> smooth_inf_small_epsilon(SemiBanditInstance(arms=6, size=2, epsilon=0.5, gap=0.125, smooth_inf=1.0))
    1.25
    """
    return _bound(instance, 128 * instance.epsilon**2)


@theorem(
    "chen-2020/thm5-tight",
    kind="lower",
    quantity=LOCAL_WORST_INF,
    asymptotic=True,
    provenance="derived",
    source=_THEOREM_5 + _SHARPER,
    conditions=(SMOOTH_INF, SMALL_GAP_INF),
    about=SemiBanditInstance,
)
def smooth_inf_tight(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-LDP policy, worst B_inf-smooth instance: liminf Reg/ln T >= (m-1) Delta / I, where I is the
    largest divergence of a private report on a base arm of mean 1/2 - Delta/B_inf from one of mean 1/2.

    Proof idea: A consistent policy must tell each suboptimal arm from one that is as good as the best, so that its
    reports reach a divergence of ln T. The largest divergence of a private report on one bit is that of randomised
    response, because every other report is a post-processing of it (Kairouz, Oh and Viswanath 2015).

    The instance has single base arms as super arms, means 1/2 and 1/2 - Delta/B_inf, and rewards multiplied by B_inf.

    >>> round(smooth_inf_tight(SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_inf=1.0)), 3)
    116.9
    """
    variation = instance.gap / (instance.smooth_inf or math.nan)
    return (instance.arms - 1) * instance.gap / local_information(variation, instance.epsilon)


@theorem(
    "chen-2020/thm6",
    kind="lower",
    quantity=LOCAL_WORST_ONE,
    asymptotic=True,
    provenance="explicit",
    source=_THEOREM_6,
    conditions=(SMOOTH_ONE, SMALL_GAP_ONE, EQUAL_PATHS),
    about=SemiBanditInstance,
)
def smooth_one(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-LDP policy, worst B_1-smooth instance: liminf Reg/ln T >= B_1^2 (m-K) K/(64 (e^epsilon - 1)^2
    Delta).

    Proof idea: Take m/K paths of K base arms with equal outcomes within a path: a bandit of m/K arms whose means differ
    by Delta/(B_1 K) (Kveton et al. 2015). As in thm5, a consistent policy must play each of the m/K - 1 suboptimal
    paths of order ln T/((e^epsilon - 1) Delta/(B_1 K))^2 times, at a cost of Delta each.

    >>> round(smooth_one(SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_one=1.0)), 6)
    0.423371
    """
    return _bound_one(instance, 64 * _odds(instance.epsilon))


@theorem(
    "chen-2020/thm6-small-epsilon",
    kind="lower",
    quantity=LOCAL_WORST_ONE,
    asymptotic=True,
    provenance="explicit",
    source=_THEOREM_6,
    conditions=(SMOOTH_ONE, SMALL_GAP_ONE, EQUAL_PATHS, SMALL_EPSILON),
    about=SemiBanditInstance,
)
def smooth_one_small_epsilon(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-LDP policy, epsilon <= 1/2, worst B_1-smooth instance: liminf Reg/ln T >= B_1^2 (m-K) K/(128
    epsilon^2 Delta).

    Proof idea: As thm6, because (e^epsilon - 1)^2 is at most 2 epsilon^2. That is true for epsilon up to 0.657, so that
    the printed 1/2 is on the safe side.

    >>> smooth_one_small_epsilon(SemiBanditInstance(arms=6, size=2, epsilon=0.5, gap=0.125, smooth_one=1.0))
    2.0
    """
    return _bound_one(instance, 128 * instance.epsilon**2)


@theorem(
    "chen-2020/thm6-tight",
    kind="lower",
    quantity=LOCAL_WORST_ONE,
    asymptotic=True,
    provenance="derived",
    source=_THEOREM_6 + _SHARPER,
    conditions=(SMOOTH_ONE, SMALL_GAP_ONE, EQUAL_PATHS),
    about=SemiBanditInstance,
)
def smooth_one_tight(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-LDP policy, worst B_1-smooth instance: liminf Reg/ln T >= (m/K - 1) Delta / I, where I is the
    largest divergence of a private report on a path of mean 1/2 - Delta/(B_1 K) from one of mean 1/2.

    Proof idea: As for thm5-tight: the private report on a path is a report on one bit, and randomised response attains
    its largest divergence. A consistent policy must reach a divergence of ln T on each of the m/K - 1 suboptimal paths.

    The instance has m/K paths of K base arms each, with equal outcomes within a path: one bit per round.

    >>> round(smooth_one_tight(SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_one=1.0)), 3)
    187.241
    """
    variation = instance.gap / ((instance.smooth_one or math.nan) * instance.size)
    return (instance.arms // instance.size - 1) * instance.gap / local_information(variation, instance.epsilon)


@theorem(
    "chen-2020/thm9",
    kind="lower",
    quantity=CENTRAL_WORST_ONE,
    asymptotic=True,
    provenance="order-only",
    source="Chen et al. 2020, Theorem 9, Section 4.3 (sketch; its proof was not at hand)",
    conditions=(SMOOTH_ONE, SMALL_GAP_ONE, TWO_SUPER_ARMS),
    about=SemiBanditInstance,
    claims=("chen-2020/thm9-many",),
)
def central(instance: SemiBanditInstance) -> float:
    """Consistent epsilon-DP policy, worst B_1-smooth instance: Reg = Omega(B_1^2 m K ln T/Delta + B_1 m K ln
    T/epsilon).

    Proof idea: The first term is the bound of Kveton et al. (2015) without privacy. For the second, all suboptimal
    super arms share K - 1 base arms, and each has one of its own; a private policy cannot tell it from one that is
    better before the coupling of Karwa and Vadhan allows, after of order ln T over epsilon times the total variation
    plays.

    The sketch supports B_1 m ln T/epsilon for the private term; its factor K does not follow from what is printed.

    >>> round(central(SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_one=1.0)), 3)
    132.0
    """
    smooth = instance.smooth_one or math.nan
    return instance.arms * instance.size * smooth * (smooth / instance.gap + 1 / instance.epsilon)


def _odds(epsilon: float) -> float:
    return math.expm1(epsilon) ** 2 if epsilon < _LARGEST else math.inf


def _bound(instance: SemiBanditInstance, denominator: float) -> float:
    return (instance.smooth_inf or math.nan) ** 2 * (instance.arms - 1) / (denominator * instance.gap)


def _bound_one(instance: SemiBanditInstance, denominator: float) -> float:
    paths = (instance.arms - instance.size) * instance.size
    return (instance.smooth_one or math.nan) ** 2 * paths / (denominator * instance.gap)
