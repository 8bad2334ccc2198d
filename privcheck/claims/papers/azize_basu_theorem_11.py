"""Azize and Basu (NeurIPS 2022): Theorem 11 itself, on an instance whose law is exact, and step 2 of its proof.

The instance. Two arms pay 6/10 and 4/10 for certain; arm 2 is the suboptimal one. Let q = (3/2) 6^{-alpha}, and draw
one event F of probability q. The index of arm 1 is 1/2 in rounds t <= 6 on F, and 7/10 otherwise; it is at most 6/10
with probability q <= (3/2) t^{-alpha} for t <= 6, and never later. The index of arm 2 computed from s = 2 rewards is
55/100, and from any other number 1; it is always above 4/10. So (30) holds for every arm, s and t, and (29) as the
algorithm computes indices from the last episode; both indices increase in t. With l = 1 the event G is certain: 55/100
is below 6/10.

What happens. Arm 2 is played in rounds 2, 3 and 4, 5 (its index is 1), and has 4 pulls and a last episode of 2 rewards
when round 6 begins. Without F the index of arm 1 is 7/10 from then on, and arm 2 is not played again. On F it is 1/2 in
round 6: arm 2 is played in rounds 6 to 9, its index is computed from 4 rewards, is 1, and it is played for good.
Hence N_2(T) is T - 1 with probability q, and min{T - 1, 4} otherwise.
"""

from __future__ import annotations

import math

from privcheck.claims._claim import Reading, at_most, equal, printed
from privcheck.claims._declared_claims import claim, repaired
from privcheck.claims._expression import Expression, expression, maximum, minimum, total, variable, where_negative
from privcheck.claims._variables import Variable, integer

ALPHA = Variable("alpha", 3, math.inf, low_open=True, region=(3.1, 10), words="for any alpha > 3")
T = integer("T", 3, region=(3, 10**6), words="2^l < T")
"""l = 1."""
FAILURE = 1.5 * expression(6) ** (-1 * ALPHA.symbol)
FEW = minimum(T.symbol - 1, 4)
PULLS = FEW + FAILURE * (T.symbol - 1 - FEW)
"""E N_2(T), exactly."""
REST = 3 / (ALPHA.symbol - 3)
INSTANCE = (
    "Two arms pay 6/10 and 4/10 for certain, and l = 1. The index of arm 2 is 55/100 if it is computed from 2 rewards, "
    "and 1 otherwise. With probability q = (3/2) 6^(-alpha) that of arm 1 is 1/2 up to round 6; in all other cases it "
    "is 7/10. So (29) and (30) hold, the indices increase in t, and G is certain. "
)


def _later_blocks() -> Expression:
    """Return the sum of P(G^c) over the later blocks that can end an episode: the index of arm 2 is 1 after 4, ..."""
    return where_negative(T.symbol - "17/2", 0, 1)


@claim(
    "azize-basu-2022/thm11",
    "Theorem 11",
    consequence=(
        "G speaks of a block of 2^l rewards only. If the index of the best arm fails once more, the arm returns with a "
        "longer block, of whose index nothing is known. Ask for G in all later blocks: with the sum of P(G^c) over the "
        "blocks of 2^j rewards, j >= l, in place of the one term the theorem holds, and 3/(alpha - 3) is enough for "
        "alpha/(alpha - 3). For the two indices of the paper the sum is hardly larger than its first term, so that "
        "Theorems 7, 8 and 12 do not suffer from this. docs/evidence/repaired-proofs.md has the proof."
    ),
    tested_on=(
        INSTANCE + "Arm 2 is then played in all rounds from the second on with probability q, and 4 times otherwise. "
        "The left side is its expected number of pulls, exactly."
    ),
)
def theorem_11() -> tuple[Reading, ...]:
    """Let a be a suboptimal arm and l in N such that 2^l < T. Then, Algorithm 1 using an index I_a^epsilon satisfying
    Equations 29 and 30, also satisfies that for any alpha > 3, E[N_a(T)] <= 2^{l+1} + P(G_{a,l,T}^c) T + alpha/(alpha -
    3), where G_{a,l,T} = {I_a^epsilon(T - 1, alpha, 2^l) < mu*}.
    """
    right = 4 + ALPHA.symbol / (ALPHA.symbol - 3)
    return (
        printed(T, ALPHA, says=at_most(PULLS, right), provable=False),
        repaired(
            "2^(l+1) + T sum_{j >= l} P(G_{a,j,T}^c) + 3/(alpha - 3); examined on the same instance",
            T, ALPHA, says=at_most(PULLS, 4 + T.symbol * _later_blocks() + REST), provable=False,
        ),
    )  # fmt: skip


@claim(
    "azize-basu-2022/eq31",
    "Proof of Theorem 11, (31)",
    role="step",
    tested_on="An episode begins in round phi, when its arm has `pulls` < phi pulls, and lasts for as many rounds.",
)
def equation_31() -> Reading:
    """Formally, phi(t) is a random variable such that for all t: phi(t) <= t <= 2 phi(t)."""
    begins, pulls = integer("phi", 1), integer("pulls", 0)
    last = begins.symbol + pulls.symbol - 1
    given = (at_most(pulls.symbol, begins.symbol - 1),)
    return printed(begins, pulls, says=at_most(last, 2 * begins.symbol), assumes=given, provable=False)


@claim(
    "azize-basu-2022/thm11-good-event",
    "Proof of Theorem 11, step 2",
    role="step",
    consequence=(
        "The round t_l' of the contradiction need not exist: the episode in which the arm goes from 2^(l+1) to 2^(l+2) "
        "pulls may be one in which the index of arm 1 failed, which N'_a does not count, while it counts the longer "
        "episodes after it. On the event that all of G_{a,j,T}, j >= l, happen the bound holds, with 2^(l+1) - 1."
    ),
    tested_on=(
        INSTANCE + "Then G is certain, and N'_a counts rounds 10 to T with probability q, and rounds 3, 4 and 5 "
        "otherwise. The left side is its expectation, exactly; the right side is 2^(l+1)."
    ),
)
def good_event() -> tuple[Reading, ...]:
    """To prove the last inequality, we only need to prove that when G_{a,l,T} happens, N'_a(T) <= 2^{l+1}. [N'_a(T) =
    sum_{t=K+1}^T 1{A_t = a and I_1^epsilon(t_l' - 1, alpha) > mu_1}.] ... This assumption implies that the arm a is
    played more than 2^{l+1} times. Thus, there must exist a round t_l', where N_a(t_l' - 1) = 2^{l+1}, A_{t_l'} = i
    and I_1^epsilon(t_l' - 1, alpha) >= mu_1.
    """
    left = (1 - FAILURE) * minimum(T.symbol - 2, 3) + FAILURE * maximum(T.symbol - 9, 0)
    length, blocks = integer("l", 0, region=(0, 30)), variable("j")
    two = expression(2)
    return (
        printed(T, ALPHA, says=at_most(left, 4), provable=False),
        repaired(
            "when G_{a,j,T} happens for all j >= l, N'_a(T) is at most the pulls of the episodes up to 2^l rewards, "
            "2^(l+1) - 1",
            length, says=equal(total("j", 0, length.symbol, two**blocks), two ** (length.symbol + 1) - 1),
        ),
    )  # fmt: skip
