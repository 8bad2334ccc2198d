"""The upper end of the rate of regret under pure privacy; azize-basu-2022/thm3-tight is the lower one."""

from __future__ import annotations

import math

from privcheck.bounds._conditions import UNIT_REWARDS
from privcheck.bounds._instance import Instance
from privcheck.bounds._private_divergence import d_epsilon
from privcheck.bounds._quantity import BANDIT_REGRET
from privcheck.bounds._theorem import PURE, theorem


def attained_terms(instance: Instance) -> list[dict[str, float | str]]:
    """Return gap / d_epsilon(mu_a, mu*) for every arm with a positive gap."""
    rows: list[dict[str, float | str]] = []
    for arm, (mean, gap) in enumerate(zip(instance.means, instance.gaps, strict=True)):
        if gap > 0:
            found = float(d_epsilon(mean, instance.best_mean, instance.epsilon))
            rows.append({"arm": arm, "gap": gap, "d_epsilon": found, "term": gap / found})
    return rows


@theorem(
    "pure-privacy/rate-attained",
    kind="upper",
    quantity=BANDIT_REGRET,
    asymptotic=True,
    provenance="derived",
    source="derived (docs/evidence/dp-glr-imed-regret.md); "
    "the abstract of Azize et al. 2025 has it up to a factor above 1",
    conditions=(PURE, UNIT_REWARDS),
    terms=attained_terms,
)
def pure_rate_attained(instance: Instance) -> float:
    """DP-GLR-IMED, an arm having k^2 pulls after its k-th batch: limsup Reg/ln T <= sum of Delta_a / d_epsilon(mu_a,
    mu*), for rewards in [0, 1], d_epsilon being that of Bernoulli laws.

    Proof idea: A batch that shows a mean of m costs the likelihood of the mean q d_epsilon(m, q) for each reward, and
    deviates by that much with the probability of the lower bound. The rounds in which the best arm is underestimated
    have a finite mean, and another arm stops as soon as its divergence from mu* is ln T.

    For Bernoulli rewards this is azize-basu-2022/thm3-tight: no epsilon-DP policy has a smaller rate, and both ends are
    equal. The shipped dp-glr-imed has batches of geometric length, and its ratio as a factor. The sum is over the arms
    with a positive gap.

    >>> round(pure_rate_attained(Instance("bernoulli", (0.8, 0.1, 0.1, 0.1, 0.1), epsilon=0.1)), 3)
    40.472
    """
    return math.fsum(float(row["term"]) for row in attained_terms(instance))
