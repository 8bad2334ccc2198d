"""keirp/private-bandits: sums under continual observation, and the bandits made of them."""

from __future__ import annotations

from typing import Any

from audits.wild.implementation import Project, Wild
from audits.wild.stand_ins import Stepper

REPOSITORY = Project("private-bandits", "e666280", "none stated", owner="keirp")

ROUND = "the rewards of one round"
ITEM = "one item of the stream"
ONES, FIRST_ZERO = [1.0] * 7, [0.0] + [1.0] * 6
BANDIT = {"arms": 2, "horizon": 5}


def binary_mechanism(data: Any, rng: Any) -> Any:
    """Release the sum of every prefix of seven items."""
    from private_bandits.privacy.mechanisms.binary import BinaryMechanism

    mechanism = BinaryMechanism(8, 1.0)
    return [mechanism.step(item) for item in data]


def hybrid_mechanism(data: Any, rng: Any) -> Any:
    """Release the sum of every prefix, of unknown length."""
    from private_bandits.privacy.mechanisms.hybrid import HybridMechanism

    mechanism = HybridMechanism(None, 1.0)
    return [float(mechanism.step(item)) for item in data]


def logarithmic_mechanism(data: Any, rng: Any) -> Any:
    """Release the sum of prefixes whose length is a power of two."""
    from private_bandits.privacy.mechanisms.logarithmic import LogarithmicMechanism

    mechanism = LogarithmicMechanism(None, 1.0)
    return [float(sum_) for item in data if (sum_ := mechanism.step(item)) is not None]


def dp_ucb(rng: Any) -> Any:
    """Play UCB on sums of the hybrid mechanism."""
    from private_bandits.solvers.private.dp_ucb import DPUCBSolver

    return Stepper(DPUCBSolver(2, 1.0).step)


def private_ucb(rng: Any) -> Any:
    """Play UCB on sums of the binary mechanism, without a bonus for its noise."""
    from private_bandits.solvers.private.private_ucb_boundless import PrivateUCBBoundlessSolver

    return Stepper(PrivateUCBBoundlessSolver(2, 8, 1.0).step)


def dp_log_softmax(rng: Any) -> Any:
    """Draw arms by a softmax of sums of the logarithmic mechanism."""
    from private_bandits.solvers.private.dp_log_softmax import DPLogSoftmaxSolver

    return Stepper(DPLogSoftmaxSolver(2, 1.0, 5).step)


def dp_softmax(rng: Any) -> Any:
    """Draw arms by the exponential mechanism, with a share of the budget for each round."""
    from private_bandits.solvers.private.dp_softmax import DPSoftmaxSolver

    return Stepper(DPSoftmaxSolver(2, 1.0, 5).step)


AUDITS = (
    Wild("keirp-binary", "`BinaryMechanism`", REPOSITORY, binary_mechanism, 1.0, ITEM, pair=(ONES, FIRST_ZERO)),
    Wild("keirp-hybrid", "`HybridMechanism`", REPOSITORY, hybrid_mechanism, 1.0, ITEM, pair=(ONES, FIRST_ZERO)),
    Wild(
        "keirp-logarithmic",
        "`LogarithmicMechanism`",
        REPOSITORY,
        logarithmic_mechanism,
        1.0,
        ITEM,
        pair=(ONES, FIRST_ZERO),
    ),
    Wild("keirp-dp-ucb", "`DPUCBSolver`", REPOSITORY, dp_ucb, 1.0, ROUND, options=BANDIT, runs=1_000),
    Wild(
        "keirp-private-ucb",
        "`PrivateUCBBoundlessSolver`",
        REPOSITORY,
        private_ucb,
        1.0,
        ROUND,
        options=BANDIT,
        runs=3_000,
    ),
    Wild(
        "keirp-log-softmax", "`DPLogSoftmaxSolver`", REPOSITORY, dp_log_softmax, 1.0, ROUND, options=BANDIT, runs=1_000
    ),
    Wild("keirp-softmax", "`DPSoftmaxSolver`", REPOSITORY, dp_softmax, 1.0, ROUND, options=BANDIT, runs=1_000),
)
