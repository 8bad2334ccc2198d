"""Hu, Huang, Mehta and Hegde (arXiv 2102.07929): full information, section 5 and appendix D."""

from __future__ import annotations

from privcheck.claims._claim import Order, Reading, at_least, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._exact_laws import binomial_mean, laplace_difference_above
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
    total,
    variable,
)
from privcheck.claims._variables import Variable, integer, positive, probability

S = variable("s")
BUDGET = positive("epsilon", (0.01, 10.0))


@claim(
    "hu-2021/thm8",
    "Theorem 8",
    kind="privacy",
    consequence=(
        "Algorithm 4 with noise Lap(1/epsilon) has a privacy loss of up to 2 epsilon when a reward vector is replaced, "
        "which can move the sums of two actions in opposite directions. Claim 3.9 of Dwork and Roth (2014), on which "
        "the proof rests, is about counts and the addition or removal of one person, which moves all counts the same "
        "way. Draw the noise with scale 2/epsilon, or claim 2 epsilon; the order of the regret stands. The "
        "counterexample has two actions with equal sums in epoch 1, and one vector (0, 1) that becomes (1, 0)."
    ),
    tested_on=(
        "Two actions; action 1 leads by `ahead` after an epoch of 2^epoch vectors, and one vector (0, 1) becomes "
        "(1, 0), which adds 2 to its lead. The left side is the probability that action 2 is chosen before, the "
        "right side e^epsilon times that after the change."
    ),
)
def theorem_8() -> tuple[Reading, ...]:
    """Algorithm 4 is epsilon-differentially private. [Definition 1: for any two reward vector sequences differing in at
    most one vector. Algorithm 4: arg max_j (Phi_j + Lap(1/epsilon)), where Phi_j is the aggregated reward among 2^s
    observations.]
    """
    epoch, ahead = (
        integer("epoch", 0, region=(0, 6)),
        Variable("ahead", -float("inf"), float("inf"), integer=True, region=(-64, 64)),
    )
    rounds = expression(2) ** epoch.symbol
    # two actions: action 1 leads by `ahead` after the epoch; replacing (0, 1) by (1, 0) in one round adds 2 to its lead
    assumes = (at_most(-rounds, ahead.symbol), at_most(ahead.symbol + 2, rounds))

    def second_is_chosen(scale: Expression | int) -> tuple[Expression, Expression]:
        return tuple(  # type: ignore[return-value]
            laplace_difference_above(BUDGET.symbol * lead / scale) for lead in (ahead.symbol, ahead.symbol + 2)
        )

    (printed_first, printed_second), (first, second) = map(second_is_chosen, (1, 2))
    bound = exp(BUDGET.symbol)
    return (
        printed(
            epoch, ahead, BUDGET, says=at_most(printed_first, bound * printed_second), assumes=assumes, provable=False
        ),
        repaired(
            "the same with noise Lap(2/epsilon)",
            epoch, ahead, BUDGET, says=at_most(first, bound * second), assumes=assumes, provable=False,
        ),
    )  # fmt: skip


@claim("hu-2021/lem24", "Lemma 24, (51)", kind="law")
def lemma_24() -> Reading:
    """For all r >= 0, l >= 1, and j in J_l, we have P{G~_j^(r) - G~_1^(r) >= 0} <= 2 exp(-2^r Delta_(l) min{Delta_(l),
    epsilon}/8).
    """
    r = integer("r", 0, region=(0, 2))
    mean, gap = probability("mu", open_ends=True), Variable("Delta", 0, 1, low_open=True)
    rounds = expression(2) ** r.symbol
    lead = variable("i") - variable("k")  # of the best action
    inner = binomial_mean(rounds, mean.symbol - gap.symbol, laplace_difference_above(BUDGET.symbol * lead))
    left = binomial_mean(rounds, mean.symbol, inner, "i")
    right = 2 * exp(-rounds * gap.symbol * minimum(gap.symbol, BUDGET.symbol) / 8)
    assumes = (at_most(gap.symbol, mean.symbol),)
    return printed(r, mean, gap, BUDGET, says=at_most(left, right), assumes=assumes, provable=False)


