"""The auditor finds every broken twin within its budget of runs, and is silent on the correct one."""

import pytest

import privcheck

from . import TWINS
from .continual import fresh_on_every_prefix

pytestmark = pytest.mark.long

CHANCE = 5e-7
"""Level of the verdict and of the lower bound: each test fails by chance with at most this probability.

The seed is fixed, so a test that has passed will pass.
"""


def audited(twins, target, options, **more):
    return privcheck.audit(
        target, epsilon=1.0, runs=twins.runs, confidence=1.0 - CHANCE, **twins.options | options | more
    )


@pytest.mark.chance(5e-7, "one bound at this level")
@pytest.mark.parametrize("twins", TWINS, ids=str)
def test_a_broken_twin_is_found(twins):
    report = audited(twins, twins.broken, twins.for_broken)
    print(f"\n{twins.name}: {report.epsilon_lower:.3f}, {report.seconds:.1f} s")  # noqa: T201
    assert report.verdict == "violation", twins.leak
    assert report.epsilon_lower <= twins.law(report.witness.first, report.witness.second) + 1e-6


@pytest.mark.chance(1e-6, "verdict and bound of one audit of a true claim, 5e-7 each")
@pytest.mark.parametrize("twins", TWINS, ids=str)
def test_its_correct_twin_is_consistent(twins):
    report = audited(twins, twins.correct, twins.for_correct, error=CHANCE)
    print(f"\n{twins.name}, corrected: {report.epsilon_lower:.3f}, {report.seconds:.1f} s")  # noqa: T201
    assert report.verdict == "consistent"
    assert report.epsilon_lower <= 1.0


def test_the_search_finds_the_first_round_of_fresh_noise_on_every_prefix():
    """The first of 32 rounds has a loss of 32/6, of which each part shows 1/6."""
    report = privcheck.audit(fresh_on_every_prefix(6.0), epsilon=1.0, horizon=32, runs=20_000)
    assert report.verdict == "violation"
