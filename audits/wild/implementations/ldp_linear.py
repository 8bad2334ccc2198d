"""MIFA-Lab/LDPbandit2020 and liangzp/LDP-Bandit: what users of linear bandits send under local privacy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from audits.wild.implementation import Project, Wild

LDPBANDIT2020 = Project("LDPbandit2020", "54f0c05", "none stated", owner="MIFA-Lab", folders=("src",))
LDP_BANDIT = Project("LDP-Bandit", "62d9093", "MIT", owner="liangzp", folders=("Scheme1",))

USERS = "any two users"
FEATURES = np.array([[1.0], [0.0]])
SERVER = SimpleNamespace(theta=np.zeros((2, 1)), transform=lambda value: value)


def settings(epsilon: float) -> dict[str, dict[str, float]]:
    """Return the parameters of a mechanism."""
    return {
        "mechanism": {"epsilon": epsilon, "delta": 0.1},
        "env": {"dimension": 2, "n_action": 2, "instance_variance": 1.0},
    }


def linucb_report(data: Any, rng: Any) -> Any:
    """Send the noisy square of the features and the noisy product with the reward."""
    from linucb import LinUCB

    user = LinUCB(2, epsilon=1.0, delta=0.1)
    user.update_status(1)
    square, product, _ = user.construct(np.array([data], np.float32), np.array([1.0], np.float32))
    return [*square[np.triu_indices(2)].astype(float), *product.astype(float)]


def least_squares_report(data: Any, rng: Any) -> Any:
    """Send the noisy square of the features and the noisy product with the reward."""
    from mechanisms.LDP import OLSMechanism

    sent = OLSMechanism(settings(1.0)).pack(data * FEATURES, 1.0, SERVER)
    return [*sent["xx"][np.triu_indices(2)], *sent["yx"].ravel()]


def gradient_report(data: Any, rng: Any) -> Any:
    """Send a random direction that leans towards the gradient."""
    from mechanisms.LDP import SGDLDPMechanism

    return SGDLDPMechanism(settings(1.0)).pack(FEATURES, data, SERVER)["gradient"].ravel()


AUDITS = (
    Wild(
        "ldpbandit2020-linucb",
        "`LinUCB.construct`, the report of a user",
        LDPBANDIT2020,
        linucb_report,
        1.0,
        USERS,
        delta=0.1,
        pair=([1.0, 0.0], [-1.0, 0.0]),
        remark="its noise lacks the factor sqrt(2) of its own comment, but the constant 4 leaves room for it",
    ),
    Wild("ldp-bandit-ols", "`OLSMechanism`", LDP_BANDIT, least_squares_report, 1.0, USERS, delta=0.1, pair=(1.0, -1.0)),
    Wild("ldp-bandit-sgd", "`SGDLDPMechanism`", LDP_BANDIT, gradient_report, 1.0, USERS, pair=(1.0, -1.0)),
)
