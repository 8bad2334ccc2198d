"""Azize & Basu 2022: linear bandits, Theorems 4 and 5."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np

from privcheck.bounds._quantity import PURE_ONE_REWARD, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, POSITIVE_BUDGET, PURE, Condition, theorem
from privcheck.bounds.azize_basu_2022.linear_program import (
    Exploration,
    cheapest_exploration,
    exploration_with_exact_divergence,
)
from privcheck.bounds.azize_basu_2022.minimax import LARGEST_LOSS
from privcheck.bounds.settings.linear_instance import LinearInstance

LINEAR = "linear bandit feedback with Gaussian noise of variance 1"
CUBE_MINIMAX_REGRET = Quantity("pseudo-regret", LINEAR, PURE_ONE_REWARD, "minimax over theta in R^d, arms in [-1, 1]^d")
LINEAR_REGRET = Quantity("pseudo-regret", LINEAR, PURE_ONE_REWARD)


def _is_cube(instance: LinearInstance) -> bool:
    corners = set(instance.vectors)
    return (
        bool(np.all(np.abs(instance.matrix) <= 1))
        and len(corners) >= 2**instance.dimension
        and all(corner in corners for corner in itertools.product((-1.0, 1.0), repeat=instance.dimension))
    )


_CUBE = Condition("arms in [-1, 1]^d that include all its corners", _is_cube)
_ONE_BEST_ARM = Condition("a unique best arm", lambda instance: instance.gaps.count(0.0) == 1)
_SPANNING = Condition(
    "the arms span R^d", lambda instance: int(np.linalg.matrix_rank(instance.matrix)) == instance.dimension
)


@theorem(
    "azize-basu-2022/thm4",
    kind="lower",
    quantity=CUBE_MINIMAX_REGRET,
    provenance="explicit",
    source="Azize & Basu 2022, Theorem 4, eq. (5), Section 3; proof Appendix C.3",
    conditions=(PURE, HAS_HORIZON, _CUBE),
    about=LinearInstance,
    budget=POSITIVE_BUDGET,
    claims=("azize-basu-2022/thm4-markov", "azize-basu-2022/eq18", "azize-basu-2022/thm10", "azize-basu-2022/thm4"),
    instead="docs/evidence/repaired-proofs.md#azize-and-basu-theorem-4",
)
def minimax_cube(instance: LinearInstance) -> float:
    """Worst theta for arms in [-1, 1]^d, any epsilon-global-DP policy: Reg(T) >= max(e^-2 d sqrt(T)/8, e^-6 d/(4
    epsilon)).

    Proof idea: Let every coordinate of theta be 1/(epsilon T) or its negative. Two such corners that differ in
    coordinate i lose |theta_i| in every round whose action has the wrong sign there, and by thm10 and Pinsker's
    inequality the laws of the actions are at a divergence of at most 6. The Bretagnolle-Huber inequality, averaged over
    all corners, gives the private term; the other one is Theorem 24.1 of Lattimore and Szepesvari.

    The paper's derivation of the private term loses a factor 1/2; the constant-1 form of Theorem 10 compensates for it.

    >>> corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    >>> round(minimax_cube(LinearInstance(corners, (0.1, 0.2), epsilon=1.0, horizon=10_000)), 4)
    3.3834
    """
    private = math.exp(-6) * instance.dimension / (4 * instance.epsilon)
    return max(math.exp(-2) * instance.dimension * math.sqrt(instance.rounds) / 8, private)


@theorem(
    "azize-basu-2022/thm4-tight",
    kind="lower",
    quantity=CUBE_MINIMAX_REGRET,
    provenance="derived",
    source="improves Azize & Basu 2022, Theorem 4, by the constant-1 form of its Theorem 10 "
    "(docs/evidence/derivations.md)",
    conditions=(PURE, HAS_HORIZON, _CUBE),
    about=LinearInstance,
    budget=POSITIVE_BUDGET,
)
def minimax_cube_tight(instance: LinearInstance) -> float:
    """Worst theta for arms in [-1, 1]^d, any epsilon-global-DP policy: Reg(T) >= max(d sqrt(T)/4, (8/27) sqrt(pi/2)
    d/epsilon).

    Proof idea: The paper's corners of a cube, with every step at its best constant: two that differ in coordinate i
    lose together at least `2 |theta_i| T (1 - TV)` in it, and TV is at most `sqrt(x/2)` for a divergence x of the
    actions. Without privacy x is at most `2 T theta_i^2`, with it `epsilon |theta_i| sqrt(2/pi) T`.

    >>> corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    >>> round(minimax_cube_tight(LinearInstance(corners, (0.1, 0.2), epsilon=0.01, horizon=100)), 4)
    74.2705
    """
    private = LARGEST_LOSS * math.sqrt(math.pi / 2) * instance.dimension / instance.epsilon
    return max(instance.dimension * math.sqrt(instance.rounds) / 4, private)


@theorem(
    "azize-basu-2022/thm5",
    kind="lower",
    quantity=LINEAR_REGRET,
    asymptotic=True,
    provenance="unproven",
    source="Azize & Basu 2022, Theorem 5, eq. (6), Section 3; proof Appendix C.4",
    conditions=(PURE, _ONE_BEST_ARM, _SPANNING),
    about=LinearInstance,
    claims=("azize-basu-2022/thm5-bilinear", "azize-basu-2022/thm5-rho"),
)
def structured_arms(instance: LinearInstance) -> float:
    """Consistent epsilon-global-DP policy: liminf Reg/ln T >= min sum alpha(a) Delta_a subject to |a|^2_{H^-1} <=
    min(Delta_a^2/2, 3 epsilon rho_a Delta_a) for every arm a with a positive gap.

    Proof idea: A consistent policy must tell theta from every parameter under which another arm is the best, so that
    the laws of its actions differ by a divergence of about ln T. Thm10 and Pinsker's inequality bound that divergence
    for the parameter that is closest in the norm of H, and Fact 2 bounds the sum over the arms by rho_a. The cheapest
    allocation that meets all these constraints is the bound.

    H is `sum alpha(a) a a^T`, and `rho_a = sum over nonzero arms b of |<b, a - a*>|/|b|^2`. For orthogonal arms this is
    the sum of Delta_a over that minimum. The proof's Fact 2 fails for other arms, where the private part can exceed
    what algorithms attain: use thm5-replacement. The pulls of the best arm cost nothing, so that only alternatives
    orthogonal to it count. The value is certified from below by duality.

    >>> round(structured_arms(LinearInstance([(1, 0), (0, 1)], (0.5, 0.25), epsilon=0.01)), 4)
    16.6667
    """
    arms, gaps = instance.matrix, np.array(instance.gaps)
    seen = arms[np.any(arms != 0, axis=1)]
    away = np.abs(seen @ (arms - arms[instance.best]).T) / np.sum(seen**2, axis=1)[:, None]
    widths = np.minimum(gaps**2 / 2, 3 * instance.epsilon * away.sum(axis=0) * gaps)
    return cheapest_exploration(arms, gaps, math.inf, targets=np.sqrt(2 * widths)).value


@theorem(
    "azize-basu-2022/thm5-replacement",
    kind="lower",
    quantity=LINEAR_REGRET,
    asymptotic=True,
    provenance="derived",
    source="replaces Azize & Basu 2022, Theorem 5, for every arm set (derived, by the constant-1 form of Theorem 10)",
    conditions=(PURE, _ONE_BEST_ARM),
    about=LinearInstance,
)
def any_arms(instance: LinearInstance) -> float:
    """Consistent epsilon-global-DP policy: liminf Reg/ln T >= min sum alpha_j Delta_j over alpha >= 0 such that sum_j
    alpha_j C(<a_j, lambda>) >= 1 for every a and lambda with <a*, lambda> = 0 and <a, lambda> = Delta_a.

    Proof idea: A consistent policy must tell theta from every alternative theta + lambda that leaves the mean of the
    best arm as it is and makes another arm as good: the divergence of its actions is about ln T. By lemma2-kl a pull of
    arm j adds at most the private divergence between N(0, 1) and N(<a_j, lambda>, 1), which is at most C. The
    constraints are linear in alpha, and the cheapest alpha that meets them is the bound.

    C is the Huber function with threshold `epsilon/sqrt(2 pi)`, which bounds the private divergence of a round. The
    value is certified from below by duality; `exploration` gives the duality gap. Arms parallel to a* cost nothing.

    >>> round(any_arms(LinearInstance([(1, 0), (0, 1)], (0.5, 0.25), epsilon=0.01)), 4)
    252.6789
    """
    return exploration(instance).value


@theorem(
    "azize-basu-2022/thm5-tight",
    kind="lower",
    quantity=LINEAR_REGRET,
    asymptotic=True,
    provenance="derived",
    source="replaces Azize & Basu 2022, Theorem 5, with the exact divergence on the alternatives of the replacement",
    conditions=(PURE, _ONE_BEST_ARM),
    about=LinearInstance,
)
def any_arms_exact(instance: LinearInstance) -> float:
    """Consistent epsilon-global-DP policy: liminf Reg/ln T >= the value of thm5-replacement with the exact private
    divergence between N(0, 1) and N(x, 1) in place of C(x), over the alternatives that certify it.

    Proof idea: As for thm5-replacement, with the private divergence itself in place of its bound C. Every alternative
    gives a constraint that a consistent policy must meet, so that finitely many of them give a valid bound.

    Never below thm5-replacement. The programme is no longer convex, so better alternatives may exist.

    >>> round(any_arms_exact(LinearInstance([(1, 0), (0, 1)], (0.5, 0.25), epsilon=0.01)), 4)
    254.4653
    """
    return max(
        exploration(instance).value,
        exploration_with_exact_divergence(
            exploration(instance), instance.matrix, np.array(instance.gaps), instance.epsilon
        ),
    )


@lru_cache(maxsize=32)
def exploration(instance: LinearInstance) -> Exploration:
    """Return the exploration of thm5-replacement with its two certificates.

    >>> found = exploration(LinearInstance([(1, 0), (0, 1), (0.8, 0.6)], (1.0, 0.2), epsilon=0.5))
    >>> found.gap < 1e-8, len(found.pulls)
    (True, 3)
    """
    return cheapest_exploration(instance.matrix, np.array(instance.gaps), instance.epsilon)
