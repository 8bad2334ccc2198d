"""Looks: what they find, that a certificate finds it too, and that nothing of the program reaches this process."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import pytest

import privcheck
from privcheck.certifying import Refusal
from privcheck.fixing import _look
from privcheck.fixing._look import Setting, look
from privcheck.private_values import Leak

EXAMPLES = Path(__file__).parents[2] / "examples"

HEAD = """\
import random

import numpy as np


class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.total, self.n = rng, epsilon, 0.0, 0

    def select(self):
        return 0

    def update(self, action, reward):
"""


def bandit(body):
    return HEAD + "".join(f"        {line}\n" for line in body.split("\n"))


def test_a_private_bandit_has_no_finding():
    assert look(EXAMPLES / "forgetful_bandit.py", "ForgetfulBandit", Setting()) is None
    assert (
        look(bandit("self.total += float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))"), "Bandit", Setting())
        is None
    )


def test_a_program_in_a_package_imports_its_neighbours(tmp_path):
    (tmp_path / "looked_at").mkdir()
    (tmp_path / "looked_at" / "noise.py").write_text(
        "def noised(x, rng, b):\n    return float(x + rng.laplace(0.0, b))\n"
    )
    file = tmp_path / "looked_at" / "bandit.py"
    for scale, kind in (("1.0", None), ("0.5", "first")):
        text = bandit(f"self.total += noised(reward, self.rng, {scale})")
        file.write_text(text.replace("import random", "from .noise import noised"))
        found = look(file, "Bandit", Setting())
        assert (found and found.kind) == kind


def test_a_leak_is_found_with_its_line():
    text = bandit("self.n = [0.0, 1.0][reward > 0.5]")
    found = look(text, "Bandit", Setting())
    assert isinstance(found.cause, Leak)
    assert (found.kind, text.splitlines()[found.line - 1].strip()) == (
        "comparison",
        "self.n = [0.0, 1.0][reward > 0.5]",
    )


def test_a_first_release_that_costs_too_much_is_found_with_its_numbers():
    found = look(bandit("self.total = float(reward + self.rng.laplace(0.0, 0.25))"), "Bandit", Setting(epsilon=2.0))
    refusal = found.cause
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.datum, refusal.before, refusal.total) == ("first", 1, 0.0, pytest.approx(4.0))
    assert (refusal.sensitivity, refusal.scale, refusal.mechanism) == (1.0, 0.25, "laplace")


def test_a_release_again_is_found_with_what_was_charged_before():
    text = (EXAMPLES / "running_mean_bandit.py").read_text("utf-8")
    found = look(EXAMPLES / "running_mean_bandit.py", "RunningMeanBandit", Setting())
    certificate = privcheck.certify(
        f"{EXAMPLES / 'running_mean_bandit.py'}:RunningMeanBandit", epsilon=1.0, arms=2, horizon=40, runs=6
    )
    refusal = found.cause
    assert refusal.sentence == certificate.refusals[0], "the sentence is that of a certificate"
    assert (refusal.kind, refusal.before, refusal.total) == ("again", 1.0, 2.0)
    assert Path(refusal.file) == EXAMPLES / "running_mean_bandit.py"
    assert "self.rng.laplace" in text.splitlines()[refusal.line - 2] or "noise" in text.splitlines()[refusal.line - 1]


def test_noise_without_a_bound_is_of_another_kind():
    found = look(bandit("self.total = float(reward + self.rng.normal(0.0, 9.0))"), "Bandit", Setting())
    assert (found.kind, found.cause.mechanism) == ("other", "gaussian")


def test_noise_of_a_global_generator_is_found():
    found = look(bandit("self.n = random.random()"), "Bandit", Setting())
    assert (found.kind, "random" in found.sentence) == ("uncounted", True)


def test_a_policy_that_fails_is_a_finding_and_no_traceback():
    assert look(bandit("raise ValueError(3)"), "Bandit", Setting()).kind == "failure"
    assert look(bandit("pass") + "\nraise SystemExit\n", "Bandit", Setting()).kind == "failure"
    assert look(bandit("import os; os._exit(3)"), "Bandit", Setting()).kind == "time"


def test_a_look_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(_look, "SECONDS", 1)
    start = time.monotonic()
    assert look(bandit("pass") + "\nwhile True:\n    pass\n", "Bandit", Setting()).kind == "time"
    assert time.monotonic() - start < 30.0


def test_a_look_that_sleeps_is_ended_too(monkeypatch):
    monkeypatch.setattr(_look, "SECONDS", 1)
    assert look(bandit("import time; time.sleep(60)"), "Bandit", Setting()).kind == "time"


def test_nothing_of_the_program_runs_in_this_process():
    text = bandit("pass") + "\nimport sys\nsys.marked_by_a_look = True\n"
    assert look(text, "Bandit", Setting()) is None
    assert not hasattr(sys, "marked_by_a_look")


def test_options_reach_the_constructor(tmp_path):
    text = bandit("self.total = float(reward + self.rng.laplace(0.0, self.scale))")
    text = text.replace("epsilon=1.0):", "epsilon=1.0, scale=0.1):").replace(
        "0.0, 0\n", "0.0, 0\n        self.scale = scale\n", 1
    )
    assert look(text, "Bandit", Setting()).kind == "first"
    assert look(text, "Bandit", Setting(options={"scale": 1.0})) is None


def test_the_range_of_rewards_is_that_of_the_setting():
    text = bandit("self.total += float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))")
    assert look(text, "Bandit", Setting(rewards=(0.0, 2.0))).cause.total == pytest.approx(2.0)


def test_a_neighbour_of_the_file_is_imported(tmp_path):
    (tmp_path / "neighbour.py").write_text("HALF = 0.5\n", "utf-8")
    text = "from neighbour import HALF\n" + bandit("self.n = HALF")
    assert look(text, "Bandit", Setting(), tmp_path / "bandit.py") is None
    assert look(text, "Bandit", Setting(), tmp_path / "other" / "bandit.py").kind == "failure"


@pytest.mark.parametrize("package", [False, True])
def test_a_module_of_the_session_does_not_stand_in_for_a_neighbour(package, tmp_path, monkeypatch):
    """The session imported another `noising`, with enough noise; the one beside the file has a hundredth of it."""
    for folder, scale in (("session", "1.0"), ("target", "0.01")):
        own = tmp_path / folder / ("noising" if package else "")
        own.mkdir(parents=True)
        code = f"def noised(reward, rng, epsilon):\n    return float(reward + rng.laplace(0.0, {scale} / epsilon))\n"
        (own / ("noise.py" if package else "noising.py")).write_text(code, "utf-8")
    module = "noising.noise" if package else "noising"
    text = f"from {module} import noised\n" + bandit("self.total += noised(reward, self.rng, self.epsilon)")
    place = tmp_path / "target" / "bandit.py"
    with monkeypatch.context() as session:
        session.syspath_prepend(tmp_path / "session")
        importlib.import_module(module)
    mine = [name for name in sys.modules if name.partition(".")[0] == "noising"]
    try:
        assert look(text, "Bandit", Setting(), place).kind == "first"
        assert look(text, "Bandit", Setting(), tmp_path / "session" / "bandit.py") is None
        assert all(name in sys.modules for name in mine), "the session keeps its own"
    finally:
        for name in mine:
            del sys.modules[name]


IDIOMS = {
    "an array of numpy's": "self.sums[action] += reward",
    "float": "self.sums[action] += float(reward)",
    "min and max": "self.sums[action] += min(0.75, max(-1.0, reward))",
    "a conditional expression": "self.sums[action] += 1 if reward > 0.5 else 0",
    "a branch that adds": "if reward > 0.5:\n    self.sums[action] += 1\nelse:\n    self.sums[action] += 0",
}
"""What the guard follows once it is translated, as for a certificate."""

RELEASED = "\nif self.n == 0:\n    self.n = 2\n    self.best = float(self.sums[0] + self.total + {})"


@pytest.mark.parametrize("name", IDIOMS)
def test_a_look_reads_code_as_a_certificate_does(name, tmp_path):
    """Broken twin: half of the noise, which both refuse at the same line."""
    start = HEAD.replace("0.0, 0\n", "0.0, 0\n        self.sums = np.zeros(arms)\n")
    for scale, fine in (("1.0", True), ("0.5", False)):
        body = IDIOMS[name] + RELEASED.format(f"self.rng.laplace(0.0, {scale} / self.epsilon)")
        file = tmp_path / f"bandit_{fine}.py"
        file.write_text(start + "".join(f"        {line}\n" for line in body.split("\n")), "utf-8")
        found = look(file, "Bandit", Setting(runs=2))
        certificate = privcheck.certify(f"{file}:Bandit", epsilon=1.0, arms=2, runs=1)
        assert (found is None) is certificate.granted is fine, found
        assert fine or f"{file.name}:{found.line}" in certificate.refusals[0]
