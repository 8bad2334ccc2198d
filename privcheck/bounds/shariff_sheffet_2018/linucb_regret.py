"""Shariff & Sheffet 2018: regret of private LinUCB, Proposition 4, Theorems 5 and 6, Corollaries 10 and 12."""

from __future__ import annotations

import math

from privcheck.bounds._quantity import Quantity
from privcheck.bounds._theorem import theorem
from privcheck.bounds.settings.contextual_instance import ContextualInstance
from privcheck.bounds.shariff_sheffet_2018.linucb_conditions import (
    CONCENTRATED,
    GAUSSIAN,
    HAS_DELTA,
    HAS_GAP,
    IS_PRIVATE,
    SHIFTED_WISHART,
    WIDE,
    confidence_radius,
)
from privcheck.bounds.shariff_sheffet_2018.noise import CONTEXTUAL, JOINT_DP
from privcheck.bounds.shariff_sheffet_2018.regulariser import Regulariser, regulariser

RADIUS = Quantity("radius of the confidence ellipsoid in the last round", CONTEXTUAL, JOINT_DP)
REGRET = Quantity("pseudo-regret with probability 1 - alpha", CONTEXTUAL, JOINT_DP)

_NOISE = (HAS_DELTA, IS_PRIVATE, CONCENTRATED)


@theorem(
    "shariff-sheffet-2018/prop4",
    kind="upper",
    quantity=RADIUS,
    provenance="explicit",
    source="Shariff & Sheffet 2018, Proposition 4, Section 3; proof Appendix B",
    conditions=_NOISE,
    about=ContextualInstance,
)
def confidence_radius_bound(instance: ContextualInstance) -> float:
    """LinUCB: beta_n <= sigma sqrt(2 ln(2/alpha) + d ln(rho_max/rho_min + n L^2/(d rho_min))) + S sqrt(rho_max) +
    gamma.

    Proof idea: The estimation error has three parts: the noise of the rewards, bounded by the self-normalised
    martingale inequality of Abbasi-Yadkori, Pal and Szepesvari (2011); the shrinkage by H, at most S sqrt(rho_max); and
    the noise of the vector, at most gamma. Inequalities between determinant and trace bound ln det V by the logarithm
    that is shown.

    rho and gamma are those of the instance's noise, so that all rounds together succeed with probability 1 - alpha.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(confidence_radius_bound(paper), 1)
    564.5
    """
    return confidence_radius(instance)


@theorem(
    "shariff-sheffet-2018/thm5",
    kind="upper",
    quantity=REGRET,
    provenance="unproven",
    source="Shariff & Sheffet 2018, Theorem 5, eq. (2), Section 3.1; proof Appendix B",
    conditions=_NOISE,
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/thm5",),
)
def private_linucb(instance: ContextualInstance) -> float:
    """LinUCB: R_n <= B sqrt(8n) [sigma (2 ln(2/alpha) + d X) + (S sqrt(rho_max) + gamma) sqrt(d Y)], where X =
    ln(rho_max/rho_min + n L^2/(d rho_min)) and Y = ln(1 + n L^2/(d rho_min)).

    Proof idea: While theta lies in all confidence sets, a round costs at most min(2B, 2 beta |x|), with |x| in the norm
    of V^-1, hence at most 2 B beta min(1, |x|) if beta is at least 1. The squares of min(1, |x|) add up to at most 2 d
    Y (Lemma 22), and the Cauchy-Schwarz inequality over n rounds gives sqrt(8n).

    As printed; the proof needs a confidence radius of at least 1, which the paper does not state: see thm5-corrected.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(private_linucb(paper) / 1e7, 3)
    5.511
    """
    return _private_linucb(instance)


