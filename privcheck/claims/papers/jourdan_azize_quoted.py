"""Jourdan and Azize (NeurIPS 2025), as its abstract, the reviews and the authors' answers quote it.

The paper itself was not available. What is entered here is what those texts say; the paper may word it otherwise, and
with conditions that they leave out.
"""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import bernoulli_divergence
from privcheck.claims._expression import (
    Expression,
    absolute,
    exp,
    expression,
    log,
    maximum,
    minimum,
    total,
    variable,
)
from privcheck.claims._variables import Variable, integer, positive, probability

EPSILON = positive("epsilon", (0.01, 5.0))
P, Q, Z = (probability(name, open_ends=True, region=(0.05, 0.95)) for name in ("p", "q", "z"))


@claim("jourdan-azize-2025/lem43", "Lemma 43, quoted in the answer to reviewer iuVL, Q4.1")
def half_for_the_leader() -> Reading:
    """The default choice beta = 1/2 is motivated by the worst-case inequality T*_{epsilon, 1/2}(nu) <= 2 T*_epsilon(nu)
    proven in Lemma 43.
    """
    # three arms; epsilon times the times tends to these as epsilon tends to 0, where total variations are what counts
    first, second = (Variable(name, 0, 1, low_open=True, region=(0.05, 1.0)) for name in ("v_2", "v_3"))
    inverses = 1 / first.symbol, 1 / second.symbol
    largest, together = maximum(*inverses), inverses[0] + inverses[1]
    half = maximum(2 * together, 2 * largest)
    return Reading("in the limit of high privacy", (first, second), at_most(half, 2 * (largest + together)))


@claim("jourdan-azize-2025/factor", "Abstract, and the answer to reviewer YnCC, W2 (b)")
def smaller_than_eight() -> Reading:
    """We show an asymptotic upper bound on its expected sample complexity that matches our lower bound to a
    multiplicative constant smaller than 8. [Answer: T*_{epsilon, beta} with beta = 1/2, a threshold of 2 log(1/delta),
    and 1 + eta with eta = 1 account for it.]
    """
    eta = Variable("eta", 0, 1, low_open=True)
    return Reading("the three factors", (eta,), at_most(2 * expression(2) * (1 + eta.symbol), 8))


@claim("jourdan-azize-2025/regime", "Line 191, quoted in the answer to reviewer YnCC, Q2")
def privacy_for_free() -> Reading:
    """The allocation-independent condition from Line 191, i.e., max epsilon_{a*, a} where epsilon_{a, b} = log(mu_{a*}
    (1 - mu_a)/(mu_a (1 - mu_{a*}))). [Answer to reviewer VJtw: a low privacy regime where the hardness of the problem
    reduces to the non-private KL-based characteristic time.]
    """
    # d_epsilon(p, q) = inf_z kl(z, q) + epsilon |p - z| is kl(p, q): every z between p and q is at least as dear
    free = log(Q.symbol * (1 - P.symbol) / (P.symbol * (1 - Q.symbol)))
    dear = bernoulli_divergence(Z.symbol, Q.symbol) + EPSILON.symbol * (Z.symbol - P.symbol)
    ordered = at_most(P.symbol, Z.symbol), at_most(Z.symbol, Q.symbol), at_most(free, EPSILON.symbol)
    return Reading(
        "d_epsilon is then the divergence of the two means",
        (P, Q, Z, EPSILON),
        at_least(dear, bernoulli_divergence(P.symbol, Q.symbol)),
        ordered,
        provable=False,
    )


@claim("jourdan-azize-2025/convex", "Answer to reviewer inBP, W (a)")
def convex_objective() -> Reading:
    """Since the objective function inside the d_epsilon is continuous and convex over a compact interval, using
    off-the-shelf convex optimisation solvers to compute d_epsilon is still straightforward.
    """
    other = probability("z_2", open_ends=True)

    def objective(z: Expression) -> Expression:
        return bernoulli_divergence(z, Q.symbol) + EPSILON.symbol * absolute(P.symbol - z)

    middle = (Z.symbol + other.symbol) / 2
    says = at_most(objective(middle), (objective(Z.symbol) + objective(other.symbol)) / 2)
    return Reading("Bernoulli laws, midpoints", (P, Q, Z, other, EPSILON), says, provable=False)


@claim("jourdan-azize-2025/tv-limit", "Answer to reviewer VJtw, W3", kind="order")
def high_privacy() -> tuple[Reading, ...]:
    """A high privacy regime (low values of epsilon) where privacy has an additional cost characterised by T*_epsilon,
    and at the limit when epsilon -> 0, reduces to a TV-based characteristic time.
    """
    s, epsilon = variable("s"), variable("epsilon")
    low, high = expression("1/4"), expression("1/2")
    divergence = -log(1 - high * (1 - exp(-epsilon))) - epsilon * low
    variation = epsilon * (high - low)
    path = ({"epsilon": 1 / s},)
    return (
        Reading("d_epsilon is at least of this order", (EPSILON,), Order(divergence, "Omega", variation, path)),
        Reading("d_epsilon is at most of this order", (EPSILON,), Order(divergence, "O", variation, path)),
    )


