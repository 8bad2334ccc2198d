"""Chen et al. (ICML 2020): two arms on which Algorithms 1 and 2 have a nearly linear regret, step by step.

K = B = epsilon = 1, so that both algorithms are the same. The rewards are fixed: 1/2 + Delta with Delta <= 1/2 for the
best arm, 1/2 for the other one. Let L = ln T and w = 4 sqrt(2 L), the width after one reward.

If the best arm is never played the regret is linear. Otherwise its first noise falls with probability of the order
exp(-w) into a window (steps 1 and 2) that puts its index into [0, 1/4]: all indices are then at least 0, so that the
oracle decides. The index depends on t by the number of rewards only, and stays where it is while the arm is not
played. Independently of that, the index of the other arm is above 1/4 after each number of rewards with probability at
least 1/2 (steps 3 to 7): its noise is a sum S_n of n independent Laplace variables, and P(S_n <= -x) <= exp(-lambda x -
n ln(1 - lambda^2)) with x = n/4 + 4 sqrt(2 L n). So the best arm is played once, with probability of the order exp(-w),
and the regret is at least of the order (T - 1) exp(-w) Delta (step 8).
"""

from __future__ import annotations

import math

from privcheck.claims._claim import Order, Reading, Relation, at_least, at_most, printed
from privcheck.claims._exact_laws import laplace_below
from privcheck.claims._expression import exp, expression, log, sqrt, total, variable
from privcheck.claims._variables import Variable, integer, positive

LOST_ARM = (
    "The width 4 sqrt(2 ln T/epsilon^2) after one reward does not cover a Laplace variable, whose tail is "
    "exp(-epsilon x): with probability of the order exp(-4 sqrt(2 ln T)) the best arm's first reward is so low that it "
    "is never chosen again, and the regret is linear. That is more than any power of ln T, but cannot show below T = "
    "e^32, about 10^14. Widths that cover such tails, with a term ln(T)/(epsilon n) as well, or bounded noise such as "
    "randomised response, avoid it. The privacy guarantee stands. The left side is a lower bound of the regret with "
    "two arms; the steps of its derivation are examined with it."
)

LOG = positive("L", (0.7, 50.0))
SMALL_GAP = Variable("Delta", 0, 0.5, low_open=True, words="two arms whose gap we choose, at most 1/2")
COUNT = positive("n", (1.0, 500.0))
ROOT = sqrt(2 * LOG.symbol * COUNT.symbol)


def lost_arm(privacy: Variable, gap: Variable) -> Reading:
    """Return the order of the regret on the two arms against the printed one."""
    s, log_t = variable("s"), variable("log_T")
    lost = exp(log_t - 4 * sqrt(2 * log_t))
    return printed(integer("T", 1), privacy, gap, says=Order(lost, "O", log_t, ({"log_T": s},)))


def steps() -> tuple[Reading, ...]:
    """Return the steps of the derivation."""
    width, noise = positive("w", (4.0, 60.0)), Variable("z", -math.inf, math.inf, region=(-60, 0))
    first = laplace_below(-1 * width.symbol - "1/4" - SMALL_GAP.symbol)
    first = first - laplace_below(-1 * width.symbol - "1/2" - SMALL_GAP.symbol)
    constant = (1 - exp(expression("-1/4"))) / 2 * exp(expression("-3/4"))
    tilt, rate = Variable("lambda", 0, 0.5, words="0 <= lambda <= 1/2, which we choose"), positive("a", (0.5, 10.0))
    reached = SMALL_GAP.symbol + "1/2" + noise.symbol + width.symbol
    low = at_most(noise.symbol, -1 * width.symbol - "1/4" - SMALL_GAP.symbol)
    slope = sqrt(2 * LOG.symbol / COUNT.symbol)
    many, few = at_least(COUNT.symbol, 8 * LOG.symbol), at_most(COUNT.symbol, 8 * LOG.symbol)
    below_quarter = COUNT.symbol / 4 + 4 * ROOT
    number, late = integer("N", 1, region=(1, 60)), Variable("L", 2, math.inf, region=(2, 50), words="large T")

    def step(name: str, says: Relation, *variables: Variable, assumes: tuple[Relation, ...] = ()) -> Reading:
        return Reading(name, variables, says, assumes, provable=number not in variables)

    return (
        step("1. the window has probability of the order exp(-w)",
             at_least(first, constant * exp(-1 * width.symbol)), width, SMALL_GAP),
        step("2. in it the index is at most 1/4", at_most(reached, "1/4"), width, SMALL_GAP, noise, assumes=(low,)),
        step("3. the logarithm of a Laplace variable's moments",
             at_most(-1 * log(1 - tilt.symbol**2), expression("4/3") * tilt.symbol**2), tilt),
        step("4. after n >= 8 L rewards, with lambda = sqrt(2 L/n): at most T^(-16/3)",
             at_most(COUNT.symbol * slope**2 * "4/3" - slope * below_quarter, LOG.symbol * "-16/3"),
             COUNT, LOG, assumes=(many,)),
        step("5. after n <= 8 L rewards, with lambda = 1/2: at most exp(-1.42 sqrt(2 n L))",
             at_most(COUNT.symbol * log(expression("4/3")) - below_quarter / 2, ROOT * "-71/50"),
             COUNT, LOG, assumes=(few,)),
        step("6. the sum over few rewards",
             at_most(total("k", 1, number.symbol, exp(-1 * rate.symbol * sqrt(variable("k")))), 2 / rate.symbol**2),
             number, rate),
        step("7. both sums together are at most 1/2",
             at_most(2 / (2 * expression("71/50") ** 2 * late.symbol) + exp(late.symbol * "-13/3"), "1/2"), late),
        step("8. all rounds but one", at_least(exp(late.symbol) - 1, exp(late.symbol) / 2), late),
    )  # fmt: skip
