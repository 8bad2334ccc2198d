"""Hu, Huang, Mehta and Hegde (arXiv 2102.07929): the bandit algorithms, section 4 and appendices B and C."""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import binomial_weight
from privcheck.claims._expression import absolute, exp, expression, log, minimum, sqrt, total, variable
from privcheck.claims._variables import Variable, integer, positive, probability

GAP = Variable("Delta", 0, 1, low_open=True, region=(0.01, 1))
BUDGET = positive("epsilon", (0.01, 100.0))
LOG_HORIZON = positive("lnT", (0.7, 20.0))


@claim("hu-2021/eq21", "Proof of Theorem 2, (21)", kind="privacy", role="step")
def equation_21() -> Reading:
    """From Theorem 3.6 in Dwork et al. (2014) that Laplace mechanism preserves epsilon-differential privacy, for any y,
    f(y | X) <= e^epsilon f(y | X').
    """
    y = Variable("y", -float("inf"), float("inf"), region=(-100, 100))
    change = Variable("change", -1, 1, words="each X_j(t) in {0, 1}, in section 2.1")
    densities = (exp(-BUDGET.symbol * absolute(y.symbol - shift)) for shift in (expression(0), change.symbol))
    first, second = densities
    return printed(y, change, BUDGET, says=at_most(first, exp(BUDGET.symbol) * second), provable=False)


@claim("hu-2021/omega", "Proof sketch of Theorem 3", kind="identity", role="step")
def pulls_until_an_epoch() -> Reading:
    """omega_j^(r) := sum_{q=0}^r 2^q = 2^{r+1} - 1."""
    r = integer("r", 0, region=(0, 30))
    two = expression(2)
    return printed(r, says=equal(total("q", 0, r.symbol, two ** variable("q")), two ** (r.symbol + 1) - 1))


@claim(
    "hu-2021/eq24",
    "Proof of Theorem 3, (24), second inequality",
    role="step",
    consequence=(
        "A misprint: the proof sketch in section 4.1 has omega^(d_j + 1) in place of omega^(d_j). No order changes."
    ),
    tested_on=("r_j(T) is d with probability 1 - p, and d + 1 with probability p."),
)
def equation_24() -> tuple[Reading, ...]:
    """E[n_j(T)] <= omega^(d_j+1) + sum_s P{r_j(T) = s} sum_{q=d_j+1}^{s+1} 2^q <= omega^(d_j) + sum_s P{r_j(T) = s}
    omega^(s+1); the second inequality uses sum_{q=d_j+1}^{s+1} 2^q <= omega^(s+1).
    """
    words = "d_j := ceil(log(24 ln(T)/(Delta_j min{Delta_j, epsilon}))); 24 ln(2) is 16.6"
    d, p = integer("d", 5, region=(5, 25), words=words), probability("p")
    two = expression(2)
    # all of the probability p of more than d epochs is on s = d + 1
    left = two ** (d.symbol + 2) - 1 + p.symbol * (two ** (d.symbol + 1) + two ** (d.symbol + 2))
    more = p.symbol * (two ** (d.symbol + 3) - 1)
    return (
        Reading("omega^(d_j) on the right, as in (24)", (d, p), at_most(left, two ** (d.symbol + 1) - 1 + more)),
        Reading("omega^(d_j + 1), as in the proof sketch", (d, p), at_most(left, two ** (d.symbol + 2) - 1 + more)),
    )


@claim("hu-2021/eq29", "Proof of Lemma 19, (29)", role="step")
def equation_29() -> Reading:
    """sqrt(ln(T^3)/(24 ln(T)/(Delta_j min{Delta_j, epsilon}))) + ln(T^3)/(epsilon 24 ln(T)/(Delta_j min{Delta_j,
    epsilon})) < 0.5 Delta_j.
    """
    gap = Variable("Delta", 0, 1, low_open=True, region=(0.1, 1))
    budget = positive("epsilon", (0.01, 10.0))
    width = gap.symbol * minimum(gap.symbol, budget.symbol) / 8  # ln(T) cancels
    return printed(gap, budget, says=at_most(sqrt(width) + width / budget.symbol, gap.symbol / 2))


@claim("hu-2021/eq30", "Proof of Lemma 19, (30), last line", kind="order", role="step")
def equation_30() -> Reading:
    """... <= O(omega_j^(s+1)/omega_j^(s-1)), which is O(1) by Lemma 19."""
    epoch = integer("epoch", 1)
    two = expression(2)
    left = (two ** (epoch.symbol + 2) - 1) / (two**epoch.symbol - 1)
    return printed(epoch, says=Order(left, "O", expression(1), ({"epoch": variable("s")},)))


