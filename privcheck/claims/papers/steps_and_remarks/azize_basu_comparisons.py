"""Azize and Basu (NeurIPS 2022): what is said to match what, and steps of the proofs about Theorem 8."""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, at_least, at_most, below, equal, printed
from privcheck.claims._declared_claims import claim
from privcheck.claims._exact_laws import bernoulli_divergence
from privcheck.claims._expression import Expression, exp, expression, log, maximum, minimum, sqrt, variable
from privcheck.claims._variables import Variable, integer, positive, probability

S = variable("s")
BUDGET = positive("epsilon", (0.01, 10.0))
GAP = Variable("Delta", 0, 1, low_open=True, region=(0.01, 1))
ALPHA = Variable("alpha", 3, math.inf, low_open=True, region=(3.01, 10), words="for alpha > 3")


def _inside(name: str) -> Variable:
    return probability(name, open_ends=True, region=(0.05, 0.95))


def _steps_of_the_lower_bound() -> tuple[Reading, ...]:
    """Return what Theorem 10 with 1 in place of 6 is derived from."""
    f, g, f_2, g_2, share = (_inside(name) for name in ("f", "g", "f'", "g'", "share"))

    def mixed(first: Variable, second: Variable) -> Expression:
        return share.symbol * first.symbol + (1 - share.symbol) * second.symbol

    together = share.symbol * bernoulli_divergence(f.symbol, g.symbol)
    together = together + (1 - share.symbol) * bernoulli_divergence(f_2.symbol, g_2.symbol)
    private = (
        at_most(f.symbol, exp(BUDGET.symbol) * g.symbol),
        at_most(1 - f.symbol, exp(BUDGET.symbol) * (1 - g.symbol)),
    )
    return (
        Reading(
            "the divergence of two mixtures is at most the mixture of the divergences",
            (f, g, f_2, g_2, share),
            at_most(bernoulli_divergence(mixed(f, f_2), mixed(g, g_2)), together),
            provable=False,
        ),
        Reading(
            "the divergence of two outputs that privacy bounds is at most epsilon",
            (f, g, BUDGET),
            at_most(bernoulli_divergence(f.symbol, g.symbol), BUDGET.symbol),
            private,
            provable=False,
        ),
    )


@claim(
    "azize-basu-2022/thm3-low",
    "Consequences of Theorem 3, item 3",
    consequence=(
        "It is the two lower bounds that are the same there. Theorem 10 holds with 1 in place of 6, so that in the "
        "limit every consistent private policy has at least the regret log(T)/epsilon for each arm of a Bernoulli "
        "bandit that is not the best, where a policy without privacy attains Delta log(T)/d_inf: up to epsilon = "
        "d_inf/t_inf, 6 times the printed value, privacy costs something (docs/evidence/derivations.md). What "
        "remains true: "
        "Theorem 3, and that log(T)/epsilon is at most 6 times Delta log(T)/d_inf there."
    ),
    tested_on=(
        "A Bernoulli bandit, p the mean of arm a and q the best one; d_inf is their divergence and t_inf = q - p. In "
        "the first reading the left side is the minimum in (4). In the second one the left side is what E N_a/"
        "log(T) of a private policy is at least in the limit, by Theorem 10 with 1 in place of 6, and the right side "
        "what kl-UCB attains."
    ),
    derivation=_steps_of_the_lower_bound,
)
def low_privacy_regime() -> tuple[Reading, ...]:
    """In the low-privacy regime, i.e. for epsilon >= d_inf(P_a, mu*, M_a)/(6 t_inf(P_a, mu*, M_a)), the regret
    achievable by bandits with global DP and without global DP are same. Thus, there is no loss in performance due to
    privacy in this regime.
    """
    p, q = _inside("p"), _inside("q")
    divergence, variation = bernoulli_divergence(p.symbol, q.symbol), q.symbol - p.symbol
    given = below(p.symbol, q.symbol), at_least(6 * BUDGET.symbol * variation, divergence)
    lower = minimum(divergence, 6 * BUDGET.symbol * variation)
    attained = at_most(1 / (BUDGET.symbol * variation), 1 / divergence)
    return (
        Reading("of the two lower bounds", (p, q, BUDGET), at_least(lower, divergence), given, provable=False),
        Reading("of what can be attained", (p, q, BUDGET), attained, given, provable=False),
    )


@claim(
    "azize-basu-2022/upper-regimes",
    "After Theorem 8",
    tested_on="One term of Theorem 7, over 16 alpha log(T), for epsilon >= Delta; the right side has no epsilon.",
)
def upper_bounds_in_the_low_privacy_regime() -> Reading:
    """Both the upper bounds show that for low-privacy regime, the regrets of AdaP-UCB and AdaP-KLUCB are independent of
    epsilon, and in high-privacy regime, they depend on the coupled effect.
    """
    given = (at_least(BUDGET.symbol, GAP.symbol),)
    says = at_most(1 / minimum(GAP.symbol, BUDGET.symbol), 1 / GAP.symbol)
    return printed(GAP, BUDGET, says=says, assumes=given, provable=False)


