"""Programs that publish functions of several rewards: certified at their exact epsilon, and no broken twin is."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck

FILE = Path(__file__).parent / "programs_several_data.py"
_SPEC = importlib.util.spec_from_file_location("programs_several_data", FILE)
WRITTEN = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = WRITTEN  # by which inspect finds the source
_SPEC.loader.exec_module(WRITTEN)
NAMES = [name for name, _ in inspect.getmembers(WRITTEN, inspect.isclass) if name != "Blocks"]
BROKEN = [name for name in NAMES if name.startswith("Broken")]


def certified(program, **options):
    return privcheck.certify(program, epsilon=1.0, **{"arms": 2, "horizon": 12, "runs": 2} | options)


def test_each_program_has_a_broken_twin() -> None:
    assert {name.removeprefix("Broken") for name in BROKEN} == {name for name in NAMES if name not in BROKEN}
    assert len(BROKEN) == 13


@pytest.mark.parametrize("name", [name for name in NAMES if name not in BROKEN])
def test_a_right_program_is_certified_at_its_exact_epsilon(name) -> None:
    found = certified(getattr(WRITTEN, name))
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_twin_is_not_certified(name) -> None:
    program = getattr(WRITTEN, name)
    found = certified(program)
    assert not found.granted
    lines, first = inspect.getsourcelines(program)
    assert any(
        f".py:{line}" in str(found) or f", line {line}" in str(found) for line in range(first, first + len(lines))
    ), str(found)


@pytest.mark.parametrize("name", ["Variance", "Median", "Best", "LimitedSum"])
def test_a_guarded_policy_learns_as_the_plain_one_does(name) -> None:
    """Without noise to speak of, the guarded policy plays what the plain one plays."""
    program, rewards = getattr(WRITTEN, name), np.random.default_rng(0).random(40).round(2)

    def played(policy):
        chosen = []
        for reward in rewards.tolist():
            chosen.append(policy.select())
            policy.update(chosen[-1], reward)
        return chosen

    guarded = privcheck.guard(lambda rng: program(rng, epsilon=1e9), epsilon=1e9, arms=2)
    assert played(guarded) == played(program(np.random.default_rng(1), epsilon=1e9))


def test_functions_of_statistics_with_a_mean_of_one_s_own_are_not_taken_for_the_others() -> None:
    """`pvariance(x, mu)` is the mean square around mu; as numpy's second argument 0 would be an axis."""

    class Around(WRITTEN.Blocks):
        def published(self, rewards):
            return WRITTEN.statistics.pvariance(rewards, 0) + self.noise(3 / 16)

    assert not certified(Around).granted


def test_numbers_of_which_one_is_private() -> None:
    class Limits(WRITTEN.Blocks):
        size = 1

        def published(self, rewards):
            return np.median([0.25, rewards[0], 0.75]) + self.noise(0.5)

    found = certified(Limits)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-6)
