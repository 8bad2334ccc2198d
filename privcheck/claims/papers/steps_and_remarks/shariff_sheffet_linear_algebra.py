"""Shariff and Sheffet (NeurIPS 2018): identities of matrices, norms and couplings in one and two dimensions."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._expression import (
    Expression,
    absolute,
    ceiling,
    exp,
    expression,
    log,
    log2,
    maximum,
    minimum,
    sqrt,
    variable,
)
from privcheck.claims._variables import Variable, integer, positive, probability

S = variable("s")
Pair = tuple[Variable, Variable]


def _any(name: str) -> Variable:
    return Variable(name, -math.inf, math.inf, region=(-5, 5))


def _dot(u: Pair, v: Pair) -> Expression:
    return u[0].symbol * v[0].symbol + u[1].symbol * v[1].symbol


X, Y, THETA = (_any("x_1"), _any("x_2")), (_any("y_1"), _any("y_2")), (_any("theta_1"), _any("theta_2"))
FIRST, SECOND, OFF = positive("v_11", (0.1, 10.0)), positive("v_22", (0.1, 10.0)), _any("v_12")
DETERMINANT = FIRST.symbol * SECOND.symbol - OFF.symbol**2
DEFINITE = at_least(DETERMINANT, expression("1/1000"))


def _form(v: Pair) -> Expression:
    """Return v' V v."""
    mixed = 2 * OFF.symbol * v[0].symbol * v[1].symbol
    return FIRST.symbol * v[0].symbol ** 2 + mixed + SECOND.symbol * v[1].symbol ** 2


def _inverse_form(v: Pair) -> Expression:
    """Return v' V^-1 v."""
    mixed = 2 * OFF.symbol * v[0].symbol * v[1].symbol
    return (SECOND.symbol * v[0].symbol ** 2 - mixed + FIRST.symbol * v[1].symbol ** 2) / DETERMINANT


@claim(
    "shariff-sheffet-2018/gram-positive",
    "Section 1.2",
    tested_on="Two degrees of freedom, d = 2: the quadratic form at x of the Gram matrix of the rows y and theta.",
)
def gram_matrices_are_positive() -> Reading:
    """The first is a privacy-preserving mechanism that uses additive Wishart noise (which is always PSD); the second
    uses additive Gaussian noise (shifted to make it PSD w.h.p. over all rounds).
    """
    return printed(*X, *Y, *THETA, says=at_least(_dot(Y, X) ** 2 + _dot(THETA, X) ** 2, 0))


@claim(
    "shariff-sheffet-2018/group",
    "Section 1.3",
    kind="privacy",
    tested_on="k = 2: the probabilities of an event for data in which 0, 1 and 2 of them have changed.",
)
def group_privacy() -> Reading:
    """Among its many elegant traits is the notion of group privacy: should k datums change then the change in the
    probability of any event is still limited by (roughly) k times the change when a single datum was changed.
    """
    none, one, both = (probability(name) for name in ("p_0", "p_1", "p_2"))
    growth = exp(positive("epsilon", (0.01, 5.0)).symbol)
    given = at_most(both.symbol, growth * one.symbol), at_most(one.symbol, growth * none.symbol)
    says = at_most(both.symbol, growth**2 * none.symbol)
    return Reading("in the exponent", (none, one, both, positive("epsilon", (0.01, 5.0))), says, given, provable=False)


@claim(
    "shariff-sheffet-2018/ridge",
    "Section 3",
    tested_on="d = 1 and two rounds: what is minimised, at the printed estimate and at any other theta.",
)
def ridge_regression() -> Reading:
    """theta^_t := argmin ||X_{<t} theta - y_{<t}||^2 + ||theta||_{H_t}^2 = (G_t + H_t)^{-1} X_{<t}' y_{<t}, where G_t
    := X_{<t}' X_{<t}.
    """
    weight, theta = positive("h", (0.1, 10.0)), _any("theta")

    def lost(at: Expression) -> Expression:
        errors = (X[0].symbol * at - Y[0].symbol) ** 2 + (X[1].symbol * at - Y[1].symbol) ** 2
        return errors + weight.symbol * at**2

    estimate = _dot(X, Y) / (_dot(X, X) + weight.symbol)
    return printed(*X, *Y, weight, theta, says=at_most(lost(estimate), lost(theta.symbol)), provable=False)


