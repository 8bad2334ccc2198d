"""The black-box auditor on every mechanism: consistent as declared, and refuted with too little noise."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck.accounting import Approximate, Concentrated, GaussianDP, convert
from privcheck.auditing._exact import exact_delta

NOTIONS = {"mu": GaussianDP, "rho": Concentrated}


@pytest.mark.chance(2e-7, "verdict and bound of one audit of a true claim, 1e-7 each")
def test_the_auditor_agrees_with_the_charge_and_refutes_a_scale_too_small(case):
    """Verdict and bound each have the level 1e-7.

    Where there is no finite epsilon, the claim is epsilon = 1 with the exact delta, which the charge has to allow.
    """
    first, second, distance = case.pair
    declared = case.declare(distance, 1.0)
    twin = case.with_scale(0.4 * declared.scale)
    options = {"epsilon": 1.0, "streams": (np.array(first), np.array(second)), "rewards": (0.0, 3.0), "runs": 20_000}
    options |= {"error": 1e-7, "confidence": 1.0 - 1e-7}
    exact = exact_delta(declared, options["streams"], 1.0)
    assert (exact is not None) == case.exact, "state it in the mechanism's `law_of_pair`"
    if case.currency != "epsilon":
        options["delta"] = exact.upper
        implied = convert(NOTIONS[case.currency](case.loss(declared, distance)), Approximate, epsilon=1.0)
        assert exact.upper <= implied.delta
    report = privcheck.audit(declared, **options)
    assert report.verdict == "consistent"
    assert 0.1 < report.epsilon_lower <= 1.0
    assert exact is None or exact.lower <= options.get("delta", 0.0)
    assert (report.exact_loss is not None) == (case.exact and case.currency == "epsilon")
    assert report.exact_loss is None or report.exact_loss <= declared.loss(distance)
    assert privcheck.audit(twin, **options).verdict == "violation"
    assert case.loss(twin, distance) > 2.0 * case.loss(declared, distance) or declared.id == "randomised-response"