@claim("hu-2021/eq52", "Proof of Lemma 24, after (52)", role="step")
def laplace_part() -> Reading:
    """P{xi_{j,r} >= 2^r Delta_j/2} <= 2 P{Z >= 2^{r-2} Delta_j} <= exp(-epsilon 2^{r-2} Delta_j), xi_{j,r} being
    the sum of two independent Laplace variables with scale 1/epsilon.
    """
    x = Variable("x", 0, float("inf"), region=(0, 50))  # epsilon 2^r Delta_j/2
    return printed(x, says=at_most((2 + x.symbol) * exp(-x.symbol) / 4, exp(-x.symbol / 2)))


@claim("hu-2021/lem24-sum", "Proof of Lemma 24, last line", role="step")
def both_parts() -> Reading:
    """exp(-2^r Delta_(l)^2/8) + exp(-2^r Delta_(l) epsilon/4) <= 2 exp(-2^r Delta_(l) min{Delta_(l), epsilon}/8)."""
    rounds = Variable("rounds", 1, float("inf"), region=(1, 64), words="2^r for all r >= 0")
    gap = Variable("Delta", 0, 1, low_open=True, region=(0.25, 1))
    budget = positive("epsilon", (0.125, 4.0))
    scale = rounds.symbol * gap.symbol
    left = exp(-scale * gap.symbol / 8) + exp(-scale * budget.symbol / 4)
    return printed(rounds, gap, budget, says=at_most(left, 2 * exp(-scale * minimum(gap.symbol, budget.symbol) / 8)))


@claim("hu-2021/thm9-sum", "Proof of Theorem 9, after (54)", role="step")
def geometric_sum() -> Reading:
    """sum_{r=r_0}^infinity 2^r exp(-2^r alpha) <= ... <= 4 exp(-2^{r_0-1} alpha)/alpha, since alpha <= 1/2."""
    start, alpha = (
        integer("r0", 1, region=(1, 10)),
        Variable("alpha", 0, 0.5, low_open=True, words="since alpha <= 1/2"),
    )
    power = expression(2) ** variable("r")
    left = total("r", start.symbol, start.symbol + 12, power * exp(-power * alpha.symbol))
    right = 4 * exp(-(expression(2) ** (start.symbol - 1)) * alpha.symbol) / alpha.symbol
    return printed(start, alpha, says=at_most(left, right), provable=False)


@claim("hu-2021/thm9-exp", "Proof of Theorem 9, after (54)", role="step")
def exponential() -> Reading:
    """e^{-x} <= 1 - x/2 for x in [0, 1]."""
    x = probability("x")
    return printed(x, says=at_most(exp(-x.symbol), 1 - x.symbol / 2))


def _tuned(size: Expression, smallest: Expression) -> Expression:
    return ceiling(log2(8 * log(size) / smallest)) + 1


@claim(
    "hu-2021/thm9-tuning",
    "Proof of Theorem 9, choice of r_0",
    role="step",
    consequence=(
        "A case at the edge: for a bracket with one action the logarithm of 0 is not defined. Take r_0 = 1 there; the "
        "bound that follows holds as printed, and the theorem stands."
    ),
    tested_on=(
        "size is |J_l|, and smallest is min{Delta_(l)^2, Delta_(l) epsilon}. The left side is r_0, the right side "
        "1, the smallest positive integer."
    ),
)
def tuned_epoch() -> tuple[Reading, ...]:
    """Let r_0 be a positive integer that will be tuned later. ... Now, tuning r_0 as r_0 = ceil(log(8 ln|J_l|/min{
    Delta_(l)^2, Delta_(l) epsilon})) + 1, we have beta_(l) <= 64 ln|J_l|/min{...} + 128/min{...}.
    """
    size, several = (
        integer("size", 1, region=(1, 100)),
        integer("size", 2, region=(2, 100), words="brackets with several actions, as the reading says"),
    )
    smallest = Variable("smallest", 0, 1, low_open=True, region=(0.001, 1))
    tuned = _tuned(size.symbol, smallest.symbol)
    chosen = maximum(1, tuned)
    bound = (
        expression(2) ** (chosen + 1)
        + 128 * size.symbol * exp(-(expression(2) ** (chosen - 1)) * smallest.symbol / 8) / smallest.symbol
    )
    return (
        Reading("brackets with one action as well", (size, smallest), at_least(tuned, 1), provable=False),
        Reading("brackets with several actions", (several, smallest), at_least(tuned, 1), provable=False),
        repaired(
            "the larger of 1 and the printed r_0; the printed bound of beta_(l) then holds",
            size, smallest, says=at_most(bound, (64 * log(size.symbol) + 128) / smallest.symbol), provable=False,
        ),
    )  # fmt: skip


