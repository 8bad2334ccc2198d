"""The rate of regret under local privacy: randomised response is the best report on a bit, so both ends are equal."""

from __future__ import annotations

import math

import numpy as np

from privcheck.bounds._conditions import BERNOULLI, BETTER_ARM_EXISTS, UNIT_REWARDS
from privcheck.bounds._divergences import kl_from_complements
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import BANDIT, Quantity
from privcheck.bounds._theorem import POSITIVE_BUDGET, PURE, theorem

LOCAL_PRIVACY = "epsilon-local DP, every reward reported once"
LOCAL_REGRET = Quantity("pseudo-regret", BANDIT, LOCAL_PRIVACY)

_BOTH_ENDS = "derived (docs/evidence/derivations.md), from Kairouz, Oh & Viswanath 2015"


def report_divergence(mean: float, other: float, epsilon: float) -> float:
    """Return the largest divergence between epsilon-locally private reports on two Bernoulli rewards, in nats.

    Randomised response reports 1 with probability q(m) = 1/2 + (m - 1/2) tanh(epsilon / 2), and the answer is
    `kl(q(mean), q(other))`.

    Parameters
    ----------
    mean, other : means, in [0, 1].
    epsilon : above 0; infinity gives `kl(mean, other)`.

    Source: docs/evidence/derivations.md.

    Examples
    --------
    >>> round(report_divergence(0.5, 0.75, math.inf), 6), round(report_divergence(0.5, 0.75, 1.0), 6)
    (0.143841, 0.027433)
    """
    shrink, flipped = math.tanh(epsilon / 2.0), math.exp(-epsilon) / (1.0 + math.exp(-epsilon))
    p, without_p, q, without_q = (flipped + m * shrink for m in (mean, 1.0 - mean, other, 1.0 - other))
    arguments = (p, without_p, q, without_q, (other - mean) * shrink)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(kl_from_complements(*(np.array(argument) for argument in arguments)))


def local_terms(instance: Instance) -> list[dict[str, float | str]]:
    """Return gap / kl(q(mu_a), q(mu*)) for every arm with a positive gap."""
    rows: list[dict[str, float | str]] = []
    for arm, (mean, gap) in enumerate(zip(instance.means, instance.gaps, strict=True)):
        if gap > 0:
            found = report_divergence(mean, instance.best_mean, instance.epsilon)
            rows.append({"arm": arm, "gap": gap, "kl of reports": found, "term": gap / found})
    return rows


@theorem(
    "local-privacy/rate",
    kind="lower",
    quantity=LOCAL_REGRET,
    asymptotic=True,
    provenance="derived",
    source=_BOTH_ENDS,
    conditions=(PURE, BERNOULLI, BETTER_ARM_EXISTS),
    budget=POSITIVE_BUDGET,
    terms=local_terms,
)
def local_rate(instance: Instance) -> float:
    """Consistent policy that sees an epsilon-locally private report on each Bernoulli reward: liminf Reg/ln T >= sum of
    Delta_a / kl(q(mu_a), q(mu*)) with q(m) = 1/2 + (m - 1/2) tanh(epsilon/2).

    Proof idea: Every epsilon-private report on a bit is randomised response, processed further, so that the reports of
    an arm tell two means apart by at most kl(q, q'). Raise arm a just above mu*: a consistent policy must then play it
    almost always, which takes a divergence of ln T.

    The report of a round may depend on all earlier reports. The sum is over the arms with a positive gap.

    >>> round(local_rate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0)), 4)
    9.1131
    """
    return math.fsum(float(row["term"]) for row in local_terms(instance))


@theorem(
    "local-privacy/rate-attained",
    kind="upper",
    quantity=LOCAL_REGRET,
    asymptotic=True,
    provenance="derived",
    source=f"{_BOTH_ENDS}, and Garivier & Cappe 2011, Theorem 2",
    conditions=(PURE, UNIT_REWARDS),
    budget=POSITIVE_BUDGET,
    terms=local_terms,
)
def local_rate_attained(instance: Instance) -> float:
    """KL-UCB on randomised responses to rewards in [0, 1]: limsup Reg/ln T <= sum of Delta_a / kl(q(mu_a), q(mu*))
    with q(m) = 1/2 + (m - 1/2) tanh(epsilon/2).

    Proof idea: Draw a bit with the reward as its mean and answer by randomised response. The answers of arm a are
    Bernoulli with mean q(mu_a), and KL-UCB plays a suboptimal arm of such a bandit at most ln T / kl(q(mu_a), q(mu*))
    times, up to lower orders.

    For Bernoulli rewards this is local-privacy/rate: no locally private policy has a smaller rate. The sum is over the
    arms with a positive gap.

    >>> round(local_rate_attained(Instance("bernoulli", (0.75, 0.5), epsilon=1.0)), 4)
    9.1131
    """
    return math.fsum(float(row["term"]) for row in local_terms(instance))
