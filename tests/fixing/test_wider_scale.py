"""Noise that is wider because a reward is released several times: by how much, where, and where it is not proposed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import privcheck
from privcheck.fixing._charged import charged
from privcheck.fixing._edits.proposals import proposals
from privcheck.fixing._look import Setting, look
from privcheck.fixing._program import Program
from privcheck.fixing._search import measured, other, search
from privcheck.fixing._source_text import SourceText

HEAD = """\
import numpy as np


class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0{more}):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.counts, self.scores = np.zeros(arms), np.zeros(arms), np.zeros(arms)
        self.latest = []

    def noise(self):
        return self.rng.laplace(0.0, 1.0 / self.epsilon)

    def select(self):
        return self.t % len(self.sums) if self.t < 8 else int(np.argmax(self.scores))

    def update(self, action, reward):
        self.t += 1
        self.counts[action] += 1
"""
TWICE = """\
self.scores[action] += float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))
self.scores[action] += float((reward > 0.5) * 1.0 + self.noise())"""
SHARED = """\
self.scores[action] += float(reward + self.rng.laplace(0.0, 2.0 / self.epsilon))
self.scores[action] += float(2.0 * reward + self.rng.laplace(scale=2.0 / self.epsilon))"""
WINDOW = """\
self.latest = (self.latest + [reward])[-3:]
self.scores[action] = float(sum(self.latest) + self.rng.laplace(0.0, 1.0 / self.epsilon))"""
FOR_EACH_ARM = """\
for arm in range(len(self.scores)):
    self.scores[arm] += float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))"""
EACH_ROUND = """\
self.sums[action] += reward
self.scores[action] = (self.sums[action] + self.rng.laplace(0.0, 1.0 / self.epsilon)) / self.counts[action]"""
DOUBLING = """\
self.sums[0] += reward
if self.t & (self.t - 1) == 0:
    self.scores[0] = float(self.sums[0] + self.rng.laplace(0.0, 1.0 / self.epsilon))"""
UNSCALED = """\
self.scores[action] += float(reward + self.rng.laplace(0.0, 1.0))
self.scores[action] += float(reward + self.rng.laplace(0.0, 1.0))"""


def bandit(body, more=""):
    return HEAD.format(more=more) + "".join(f"        {line}\n" for line in body.split("\n"))


SETTING = Setting(horizon=12, runs=2)


@cache
def proposed(text):
    """Return the text with wider noise and its edit; None if that is not proposed."""
    finding = look(text, "Bandit", SETTING)
    found = finding._replace(charged=charged(text, Path("bandit.py"), "Bandit", measured(SETTING)))
    every = proposals(Program(text, "Bandit"), found, SETTING)
    return next(((each.text, each.edit) for each in every if each.edit.name == "wider-scale"), None)


def holds(text):
    return look(text, "Bandit", SETTING) is None and look(text, "Bandit", other(SETTING)) is None


WIDER = {
    "two releases": (TWICE, "", {"0.0, 2 * (1.0 /": "0.0, 1.9 * (1.0 /", "2 * self.noise()": "1.9 * self.noise()"}),
    "half a budget too much": (SHARED, "", {"0.0, 1.5 * (2.0 /": "0.0, 1.4 * (2.0 /", "e=1.5 * (2": "e=1.4 * (2"}),
    "a window of three": (WINDOW, "", {"3 * (1.0 /": "2.9 * (1.0 /"}),
    "a release for each arm": (FOR_EACH_ARM, "", {"self._arms * (1.0 /": "2 * (1.0 /"}),
    "a release in each round": (EACH_ROUND, ", horizon=9", {"self._horizon * (1.0 /": "12 * (1.0 /"}),
    "one at doubling times": (DOUBLING, ", horizon=9", {"int(self._horizon).bit_length() * (1.0 /": "4 * (1.0 /"}),
}


@pytest.mark.parametrize("name", WIDER)
def test_noise_is_as_wide_as_all_releases_of_a_reward_need(name):
    body, more, twins = WIDER[name]
    found = proposed(bandit(body, more))
    assert found is not None
    assert found[1].family == "noise"
    assert holds(found[0])
    for written, narrower in twins.items():
        written = written if written in found[0] else written.replace("._", ".")
        assert written in found[0]
        assert not holds(found[0].replace(written, narrower)), "the broken twin is found"


@pytest.mark.parametrize("body", [EACH_ROUND, DOUBLING, UNSCALED])
def test_a_number_of_releases_that_is_not_known_before_is_no_scale(body):
    """Without the horizon; and where the noise does not follow epsilon, no constant would be right."""
    assert proposed(bandit(body)) is None


@pytest.mark.nightly
def test_noise_that_grows_with_the_rounds_comes_after_edits_of_structure():
    assert proposed(bandit(EACH_ROUND, ", horizon=9"))[1].cost > 3 > proposed(bandit(TWICE))[1].cost


def test_the_search_finds_it_and_a_certificate_grants_it(tmp_path):
    path = tmp_path / "bandit.py"
    path.write_text(bandit(TWICE), "utf-8")
    first = search(SourceText.read(path), "Bandit", SETTING).patches[0]
    assert [edit.name for edit in first.edits] == ["wider-scale"]
    given = {"epsilon": 1.0, "arms": 2, "runs": 2}
    assert not privcheck.certify(f"{path}:Bandit", **given).granted
    path.write_text(first.text, "utf-8")
    found = privcheck.certify(f"{path}:Bandit", **given)
    assert found.granted
    assert found.epsilon_upper == 1.0
    assert found.ledger_epsilon == pytest.approx(1.0), "no more noise than is needed"
