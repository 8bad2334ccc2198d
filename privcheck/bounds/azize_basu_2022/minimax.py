"""Azize & Basu 2022: the worst instance of a class of bandits with independent arms, Theorems 2 and 12."""

from __future__ import annotations

import math

from privcheck.bounds._conditions import ALPHA, UNIT_REWARDS
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import BANDIT, BANDIT_REGRET, PURE_ONE_REWARD, UNIT_MINIMAX_REGRET, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, POSITIVE_BUDGET, PURE, Condition, theorem

GAUSSIAN_MINIMAX_REGRET = Quantity(
    "pseudo-regret", BANDIT, PURE_ONE_REWARD, "minimax over Gaussian rewards of variance 1"
)

_GAUSSIAN = Condition(
    "Gaussian rewards of variance 1", lambda instance: instance.family == "gaussian" and instance.variance == 1
)
_ENOUGH_ROUNDS = Condition(
    "at least as many rounds as arms, less one: T >= K - 1",
    lambda instance: instance.horizon is None or instance.horizon >= instance.arms - 1,
)
_ROUNDS_FOR_BERNOULLI = Condition(
    "means stay in [0, 1]: T >= 16 (K - 1)/(9 epsilon)",
    lambda instance: instance.horizon is None or instance.horizon >= 16 * (instance.arms - 1) / (9 * instance.epsilon),
)

LARGEST_LOSS = 8 / 27
"""The largest `x (1 - sqrt(x/2))`, attained at x = 8/9: a gap times the probability that two instances are confused
when the divergence of the actions is x, by Pinsker's inequality."""


def _printed_terms(instance: Instance) -> list[dict[str, float | str]]:
    """Return the term without privacy and that of privacy; the bound is the larger."""
    without = math.sqrt(instance.rounds * (instance.arms - 1)) / 27
    return [
        {"part": "without privacy, sqrt(T(K-1))/27", "term": without},
        {"part": "privacy, (K-1)/(131 epsilon)", "term": (instance.arms - 1) / (131 * instance.epsilon)},
    ]


def _tight_terms(instance: Instance) -> list[dict[str, float | str]]:
    """Return both terms of the improved bound, which is the larger."""
    without = math.sqrt(instance.rounds * (instance.arms - 1)) / 8
    private = LARGEST_LOSS / 2 * math.sqrt(math.pi / 2) * (instance.arms - 1) / instance.epsilon
    return [
        {"part": "without privacy, sqrt(T(K-1))/8", "term": without},
        {"part": "privacy, (4/27) sqrt(pi/2) (K-1)/epsilon", "term": private},
    ]


@theorem(
    "azize-basu-2022/thm2",
    kind="lower",
    quantity=GAUSSIAN_MINIMAX_REGRET,
    provenance="explicit",
    source="Azize & Basu 2022, Theorem 2, eq. (3), Section 3; proof Appendix C.1",
    conditions=(PURE, HAS_HORIZON, _GAUSSIAN, _ENOUGH_ROUNDS),
    budget=POSITIVE_BUDGET,
    claims=(
        "azize-basu-2022/thm2",
        "azize-basu-2022/thm2-constant",
        "azize-basu-2022/thm2-tv",
        "azize-basu-2022/thm10",
    ),
    terms=_printed_terms,
)
def minimax_lower_bound(instance: Instance) -> float:
    """Worst Gaussian instance with K arms, any epsilon-global-DP policy: Reg(T) >= max(sqrt(T(K-1))/27, (K-1)/(131
    epsilon)).

    Proof idea: Compare an instance in which one arm is better by Delta with another in which the arm that is played
    least in the first is better by 2 Delta. By thm10 and Pinsker's inequality the laws of the actions are at a
    divergence of at most 6 epsilon Delta T/(K-1); at Delta = (K-1)/(6 epsilon T) that is 1. By the Bretagnolle-Huber
    inequality the policy then loses of the order of T Delta on one of the two.

    Says nothing about this instance: only K, T and epsilon enter. The first term is the non-private bound (Lattimore &
    Szepesvari, Theorem 15.2); the second is larger for epsilon below `(27/131) sqrt((K-1)/T)`. The paper prints the
    reciprocal factor 131/27 there, which is not where its two terms meet.

    >>> round(minimax_lower_bound(Instance("gaussian", (0.0,) * 5, epsilon=1.0, horizon=10_000)), 4)
    7.4074
    """
    return max(float(row["term"]) for row in _printed_terms(instance))


@theorem(
    "azize-basu-2022/thm2-tight",
    kind="lower",
    quantity=GAUSSIAN_MINIMAX_REGRET,
    provenance="derived",
    source="improves Azize & Basu 2022, Theorem 2, by the constant-1 form of its Theorem 10 "
    "(docs/evidence/derivations.md)",
    conditions=(PURE, HAS_HORIZON, _GAUSSIAN, _ENOUGH_ROUNDS),
    budget=POSITIVE_BUDGET,
    terms=_tight_terms,
)
def minimax_lower_bound_tight(instance: Instance) -> float:
    """Worst Gaussian instance with K arms, any epsilon-global-DP policy: Reg(T) >= max(sqrt(T(K-1))/8, (4/27)
    sqrt(pi/2) (K-1)/epsilon).

    Proof idea: The paper's two instances, with every step at its best constant: the regrets add up to at least
    `T Delta (1 - TV)`, where TV is that of the actions, at most `sqrt(x/2)` for a divergence x. Without privacy x is at
    most `2 Delta^2 T/(K-1)`, with it `epsilon Delta sqrt(2/pi) T/(K-1)`; Delta is the best.

    >>> round(minimax_lower_bound_tight(Instance("gaussian", (0.0,) * 5, epsilon=0.01, horizon=100)), 4)
    74.2705
    """
    return max(float(row["term"]) for row in _tight_terms(instance))