@claim(
    "azize-basu-2022/near-optimal",
    "Section 1, contribution 2",
    kind="order",
    tested_on=(
        "One suboptimal arm, whose divergence from the best one is d: the left side is the bound of Theorem 8 with "
        "constants 1, the right side that of Theorem 3, both over log(T). The bound of Theorem 7 has 2 Delta^2 for d, "
        "and matches Theorem 3 where d is of that order; see thm3-bernoulli."
    ),
)
def near_optimal() -> Reading:
    """Both of these algorithms achieve near-optimal problem-dependent regret and also reflect a transition in hardness
    from a low to a high privacy regime (Thm. 7 and 8).
    """
    divergence, gap, budget = variable("d"), variable("Delta"), variable("epsilon")
    upper = gap * maximum(1 / divergence, 1 / (budget * gap))
    lower = gap * maximum(1 / divergence, 1 / (6 * budget * gap))
    one, quarter = expression(1), expression("1/4")
    paths: tuple[dict[str, Expression], ...] = (
        {"Delta": 1 / S, "d": 2 / S**2, "epsilon": one},
        {"Delta": quarter, "d": quarter / 2, "epsilon": 1 / S},
        {"Delta": 1 / S, "d": 2 / S**2, "epsilon": 1 / S**2},
        {"Delta": quarter, "d": S, "epsilon": one},
    )
    return printed(GAP, BUDGET, positive("d"), says=Order(upper, "O", lower, paths))


@claim(
    "azize-basu-2022/thm12-minimax",
    "Theorem 12, last line",
    kind="order",
    tested_on="log(T) times the bound of Theorem 2 on the right; the gaps, at most 1, add up to at most K on the left.",
)
def minimax_up_to_logarithms() -> Reading:
    """AdaP-UCB yields a regret <= 3 alpha/(alpha - 3) sum_a Delta_a + 8 sqrt(alpha K T log(T)) + 16 alpha K log(T)/
    epsilon, which achieves the minimax lower bound of Thm 2 up to log(T) factors.
    """
    arms, log_t, horizon, budget = variable("K"), variable("log_T"), variable("T"), variable("epsilon")
    upper = arms + sqrt(arms * horizon * log_t) + arms * log_t / budget
    lower = log_t * maximum(sqrt(horizon * (arms - 1)), (arms - 1) / budget)
    one, two, late = expression(1), expression(2), expression(10)
    paths: tuple[dict[str, Expression], ...] = (
        {"K": two, "T": S, "log_T": log(S), "epsilon": one},
        {"K": S, "T": S**2, "log_T": 2 * log(S), "epsilon": one},
        {"K": two, "T": exp(late), "log_T": late, "epsilon": 1 / S},
        {"K": S, "T": S**2, "log_T": 2 * log(S), "epsilon": 1 / S**2},
    )
    return printed(integer("K", 2, words="K > 1"), integer("T", 1), BUDGET, says=Order(upper, "O", lower, paths))


@claim("azize-basu-2022/remark3", "Remark 3", kind="identity")
def four_times_more() -> Reading:
    """The leading term of the regret is 16 alpha log(T)/(Delta_a min{epsilon, 2 Delta_a}), which is 4 times more than
    what we got from Equation (33). A multiplicative factor of 2 is introduced due to the doubling and another
    multiplicative factor of 2 is due to the forgetting. [(33): 4 alpha log(T)/(Delta_a min{epsilon, 2 Delta_a}).]
    """
    late = positive("log(T)", (0.1, 30.0))
    scale = GAP.symbol * minimum(BUDGET.symbol, 2 * GAP.symbol)
    left = 16 * ALPHA.symbol * late.symbol / scale
    right = 2 * expression(2) * (4 * ALPHA.symbol * late.symbol / scale)
    return printed(ALPHA, GAP, BUDGET, late, says=equal(left, right))


@claim(
    "azize-basu-2022/thm8-first-argument",
    "Proof of Theorem 8, step 2",
    role="step",
    tested_on="d(x, mu_1) and d(y, mu_1) for x <= y <= mu_1; that c(beta) exists, is unique and increases follows.",
)
def first_argument() -> Reading:
    """Since d(., mu_1) is a bijective function from [mu_a, mu_1] to [0, d(mu_a, mu_1)], we get that c(beta) always
    exists and is unique. ... c(beta) is an increasing function of beta. ... d(., mu_1) is decreasing on [0, mu_1].
    """
    x, y, best = probability("x"), probability("y"), _inside("mu_1")
    given = at_most(x.symbol, y.symbol), at_most(y.symbol, best.symbol)
    says = at_least(bernoulli_divergence(x.symbol, best.symbol), bernoulli_divergence(y.symbol, best.symbol))
    return printed(x, y, best, says=says, assumes=given, provable=False)


