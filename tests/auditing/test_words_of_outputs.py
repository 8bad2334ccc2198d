"""What audits say of outputs that are no numbers, and of a delta without a claim."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.auditing._scoring.discriminant import Discriminant
from privcheck.auditing._scoring.number_views import NumberView
from privcheck.auditing._scoring.numeric import Value


@pytest.mark.parametrize(("sign", "words"), [(1.0, "the output is -inf or NaN"), (-1.0, "the output is inf or NaN")])
def test_missing_numbers_are_called_by_their_name(sign, words):
    """They score minus infinity, and so does an infinite number on that side."""
    score = Value(np.ones(4), np.zeros(4))
    score.sign = sign
    view = NumberView("the output", lambda outputs: outputs, Value, plain=True)
    shown = SimpleNamespace(first=10, second=0, runs=10)
    missing = SimpleNamespace(score=score, threshold=-np.inf, reverse=True)
    assert view.words(missing, shown) == f"{words} (100 % vs 0 %)"
    finite = SimpleNamespace(score=score, threshold=2.0, reverse=True)
    assert view.words(finite, shown).startswith(f"the output is at {'most 2' if sign > 0 else 'least -2'}")


def test_outputs_without_a_finite_number_end_no_audit():
    assert not Discriminant(np.full((40, 2), np.nan), np.full((40, 2), np.inf)).weights.any()


@pytest.mark.chance(1e-8, "two bounds that are several times their spread apart")
def test_a_delta_without_a_claim_stands_beside_the_bound():
    def released(data, rng):
        return float(data[0] + rng.laplace())

    found = {delta: privcheck.audit(released, delta=delta, horizon=1, runs=3000, seed=1) for delta in (0.0, 0.3)}
    assert found[0.3].epsilon_lower < found[0.0].epsilon_lower
    assert "at delta = 0.3" in str(found[0.3])
    assert "delta" not in str(found[0.0])
