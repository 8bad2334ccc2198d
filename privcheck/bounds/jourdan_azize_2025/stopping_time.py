"""Jourdan & Azize 2025: how long best-arm identification takes, Theorem 2 and its two limits."""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import BANDIT, PURE_ONE_REWARD, Quantity
from privcheck.bounds._theorem import ANY_BUDGET, POSITIVE_BUDGET, PURE, Condition, theorem
from privcheck.bounds.jourdan_azize_2025.characteristic_time import characteristic_time, characteristic_time_tv
from privcheck.declared import Real, check

STOPPING_TIME = Quantity(
    "expected stopping time of best-arm identification",
    BANDIT,
    f"{PURE_ONE_REWARD}, stopping time and answer are public",
)

_ONE_BEST_ARM = Condition("a unique best arm", lambda instance: sum(gap == 0 for gap in instance.gaps) == 1)
_HAS_RISK = Condition(
    "the instance has a risk below 1/2", lambda instance: instance.risk is not None and instance.risk < 0.5
)
_FAMILY = Condition("Bernoulli or Gaussian rewards", lambda instance: instance.family in ("bernoulli", "gaussian"))
_CONDITIONS = (PURE, _FAMILY, _ONE_BEST_ARM, _HAS_RISK)
_RISK = Real(0.0, 0.5, low_open=True, high_open=True)


def information_of_risk(risk: float) -> float:
    """Information, in nats, that an answer of this risk takes: `kl(delta, 1 - delta)`, at least `ln(1/(2.4 delta))`.

    >>> round(information_of_risk(0.01), 6)
    4.503217
    """
    risk = check("risk", risk, _RISK)
    return (1 - 2 * risk) * (math.log1p(-risk) - math.log(risk))


@theorem(
    "jourdan-azize-2025/thm2",
    kind="lower",
    quantity=STOPPING_TIME,
    provenance="second-hand",
    source="Jourdan & Azize 2025, Theorem 2, from its abstract and reviews; proof by the constant-1 divergence bound",
    conditions=_CONDITIONS,
    budget=POSITIVE_BUDGET,
)
def stopping_time(instance: Instance) -> float:
    """Best-arm identification with risk delta under epsilon-global DP: E[tau] >= T*_epsilon kl(delta, 1 - delta).

    Proof idea: A strategy with risk delta answers differently on every instance with another best arm, so that the
    divergence of all that it shows is at least kl(delta, 1 - delta). By lemma2-kl, applied up to the stopping time,
    that divergence is at most the expected pulls of each arm times its d_epsilon. For the worst alternative and the
    best proportions of pulls this is at most E[tau]/T*_epsilon.

    The text of the theorem was not available: this is its non-asymptotic form as the abstract and the reviews describe
    it, with our own proof. The certified lower end of `T*_epsilon` is used.

    >>> instance = Instance("bernoulli", (0.75, 0.7, 0.7, 0.7, 0.7), epsilon=0.1, risk=0.01)
    >>> round(stopping_time(instance), 1)
    7296.8
    """
    epsilon = None if math.isinf(instance.epsilon) else instance.epsilon
    return characteristic_time(instance.family, _standard(instance), epsilon).value * _information(instance)


@theorem(
    "jourdan-azize-2025/thm2-kl",
    kind="lower",
    quantity=STOPPING_TIME,
    provenance="second-hand",
    source="Jourdan & Azize 2025, low-privacy limit of Theorem 2; Garivier & Kaufmann 2016, Theorem 1",
    conditions=_CONDITIONS,
    budget=ANY_BUDGET,
)
def stopping_time_without_privacy(instance: Instance) -> float:
    """Best-arm identification with risk delta, private or not: E[tau] >= T*_KL kl(delta, 1 - delta).

    Proof idea: As for thm2, without privacy: a pull adds at most the divergence of the two laws of its arm, and the
    best proportions of pulls against the worst alternative give E[tau]/T*_KL. A private strategy is a strategy, so that
    the bound holds for it, too.

    >>> instance = Instance("bernoulli", (0.75, 0.7, 0.7, 0.7, 0.7), epsilon=0.1, risk=0.01)
    >>> round(stopping_time_without_privacy(instance), 1)
    6415.9
    """
    return characteristic_time(instance.family, _standard(instance), None).value * _information(instance)


@theorem(
    "jourdan-azize-2025/thm2-tv",
    kind="lower",
    quantity=STOPPING_TIME,
    provenance="derived",
    source="high-privacy limit of Jourdan & Azize 2025, Theorem 2, with the constant 1 in place of 6",
    conditions=_CONDITIONS,
)
def stopping_time_high_privacy(instance: Instance) -> float:
    """Best-arm identification with risk delta under epsilon-global DP: E[tau] >= (T*_TV/epsilon) kl(delta, 1 - delta).

    Proof idea: Follows from thm2, because `d_epsilon <= epsilon TV`: then T*_epsilon is at least T*_TV/epsilon. The two
    are equal in the limit as epsilon tends to 0.

    >>> instance = Instance("bernoulli", (0.75, 0.7, 0.7, 0.7, 0.7), epsilon=0.1, risk=0.01)
    >>> round(stopping_time_high_privacy(instance), 1)
    4503.2
    """
    return characteristic_time_tv(instance.family, _standard(instance)) / instance.epsilon * _information(instance)


def _standard(instance: Instance) -> Array:
    """Return the means; for Gaussian arms their distances from the best, in units of the standard deviation.

    Quotients of large means by a deviation would have lost what is between them.
    """
    means = np.array(instance.means)
    return means if instance.family == "bernoulli" else (means - means.max()) / math.sqrt(instance.variance)


def _information(instance: Instance) -> float:
    return information_of_risk(instance.risk or math.nan)