@claim(
    "shariff-sheffet-2018/ucb",
    "Section 3, (1)",
    tested_on=(
        "d = 2: y is theta - theta^, on the edge of the ellipsoid, so that beta_t is its norm. The left side is "
        "<theta - "
        "theta^, x>, the right side beta_t |x|; some y attains it, see ucb-attained."
    ),
)
def upper_confidence_bound() -> Reading:
    """E_t := {theta: ||theta - theta^_t||_{V_t} <= beta_t}, for which UCB_t(x) = <theta^, x> + beta_t ||x||_{V_t^{-1}}.
    [UCB_t(x) := max_{theta in E_t} <theta, x>.]
    """
    right = sqrt(_form(Y)) * sqrt(_inverse_form(X))
    variables = (*X, *Y, FIRST, SECOND, OFF)
    return printed(*variables, says=at_most(_dot(Y, X), right), assumes=(DEFINITE,), provable=False)


@claim(
    "shariff-sheffet-2018/ucb-attained",
    "Section 3, (1)",
    kind="identity",
    tested_on=(
        "d = 2: the squares of both sides at theta - theta^ = V^-1 x, where the ellipsoid has that point on its edge."
    ),
)
def upper_confidence_bound_is_attained() -> Reading:
    """UCB_t(x) = <theta^, x> + beta_t ||x||_{V_t^{-1}}. [UCB_t(x) := max_{theta in E_t} <theta, x>.]"""
    first = (SECOND.symbol * X[0].symbol - OFF.symbol * X[1].symbol) / DETERMINANT
    second = (FIRST.symbol * X[1].symbol - OFF.symbol * X[0].symbol) / DETERMINANT
    gained = first * X[0].symbol + second * X[1].symbol
    size = FIRST.symbol * first**2 + 2 * OFF.symbol * first * second + SECOND.symbol * second**2
    return printed(*X, FIRST, SECOND, OFF, says=equal(gained**2, size * _inverse_form(X)), assumes=(DEFINITE,))


LENGTH, REWARD = positive("L", (0.1, 5.0)), positive("B~", (0.1, 5.0))


@claim("shariff-sheffet-2018/strongest-bound", "Assumption 6", tested_on="d = 2.")
def strongest_bound() -> Reading:
    """||x_t||^2 + y_t^2 <= L~^2 for all rounds t. In particular, if ||x_t|| <= L (Item 1) and the rewards are bounded:
    |y_t| <= B~ (not just their means as in Item 2), we can set L~^2 = L^2 + B~^2.
    """
    reward = _any("y")
    given = at_most(sqrt(_dot(X, X)), LENGTH.symbol), at_most(absolute(reward.symbol), REWARD.symbol)
    says = at_most(_dot(X, X) + reward.symbol**2, LENGTH.symbol**2 + REWARD.symbol**2)
    return printed(*X, reward, LENGTH, REWARD, says=says, assumes=given, provable=False)


@claim(
    "shariff-sheffet-2018/variance-of-a-sum",
    "Section 4.2",
    tested_on="j of at most m matrices: the variance of a coordinate is j sigma_noise^2; only upper bounds are used.",
)
def variance_of_a_sum() -> Reading:
    """Note however that in each day t the noise N_t is the sum of <= m such matrices, thus the variance of each
    coordinate is m sigma_noise^2.
    """
    nodes, most = integer("j", 0, region=(0, 30)), integer("m", 1, region=(1, 30))
    noise = positive("sigma_noise", (0.1, 10.0))
    given = (at_most(nodes.symbol, most.symbol),)
    says = at_most(nodes.symbol * noise.symbol**2, most.symbol * noise.symbol**2)
    return Reading("at most, as the number of matrices is", (nodes, most, noise), says, given, provable=False)


@claim(
    "shariff-sheffet-2018/claim14-any-exponent",
    "After Claim 14",
    kind="identity",
    tested_on=(
        "log(n)/(C epsilon Delta_a) pulls with C = 12/c for 100: the exponent of n in the last display is 6/C - c, "
        "which "
        "is -c/2, so that the probability of fewer pulls tends to 0. With 100 itself c > 0.06 is needed."
    ),
)
def any_exponent() -> Reading:
    """We comment that the bound n^{3/4} was chosen arbitrarily, and we only require a regret upper bound of n^{1-c} for
    some c > 0.
    """
    power = Variable("c", 0, 1, low_open=True)
    constant = 12 / power.symbol
    return Reading(
        "with a constant for 100 that depends on c", (power,), equal(6 / constant - power.symbol, -power.symbol / 2)
    )