@theorem(
    "shariff-sheffet-2018/thm5-corrected",
    kind="upper",
    quantity=REGRET,
    provenance="derived",
    source="Shariff & Sheffet 2018, Theorem 5, where its proof holds",
    conditions=(*_NOISE, WIDE),
    about=ContextualInstance,
)
def private_linucb_corrected(instance: ContextualInstance) -> float:
    """LinUCB with a confidence radius beta_n of at least 1: R_n <= the bound of thm5.

    Proof idea: The proof of thm5 bounds min(2B, 2 beta |x|) by 2 B beta min(1, |x|), which takes a beta of at least 1.
    Where beta is at least 1 the rest holds as printed.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> private_linucb_corrected(paper) == private_linucb(paper)
    True
    """
    return _private_linucb(instance)


@theorem(
    "shariff-sheffet-2018/thm6",
    kind="upper",
    quantity=REGRET,
    provenance="unproven",
    source="Shariff & Sheffet 2018, Theorem 6, eq. (3), Section 3.1; proof Appendix B",
    conditions=(*_NOISE, HAS_GAP),
    about=ContextualInstance,
    claims=(
        "shariff-sheffet-2018/thm6",
        "shariff-sheffet-2018/thm6-rewards",
        "shariff-sheffet-2018/thm6-scaling",
    ),
)
def private_linucb_with_gap(instance: ContextualInstance) -> float:
    """LinUCB with gap Delta in every decision set: R_n <= (8 B/Delta) [the bracket of thm5]^2.

    Proof idea: A round costs nothing or at least Delta, so that its regret r is at most r^2/Delta. The squares of r add
    up as in thm5, without the Cauchy-Schwarz inequality and its sqrt(n).

    As printed. Rescaling rewards by B also rescales the gap, so for larger B the factor is B^2 (thm6-squared): with d =
    1, actions -1 and 1, theta = 100 or -100, ten rounds and little noise, the regret is 200 and the printed bound 51.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, gap=0.1)
    >>> round(private_linucb_with_gap(paper) / 1e8, 3)
    6.073
    """
    return 8 * instance.mean_bound / (instance.gap or math.nan) * bracket(instance, regulariser(instance)) ** 2


@theorem(
    "shariff-sheffet-2018/thm6-squared",
    kind="upper",
    quantity=REGRET,
    provenance="derived",
    source="Shariff & Sheffet 2018, Theorem 6, with the factor B^2 that Remark 2 of Appendix B leads to",
    conditions=(*_NOISE, WIDE, HAS_GAP),
    about=ContextualInstance,
)
def private_linucb_with_gap_squared(instance: ContextualInstance) -> float:
    """LinUCB with gap Delta in every decision set: R_n <= (8 B^2/Delta) [the bracket of thm5]^2.

    Proof idea: As for thm6: r is at most r^2/Delta, and at most 2 B beta min(1, |x|), of which the square has the
    factor B^2. The squares of min(1, |x|) add up to at most 2 d Y (Lemma 22), and beta sqrt(d Y) is at most the
    bracket.

    >>> large = ContextualInstance(5, 5e7, 1.0, 0.1, alpha=2e-8, gap=0.1, mean_bound=2.0)
    >>> round(private_linucb_with_gap_squared(large) / 1e8, 3)
    24.294
    """
    return 8 * instance.mean_bound**2 / (instance.gap or math.nan) * bracket(instance, regulariser(instance)) ** 2


def _private_linucb(instance: ContextualInstance) -> float:
    return instance.mean_bound * math.sqrt(8 * instance.horizon) * bracket(instance, regulariser(instance))


def bracket(instance: ContextualInstance, noise: Regulariser) -> float:
    """Return the bracket of Theorems 5 and 6 for any bounds on the noise.

    >>> ridge = ContextualInstance(1, 10, 1.0, 0.1, alpha=0.1, parameter_norm=100.0, mean_bound=100.0, sigma=0.01)
    >>> round(bracket(ridge, Regulariser(1e-4, 1e-4, 0.0)), 3)
    3.568
    """
    d, length = instance.dimension, instance.horizon * instance.action_norm**2 / (instance.dimension * noise.rho_min)
    x, y = math.log(noise.rho_max / noise.rho_min + length), math.log1p(length)
    spread = instance.parameter_norm * math.sqrt(noise.rho_max) + noise.gamma
    return instance.sigma * (2 * math.log(2 / instance.alpha) + d * x) + spread * math.sqrt(d * y)