@claim("hu-2021/thm9-lambda", "Proof of Theorem 9", role="step")
def bracket() -> Reading:
    """lambda_(l) <= ... = 128 ln|J_l|/min{Delta_(l), epsilon} + 256/min{Delta_(l), epsilon} <= 256 (1 + ln|J_l|)/
    min{Delta_(l), epsilon}.
    """
    size = Variable("size", 1, float("inf"), region=(1, 1000), words="|J_l| > 0")
    left = 128 * log(size.symbol) + 256  # both sides times min{Delta_(l), epsilon}
    return printed(size, says=at_most(left, 256 * (1 + log(size.symbol))))


def _second_form(extra: int) -> Expression:
    arms, least, largest = variable("K"), variable("Delta_min"), variable("Delta_max")
    budget, horizon = variable("epsilon"), variable("T")
    brackets = extra + log(largest / maximum(least, maximum(budget, 1 / horizon)))
    return log(arms) / least + log(arms) * brackets / budget


@claim(
    "hu-2021/thm9",
    "Theorem 9, second form, and (3) in section 1.1",
    kind="order",
    consequence=(
        "With equal gaps the logarithm is 0 and the term with epsilon disappears, against the lower bound of Theorem "
        "12. Read the logarithm as 1 + log, as the proof of Corollary 10 (b) does, or use the first form."
    ),
    tested_on=("All K - 1 gaps are equal and above epsilon, so that there is one bracket."),
)
def theorem_9() -> tuple[Reading, ...]:
    """O(log(K)/Delta_min + sum_{l >= 1: |J_l| > 0, Delta_(l) > epsilon} (1 + log|J_l|)/epsilon) = O(log(K)/Delta_min +
    log(K) log(Delta_max/max{Delta_min, epsilon, 1/T})/epsilon).
    """
    arms, budget, least = variable("K"), variable("epsilon"), variable("Delta_min")
    # all K - 1 gaps are equal and above epsilon: one bracket
    first = log(arms) / least + (1 + log(arms - 1)) / budget
    half = expression("1/2")
    path = {"K": expression(3), "Delta_min": half, "Delta_max": half, "epsilon": 1 / S, "T": S}
    variables = (
        integer("K", 2, words="mu_1 > mu_j for all j != 1"),
        positive("epsilon"),
        Variable("Delta_min", 0, 1, low_open=True),
    )
    return (
        Reading("the logarithm as it is printed", variables, Order(first, "O", _second_form(0), (path,))),
        Reading("log(x) stands for 1 + log(x) in an order", variables, Order(first, "O", _second_form(1), (path,))),
    )


