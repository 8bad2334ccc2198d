"""Azize and Basu (NeurIPS 2022): the coupling of Lemma 2, and Markov's inequality in the proofs of the lower bounds."""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import ceiling, exp, expression, log, maximum, minimum, total, variable
from privcheck.claims._variables import Variable, integer, positive, probability

BUDGET, GAP = positive("epsilon", (0.01, 5.0)), positive("Delta", (0.01, 5.0))


@claim(
    "azize-basu-2022/lem2-coupling",
    "Proof of Lemma 2, the construction",
    kind="identity",
    role="step",
    tested_on=(
        "Two Bernoulli laws with means p and q. The left side is the probability of X_i = 1 under the construction, "
        "min{p, q} from C_i and max{p - q, 0} from F_i; the other properties are the same with p and q exchanged."
    ),
)
def coupling() -> Reading:
    """If H_i = 1, sample X_i in proportion to F_i and X'_i in proportion to G_i; if H_i = 0, sample X_i in proportion
    to C_i and set X'_i = X_i. ... This construction satisfies the following properties: 1. (X_1, ..., X_T) has the law
    P_1 x ... x P_T. 2. (X'_1, ..., X'_T) has the law Q_1 x ... x Q_T. [F_i = max(P_i - Q_i, 0), C_i = min(P_i, Q_i).]
    """
    p, q = probability("p"), probability("q")
    left = minimum(p.symbol, q.symbol) + maximum(p.symbol - q.symbol, 0)
    return printed(p, q, says=equal(left, p.symbol))


@claim(
    "azize-basu-2022/lem2-geometric",
    "Proof of Lemma 2, before (9)",
    kind="identity",
    role="step",
    tested_on=(
        "Fact 1 with equality in each of the h steps: the left side is what they add to e^{h epsilon} m_j(0), over "
        "delta, the right side the printed factor."
    ),
)
def sum_of_the_steps() -> Reading:
    """By Fact 1, for j in {0, 1}, we have m_j(h) <= e^{h epsilon} m_j(0) + (e^{h epsilon} - 1)/(e^epsilon - 1)
    delta.
    """
    steps = integer("h", 1, region=(1, 12))
    left = total("k", 0, steps.symbol - 1, exp(variable("k") * BUDGET.symbol))
    right = (exp(steps.symbol * BUDGET.symbol) - 1) / (exp(BUDGET.symbol) - 1)
    return printed(steps, BUDGET, says=equal(left, right), provable=False)


@claim(
    "azize-basu-2022/eq11",
    "Proof of Lemma 2, (11)",
    role="step",
    consequence=(
        "A misprint of a sign in the last product, e^-epsilon for e^epsilon; (13) has it right. In the case that is "
        "tested, with m = 0, the printed form fails for every delta > 0 as long as e^{3 epsilon} < 1 + e^epsilon, "
        "which is up to epsilon = 0.28."
    ),
    tested_on=(
        "One datum, and two laws that are sure of different values: the mechanism gives E the probability e^epsilon m "
        "+ delta for the one, which is the left side, and m for the other. The product is e^epsilon or e^-epsilon."
    ),
)
def equation_11() -> tuple[Reading, ...]:
    """M_0(E) <= [prod_i (1 - p_i + p_i e^epsilon)/(1 - p_i + p_i e^-epsilon)] (M_1(E) + (1 - prod_i (1 - p_i + p_i
    e^-epsilon))/(1 - e^-epsilon) delta) + (prod_i (1 - p_i + p_i e^-epsilon) - 1)/(e^epsilon - 1) delta.
    """
    low, delta = probability("m"), probability("delta")
    up, down = exp(BUDGET.symbol), exp(-BUDGET.symbol)
    high = up * low.symbol + delta.symbol
    private = (
        at_most(high, 1),
        at_most(1 - low.symbol, up * (1 - high) + delta.symbol),
    )
    first = (up / down) * (low.symbol + (1 - down) / (1 - down) * delta.symbol)
    variables = (BUDGET, low, delta)
    wrong = at_most(high, first + (down - 1) / (up - 1) * delta.symbol)
    right = at_most(high, first + (up - 1) / (up - 1) * delta.symbol)
    return (
        printed(*variables, says=wrong, assumes=private, provable=False),
        repaired("e^epsilon in the last product", *variables, says=right, assumes=private, provable=False),
    )


def _pulls() -> tuple[Variable, Variable, Variable]:
    """Return the probability of at most T/2 pulls, and where they are then and otherwise, as shares of the half."""
    return probability("few"), probability("below"), Variable("above", 0, 1, low_open=True)


ROUNDS = integer("T", 1, region=(1, 50))


@claim(
    "azize-basu-2022/thm2-markov",
    "Proof of Theorem 2, step 2, first display",
    role="step",
    tested_on=(
        "N_1(T) takes two values, one of at most T/2 with probability `few` and one above T/2; `below` and `above` "
        "are their distances from 0 and from T/2, over T/2."
    ),
)
def markov_in_the_first_environment() -> Reading:
    """Reg_T(pi, nu) = (T - E_nu[N_1(T)]) Delta >= M_nu(N_1(T) <= T/2) T Delta/2."""
    few, low, high = _pulls()
    half = ROUNDS.symbol / 2
    mean = few.symbol * low.symbol * half + (1 - few.symbol) * (1 + high.symbol) * half
    says = at_least((ROUNDS.symbol - mean) * GAP.symbol, few.symbol * half * GAP.symbol)
    return printed(few, low, high, ROUNDS, GAP, says=says, provable=False)