@claim("hu-2021/eq31", "Section B.2.2, (31)", kind="identity", role="step")
def equation_31() -> Reading:
    """Let Delta* := sqrt(K ln(T)/T). ... <= sqrt(K T ln(T)) + O(K ln(T)/sqrt(K ln(T)/T)) + O(K ln(T)/epsilon) <=
    O(sqrt(K T ln(T))) + O(K ln(T)/epsilon).
    """
    arms, horizon = integer("K", 1), integer("T", 1)
    product = arms.symbol * LOG_HORIZON.symbol
    left = product / sqrt(product / horizon.symbol)
    return printed(arms, horizon, LOG_HORIZON, says=equal(left, sqrt(product * horizon.symbol)))


@claim("hu-2021/lem20-clip", "Proof of Lemma 20, after (35)", role="step")
def clipped_index() -> Reading:
    """mu_j + 6 ln(t)/(epsilon 72 ln(t)/(epsilon Delta_j)) + sqrt(3 ln(t)/(72 ln(t)/Delta_j^2)) <= mu_j + Delta_j/3 due
    to O_j(t-1) = 2^r >= 72 ln(T)/(Delta_j min{epsilon, Delta_j}).
    """
    gap = Variable("Delta", 0, 1)
    left = gap.symbol / 12 + gap.symbol * sqrt(expression(3) / 72)
    return printed(gap, says=at_most(left, gap.symbol / 3))


@claim("hu-2021/lem20-e", "Proof of Lemma 20, (36), inequality (e)", role="step")
def inequality_e() -> Reading:
    """Inequality (e) uses 1/2^r <= 1/2^{d_j} < Delta_j/12, where d_j is the logarithm of 72 ln(T)/(Delta_j
    min{epsilon, Delta_j}), rounded up.
    """
    horizon = integer("T", 2, region=(2, 1000), words="ln(T) divides, which is 0 for T = 1")
    smaller = minimum(BUDGET.symbol, GAP.symbol)
    left = GAP.symbol * smaller / (72 * log(horizon.symbol))
    return printed(GAP, BUDGET, horizon, says=at_most(left, GAP.symbol / 12))


@claim("hu-2021/lem20-g", "Proof of Lemma 20, (36), last line", role="step")
def last_inequality_of_36() -> Reading:
    """... <=(g) exp(-2^{d_j} 2 25 Delta_j^2/144) <= 1/T^2."""
    smaller = Variable("smaller", 0, 1, low_open=True, region=(0.01, 1))
    horizon = Variable("lnT", 0, float("inf"), region=(0, 20))
    samples = 72 * horizon.symbol / (GAP.symbol * smaller.symbol)
    left = exp(-samples * 2 * 25 * GAP.symbol**2 / 144)
    assumes = (at_most(smaller.symbol, GAP.symbol),)  # min{epsilon, Delta_j}
    return printed(GAP, smaller, horizon, says=at_most(left, exp(-2 * horizon.symbol)), assumes=assumes)


@claim("hu-2021/lem7", "Lemma 7, first case", kind="law")
def lemma_7() -> Reading:
    """Let theta_{1,s} ~ Beta(hat mu_{1,s} s + 1, (1 - hat mu_{1,s}) s + 1), where hat mu_{1,s} is the empirical mean of
    the optimal arm 1 among s observations. We have E[P{theta_{1,s} <= y_j}/P{theta_{1,s} > y_j}] <= 3/(mu_1 - y_j) for
    s < 8/(mu_1 - y_j).
    """
    count, mean = integer("count", 1, region=(1, 7)), probability("mu", open_ends=True)
    y = probability("y", open_ends=True)
    k, i = variable("k"), variable("i")
    # a Beta variable of integer parameters exceeds y when at most k of count + 1 uniform ones are below y
    above = total("i", 0, k, binomial_weight(count.symbol + 1, y.symbol, i))
    left = total("k", 0, count.symbol, binomial_weight(count.symbol, mean.symbol, k) * (1 / above - 1))
    difference = mean.symbol - y.symbol
    assumes = (below(0, difference), below(count.symbol * difference, 8))
    return printed(count, mean, y, says=at_most(left, 3 / difference), assumes=assumes, provable=False)


@claim(
    "hu-2021/lem6",
    "Lemma 6",
    kind="law",
    tested_on=(
        "Two arms whose posterior samples are uniform: that of arm 1 on [0, u], that of arm j on [0, 1], with y <= u. "
        "The left side is P{theta_1 <= theta_j <= y}, the right side the printed one."
    ),
)
def lemma_6() -> Reading:
    """For any suboptimal j and any instantiation F_{t-1}, P_{t-1}{J_t = j, E_j(t), G_1(t-1)} <= (P_{t-1}{theta_1(t) <=
    y_j}/P_{t-1}{theta_1(t) > y_j}) P_{t-1}{J_t = 1, E_j(t), G_1(t-1)}. [E_j(t) is {theta_j(t) <= y_j}.]
    """
    y, u = probability("y", open_ends=True), probability("u", open_ends=True)
    below_y = y.symbol / u.symbol
    left = y.symbol**2 / (2 * u.symbol)
    right = below_y / (1 - below_y) * (y.symbol - y.symbol**2 / (2 * u.symbol))
    return printed(y, u, says=at_most(left, right), assumes=(below(y.symbol, u.symbol),), provable=False)