@claim(
    "shariff-sheffet-2018/claim14-identical",
    "Proof of Claim 14",
    kind="identity",
    role="step",
    tested_on=(
        "Rewards in {-1, 1}: p and q are the probabilities of 1, which differ by Delta_a; samples agree on what is "
        "common."
    ),
)
def identical_samples() -> Reading:
    """The oracle generates a collection of precisely t_a pairs of points, the left ones are i.i.d. samples from P_a and
    the right ones are i.i.d. samples from Q_a, and, in expectation, in (1 - Delta_a) fraction of the pairs the right-
    and the left-samples are identical.
    """
    p, q = probability("p"), probability("q")
    common = minimum(p.symbol, q.symbol) + minimum(1 - p.symbol, 1 - q.symbol)
    return printed(p, q, says=equal(common, 1 - absolute(p.symbol - q.symbol)))


@claim(
    "shariff-sheffet-2018/a2-changed",
    "Appendix A.2",
    tested_on="A tree over n leaves, a power of 2 that is 2^i: a leaf has i nodes above it.",
)
def changed_nodes() -> Reading:
    """Second, notice that for any two neighboring data sequences D and D' the partial sums stored at no more than m
    nodes in T are different. [m := ceil(log(n) + 1).]
    """
    height, leaves = integer("i", 0, region=(0, 12)), integer("n", 1, region=(1, 5000))
    given = (at_most(expression(2) ** height.symbol, leaves.symbol),)
    says = at_most(height.symbol + 1, ceiling(log2(leaves.symbol) + 1))
    return printed(height, leaves, says=says, assumes=given, provable=False)


@claim(
    "shariff-sheffet-2018/prop4-error",
    "Proof of Proposition 4, first displays",
    kind="identity",
    role="step",
    tested_on="d = 1 and two rounds, with the noise y in the rewards.",
)
def error_of_the_estimate() -> Reading:
    """theta* - theta~_t = theta* - V_t^{-1} (X_{<t}' y_{<t} + h_t) = ... = V_t^{-1} (H_t theta* - z_t - h_t). [z_t :=
    X_{<t}' eta_{t-1}.]
    """
    theta, weight, noise = _any("theta*"), positive("H", (0.1, 10.0)), _any("h")
    rewards = X[0].symbol * (X[0].symbol * theta.symbol + Y[0].symbol)
    rewards = rewards + X[1].symbol * (X[1].symbol * theta.symbol + Y[1].symbol)
    volume = _dot(X, X) + weight.symbol
    left = theta.symbol - (rewards + noise.symbol) / volume
    right = (weight.symbol * theta.symbol - _dot(X, Y) - noise.symbol) / volume
    return printed(*X, *Y, theta, weight, noise, says=equal(left, right))


@claim(
    "shariff-sheffet-2018/prop4-norm",
    "Proof of Proposition 4",
    role="step",
    tested_on="d = 2, H_t = [[v_11, v_12], [v_12, v_22]], and S is the norm of theta*.",
)
def norm_of_the_parameter() -> Reading:
    """We use a union bound over all n rounds to bound ||theta*||_{H_t} <= sqrt(||H_t||) ||theta*|| <= S
    sqrt(rho_max).
    """
    half = (FIRST.symbol - SECOND.symbol) / 2
    largest = (FIRST.symbol + SECOND.symbol) / 2 + sqrt(half**2 + OFF.symbol**2)
    says = at_most(_form(THETA), largest * _dot(THETA, THETA))
    return printed(*THETA, FIRST, SECOND, OFF, says=says, assumes=(DEFINITE,), provable=False)


@claim("shariff-sheffet-2018/remark2-cauchy", "Remark 2", tested_on="d = 2; both sides are squared.")
def trivial_bound_of_the_rewards() -> Reading:
    """First note that B is trivially at most L S by Cauchy-Schwarz: |<theta*, x_t>| <= ||theta*|| ||x_t|| <= L S."""
    says = at_most(_dot(THETA, X) ** 2, _dot(THETA, THETA) * _dot(X, X))
    return printed(*THETA, *X, says=says, provable=False)


