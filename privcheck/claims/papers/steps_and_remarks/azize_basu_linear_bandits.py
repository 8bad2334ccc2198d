"""Azize and Basu (NeurIPS 2022): steps of the proofs of Theorems 4 and 5, about linear bandits."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._expression import Expression, absolute, exp, expression, maximum, where_negative
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET, ROUNDS = positive("epsilon", (0.01, 10.0)), integer("T", 1, region=(1, 100))
ACTION = Variable("A", -1, 1, words="A = [-1, 1]^d")


def _any(name: str) -> Variable:
    return Variable(name, -math.inf, math.inf, region=(-5, 5))


@claim(
    "azize-basu-2022/thm4-sign",
    "Proof of Theorem 4, step 1",
    role="step",
    tested_on=(
        "One coordinate of one action; the sign of 0 differs from that of theta_i, which makes it the harder case."
    ),
)
def wrong_signs() -> Reading:
    """The first inequality follows from an observation that (sign(theta_i) - A_ti) theta_i >= |theta_i| 1{sign(A_ti) !=
    sign(theta_i)}.
    """
    theta = _any("theta")
    product = ACTION.symbol * theta.symbol
    size = absolute(theta.symbol)
    says = at_least(size - product, size * where_negative(-1 * product, 0, 1))
    return printed(ACTION, theta, says=says, provable=False)


@claim(
    "azize-basu-2022/eq19",
    "Proof of Theorem 4, (19)",
    role="step",
    tested_on="The same action A_{t,i} in all T rounds, and |theta_i| = 1/(epsilon T).",
)
def equation_19() -> Reading:
    """3 epsilon E[sum_t |A_{t,i}| (2 |theta_i|)] <= 3 epsilon E[T 2/(epsilon T)] = 6."""
    left = 3 * BUDGET.symbol * ROUNDS.symbol * absolute(ACTION.symbol) * (2 / (BUDGET.symbol * ROUNDS.symbol))
    return printed(ACTION, BUDGET, ROUNDS, says=at_most(left, 6), provable=False)


LEAST = exp(-6) / 2
"""What p_{theta,i} + p_{theta',i} is at least."""


def _more(name: str) -> Variable:
    return Variable(name, 0, math.inf, region=(0, 1))


@claim(
    "azize-basu-2022/thm4-average",
    "Proof of Theorem 4, step 3",
    role="step",
    tested_on=(
        "d = 2: the four parameters make two pairs for each coordinate, and `more_k` is what p_{theta,i} + "
        "p_{theta',i} of one of these four pairs has above exp(-6)/2."
    ),
)
def averaging() -> Reading:
    """We apply an 'averaging hammer' over all theta in Theta, such that |Theta| = 2^d, to obtain (1/|Theta|) sum_i
    sum_theta p_{theta,i} >= (d/4) exp(-6). [p_{theta,i} + p_{theta',i} >= exp(-6)/2.]
    """
    more = tuple(_more(f"more_{k}") for k in (1, 2, 3, 4))
    left = (4 * LEAST + more[0].symbol + more[1].symbol + more[2].symbol + more[3].symbol) / 4
    return printed(*more, says=at_least(left, expression(2) / 4 * exp(-6)))


@claim(
    "azize-basu-2022/thm4-largest",
    "Proof of Theorem 4, end of step 3",
    role="step",
    tested_on="d = 1: the two probabilities add up to exp(-6)/2 + more, and the first of them is share exp(-6)/2.",
)
def largest_of_all() -> Reading:
    """This implies that there exists a theta in Theta such that sum_i p_{theta,i} >= d exp(-6)/4."""  # noqa: D404
    share, more = probability("share"), _more("more")
    first, second = share.symbol * LEAST, (1 - share.symbol) * LEAST + more.symbol
    return printed(share, more, says=at_least(maximum(first, second), exp(-6) / 4))


@claim(
    "azize-basu-2022/thm5-alternative",
    "Proof of Theorem 5, step 1",
    kind="identity",
    role="step",
    tested_on="d = 2: a - a* = (x, y), H = [[h_11, h_12], [h_12, h_22]], and Delta_a = -<a - a*, theta>.",
)
def alternative() -> Reading:
    """We define theta' := theta + ((Delta_a + alpha)/||a - a*||_H^2) H (a - a*), which is chosen such that <a - a*,
    theta'> = <a - a*, theta> + Delta_a + alpha = alpha.
    """
    x, y, first, second = _any("x"), _any("y"), _any("theta_1"), _any("theta_2")
    h11, h22, h12, shift = positive("h_11"), positive("h_22"), _any("h_12"), positive("alpha")
    moved = h11.symbol * x.symbol + h12.symbol * y.symbol, h12.symbol * x.symbol + h22.symbol * y.symbol
    square = x.symbol * moved[0] + y.symbol * moved[1]
    before = x.symbol * first.symbol + y.symbol * second.symbol
    factor = (-1 * before + shift.symbol) / square
    after = x.symbol * (first.symbol + factor * moved[0]) + y.symbol * (second.symbol + factor * moved[1])
    definite = at_least(h11.symbol * h22.symbol, h12.symbol**2 + expression("1/1000"))
    return printed(x, y, first, second, h11, h22, h12, shift, says=equal(after, shift.symbol), assumes=(definite,))


ARM, OTHER, ALONG = (_any("a_1"), _any("a_2")), (_any("b_1"), _any("b_2")), (_any("x_1"), _any("x_2"))
PULLS = positive("N_j", (0.1, 50.0))


def _dot(u: tuple[Variable, Variable], v: tuple[Variable, Variable]) -> Expression:
    return u[0].symbol * v[0].symbol + u[1].symbol * v[1].symbol


@claim(
    "azize-basu-2022/fact2-order",
    "Proof of Fact 2",
    role="step",
    tested_on="d = 2 and two arms a and b, of which a is arm j: both sides as quadratic forms at x.",
)
def order_of_matrices() -> Reading:
    """G_T = sum_j E(N_j(T)) a_j a_j' >= E(N_j(T)) a_j a_j' [in the order of positive semidefinite matrices]."""
    more = positive("N_k", (0.1, 50.0))
    right = PULLS.symbol * _dot(ARM, ALONG) ** 2
    says = at_least(right + more.symbol * _dot(OTHER, ALONG) ** 2, right)
    return printed(PULLS, more, *ARM, *OTHER, *ALONG, says=says)


@claim(
    "azize-basu-2022/fact2-pseudo-inverse",
    "Proof of Fact 2",
    kind="identity",
    role="step",
    tested_on=(
        "d = 2: a matrix A and its pseudo-inverse A+ have A A+ A = A. Both sides are quadratic forms at x, of A A+ A "
        "and of A = E(N_j(T)) a_j a_j'."
    ),
)
def pseudo_inverse() -> Reading:
    """(E(N_j(T)) a_j a_j')^+ = a_j a_j'/(E(N_j(T)) (a_j' a_j)^2)."""
    size = _dot(ARM, ARM)
    inverse = 1 / (PULLS.symbol * size**2)
    left = PULLS.symbol**2 * _dot(ARM, ALONG) * size * inverse * size * _dot(ARM, ALONG)
    return printed(PULLS, *ARM, *ALONG, says=equal(left, PULLS.symbol * _dot(ARM, ALONG) ** 2))


@claim(
    "azize-basu-2022/fact2-orthogonal",
    "Proof of Fact 2",
    kind="identity",
    role="step",
    tested_on="d = 2: b_j is a_j turned by a right angle, times a number; the left side is the first entry.",
)
def no_part_along_the_arm() -> Reading:
    """(E(N_j(T)) a_j a_j')^+ b_j = 0 [a_j' b_j = 0]."""
    factor = _any("f")
    turned = -1 * factor.symbol * ARM[1].symbol, factor.symbol * ARM[0].symbol
    product = ARM[0].symbol * turned[0] + ARM[1].symbol * turned[1]
    left = ARM[0].symbol * product / (PULLS.symbol * _dot(ARM, ARM) ** 2)
    return printed(PULLS, *ARM, factor, says=equal(left, 0))
