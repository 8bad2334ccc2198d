"""Lines that never ran and read what noise was added to: what was seen there says whether it is public."""

from __future__ import annotations

import pytest

from privcheck import certify

HEAD = """\
import warnings

import numpy as np


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.scale, self.bad, self.last = rng, 0, 1.0, 0, 0.0
        self.sums, self.pulls, self.means, self.seen = [0.0, 0.0], [0, 0], [0.5, 0.5], []

    def select(self):
        return self.arm

    def noised(self, total):
        return float(total + self.rng.laplace(0.0, self.scale / 2))

    def mean(self, arm):
        return self.means[arm]

    def learn(self, arm, value):
        self.means[arm] = value

    def update(self, action, reward):
        self.sums[action] += reward
        self.pulls[action] += 1
        if self.pulls[action] == 2:
            noisy = RELEASE
            if noisy > 1e6:
                LINE
            self.learn(action, noisy)
            self.sums[action], self.pulls[action] = 0.0, 0
            self.arm = int(np.argmax(self.means))
"""
RELEASES = [
    "float(self.sums[action] / 2 + self.rng.laplace(0, self.scale / 2))",
    "self.noised(self.sums[action] / 2)",
    "min(self.noised(self.sums[action] / 2), 9.0)",
]
RIGHT = [
    "warnings.warn(f'{noisy}')",
    "noisy = 1.0",
    "self.bad += 1",
    "self.seen.append((action, noisy))",
    "self.means = [0.5, 0.5]",
    "self.last = max(self.means)",
    "self.last = self.mean(0)",
    "self.learn(action, 1.0)",
    "self.learn(action, noisy)",
    "self.arm = int(noisy > 2e6)",
]
WRONG = [
    "warnings.warn(f'{float(reward)}')",
    "noisy = self.sums[action]",
    "self.bad += reward",
    "self.seen.append(float(reward))",
    "self.means = list(self.sums)",
    "self.last = float(max(self.sums))",
    "self.scale = noisy",
    "self.scale /= 2",
    "self.learn(action, float(reward))",
    "self.arm = int(self.noised(self.sums[action]) > 2e6)",
    "self.pulls = [-3, -3]",
    "return",
]


def certificate(release, line, folder):
    file = folder / "policy.py"
    file.write_text(HEAD.replace("RELEASE", release).replace("LINE", line), encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=8, runs=2)
    assert (found.leaks, found.refusals) == ([], [])
    return found


@pytest.mark.parametrize("line", RIGHT)
@pytest.mark.parametrize("release", RELEASES)
def test_a_line_that_reads_a_released_number_is_not_listed(release, line, tmp_path):
    found = certificate(release, line, tmp_path)
    assert (found.unreached, found.granted) == ([], True)
    never_ran = [line, *(["return self.means[arm]"] if line == "self.last = self.mean(0)" else [])]
    (named,) = found.rests_on["lines or parts of them that never ran and, by what they say, do not matter for privacy"]
    text = (tmp_path / "policy.py").read_text(encoding="utf-8").splitlines()
    assert sorted(text[int(n) - 1].strip() for n in named.partition(":")[2].split(", ")) == sorted(never_ran)


@pytest.mark.parametrize("line", WRONG)
def test_a_line_that_reads_a_reward_or_sets_its_noise_is(line, tmp_path):
    found = certificate(RELEASES[1], line, tmp_path)
    assert ([unreached.text for unreached in found.unreached], found.granted) == ([line], False)


MIXED = """\
class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.t, self.last, self.kept = rng, 0, 0, 0.0, [0.0, 0.0]

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.kept[1] = reward
        self.last = self.kept[self.t // 100]
        noisy = float(self.kept[1] + self.rng.laplace(0.0, 1.0))
        if noisy > 1e6:
            print(self.last)
        self.arm = int(noisy > 0.5)
"""


def test_what_is_taken_without_noise_from_a_place_of_rewards_is_listed(tmp_path):
    file = tmp_path / "policy.py"
    file.write_text(MIXED, encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)
    assert [unreached.text for unreached in found.unreached] == ["print(self.last)"]