@claim(
    "shariff-sheffet-2018/remark2-lower",
    "Remark 2",
    tested_on=(
        "The bracket of (2) for d = 1 and rho_min = rho_max = rho, with L/B and sigma/B on the left; gamma would be "
        "added to S sqrt(rho)."
    ),
)
def lower_after_scaling() -> Reading:
    """Indeed, in the scaled-down problem the regret is somewhat lower than the bound because both L and sigma can be
    scaled down by B (the noise variance scales proportionally to the reward).
    """
    scale = Variable("B", 1, math.inf, region=(1, 100), words="B >= 1")
    noise, rho, size = positive("sigma", (0.1, 10.0)), positive("rho", (0.1, 10.0)), positive("S", (0.1, 10.0))
    rounds, sure = integer("n", 1, region=(1, 1000)), probability("alpha", open_ends=True)

    def bracket(by: Expression) -> Expression:
        seen = log(1 + rounds.symbol * (LENGTH.symbol / by) ** 2 / rho.symbol)
        first = noise.symbol / by * (2 * log(2 / sure.symbol) + seen)
        return first + size.symbol * sqrt(rho.symbol) * sqrt(seen)

    says = at_most(bracket(scale.symbol), bracket(expression(1)))
    return printed(scale, noise, rho, size, LENGTH, rounds, sure, says=says, provable=False)


@claim(
    "shariff-sheffet-2018/lem22-determinant",
    "Proof of Lemma 22",
    kind="identity",
    role="step",
    tested_on="d = 2, U_t = [[v_11, v_12], [v_12, v_22]].",
)
def determinant_of_a_step() -> Reading:
    """U_{t+1} = U_t + x_t x_t' = U_t^{1/2} (I + U_t^{-1/2} x_t x_t' U_t^{-1/2}) U_t^{1/2}; det U_{t+1} = det U_t det(I
    + U_t^{-1/2} x_t x_t' U_t^{-1/2}). [That determinant is 1 + ||x_t||^2_{U_t^{-1}}.]
    """
    mixed = OFF.symbol + X[0].symbol * X[1].symbol
    left = (FIRST.symbol + X[0].symbol ** 2) * (SECOND.symbol + X[1].symbol ** 2) - mixed**2
    return printed(*X, FIRST, SECOND, OFF, says=equal(left, DETERMINANT * (1 + _inverse_form(X))), assumes=(DEFINITE,))


@claim(
    "shariff-sheffet-2018/lem22-eigenvalues",
    "Proof of Lemma 22",
    kind="identity",
    role="step",
    tested_on=(
        "d = 2: the characteristic polynomial of I + y y' at its variable u, and that of the printed eigenvalues."
    ),
)
def eigenvalues() -> Reading:
    """Therefore the only eigenvalues of I + y y' are 1 + ||y||^2 (with eigenvector y) and 1."""
    u = _any("u")
    first, second = 1 + Y[0].symbol ** 2 - u.symbol, 1 + Y[1].symbol ** 2 - u.symbol
    left = first * second - (Y[0].symbol * Y[1].symbol) ** 2
    return printed(*Y, u, says=equal(left, (1 + _dot(Y, Y) - u.symbol) * (1 - u.symbol)))


@claim(
    "shariff-sheffet-2018/dimension",
    "Appendix B.1",
    kind="order",
    tested_on=(
        "The bracket of (2) as d grows with everything else fixed; (3) has its square, of order d^2. The number of "
        "rounds is fixed as well, so that no logarithm of n grows with d."
    ),
)
def dependence_on_the_dimension() -> Reading:
    """However, the dependence on d (which corresponds to the number of arms for the MAB) is much worse, with O(d) in
    the minimax case and O(d^2) in the gap-dependent case.
    """
    dimension, rounds, ratio = variable("d"), expression(100), expression(3)
    first = log(2 / expression("1/10")) + dimension * log(ratio + rounds / dimension)
    second = sqrt(dimension * log(1 + rounds / dimension))
    says = Order(first + second, "O", dimension, ({"d": S},))
    return printed(integer("d", 1), says=says)


@claim(
    "shariff-sheffet-2018/claim16-rank",
    "Claim 16, 1.",
    tested_on="d = 2, B = diag(b, c) and A - B positive semidefinite: if B has rank 2, A has no determinant 0.",
)
def ranks() -> Reading:
    """If A >= B >= 0 [positive semi-definite], then 1. rank(A) >= rank(B)."""
    b, c = positive("b", (0.1, 10.0)), positive("c", (0.1, 10.0))
    p, q = Variable("p", 0, math.inf, region=(0, 10)), Variable("q", 0, math.inf, region=(0, 10))
    r = Variable("r", -math.inf, math.inf, region=(-10, 10))
    semidefinite = (at_least(p.symbol * q.symbol, r.symbol**2),)
    determinant = (b.symbol + p.symbol) * (c.symbol + q.symbol) - r.symbol**2
    says = at_least(determinant, maximum(b.symbol * c.symbol, 0))
    return printed(b, c, p, q, r, says=says, assumes=semidefinite, provable=False)
