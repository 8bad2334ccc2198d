"""Measurements that contradict a certificate: they fire where a function remembers, and are silent on correct code."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck.accounting import Pure
from privcheck.certifying._outside import contradictions
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Gaussian, Laplace, RecordedRelease
from privcheck.reporting import details
from privcheck.results import Certificate


def _directly(function, inside, numbers, probes=None, source=None):
    return [inside(number) for number in numbers]


@pytest.fixture
def not_apart(monkeypatch):
    """Functions of one number are called directly, as if nothing could be kept of it."""
    monkeypatch.setattr("privcheck.private_values._one_datum.applied_apart", _directly)


@pytest.mark.parametrize(
    "name", ["OrderedLabels", "ClosureCell", "GlobalDictionary", "BoundBuiltin", "DefaultArgument"]
)
def test_a_measured_sensitivity_above_the_computed_one_withdraws_the_bound(remembering, not_apart, name) -> None:
    found = privcheck.certify(getattr(remembering, name), epsilon=1.0, arms=2, horizon=16, runs=4)
    assert found.contradictions
    assert not found.granted
    if name != "ClosureCell":  # which plain replays alone show
        assert found.coverage == "explored"
        assert found.upper is None
    assert found.has_findings
    assert not found.is_inconclusive


def test_contradictions_are_written_and_read_and_shown(remembering, not_apart) -> None:
    found = privcheck.certify(remembering.OrderedLabels, epsilon=1.0, arms=2, horizon=16, runs=4)
    again = Certificate.from_json(found.to_json())
    assert again.contradictions == found.contradictions
    assert found.contradictions[0] in str(found)
    granted = found.to_json().replace('"granted": false', '"granted": true')
    with pytest.raises(PrivcheckError):
        Certificate.from_json(granted)


def test_a_release_in_a_function_shows_in_the_loss_of_the_plain_code(remembering) -> None:
    """The guard makes no such release; the code as it is loses more than the bound."""
    found = privcheck.certify(remembering.ReleasesInside, epsilon=1.0, arms=2, horizon=16, runs=2)
    assert not found.granted
    assert found.replay.largest_loss > 1.0


def test_rounding_is_no_contradiction() -> None:
    mechanism = Laplace(sensitivity=1.0, epsilon=1.0)
    numbers = np.array([0.1] * 100)
    one, two = RecordedRelease(mechanism, np.array(numbers.sum() + 1.0), 0.0), numbers.sum() + 1e-16
    assert list(contradictions.too_far([one], [two], [1.0], 100)) == []
    assert list(contradictions.too_far([one], [two - 1e-6], [1.0], 100))


class _Claim:
    accountants = None

    def __init__(self, budget):
        self.budget = budget


@pytest.mark.parametrize(("moved", "found"), [(1.0, False), (1.1, True)])
def test_what_was_measured_is_charged_in_the_notion_of_the_budget(moved, found) -> None:
    mechanism = Gaussian.with_scale(1.0)
    claim = _Claim(privcheck.accounting.GaussianDP(1.0))
    release = RecordedRelease(mechanism, np.array(moved), 0.0)
    assert bool(list(contradictions.above_budget([release], [np.array(0.0)], claim, None))) == found


def test_a_loss_above_a_pure_budget_is_one() -> None:
    assert list(contradictions.above_budget([], [], _Claim(Pure(1.0)), 1.0)) == []
    assert list(contradictions.above_budget([], [], _Claim(Pure(1.0)), 1.01))


@pytest.mark.parametrize("name", ["RunningMaximum", "Normaliser"])
def test_state_apart_leaves_nothing_to_measure(remembering, name) -> None:
    found = privcheck.certify(getattr(remembering, name), epsilon=1.0, arms=2, horizon=16, runs=2)
    assert not found.contradictions
    assert details(found) is not None
