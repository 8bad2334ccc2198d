"""Certificates are put together in one place, whichever way the target was run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import privcheck
from privcheck import certify
from privcheck.results import EXPLORED, UNDER_GUARD

PACKAGE = Path(privcheck.__file__).parent
READ_BACK_AND_EXAMPLES = {"results/_read_json.py", "results/_example_results.py"}


def constructing(source: str) -> bool:
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(getattr(called, "id", getattr(called, "attr", "")) == "Certificate" for called in calls)


def test_one_module_constructs_certificates():
    found = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if constructing(file.read_text(encoding="utf-8"))
    }
    assert found - READ_BACK_AND_EXAMPLES == {"certifying/_build_certificate.py"}


@pytest.mark.parametrize("source", ["Certificate(target='x')", "certificate.Certificate(**fields)"])
def test_the_search_sees_a_construction(source):
    assert constructing(source)
    assert not constructing(source.replace("Certificate(", "Certificate.from_json("))


class Mean:
    """Plays the arm whose noisy sum of rewards is larger."""

    def __init__(self, rng, arms, horizon):
        self.rng, self.sums, self.round = rng, [0.0] * arms, 0

    def select(self):
        return self.round % len(self.sums) if self.round < 2 else int(self.sums[1] > self.sums[0])

    def update(self, action, reward):
        if self.round < 2:
            self.sums[action] = reward + self.rng.laplace(0.0, 1.0)
        self.round += 1


BUDGETS = [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6}, {"rho": 0.5}, {"mu": 1.5}, {}]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_both_ways_state_the_budget_and_the_losses_alike(budget):
    """The guard charges a Laplace release and record and replay measures it: each loss is the same number."""
    asked = budget | {"arms": 2, "horizon": 4, "runs": 4}
    guarded, recorded = certify(Mean, **asked), certify(Mean, primitives="numpy", **asked)
    assert guarded.coverage == (UNDER_GUARD if budget else EXPLORED)
    assert recorded.coverage == EXPLORED
    assert recorded.upper is None
    assert not recorded.granted
    for name in ("epsilon_claimed", "delta", "budget", "shares", "observe", "neighbours", "horizon", "arms", "seed"):
        assert getattr(guarded, name) == getattr(recorded, name)
    for name in ("ledger_epsilon", "ledger_rho", "ledger_mu"):
        assert getattr(guarded, name) == pytest.approx(getattr(recorded, name), rel=1e-8)
        assert getattr(recorded, name) > 0.0
