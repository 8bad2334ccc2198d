"""A policy that ends its process until it likes the noise shows what one draw shows, and no more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from privcheck.journal import SqliteJournal
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies")
EPSILON, LIKED, EVENTS = 1.0, 1.5, 6


class Picky(policies.PlainBlocks):
    """Releases each reward, and ends its process unless it likes the noise; it gives up after a few times."""

    tries = most = 0

    def __init__(self, rng, arms=2, epsilon=EPSILON):
        super().__init__(rng, arms, epsilon)
        self.seen = 0.0

    def update(self, action, reward):
        self.seen = self.mechanism.release(reward, self.rng)
        if self.seen < LIKED and Picky.tries < Picky.most:
            Picky.tries += 1
            raise SystemExit


def shown(folder, runs, tries):
    """Return what is shown of the reward 0 and of the reward 1: the draw that stands, and how often it was tried.

    A ledger has a hundred scopes of each: one is opened in a time that grows with how many there are.
    """
    found, Picky.most = {0.0: [], 1.0: []}, tries
    for scope in range(runs // (2 * EVENTS)):
        ledgers = folder / str(scope // 100)
        ledgers.mkdir(exist_ok=True)
        for reward, kept in found.items():
            guarded = policies.guard(ledgers, Picky, epsilon=EPSILON, scope=f"{scope} {reward}")
            for t in range(EVENTS):
                Picky.tries = 0
                arm = guarded.select(request_id=f"e{t}")
                while True:
                    try:
                        guarded.update(arm, reward, request_id=f"e{t}")
                        break
                    except SystemExit:
                        pass
                kept.append((guarded._policy.seen, Picky.tries))
            policies.close(guarded)
    return {reward: np.array(kept) for reward, kept in found.items()}


def loss_at_least(one, other, error):
    """Return a lower bound on the loss: of each event that a threshold on what is shown gives, by exact binomials."""
    best, each = 0.0, error / (2 * 2 * 2 * 8)
    thresholds = [*((0, cut) for cut in (-1.0, 0.0, 0.5, 1.0, 1.5, 2.5)), (1, 0.5), (1, one[:, 1].max() - 0.5)]
    for column, cut in thresholds:
        for counts in ([(kept[:, column] > cut).sum() for kept in (one, other)],
                       [(kept[:, column] <= cut).sum() for kept in (one, other)]):  # fmt: skip
            for a, b in (counts, counts[::-1]):
                low = stats.beta.ppf(each, a, len(one) - a + 1) if a else 0.0
                high = stats.beta.isf(each, b + 1, len(other) - b) if b < len(other) else 1.0
                best = max(best, math.log(low / high) if low else 0.0)
    return best


def fits(found, tries):
    """Return the smallest p-value of the law of one draw: a Laplace law, and how often it is liked."""
    values = []
    for reward, kept in found.items():
        law = stats.laplace(reward, 1.0 / EPSILON)
        liked = int((kept[:, 1] == 0).sum())
        assert set(kept[:, 1]) <= {0, tries}, "the same draw is liked or not"
        values += [stats.kstest(kept[:, 0], law.cdf).pvalue, stats.binomtest(liked, len(kept), law.sf(LIKED)).pvalue]
    return min(values)


@pytest.mark.evidence
@pytest.mark.timeout(7200)
@pytest.mark.chance(5e-6, "four tests of a law at 1e-6, and bounds on a loss at 1e-6", fresh=True)
def test_a_picky_policy_shows_one_draw(tmp_path, evidence):
    tries = evidence(3, 1)  # each of which plays the scope again
    found = shown(tmp_path, evidence(240, 60_000), tries)
    assert fits(found, tries) > 1e-6
    assert loss_at_least(found[0.0], found[1.0], 1e-6) <= EPSILON


@pytest.mark.evidence
@pytest.mark.chance(1e-6, "that 120 runs like the first draw, or 1200 show no loss", fresh=True)
def test_draws_that_are_not_durable_are_noticed(tmp_path, monkeypatch, evidence):
    """The twin draws again after each end of its process, for which it tries more often for one reward."""
    monkeypatch.setattr(SqliteJournal, "commit", lambda self: None)
    runs = evidence(120, 1_800)
    found = shown(tmp_path, runs, tries=12)
    with pytest.raises(AssertionError):
        fits(found, tries=12)
    assert runs == 120 or loss_at_least(found[0.0], found[1.0], 1e-3) > EPSILON
