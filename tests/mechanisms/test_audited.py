"""The black-box auditor on every mechanism: consistent as declared, and refuted with too little noise."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck

SCORES = ([0.0, 3.0, 0.0], [1.0, 2.0, 0.0], 2.0)
STREAM = ([0.0] * 4, [0.0, 0.0, 1.0, 0.0], 1.0)
PAIRS = {
    "laplace": ([0.0, 0.0], [0.5, -0.5], 1.0),
    "noisy-max": SCORES,
    "noisy-max, exponential": SCORES,
    "noisy-max, gumbel": SCORES,
    "discrete-laplace": ([0.0, 3.0], [1.0, 3.0], 1),
    "randomised-response": ([0.0], [2.0], 1),
    "binary-tree": ([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
    "hybrid-tree": STREAM,
}
"""Two neighbours, and how far they are apart in the mechanism's norm."""


def test_every_mechanism_is_audited(cases):
    assert PAIRS.keys() == cases.keys()


@pytest.mark.parametrize("name", PAIRS)
def test_the_auditor_agrees_with_the_charge_and_refutes_a_scale_too_small(name, cases):
    """False failure probability 1e-3 (level of the verdict) and 0.05 (of the bound) for each, and the seed is fixed."""
    first, second, distance = PAIRS[name]
    declared = cases[name].declare(distance, 1.0)
    twin = cases[name].with_scale(0.4 * declared.scale)
    options = {"epsilon": 1.0, "streams": (np.array(first), np.array(second)), "rewards": (0.0, 3.0), "runs": 20_000}
    report = privcheck.audit(declared, **options)
    assert report.verdict == "consistent"
    assert 0.3 < report.epsilon_lower <= declared.loss(distance)
    assert report.exact_loss <= declared.loss(distance)
    assert privcheck.audit(twin, **options).verdict == "violation"
    assert twin.loss(distance) > 2.0 * declared.loss(distance) or name == "randomised-response"
