"""sayakrc/Differentially-Private-Bandits: successive elimination and linear bandits in several models of trust."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from audits.wild.arguments.linear_bandits import short_gaussian_noise
from audits.wild.arguments.successive_elimination import one_draw_for_all_arms, swapped_polya_parameter
from audits.wild.implementation import Fault, Project, Wild

REPOSITORY = Project("Differentially-Private-Bandits", "ea7503b", "GPL-3.0", owner="sayakrc", needs=("pandas",))

PARAMETERS = {"crs": 1, "delta": 0.1, "dc": 4}
BATCH_OF_ZEROS, BATCH_WITH_A_ONE = [0.0] * 4, [1.0, 0.0, 0.0, 0.0]
ARMS = np.vstack([np.array([side, 0.0, 0.0, 0.0, 1.0]) for side in (1.0, -1.0)])
ENVIRONMENT = SimpleNamespace(X=ARMS, epsilon=1.0, delta=0.1, BatchSize=20, K=2)


def distributed_sum(data: Any, rng: Any) -> Any:
    """Release the sum of a batch in which every user adds a share of the noise."""
    import MABPrivate as module

    module.rng = rng
    learner = module.BatchSEDistDP(ENVIRONMENT, 100, PARAMETERS)
    return int(sum(learner.local_rand(reward) for reward in data) % learner.modulo)


def distributed_renyi_sum(data: Any, rng: Any) -> Any:
    """Release the sum of a batch with shares of Skellam noise."""
    import MABPrivate as module

    module.rng = rng
    learner = module.BatchSEDistRDP(ENVIRONMENT, 100, PARAMETERS | {"scale": 10})
    return int(sum(learner.local_rand(reward) for reward in data) % learner.modulo)


def noisy_sums_of_arms(data: Any, rng: Any) -> Any:
    """Release the sums of the rewards of two arms at the end of an epoch."""
    import MABPrivate as module

    module.rng = rng
    learner = module.DPSE(ENVIRONMENT, 100, PARAMETERS)
    learner.rewards = np.array(data)
    return learner.central_rand()


def local_linear_report(data: Any, rng: Any) -> Any:
    """Send the noisy square of the features and the noisy product with the reward of one user."""
    from LinBanditPrivate import LDPLinUCB

    learner = LDPLinUCB(ENVIRONMENT, 100, {})
    learner.update(0, data, 1.0)
    return [*learner.Gram[np.triu_indices(5)], *learner.B]


AUDITS = (
    Wild(
        "sayakrc-distributed-sum",
        "`BatchSEDistDP`, the sum of a batch of 4",
        REPOSITORY,
        distributed_sum,
        1.0,
        "one reward of the batch",
        pair=(BATCH_OF_ZEROS, BATCH_WITH_A_ONE),
        expected="violation",
        fault=Fault(
            "the audit sees it on given inputs",
            "`polya(r, p)` draws a Poisson number with a gamma mean of scale (1 - p) / p. A negative binomial law with "
            "weights proportional to p^k has scale p / (1 - p).",
            "The shares add up to a discrete Laplace law with parameter 1 - e^(-eps/g) in place of e^(-eps/g), where g "
            "is the precision. One reward moves the sum by g units, so that the loss is -g ln(1 - e^(-eps/g)), which "
            "grows with the batch.",
            "Use `scale = p / (1 - p)`.",
            "not reported upstream yet",
            swapped_polya_parameter,
        ),
    ),
    Wild(
        "sayakrc-renyi-sum",
        "`BatchSEDistRDP`, the sum of a batch of 4",
        REPOSITORY,
        distributed_renyi_sum,
        4.3,
        "one reward of the batch",
        delta=1e-3,
        pair=(BATCH_OF_ZEROS, BATCH_WITH_A_ONE),
        remark="claims Renyi DP; its bound for Skellam noise converts to this",
    ),
    Wild(
        "sayakrc-dp-se",
        "`DPSE`, the noisy sums of two arms",
        REPOSITORY,
        noisy_sums_of_arms,
        1.0,
        "one reward of an arm",
        pair=([1.0, 1.0], [1.0, 0.0]),
        expected="violation",
        fault=Fault(
            "the audit sees it on given inputs",
            "`rng.laplace(0, 1 / self.eps)` is one number, which is added to the sums of all arms.",
            "Eliminations compare arms, and in their differences the noise cancels: which arms survive an epoch is a "
            "function of the raw rewards.",
            "Draw one number for each arm: `rng.laplace(0, 1 / self.eps, len(self.rewards))`.",
            "not reported upstream yet",
            one_draw_for_all_arms,
        ),
    ),
    Wild(
        "sayakrc-local-linucb",
        "`LDPLinUCB`, the report of a user",
        REPOSITORY,
        local_linear_report,
        1.0,
        "any two users",
        delta=0.1,
        pair=(0, 1),
        expected="violation",
        fault=Fault(
            "the audit sees it on given inputs",
            "The standard deviation is sqrt(ln(2.5 / delta)) / eps, which leaves out the sensitivity of the report and "
            "a factor sqrt(2).",
            "Two users with opposite features are told apart as two normal laws whose means are 1.93 eps standard "
            "deviations apart. At the setting of the main script (eps = 0.2, delta = 0.1) the claim holds; "
            "at eps = 1 it does not.",
            "Calibrate the noise to the L2 sensitivity of the report: the reports of these two users are sqrt(12) "
            "apart.",
            "not reported upstream yet",
            short_gaussian_noise,
        ),
    ),
)
