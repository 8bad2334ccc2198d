"""Azize & Basu 2022: how well an epsilon-DP bandit can distinguish two instances, Lemma 2 and Theorem 10."""

from __future__ import annotations

from privcheck.bounds._conditions import POSITIVE_GAP
from privcheck.bounds._instance import Instance
from privcheck.bounds._karwa_vadhan import karwa_vadhan_sharp
from privcheck.bounds._quantity import BANDIT, PURE_ONE_REWARD, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, PURE, Condition, theorem
from privcheck.bounds.families.base import MeanFamily

LOG_RATIO = Quantity("log-probability-ratio of the actions against the closest alternative", BANDIT, PURE_ONE_REWARD)
DIVERGENCE = Quantity("kl-divergence of the actions from the closest alternative", BANDIT, PURE_ONE_REWARD)

KNOWN_BY_MEANS = Condition(
    "a family whose laws are determined by their means", lambda instance: isinstance(instance.law_family, MeanFamily)
)


@theorem(
    "azize-basu-2022/lemma2",
    kind="upper",
    quantity=LOG_RATIO,
    provenance="unproven",
    source="Azize & Basu 2022, Lemma 2, Appendix B.1",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP, KNOWN_BY_MEANS),
    claims=("azize-basu-2022/lem2",),
)
def sequential_karwa_vadhan(instance: Instance) -> float:
    """ln(M_P(E)/M_Q(E)) <= 6 epsilon T TV for every event E, for the instance and its closest alternative (the
    second-best arm, with the smallest positive gap, raised to mu*), in the worst case that all T rounds pull that arm.

    Proof idea: Draw the rewards of both instances together so that a pull of the changed arm gives different rewards
    with probability TV only. By group privacy every reward that differs costs a factor of up to e^epsilon. Averaging
    over the coupling one round at a time gives a factor per round, which the paper bounds by exp(6 epsilon TV).

    M_P and M_Q are the laws of the actions under the instance and under the alternative; TV is the total variation of
    the two laws of that arm. As printed, for any epsilon; true for every pair of laws up to epsilon = 2.9183, the root
    of `(e^x - 1)/x = 6`, where lemma2-sharp is smaller.

    >>> round(sequential_karwa_vadhan(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=10)), 6)
    15.0
    """
    return 6 * instance.epsilon * instance.rounds * _closest_variation(instance)


@theorem(
    "azize-basu-2022/lemma2-sharp",
    kind="upper",
    quantity=LOG_RATIO,
    provenance="derived",
    source="sharp replacement of Azize & Basu 2022, Lemma 2 (derived, docs/evidence/derivations.md)",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP, KNOWN_BY_MEANS),
)
def sequential_karwa_vadhan_sharp(instance: Instance) -> float:
    """ln(M_P(E)/M_Q(E)) <= T ln(1 + TV (e^epsilon - 1)) for every event E, for the instance and its closest alternative
    (the second-best arm, with the smallest positive gap, raised to mu*), in the worst case that all T rounds pull that
    arm.

    Proof idea: Exchange the rewards of the changed arm one at a time. As a function of that reward alone, the
    probability of E lies between its smallest value i and i e^epsilon, so that its mean grows by at most TV (e^epsilon
    - 1) i: a factor of 1 + TV (e^epsilon - 1) for each of T rounds. Randomised response attains it.

    M_P and M_Q are the laws of the actions under the instance and under the alternative; TV is the total variation of
    the two laws of that arm.

    >>> round(sequential_karwa_vadhan_sharp(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=10)), 6)
    3.57374
    """
    return instance.rounds * karwa_vadhan_sharp(_closest_variation(instance), instance.epsilon).epsilon_prime


@theorem(
    "azize-basu-2022/lemma2-kl",
    kind="upper",
    quantity=DIVERGENCE,
    provenance="derived",
    source="constant-1 form of Azize & Basu 2022, Theorem 10, Appendix B.2 (derived, docs/evidence/derivations.md)",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP, KNOWN_BY_MEANS),
)
def sequential_karwa_vadhan_kl(instance: Instance) -> float:
    """KL(M_P || M_Q) <= T d_epsilon, for the instance and its closest alternative (the second-best arm, with the
    smallest positive gap, raised to mu*), in the worst case that all T rounds pull that arm.

    Proof idea: Couple the rewards with those of a law in between, and write the probabilities under the alternative as
    means over that law, weighted by the likelihood ratio. The log-sum inequality moves the divergence inside the mean,
    where group privacy bounds it by epsilon for every reward that differs. A round thus adds epsilon TV to the law in
    between plus the divergence from there to the alternative, and d_epsilon is the smallest such sum.

    M_P and M_Q are the laws of the actions under the instance and under the alternative.

    >>> round(sequential_karwa_vadhan_kl(Instance("bernoulli", (0.7, 0.2), epsilon=1.0, horizon=10)), 6)
    3.842648
    """
    mean, best = _second_best(instance), instance.best_mean
    return instance.rounds * instance.law_family.d_epsilon(mean, best, instance.epsilon).upper


@theorem(
    "azize-basu-2022/thm10",
    kind="upper",
    quantity=DIVERGENCE,
    provenance="explicit",
    source="Azize & Basu 2022, Theorem 10, Appendix B.2",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP, KNOWN_BY_MEANS),
    claims=("azize-basu-2022/thm10", "azize-basu-2022/thm10-step"),
    instead="docs/evidence/derivations.md#karwa-vadhan-for-kl-with-constant-1",
)
def divergence_of_actions(instance: Instance) -> float:
    """KL(M_P || M_Q) <= 6 epsilon T TV, for the instance and its closest alternative (the second-best arm, with the
    smallest positive gap, raised to mu*), in the worst case that all T rounds pull that arm.

    Proof idea: For every sequence of actions, Lemma 2 bounds the logarithm of the ratio of its two probabilities by 6
    epsilon times the sum of the total variations of the arms that it plays. The divergence is the mean of that
    logarithm.

    The paper's proof uses Lemma 2, which is false for epsilon above 2.9183; the form with constant 1 proves the theorem
    for every epsilon (docs/evidence/derivations.md).

    >>> round(divergence_of_actions(Instance("bernoulli", (0.75, 0.5), epsilon=4.0, horizon=10)), 6)
    60.0
    """
    return 6 * instance.epsilon * instance.rounds * _closest_variation(instance)


def _second_best(instance: Instance) -> float:
    return min(instance.suboptimal, key=lambda arm: arm[1])[0]


def _closest_variation(instance: Instance) -> float:
    return float(instance.law_family.tv(_second_best(instance), instance.best_mean))