@theorem(
    "shariff-sheffet-2018/cor10",
    kind="upper",
    quantity=REGRET,
    provenance="order-only",
    source="Shariff & Sheffet 2018, Corollary 10, Section 4.1",
    conditions=(SHIFTED_WISHART, *_NOISE),
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/cor10",),
)
def wishart_order(instance: ContextualInstance) -> float:
    """LinUCB with shifted Wishart noise: R_n = O(B sqrt(n) [sigma (ln(1/alpha) + d ln n) + S Ltilde sqrt(d) ln(n)^(3/4)
    (d^(1/4) + epsilon^(-1/2) ln(1/delta)^(1/4)) (d^(1/4) + ln(n/alpha)^(1/4))]); thm5 and prop9 give the number.

    Proof idea: Insert prop9 into thm5: rho_min and rho_max are of the order Ltilde^2 sqrt(mk) s, and S sqrt(rho_max) +
    gamma is of the order of the root of that. With m of the order of ln n, and k of the order of d + m
    ln(1/delta)/epsilon^2 up to logarithms, the printed expression collects the leading powers.

    >>> round(wishart_order(ContextualInstance(5, 1000, 1.0, 0.1, alpha=0.1, noise="wishart")), 1)
    4927.0
    """
    n, d, alpha, delta = instance.horizon, instance.dimension, instance.alpha, instance.delta
    width = instance.sigma * (math.log(1 / alpha) + d * math.log(n))
    scale = instance.parameter_norm * math.sqrt(instance.row_norm_squared * d) * math.pow(math.log(n), 0.75)
    noise = math.pow(d, 0.25) + math.pow(math.log(1 / delta), 0.25) / math.sqrt(instance.epsilon)
    return (
        instance.mean_bound
        * math.sqrt(n)
        * (width + scale * noise * (math.pow(d, 0.25) + math.pow(math.log(n) - math.log(alpha), 0.25)))
    )


@theorem(
    "shariff-sheffet-2018/cor12",
    kind="upper",
    quantity=REGRET,
    provenance="order-only",
    source="Shariff & Sheffet 2018, Corollary 12, Section 4.2",
    conditions=(GAUSSIAN, HAS_DELTA, IS_PRIVATE),
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/cor12",),
)
def gaussian_order(instance: ContextualInstance) -> float:
    """LinUCB with Gaussian noise: R_n = O(B sqrt(n) (sigma (d ln n + ln(1/alpha)) + S Ltilde ln(n) sqrt(d (sqrt(d) +
    ln(n/alpha)) ln(1/delta)/epsilon))); thm5 and prop11 give the number.

    Proof idea: Insert prop11 into thm5: S sqrt(rho_max) + gamma is of the order of sqrt(Upsilon). Upsilon is of the
    order of m Ltilde^2 ln(1/delta) (sqrt(d) + ln(n/alpha))/epsilon, with m of the order of ln n.

    >>> round(gaussian_order(ContextualInstance(5, 1000, 1.0, 0.1, alpha=0.1)), 1)
    4711.4
    """
    n, d, alpha = instance.horizon, instance.dimension, instance.alpha
    width = instance.sigma * (d * math.log(n) + math.log(1 / alpha))
    noise = d * (math.sqrt(d) + math.log(n) - math.log(alpha)) * math.log(1 / instance.delta) / instance.epsilon
    scale = instance.parameter_norm * math.sqrt(instance.row_norm_squared) * math.log(n)
    return instance.mean_bound * math.sqrt(n) * (width + scale * math.sqrt(noise))