@claim("hu-2021/cor10b", "Corollary 10 (b)", kind="order")
def corollary_10b() -> Reading:
    """If all Delta_j in [Delta_min, 2 Delta_min], RNM-FTNL has regret at most O(log(K)/min{Delta_min, epsilon})."""
    arms, budget, least = variable("K"), variable("epsilon"), variable("Delta_min")
    first = log(arms) / least + (1 + log(arms - 1)) / budget
    paths = tuple(
        {"K": K, "Delta_min": gap, "epsilon": epsilon}
        for K, gap, epsilon in (
            (expression(3), expression("1/2"), 1 / S),
            (S, expression("1/2"), 1 / S),
            (S, 1 / S, 1 / S**2),
        )
    )
    says = Order(first, "O", log(arms) / minimum(least, budget), paths)
    return printed(
        integer("K", 2, words="mu_1 > mu_j for all j != 1"),
        positive("epsilon"),
        Variable("Delta_min", 0, 1, low_open=True),
        says=says,
    )


@claim(
    "hu-2021/cor10a",
    "Corollary 10 (a), and after (55)",
    tested_on="Over 256 (1 + ln(K - 1))/Delta_min: the sum over all brackets whose gaps are at most epsilon.",
)
def corollary_10a() -> Reading:
    """If all Delta_j <= epsilon, RNM-FTNL has regret at most O(log(K)/Delta_min). [sum_{l >= 1: |J_l| > 0} 256 (1 +
    ln|J_l|)/(2^{l-1} Delta_min) <= ... = 512 (1 + ln(K - 1))/Delta_min.]
    """
    last = integer("last", 0, region=(0, 40))
    halves = total("l", 0, last.symbol, expression("1/2") ** variable("l"))
    return printed(last, says=at_most(halves, 2), provable=False)


@claim("hu-2021/cor11", "Proof of Corollary 11", kind="identity")
def corollary_11() -> Reading:
    """Let Delta* := sqrt(log K/T) be the critical gap. ... can be at most T Delta* = sqrt(T log K) ... O(log(K)/Delta*
    + ...) = O(sqrt(T log(K)) + log(K) log(T)/epsilon).
    """
    horizon, log_arms = integer("T", 1), positive("lnK")
    left = log_arms.symbol / sqrt(log_arms.symbol / horizon.symbol)
    return printed(horizon, log_arms, says=equal(left, sqrt(horizon.symbol * log_arms.symbol)))


@claim(
    "hu-2021/conclusion",
    "Section 7",
    kind="order",
    consequence=(
        "Read as 'of this order at most', the sentence holds. On a fixed instance the first form of Theorem 9 does not "
        "grow with T; the order is attained by the second form if the smallest gap shrinks like 1/T."
    ),
)
def conclusion() -> tuple[Reading, ...]:
    """... when we have the "doubling gap instance" Delta_j = Delta_min 2^{j-2} for j = 2, 3, ..., K for epsilon <=
    Delta_min, in which case our upper bound is of order log(K)/Delta_min + log(K) log(T)/epsilon.
    """
    arms, budget, least, horizon = variable("K"), variable("epsilon"), variable("Delta_min"), variable("T")
    said = log(arms) / least + log(arms) * log(horizon) / budget
    first = log(arms) / least + (arms - 1) / budget  # a bracket for each suboptimal action
    fixed = {"K": expression(3), "Delta_min": expression("1/4"), "epsilon": expression("1/4"), "T": S}
    shrinking = {"K": 1 + log2(S), "Delta_min": 1 / S, "Delta_max": expression(1), "epsilon": 1 / S, "T": S}
    variables = (integer("K", 2, words="mu_1 > mu_j for all j != 1"), positive("epsilon"), integer("T", 1))
    return (
        Reading("of this order and no smaller one, on a fixed instance", variables, Order(said, "O", first, (fixed,))),
        Reading("of this order at most", variables, Order(first, "O", said, (fixed,))),
        Reading(
            "of this order and no smaller one, Delta_min shrinking like 1/T, in the second form of Theorem 9",
            variables,
            Order(said, "O", _second_form(1), (shrinking,)),
        ),
    )