@claim(
    "azize-basu-2022/thm8-clip",
    "Proof of Theorem 8, step 2",
    role="step",
    tested_on=(
        "X is the mean with noise and bonus, and `level` is mu_a + c(beta) Delta_a: what the event on the left says."
    ),
)
def clipped_mean() -> Reading:
    """P(breve mu >= mu_a + c(beta) Delta_a) <= P(hat mu + Lap(1/(2^l epsilon)) + alpha log(T)/(epsilon 2^l) >= mu_a +
    c(beta) Delta_a) (definition of breve mu).
    """
    level, mean = probability("level", open_ends=True), Variable("X", -math.inf, math.inf, region=(-3, 3))
    given = (at_least(minimum(maximum(0, mean.symbol), 1), level.symbol),)
    return printed(level, mean, says=at_least(mean.symbol, level.symbol), assumes=given, provable=False)


LOW, Z, BEST = _inside("mu_a"), _inside("z"), _inside("mu_1")


@claim(
    "azize-basu-2022/fact3",
    "Fact 3, and (37)",
    role="step",
    tested_on=(
        "z is chosen with d(z, mu_a) >= d(z, mu_1) = d(mu_a, mu_1)/(1 + beta); the paper takes equality. The left "
        "side is the bound d(mu_a, mu_1)/(alpha (beta + 1)) of d(mu_a + gamma Delta_a, mu_a), the right side "
        "d(mu_a + c(beta) Delta_a, mu_a). It needs alpha > 1 only: with alpha > 3 there is a factor 3 to spare."
    ),
)
def fact_3() -> Reading:
    """B := {beta > 0: c(beta) > gamma_{l,T}} is not empty. [Proof:] d(mu_a + gamma_{l,T} Delta_a, mu_a) = log(T)/2^l <=
    d(mu_a, mu_1)/(alpha (beta + 1)) < d(z, mu_a) = d(mu_a + c(beta) Delta_a, mu_a).
    """
    given = (
        at_most(LOW.symbol, Z.symbol),
        at_most(Z.symbol, BEST.symbol),
        at_least(bernoulli_divergence(Z.symbol, LOW.symbol), bernoulli_divergence(Z.symbol, BEST.symbol)),
    )
    left = bernoulli_divergence(Z.symbol, BEST.symbol) / ALPHA.symbol
    says = at_most(left, bernoulli_divergence(Z.symbol, LOW.symbol))
    return printed(LOW, Z, BEST, ALPHA, says=says, assumes=given, provable=False)


@claim(
    "azize-basu-2022/fact3-increasing", "Proof of Fact 3, step 1", role="step", tested_on="g(x) <= g(x') for x <= x'."
)
def increasing_difference() -> Reading:
    """We investigate the function g(x) := d(x, mu_a) - d(x, mu_1). ... g is continuous and increasing in the interval
    [mu_a, mu_1], g(mu_a) = -d(mu_a, mu_1) < 0, and g(mu_1) = d(mu_1, mu_a) > 0.
    """
    x, later = _inside("x"), _inside("x'")

    def g(at: Variable) -> Expression:
        return bernoulli_divergence(at.symbol, LOW.symbol) - bernoulli_divergence(at.symbol, BEST.symbol)

    order = at_most(LOW.symbol, x.symbol), at_most(x.symbol, later.symbol), at_most(later.symbol, BEST.symbol)
    return printed(LOW, BEST, x, later, says=at_most(g(x), g(later)), assumes=order, provable=False)


@claim("azize-basu-2022/lem12-convex-first", "Lemma 12, 1.", tested_on="d(., q) at the middle of two points.")
def convex_in_the_first() -> Reading:
    """Let p, q, epsilon in [0, 1]. 1. The functions d(., q) and d(p, .) are convex and have unique minimisers at q and
    p, respectively.
    """
    x, y, q = _inside("x"), _inside("y"), _inside("q")
    middle = bernoulli_divergence((x.symbol + y.symbol) / 2, q.symbol)
    ends = (bernoulli_divergence(x.symbol, q.symbol) + bernoulli_divergence(y.symbol, q.symbol)) / 2
    return printed(x, y, q, says=at_most(middle, ends), provable=False)


@claim("azize-basu-2022/lem12-convex-second", "Lemma 12, 1.", tested_on="d(p, .) at the middle of two points.")
def convex_in_the_second() -> Reading:
    """Let p, q, epsilon in [0, 1]. 1. The functions d(., q) and d(p, .) are convex and have unique minimisers at q and
    p, respectively.
    """
    x, y, p = _inside("x"), _inside("y"), _inside("p")
    middle = bernoulli_divergence(p.symbol, (x.symbol + y.symbol) / 2)
    ends = (bernoulli_divergence(p.symbol, x.symbol) + bernoulli_divergence(p.symbol, y.symbol)) / 2
    return printed(x, y, p, says=at_most(middle, ends), provable=False)