@claim(
    "azize-basu-2022/thm2-markov-other",
    "Proof of Theorem 2, step 2, second display",
    role="step",
    tested_on="As thm2-markov; `others` is the mean number of pulls of the arms other than 1 and i, over T.",
)
def markov_in_the_second_environment() -> Reading:
    """Reg_T(pi, nu') = Delta E_nu'[N_1(T)] + sum_{a not in {1, i}} 2 Delta E_nu'[N_a(T)] >= M_nu'(N_1(T) > T/2) T
    Delta/2.
    """
    few, low, high = _pulls()
    others = probability("others")
    half = ROUNDS.symbol / 2
    mean = few.symbol * low.symbol * half + (1 - few.symbol) * (1 + high.symbol) * half
    left = GAP.symbol * mean + 2 * GAP.symbol * others.symbol * ROUNDS.symbol
    says = at_least(left, (1 - few.symbol) * half * GAP.symbol)
    return printed(few, low, high, others, ROUNDS, GAP, says=says, provable=False)


@claim(
    "azize-basu-2022/eq21",
    "Proof of Theorem 5, (21)",
    role="step",
    tested_on=(
        "D is the divergence, which the numerator of (21) bounds, log_R is log(Reg_T + Reg'_T), and log_T is log(T); "
        "the condition is the display at the end of step 2."
    ),
)
def logarithm_of_the_regret() -> Reading:
    """Reg_T + Reg'_T >= (T alpha/4) exp(-D_KL(M, M')). ... Thus, after re-arrangement, we get 3 epsilon (Delta_a +
    alpha) rho_T(H)/(log(T) ||a - a*||^2) >= 1 - log((4 R_T + 4 R'_T)/alpha)/log(T).
    """
    late, shift = positive("log_T", (0.1, 30.0)), positive("alpha", (0.01, 5.0))
    divergence = Variable("D", 0, math.inf, region=(0, 30))
    regret = Variable("log_R", -math.inf, math.inf, region=(-20, 20))
    given = at_least(regret.symbol, late.symbol + log(shift.symbol / 4) - divergence.symbol)
    right = 1 - (log(4) + regret.symbol - log(shift.symbol)) / late.symbol
    says = at_least(divergence.symbol / late.symbol, right)
    return printed(late, shift, divergence, regret, says=says, assumes=(given,), provable=False)


def _either(name: str) -> Variable:
    return Variable(name, 0, 1, integer=True, region=(0, 1), words="1{...}")


@claim(
    "azize-basu-2022/thm11-split",
    "Proof of Theorem 11, step 1",
    role="step",
    tested_on="One round: `played` is 1{A_t = a}, and `low` is 1{I_1(phi(t) - 1, alpha) <= mu_1}.",
)
def split_of_the_pulls() -> Reading:
    """N_a(T) = 1 + sum_t 1{A_t = a and I_1(phi(t) - 1, alpha) > mu_1} + 1{A_t = a and I_1(phi(t) - 1, alpha) <= mu_1}
    <= 1 + N'_a(T) + sum_t 1{I_1(phi(t) - 1, alpha) <= mu_1}.
    """
    played, low = _either("played"), _either("low")
    says = at_most(played.symbol, played.symbol * (1 - low.symbol) + low.symbol)
    return printed(played, low, says=says)


@claim(
    "azize-basu-2022/thm11-union",
    "Proof of Theorem 11, step 3, union bounds",
    role="step",
    tested_on=(
        "Two values that phi(t) can take, and an event for each: a and b are the probabilities of the first event "
        "with phi = 1 and with phi = 2, c and d those of the second one. The left side is P(the event of phi(t))."
    ),
)
def union_bounds() -> Reading:
    """Here, the first inequality is due to an union bound on phi(t) in [t/2, t] (Equation 31), and the second
    inequality is due to a union bound on N_1(phi - 1).
    """
    a, b, c, d = (probability(name) for name in "abcd")
    whole = at_most(maximum(a.symbol, c.symbol) + maximum(b.symbol, d.symbol), 1)
    says = at_most(a.symbol + d.symbol, (a.symbol + b.symbol) + (c.symbol + d.symbol))
    return printed(a, b, c, d, says=says, assumes=(whole,))


@claim(
    "azize-basu-2022/half-of-pulls",
    "Section 4, before (7), and after (29)",
    consequence=(
        "Both sentences hold for every arm that has had an episode, and the first episode begins after the "
        "initialisation (Example 2). Before that the mean of an arm has one reward. Index (7) as printed then has the "
        "noise and the widths of half a reward, which is private and an upper bound all the same; one reward needs "
        "those for max{1, N/2} in place of N/2 (docs/evidence/derivations.md)."
    ),
    tested_on=(
        "An arm that has had j episodes after its one pull of the initialisation: it was pulled 2^j times. The left "
        "side is the number of rewards in its last block."
    ),
)
def half_of_the_pulls() -> tuple[Reading, ...]:
    """Thus, due to the doubling of episode length, the empirical mean corresponds to (1/2) N_a(t_l - 1) samples of arm
    a. ... [After (29):] due to the doubling, the last active episode's size is exactly half the number of times arm a
    was pulled since the beginning.
    """
    episodes = integer("j", 0, region=(0, 30))
    later = integer("j", 1, region=(1, 30))

    def halved(of: Variable) -> Reading:
        pulls = expression(2) ** of.symbol
        says = equal(ceiling(expression(2) ** (of.symbol - 1)), pulls / 2)
        name = "from the initialisation on" if of.low == 0 else "of an arm that has had an episode"
        return Reading(name, (of,), says, provable=False)

    return halved(episodes), halved(later)