@theorem(
    "azize-basu-2022/thm2-bernoulli",
    kind="lower",
    quantity=UNIT_MINIMAX_REGRET,
    provenance="derived",
    source="Azize & Basu 2022, Theorem 2, for Bernoulli arms, by the constant-1 form of its Theorem 10",
    conditions=(PURE, HAS_HORIZON, UNIT_REWARDS, _ROUNDS_FOR_BERNOULLI),
)
def minimax_lower_bound_bernoulli(instance: Instance) -> float:
    """Worst Bernoulli instance with K arms, any epsilon-global-DP policy: Reg(T) >= 2 (K-1)/(27 epsilon).

    Proof idea: As for thm2-tight, with all means 1/2 but for one arm that is better by `Delta = 4 (K-1)/(9 epsilon T)`,
    and another that is raised by 2 Delta. The total variation of its two laws is 2 Delta, and its mean is at most 1
    when T is at least `16 (K-1)/(9 epsilon)`.

    Bernoulli laws are laws on [0, 1], so the bound also holds for the worst of those.

    >>> round(minimax_lower_bound_bernoulli(Instance("bernoulli", (0.5,) * 5, epsilon=0.1, horizon=100)), 4)
    2.963
    """
    return LARGEST_LOSS / 4 * (instance.arms - 1) / instance.epsilon


@theorem(
    "azize-basu-2022/thm12",
    kind="upper",
    quantity=BANDIT_REGRET,
    provenance="explicit",
    source="Azize & Basu 2022, Theorem 12, Appendix E.4",
    conditions=(HAS_HORIZON, UNIT_REWARDS, ALPHA),
    budget=POSITIVE_BUDGET,
    claims=(
        "azize-basu-2022/thm7-choice",
        "azize-basu-2022/thm11",
        "azize-basu-2022/thm12",
        "azize-basu-2022/thm12-split",
        "azize-basu-2022/thm12-tuning",
    ),
    instead="docs/evidence/repaired-proofs.md#adap-ucb",
)
def adap_ucb_problem_independent(instance: Instance) -> float:
    """AdaP-UCB: Reg(T) <= 3 alpha/(alpha-3) sum_a Delta_a + 8 sqrt(alpha K T ln T) + 16 alpha K ln T/epsilon.

    Proof idea: Arms with gaps below D cost at most D T together, the others at most 16 alpha K ln T (1/D + 1/epsilon)
    by thm7, constants aside. The two terms with D are equal at D = 4 sqrt(alpha K ln T/T), where they add up to 8
    sqrt(alpha K T ln T).

    The gaps enter only through their sum. The bound holds as printed, although its proof quotes the constant of Theorem
    7: the proven form is at most `16 alpha ln T (1/(2 Delta) + 1/epsilon)`.

    >>> round(adap_ucb_problem_independent(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1e6)), 2)
    75434.24
    """
    return 3 * instance.alpha / (instance.alpha - 3) * math.fsum(instance.gaps) + _without_gaps(instance)


@theorem(
    "azize-basu-2022/thm12-minimax",
    kind="upper",
    quantity=UNIT_MINIMAX_REGRET,
    provenance="explicit",
    source="Azize & Basu 2022, Theorem 12, Appendix E.4, with every gap at most 1",
    conditions=(HAS_HORIZON, UNIT_REWARDS, ALPHA),
    budget=POSITIVE_BUDGET,
    claims=(
        "azize-basu-2022/thm7-choice",
        "azize-basu-2022/thm11",
        "azize-basu-2022/thm12",
        "azize-basu-2022/thm12-split",
        "azize-basu-2022/thm12-tuning",
    ),
    instead="docs/evidence/repaired-proofs.md#adap-ucb",
)
def adap_ucb_minimax(instance: Instance) -> float:
    """AdaP-UCB on the worst instance with K arms and rewards in [0, 1]: Reg(T) <= 3 alpha/(alpha-3) (K-1) + 8
    sqrt(alpha K T ln T) + 16 alpha K ln T/epsilon.

    Proof idea: In thm12 the gaps enter only through their sum. Rewards in [0, 1] have gaps of at most 1, and the best
    arm has none, so that the sum is at most K - 1.

    >>> round(adap_ucb_minimax(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1e6)), 2)
    75503.99
    """
    return 3 * instance.alpha / (instance.alpha - 3) * (instance.arms - 1) + _without_gaps(instance)


def _without_gaps(instance: Instance) -> float:
    alpha, arms, horizon = instance.alpha, instance.arms, instance.rounds
    logarithm = math.log(horizon)
    return 8 * math.sqrt(alpha * arms * horizon * logarithm) + 16 * alpha * arms * logarithm / instance.epsilon
