"""abhimanyudubey/private_federated_linear_bandits: FedUCB, whose agents send noisy statistics to a server."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.wild.arguments.reused_noise import two_sends_with_the_same_noise
from audits.wild.implementation import Fault, Project, Wild

REPOSITORY = Project(
    "private_federated_linear_bandits", "d94053e", "none stated", owner="abhimanyudubey", folders=("feducb",)
)


def agent_messages(data: Any, rng: Any) -> Any:
    """Send the parameters of an agent after each of four rewards; return the fourth minus the third message."""
    from agents import FedUCB

    agent = FedUCB(T=1000, m=1, epsilon=1.0, beta=0.01)
    sends = [(agent.update(np.ones((1, 1)), reward, training=False), agent.send_params())[1] for reward in data]
    return float(sends[3][0][0, 0] - sends[2][0][0, 0])


AUDITS = (
    Wild(
        "feducb-messages",
        "`FedUCB.send_params`, the fourth message minus the third",
        REPOSITORY,
        agent_messages,
        1.0,
        "one reward",
        delta=0.01,
        options={"horizon": 4},
        expected="violation",
        fault=Fault(
            "the default search sees it",
            "`sample_noise` keeps adding to one noise matrix, and draws a new part only when the number of messages "
            "passes a power of two.",
            "Messages between two powers of two carry the same noise: their difference is the reward times the "
            "features, exactly.",
            "Keep one draw for each node of the binary tree, and send the sum of the nodes that make up the prefix.",
            "not reported upstream yet",
            two_sends_with_the_same_noise,
        ),
    ),
)
