"""Programs that publish functions of several rewards: certified at their exact epsilon, and no broken twin is."""

from __future__ import annotations

import inspect
import re
import statistics
from pathlib import Path

import numpy as np
import pytest

import privcheck

FILE = Path(__file__).with_name("programs_several_data.py")
NAMES = re.findall(r"^class (\w+)\(Blocks\)", FILE.read_text("utf-8"), re.M)
BROKEN = [name for name in NAMES if name.startswith("Broken")]


def certified(program, **options):
    return privcheck.certify(program, epsilon=1.0, **{"arms": 2, "horizon": 12, "runs": 2} | options)


def test_each_program_has_a_broken_twin() -> None:
    assert {name.removeprefix("Broken") for name in BROKEN} == {name for name in NAMES if name not in BROKEN}
    assert len(BROKEN) == 13


@pytest.mark.parametrize("name", [name for name in NAMES if name not in BROKEN])
def test_a_right_program_is_certified_at_its_exact_epsilon(written, name) -> None:
    found = certified(written[name])
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_twin_is_not_certified(written, name) -> None:
    program = written[name]
    found = certified(program)
    assert not found.granted
    lines, first = inspect.getsourcelines(program)
    assert any(
        f".py:{line}" in str(found) or f", line {line}" in str(found) for line in range(first, first + len(lines))
    ), str(found)


@pytest.mark.parametrize("name", ["Variance", "Median", "Best", "LimitedSum"])
def test_a_guarded_policy_learns_as_the_plain_one_does(written, name) -> None:
    """Without noise to speak of, the guarded policy plays what the plain one plays."""
    program, rewards = written[name], np.random.default_rng(0).random(40).round(2)

    def played(policy):
        chosen = []
        for reward in rewards.tolist():
            chosen.append(policy.select())
            policy.update(chosen[-1], reward)
        return chosen

    guarded = privcheck.guard(lambda rng: program(rng, epsilon=1e9), epsilon=1e9, arms=2)
    assert played(guarded) == played(program(np.random.default_rng(1), epsilon=1e9))


def test_functions_of_statistics_with_a_mean_of_one_s_own_are_not_taken_for_the_others(written) -> None:
    """`pvariance(x, mu)` is the mean square around mu; as numpy's second argument 0 would be an axis."""

    class Around(written["Blocks"]):
        def published(self, rewards):
            return statistics.pvariance(rewards, 0) + self.noise(3 / 16)

    assert not certified(Around).granted


def test_numbers_of_which_one_is_private(written) -> None:
    class Limits(written["Blocks"]):
        size = 1

        def published(self, rewards):
            return np.median([0.25, rewards[0], 0.75]) + self.noise(0.5)

    found = certified(Limits)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-6)
