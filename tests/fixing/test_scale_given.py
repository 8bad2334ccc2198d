"""The scale of a draw that is a variable with other uses is changed where the variable is given its value."""

from __future__ import annotations

import pytest

from privcheck.fixing._edits.noise_sites import scale_given, sites
from privcheck.fixing._edits.proposals import proposals
from privcheck.fixing._look import Setting, look
from privcheck.fixing._program import Program

SETTING = Setting(arms=2, horizon=16)
BANDIT = """\
import numpy as np


class Batches:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.counts, self.sizes = np.zeros(arms), np.zeros(arms, int), np.ones(arms, int)
        self.released, self.seen, self.spread = np.zeros(arms), np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.seen.min() == 0:
            return int(np.argmin(self.seen))
        return int(np.argmax((self.released + np.sqrt(self.spread)) / self.seen))

    def update(self, action, reward):
        self.sums[action] += reward
        self.counts[action] += 1
        if self.counts[action] < self.sizes[action]:
            return
        n = self.counts[action]
        scale = 1.0 / (n * self.epsilon)
        self.released[action] += self.sums[action] + self.rng.laplace(0.0, scale)
        {use}
        self.seen[action] += n
        self.sums[action], self.counts[action] = 0.0, 0
        self.sizes[action] *= 2
"""
VARIANCE = "self.spread[action] += 2 * scale**2"
USES = {
    "followed": VARIANCE,
    "alone": "pass",
    "changed": f"{VARIANCE}; scale = 0.0; self.spread[action] += scale",
    "other draw": "self.spread[action] += abs(self.rng.laplace(0.0, scale))",
}


def test_other_uses_of_the_scale_follow_the_patch():
    text = BANDIT.format(use=VARIANCE)
    finding = look(text, "Batches", SETTING)
    every = proposals(Program(text, "Batches"), finding, SETTING)
    patched = next(proposal.text for proposal in every if proposal.edit.name == "laplace")
    assert look(patched, "Batches", SETTING) is None
    assert patched == text.replace("1.0 / (n * self.epsilon)", "1.0 / self.epsilon")


@pytest.mark.parametrize("name", USES)
def test_the_draw_alone_is_changed_where_other_uses_would_not_follow(name):
    program = Program(BANDIT.format(use=USES[name]), "Batches")
    (site, *_) = sites(program)
    given = "1.0 / (n * self.epsilon)" if name == "followed" else "scale"
    assert program.code(scale_given(site)) == given