@claim("jourdan-azize-2025/group", "Before equation (11), in the answer to reviewer VJtw, Q3 (a)", kind="privacy")
def group_privacy() -> Reading:
    """We used the group privacy of epsilon-DP to bound KL(M_D, M_D') <= epsilon dham(D, D')."""
    # randomised response to each datum: the divergence of one is epsilon tanh(epsilon/2)
    distance = integer("distance", 1)
    one = EPSILON.symbol * (exp(EPSILON.symbol) - 1) / (exp(EPSILON.symbol) + 1)
    says = at_most(distance.symbol * one, EPSILON.symbol * distance.symbol)
    return Reading("for randomised response", (distance, EPSILON), says)


@claim("jourdan-azize-2025/group-zcdp", "Answer to reviewer VJtw, Q3 (a)", kind="privacy")
def group_privacy_of_concentrated() -> Reading:
    """For rho-zCDP, there is a similar group privacy property ... stating that KL(M_D, M_D') <= rho dham(D, D')^2."""
    # the Gaussian mechanism with variance 1/(2 rho), for a sum of data in [0, 1]
    distance, rho = integer("distance", 1), positive("rho")
    says = at_most(distance.symbol**2 / (2 / (2 * rho.symbol)), rho.symbol * distance.symbol**2)
    return Reading("for the Gaussian mechanism", (distance, rho), says)


@claim("jourdan-azize-2025/range", "Answer to reviewer inBP, W (b)", kind="privacy")
def wider_support() -> Reading:
    """It is straightforward to extend this to any distribution with a support in [a, b], by multiplying the noise terms
    by the range (b - a).
    """
    level = Variable("level", -math.inf, math.inf, region=(-20, 20))
    low, width, first, second = (
        Variable("a", -math.inf, math.inf, region=(-5, 5)),
        positive("b_minus_a"),
        probability("share"),
        probability("share_2"),
    )
    rewards = [low.symbol + width.symbol * share.symbol for share in (first, second)]
    exponents = [-EPSILON.symbol * absolute(level.symbol - reward) / width.symbol for reward in rewards]
    says = at_most(exponents[0], EPSILON.symbol + exponents[1])  # logarithms of the densities
    return Reading("one reward of a sum", (level, low, width, first, second, EPSILON), says, provable=False)


@claim("jourdan-azize-2025/ratio", "Answer to reviewer YnCC, Q1", kind="identity")
def ratio_of_risks() -> Reading:
    """We see a ratio of roughly 2 between the delta in {0.1, 0.001}, while it should be 3 when using a cross product
    solely based on T*(nu) log(1/delta).
    """
    return printed(says=equal(log(1000) / log(10), 3))


@claim(
    "jourdan-azize-2025/lem43-weights",
    "After Lemma 43, in the answer to reviewer iuVL, Q4.1",
    tested_on=(
        "w is the share of the best arm in the optimal allocation. Give it 1/2, and the others their shares times 1/(2 "
        "(1 - w)). The left side is the factor by which the smallest share changes; a cost of transport that grows "
        "with the shares, and doubles when they do, then falls by at most this factor, for every epsilon and every law."
    ),
)
def half_of_the_samples() -> Reading:
    """It implies that an asymptotically 1/2-optimal algorithm has an expected sample complexity that is at worst twice
    as high as an asymptotically optimal algorithm.
    """
    share = Variable("w", 0, 1, low_open=True, high_open=True)
    changed = minimum(1 / (2 * share.symbol), 1 / (2 * (1 - share.symbol)))
    return Reading("all transport costs", (share,), at_least(changed, "1/2"))


@claim(
    "jourdan-azize-2025/factor-reduced",
    "Answer to reviewer YnCC, W2 (b)",
    kind="identity",
    tested_on="The product of the three factors, 2, 2 and 1 + eta, without the first two.",
)
def reduced_factor() -> Reading:
    """[With T*_epsilon for T*_{epsilon, 1/2} and a threshold of log(1/delta) for 2 log(1/delta)] the multiplicative
    factor would be reduced to 1 + eta.
    """
    eta = Variable("eta", 0, 1, low_open=True)
    together = 2 * expression(2) * (1 + eta.symbol)
    return Reading("the three factors", (eta,), equal(together / (expression(2) * 2), 1 + eta.symbol))


@claim("jourdan-azize-2025/linear-in-arms", "Answer to reviewer VJtw, Q2", kind="identity")
def linear_in_arms() -> Reading:
    """On the "equal means" instance (one optimal arm, and other arms with the same strictly lower mean), Eq. (5)
    suggests that T*_epsilon(nu) scales linearly with K.
    """
    # epsilon times the time tends to the largest 1/v plus the sum of all 1/v, as in Lemma 43 above
    arms, variation = (
        integer("K", 2, region=(2, 40), words="one optimal arm, and other arms"),
        probability("v", open_ends=True),
    )
    together = total("a", 2, arms.symbol, 1 / variation.symbol)
    says = equal(1 / variation.symbol + together, arms.symbol / variation.symbol)
    return Reading("in the limit of high privacy", (arms, variation), says, provable=False)
