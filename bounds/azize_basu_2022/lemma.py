"""Azize & Basu 2022: how well an epsilon-DP bandit can tell two instances apart, Lemma 2 and Theorem 10."""

from __future__ import annotations

from bounds.azize_basu_2022.conditions import POSITIVE_GAP
from bounds.divergences import kl_gaussian, tv_bernoulli, tv_gaussian
from bounds.instance import Instance
from bounds.karwa_vadhan import CLASSIC_EPSILON_LIMIT, karwa_vadhan_classic, karwa_vadhan_kl, karwa_vadhan_sharp
from bounds.private_divergence import d_epsilon
from bounds.quantity import BANDIT, PURE_ONE_REWARD, Quantity
from bounds.theorem import HAS_HORIZON, PURE, Condition, theorem

LOG_RATIO = Quantity("log-probability-ratio of the actions against the closest alternative", BANDIT, PURE_ONE_REWARD)
DIVERGENCE = Quantity("kl-divergence of the actions from the closest alternative", BANDIT, PURE_ONE_REWARD)

_CLASSIC_EPSILON = Condition(
    "epsilon <= 2.9183, the root of (e^x - 1)/x = 6: beyond it the lemma is false",
    lambda instance: instance.epsilon <= CLASSIC_EPSILON_LIMIT,
)


@theorem(
    "azize-basu-2022/lemma2",
    kind="upper",
    quantity=LOG_RATIO,
    provenance="explicit",
    source="Azize & Basu 2022, Lemma 2, Appendix B.1",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP, _CLASSIC_EPSILON),
)
def sequential_karwa_vadhan(instance: Instance) -> float:
    """ln(M_P(E)/M_Q(E)) <= 6 epsilon T TV for every event E: the instance against its closest alternative
    (second-best arm, of the smallest positive gap, raised to mu*), worst case, in which all T rounds pull that arm.

    M_P and M_Q are the laws of the actions under the instance and under the alternative; TV is the total variation of
    the two laws of that arm.

    >>> round(sequential_karwa_vadhan(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=10)), 6)
    15.0
    """
    return instance.rounds * karwa_vadhan_classic(_closest_variation(instance), instance.epsilon).epsilon_prime


@theorem(
    "azize-basu-2022/lemma2-sharp",
    kind="upper",
    quantity=LOG_RATIO,
    provenance="derived",
    source="sharp replacement of Azize & Basu 2022, Lemma 2 (derived, docs/derivations.md)",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP),
)
def sequential_karwa_vadhan_sharp(instance: Instance) -> float:
    """ln(M_P(E)/M_Q(E)) <= T ln(1 + TV (e^epsilon - 1)) for every event E: the instance against its closest alternative
    (second-best arm, of the smallest positive gap, raised to mu*), worst case, in which all T rounds pull that arm.

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
    source="constant-1 form of Azize & Basu 2022, Theorem 10, Appendix B.2 (derived, docs/derivations.md)",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP),
)
def sequential_karwa_vadhan_kl(instance: Instance) -> float:
    """KL(M_P || M_Q) <= T d_epsilon: the instance against its closest alternative (second-best arm, of the smallest
    positive gap, raised to mu*), worst case, in which all T rounds pull that arm; Gaussian: T min(KL, epsilon TV).

    M_P and M_Q are the laws of the actions under the instance and under the alternative. With mu_2 the mean of that
    arm, a round shows `d_epsilon(mu_2, mu*)` for Bernoulli rewards and at most `min(KL, epsilon TV)` for Gaussian ones.

    >>> round(sequential_karwa_vadhan_kl(Instance("bernoulli", (0.7, 0.2), epsilon=1.0, horizon=10)), 6)
    3.842648
    """
    mean, _ = _second_best(instance)
    if instance.family == "bernoulli":
        return instance.rounds * float(d_epsilon(mean, instance.best_mean, instance.epsilon))
    private = karwa_vadhan_kl(_closest_variation(instance), instance.epsilon)
    return instance.rounds * min(float(kl_gaussian(mean, instance.best_mean)), private)


@theorem(
    "azize-basu-2022/thm10",
    kind="upper",
    quantity=DIVERGENCE,
    provenance="explicit",
    source="Azize & Basu 2022, Theorem 10, Appendix B.2",
    conditions=(PURE, HAS_HORIZON, POSITIVE_GAP),
)
def divergence_of_actions(instance: Instance) -> float:
    """KL(M_P || M_Q) <= 6 epsilon T TV: the instance against its closest alternative
    (second-best arm, of the smallest positive gap, raised to mu*), worst case, in which all T rounds pull that arm.

    The paper's proof goes through Lemma 2, which is false for epsilon above 2.9183; the theorem holds for every epsilon
    by the form with constant 1 (docs/derivations.md).

    >>> round(divergence_of_actions(Instance("bernoulli", (0.75, 0.5), epsilon=4.0, horizon=10)), 6)
    60.0
    """
    return 6 * instance.epsilon * instance.rounds * _closest_variation(instance)


def _second_best(instance: Instance) -> tuple[float, float]:
    return min(instance.suboptimal, key=lambda arm: arm[1])


def _closest_variation(instance: Instance) -> float:
    mean, _ = _second_best(instance)
    variation = tv_bernoulli if instance.family == "bernoulli" else tv_gaussian
    return float(variation(mean, instance.best_mean))
