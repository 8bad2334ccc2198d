"""NP-Hardest/DP-NCB: bandits for Nash regret, and their baselines."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.wild.arguments.raw_first_rewards import the_third_arm_is_the_better_raw_reward
from audits.wild.implementation import Fault, Project, Wild

REPOSITORY = Project("DP-NCB", "4839751", "none stated", owner="NP-Hardest", needs=("tqdm", "matplotlib"))

ROUND = "the reward of one round"


def adap_ucb(data: Any, rng: Any) -> Any:
    """Play the baseline AdaP-UCB on given rewards."""
    import algorithms.AdaPUCB as module

    rewards = iter(data)
    module.sample_reward = lambda mean, kind: next(rewards)
    return module.adap_ucb_single.py_func(np.ones(2), 1.0, len(data), 3.1, 0)


def gdp_ncb(data: Any, rng: Any) -> Any:
    """Play GDP-NCB on given rewards."""
    import algorithms.GDPNCB as module

    rewards = iter(data)
    module.sample_reward = lambda mean, kind: next(rewards)
    return module.GDP_NCB_single.py_func(np.ones(2), 3.0, 1.0, 3.1, 4, len(data), 0)


AUDITS = (
    Wild(
        "dp-ncb-adap-ucb",
        "`adap_ucb_single`",
        REPOSITORY,
        adap_ucb,
        1.0,
        ROUND,
        options={"horizon": 6},
        expected="violation",
        fault=Fault(
            "the default search sees it",
            "The estimate of an arm after its first pull is its raw reward: noise is added from the second episode on.",
            "The first choice after the arms have been played once compares raw rewards, so that it shows which arm "
            "paid more.",
            "Add Laplace noise of scale 1 / eps to the first estimates too.",
            "not reported upstream yet",
            the_third_arm_is_the_better_raw_reward,
        ),
    ),
    Wild(
        "dp-ncb-gdp",
        "`GDP_NCB_single`",
        REPOSITORY,
        gdp_ncb,
        1.0,
        ROUND,
        options={"horizon": 12},
        remark="at such horizons its choices depend on bonuses more than on rewards",
    ),
)