@claim(
    "hu-2021/thm12-minimax",
    "After Theorem 12",
    kind="order",
)
def minimax_after_theorem_12() -> Reading:
    """By taking Delta_min = sqrt(ln K/T) we recover the minimax lower bound - now also with a privacy-related term - of
    order max{sqrt(T log K), log K/epsilon}, which holds provided that T >= ln K/(100 epsilon^2).
    """
    horizon, log_arms, budget = variable("T"), variable("lnK"), variable("epsilon")
    bound = maximum(sqrt(horizon * log_arms), log_arms / budget)
    variables = (integer("T", 1), positive("lnK"), positive("epsilon"))
    enough = {"T": 17 * S, "lnK": S, "epsilon": sqrt(S)}
    # rewards are in {0, 1}: no algorithm has a regret above T; with Theorem 12's Delta_min < 1/4, T is above 16 ln K
    return printed(*variables, says=Order(bound, "O", horizon, (enough,)))


@claim(
    "hu-2021/thm12-condition",
    "After Theorem 12",
    consequence="A misprint: Theorem 12 itself has Delta_min < 1/4.",
)
def condition_after_theorem_12() -> tuple[Reading, ...]:
    """Theorem 12: Let Delta_min in (0, 1/4) ... The first term in the lower bound is from the non-private setting (see
    Proposition 4 of Mourtada and Gaiffas (2019)) and requires Delta_min > 1/4.
    """
    gap = Variable("Delta_min", 0, 0.25, low_open=True, high_open=True, words="Let Delta_min in (0, 1/4)")
    return (
        Reading("Delta_min > 1/4, as after the theorem", (gap,), at_least(gap.symbol, "1/4")),
        Reading("Delta_min < 1/4, as in the theorem", (gap,), at_most(gap.symbol, "1/4")),
    )


@claim("hu-2021/packing", "Section D.3, step 1", kind="identity")
def packing() -> Reading:
    """The total variance distance for any pair of distributions in the packing is equal to Delta."""
    gap = Variable("Delta", 0, 0.25, low_open=True, high_open=True, words="Let Delta_min in (0, 1/4)")
    half, better = expression("1/2"), gap.symbol + "1/2"
    outcomes = [(a, b) for a in (0, 1) for b in (0, 1)]

    def chance(first: Expression, second: Expression, a: int, b: int) -> Expression:
        return (first if a else 1 - first) * (second if b else 1 - second)

    differences = [absolute(chance(better, half, a, b) - chance(half, better, a, b)) for a, b in outcomes]
    return printed(gap, says=equal(sum(differences[1:], differences[0]) / 2, gap.symbol))


@claim("hu-2021/asz", "Section D.3, step 2", role="step")
def repaired_inequality() -> Reading:
    """0.9 M (M - 1)/(M - 1 + e^{10 epsilon D}) >= 0.45 M min{1, (M - 1)/e^{10 epsilon D}}."""
    count = Variable("M", 1, float("inf"), region=(1, 100), words="M is our K, a number of hypotheses")
    growth = Variable("growth", 1, float("inf"), region=(1, 100), words="their D is nonnegative")
    left = 0.9 * count.symbol * (count.symbol - 1) / (count.symbol - 1 + growth.symbol)
    right = 0.45 * count.symbol * minimum(1, (count.symbol - 1) / growth.symbol)
    return printed(count, growth, says=at_least(left, right))


@claim("hu-2021/eq56", "Section D.3, after (56)", role="step")
def error_probability() -> Reading:
    """Inf max P{...} >= 0.45 min{1, (K - 1)/e^{10 epsilon n Delta}}. Consequently, for n <= log K/(10 epsilon
    Delta), the minimax probability of error is at least 0.45 (K - 1)/K >= 0.2.
    """
    arms, exponent = (
        integer("K", 4, region=(4, 200), words="K >= 4, in Theorem 12"),
        Variable("exponent", 0, float("inf"), region=(0, 8)),
    )
    says = at_least(0.45 * minimum(1, (arms.symbol - 1) / exp(exponent.symbol)), 0.2)
    # the logarithm is the natural one, as in the condition of Theorem 12
    return printed(arms, exponent, says=says, assumes=(at_most(exponent.symbol, log(arms.symbol)),))
