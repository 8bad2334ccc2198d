"""Jourdan and Azize (NeurIPS 2025): more of what the authors' answers to the reviews say."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, at_most, below, equal
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import bernoulli_divergence
from privcheck.claims._expression import Expression, absolute, expression, log, maximum, minimum
from privcheck.claims._variables import Variable, positive, probability

BUDGET = positive("epsilon", (0.01, 5.0))
P, Q = (probability(name, open_ends=True, region=(0.05, 0.95)) for name in ("p", "q"))


def _objective(z: Expression) -> Expression:
    return bernoulli_divergence(z, Q.symbol) + BUDGET.symbol * absolute(P.symbol - z)


@claim(
    "jourdan-azize-2025/tighter",
    "Abstract",
    tested_on=(
        "d_epsilon is the least value of the objective, kl(z, q) + epsilon |p - z|, which the left side bounds at the "
        "two ends z = p and z = q; the right side is the smaller one of the costs in the bound before, kl and 6 "
        "epsilon TV. A smaller cost of transport is a larger bound. Of the two ends that is the factor 6; points "
        "between them give more."
    ),
)
def tighter_lower_bound() -> Reading:
    """We provide a tighter lower bound on the expected sample complexity of any delta-correct and epsilon-global DP
    strategy. Our lower bound replaces the Kullback-Leibler (KL) divergence in the transportation cost ... with a new
    information-theoretic quantity that optimally trades off between the KL divergence and the Total Variation distance
    scaled by epsilon.
    """
    left = minimum(_objective(P.symbol), _objective(Q.symbol))
    variation = absolute(P.symbol - Q.symbol)
    right = minimum(bernoulli_divergence(P.symbol, Q.symbol), 6 * BUDGET.symbol * variation)
    return Reading("Bernoulli laws", (P, Q, BUDGET), at_most(left, right), provable=False)


@claim(
    "jourdan-azize-2025/trade-off",
    "Abstract",
    tested_on=(
        "The point between p and q where the derivative of the objective is 0, for p < q and epsilon below the "
        "log-ratio of the odds: the objective there, against both of what it trades off."
    ),
)
def optimal_trade_off() -> Reading:
    """A new information-theoretic quantity that optimally trades off between the KL divergence and the Total Variation
    distance scaled by epsilon.
    """
    z = probability("z", open_ends=True, region=(0.05, 0.95))
    # z is the point of the trade-off and epsilon what makes it that
    budget = log(Q.symbol * (1 - z.symbol) / (z.symbol * (1 - Q.symbol)))
    best = bernoulli_divergence(z.symbol, Q.symbol) + budget * (z.symbol - P.symbol)
    right = minimum(bernoulli_divergence(P.symbol, Q.symbol), budget * (Q.symbol - P.symbol))
    ordered = below(P.symbol, z.symbol), below(z.symbol, Q.symbol)
    return Reading("Bernoulli laws", (P, Q, z), at_most(best, right), ordered, provable=False)


@claim(
    "jourdan-azize-2025/regime-numbers",
    "Answer to reviewer YnCC, Q2",
    tested_on=(
        "The instances (0.95, 0.9, 0.9, 0.9, 0.5) and (0.75, 0.7, 0.7, 0.7, 0.7), which are usual in this literature; "
        "the answer does not repeat them. The left side is the largest distance from a printed number."
    ),
)
def numbers_of_the_regimes() -> Reading:
    """For mu_2, we have epsilon_{1,a} = 0.25 for all a != 1. ... For mu_1, we have epsilon_{1,5} = 2.94 and
    epsilon_{1,a} = 0.75 for all a in {2, 3, 4}. [epsilon_{a,b} = log(mu_{a*} (1 - mu_a)/(mu_a (1 - mu_{a*}))).]
    """

    def odds(best: str, other: str) -> Expression:
        up, low = expression(best), expression(other)
        return log(up * (1 - low) / (low * (1 - up)))

    off = absolute(odds("19/20", "1/2") - 2.94), absolute(odds("19/20", "9/10") - 0.75)
    left = maximum(maximum(*off), absolute(odds("3/4", "7/10") - 0.25))
    return Reading("to the digits that are printed", (), at_most(left, "1/200"))


@claim(
    "jourdan-azize-2025/tie",
    "Answer to reviewer VJtw, Q1",
    tested_on=(
        "The objective of d_epsilon at z = q, which bounds d_epsilon, and with it 1/T*, from above; it is 0 for two "
        "best arms, and tends to 0 with the gap."
    ),
)
def two_best_arms() -> Reading:
    """Even in the non-private setting, this assumption [a unique best arm] is necessary to obtain a delta-correct
    algorithm with finite expected stopping time, as the characteristic time becomes infinite otherwise. In the private
    setting, this phenomenon persists as can be seen by the lower bound in Eq. (5), i.e., T*_epsilon(nu) -> +infinity
    when Delta_{epsilon,a*} -> 0.
    """
    variation = absolute(P.symbol - Q.symbol)
    says = at_most(_objective(Q.symbol), BUDGET.symbol * variation)
    return Reading("Bernoulli laws", (P, Q, BUDGET), says, provable=False)


@claim(
    "jourdan-azize-2025/cumulative",
    "Answer to reviewer iuVL, Q3 (b)",
    kind="privacy",
    tested_on=(
        "Two batches whose sums are told with noise Lap(1/epsilon), and the observer sees their running total, y_1 and "
        "y_2. Both sides are logarithms over epsilon: of the ratio of the densities if the first sum is S or S', and "
        "of the bound for sums that differ by one reward."
    ),
)
def running_total() -> Reading:
    """For privacy considerations, under our threat model where the adversary only observes the output of the algorithm
    ..., both forgetting and non-forgetting algorithms provide the same DP guarantees thanks to post-processing.
    """
    y, later, total, changed, second = (
        Variable(name, -math.inf, math.inf, region=(-10, 10)) for name in ("y_1", "y_2", "S", "S'", "S_2")
    )

    def lost(first: Variable) -> Expression:
        return absolute(y.symbol - first.symbol) + absolute(later.symbol - y.symbol - second.symbol)

    one = (at_most(absolute(total.symbol - changed.symbol), 1),)
    says = at_most(lost(changed) - lost(total), 1)
    return Reading("two batches", (y, later, total, changed, second), says, one, provable=False)


@claim(
    "jourdan-azize-2025/noise-terms",
    "Answer to reviewer iuVL, Q4.1 (b)",
    tested_on=(
        "n rewards in batches that grow by the factor 1 + eta take log(n)/log(1 + eta) of them, each with one noise: "
        "their number for eta is on the left, that for a larger one on the right."
    ),
)
def more_noise() -> Reading:
    """Smaller eta also implies that a larger cumulative Laplacian noise is added to the cumulative Bernoulli signal.
    The limit eta = 0 coincides with adding one Laplace noise per Bernoulli observation.
    """
    eta, larger = Variable("eta", 0, 1, low_open=True), Variable("eta'", 0, 1, low_open=True)
    log_n = positive("log_n", (0.1, 30.0))
    says = at_least(log_n.symbol / log(1 + eta.symbol), log_n.symbol / log(1 + larger.symbol))
    return Reading(
        "geometric batches", (eta, larger, log_n), says, (at_most(eta.symbol, larger.symbol),), provable=False
    )


@claim(
    "jourdan-azize-2025/smaller-eta",
    "Answer to reviewer iuVL, Q4.1 (b)",
    kind="identity",
    tested_on="The factor of the upper bound, 2 2 (1 + eta), for eta and for eta + step: it falls by 4 step.",
)
def smaller_bound() -> Reading:
    """Based on Theorem 6, smaller eta yields "better" theoretical asymptotic guarantees, i.e., smaller upper bound on
    the expected sample complexity of DP-TT.
    """
    eta, step = Variable("eta", 0, 1, low_open=True), Variable("step", 0, 1, low_open=True)
    left = 2 * expression(2) * (1 + eta.symbol + step.symbol) - 2 * expression(2) * (1 + eta.symbol)
    return Reading("the three factors", (eta, step), equal(left, 4 * step.symbol))
