"""Twenty bandits with numpy's noise: the correct ones are certified at their epsilon, each bug is named at its line."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import privcheck
from privcheck import certify

FILE = Path(__file__).with_name("noisy_bandits.py")
CORRECT = ["Doubling", "LazyList", "Tree", "Randomised", "Leader", "Linear", "LinearInverse", "Exponentials"]
CHARGED = ["AllTheData", "WrongScale", "ScaledDown", "WinnerAndValue"]
"""Bugs that are refused because a reward is charged too much."""

LEAKS = {
    "OneNoise": "released before, with another value", "RawStop": "release it", "RawArgmax": "release it",
    "SharedNoise": "with size=, once for each entry", "Argmin": "argmax", "NoiseReadFirst": "release it",
    "FixedSeed": "release it", "UnnoisedGram": "release it",
}  # fmt: skip
"""Bugs that read what is private, and what the hint says."""


def bandit(name):
    spec = importlib.util.spec_from_file_location("noisy_bandits", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def certified(name, epsilon=1.0, **options):
    found = bandit(name)
    parents = {parent.__name__ for parent in found.__mro__}
    if "Linear" in parents:
        contexts = privcheck.Contexts(shape=(2, 3), norm=1.0)
        options |= {"feedback": "contextual", "neighbours": "context-reward", "contexts": contexts}
    if "Leader" in parents:
        options |= {"feedback": "full", "arms": 4}
    horizon = 16 if "Tree" in parents else 8
    return certify(f"{FILE}:{name}", epsilon=epsilon, **{"arms": 2, "horizon": horizon, "runs": 3} | options)


def line(name):
    (found,) = [n for n, text in enumerate(FILE.read_text("utf-8").splitlines(), 1) if text.endswith(f"# {name}")]
    return found


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_bandit_is_certified_at_its_epsilon_and_not_below(name):
    certificate = certified(name)
    assert certificate.granted, str(certificate)
    assert certificate.ledger_epsilon == pytest.approx(1.0)
    assert certificate.replay.replays > 0
    assert certificate.replay.divergences == 0
    assert 0.01 < certificate.replay.largest_loss <= 1.0 + 1e-9


@pytest.mark.parametrize("name", CORRECT)
def test_too_little_noise_is_refused(name, tmp_path):
    """The broken twin of each: the same code, built for twice the epsilon of its certificate."""
    twin = tmp_path / "twin.py"
    twin.write_text(f"{FILE.read_text('utf-8')}\n\ndef build(rng, arms):\n    return {name}(rng, arms, 2.0)\n", "utf-8")
    options = {}
    if name in ("Linear", "LinearInverse"):
        contexts = privcheck.Contexts(shape=(2, 3), norm=1.0)
        options |= {"feedback": "contextual", "neighbours": "context-reward", "contexts": contexts}
    if name == "Leader":
        options |= {"feedback": "full"}
    certificate = certify(f"{twin}:build", epsilon=1.0, horizon=8, runs=1, arms=4 if name == "Leader" else 2, **options)
    assert not certificate.granted
    assert re.search(r"to (2|1\.[2-8]\d*), expected at most epsilon = 1", certificate.refusals[0])


@pytest.mark.parametrize("name", CHARGED)
def test_a_bug_that_costs_too_much_is_refused_at_its_line(name):
    certificate = certified(name)
    assert not certificate.granted
    assert certificate.leaks == []
    total = 3 if name == "WinnerAndValue" else 2  # the range, and then all scores
    assert f"noisy_bandits.py:{line(name)} that takes the reward of round 1 to {total}" in certificate.refusals[0]


@pytest.mark.parametrize("name", LEAKS)
def test_a_bug_that_reads_private_values_is_named_at_its_line(name):
    certificate = certified(name)
    assert not certificate.granted
    lines = {leak.line: leak for leak in certificate.leaks}
    assert line(name) in lines, str(certificate)
    assert LEAKS[name] in lines[line(name)].hint


def test_all_twenty_are_looked_at():
    names = re.findall(r"^class (\w+)", FILE.read_text("utf-8"), re.MULTILINE)
    assert sorted(names) == sorted([*CORRECT, *CHARGED, *LEAKS])
    assert len(names) == 20


def test_a_replay_finds_code_that_the_wrapper_misses(tmp_path):
    """A policy that behaves otherwise with ordinary rewards is private under the guard, and not without it."""
    file = tmp_path / "two_faced.py"
    file.write_text(
        "class TwoFaced:\n"
        "    def __init__(self, rng):\n        self.rng, self.arm = rng, 0\n"
        "    def select(self):\n        return self.arm\n"
        "    def update(self, action, reward):\n"
        "        noisy = float(reward + self.rng.laplace(0.0, 1.0))\n"
        "        self.arm = int((noisy if type(reward) is not float else reward) > 0.5)\n",
        "utf-8",
    )
    certificate = certify(f"{file}:TwoFaced", epsilon=1.0, arms=2, horizon=8, runs=3)
    assert not certificate.granted
    assert certificate.replay.divergences > 0
    assert "the actions differ" in certificate.replay.first_divergence.reason


def test_nothing_is_granted_if_a_guarded_run_of_the_replay_leaks(monkeypatch):
    """Its runs have other coins than those that look for leaks."""
    monkeypatch.setattr("privcheck.certifying._certify.noisy_replay", lambda *arguments: None)
    certificate = certified("Randomised")
    assert (certificate.granted, certificate.leaks, certificate.refusals) == (False, [], [])
    assert "leaks or fails with other coins" in certificate.notes[0]


def test_gaussian_noise_is_certified_in_gaussian_privacy(tmp_path):
    file = tmp_path / "normal.py"
    file.write_text(
        "class Normal:\n"
        "    def __init__(self, rng, mu):\n        self.rng, self.arm, self.mu = rng, 0, mu\n"
        "    def select(self):\n        return self.arm\n"
        "    def update(self, action, reward):\n"
        "        self.arm = int(self.rng.normal(reward, 1.0 / self.mu) > 0.5)\n",
        "utf-8",
    )
    certificate = certify(f"{file}:Normal", mu=0.5, arms=2, horizon=8, runs=3)
    assert certificate.granted
    assert certificate.ledger_mu == pytest.approx(0.5)
    refused = certify(f"{file}:Normal", mu=0.5, arms=2, horizon=8, runs=3, rewards=(0.0, 1.0), neighbours="group:2")
    assert not refused.granted
