"""A policy with a budget of its own name is not judged in silence by a claim that it was never told."""

import pytest

import privcheck


class Named:
    """Its budget is called as the audit calls it."""

    def __init__(self, rng, epsilon=1.0, bonus=2.0):
        self.rng, self.scale, self.last = rng, 1 / epsilon, 0.0

    def select(self):
        return int(self.last + self.rng.laplace(scale=self.scale) > 0.5)

    def update(self, action, reward):
        self.last = reward


class Unnamed(Named):
    """Its budget is not."""

    def __init__(self, rng, eps=1.0, bonus=None):
        super().__init__(rng, eps)


def with_a_budget(rng):
    return Named(rng, 0.5)


@pytest.mark.parametrize(
    ("target", "claim", "noted"),
    [(Unnamed, 0.5, True), (Unnamed, None, False), (Named, 0.5, False), (with_a_budget, 0.5, False)],
)
def test_defaults_that_a_claim_did_not_reach_are_named(target, claim, noted):
    report = privcheck.audit(target, epsilon=claim, arms=2, horizon=3, runs=100, pairs=2)
    said = "the policy has no parameter epsilon and was not told the claim; it was built with eps=1.0"
    assert (said in report.notes) == noted
    assert any("parameter epsilon" in note for note in report.notes) == noted
