"""The whole way of one bandit: leak, audit, fix, certificate, a guard with a ledger, a kill, ten nights of watch."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run

pytestmark = [pytest.mark.long, pytest.mark.nightly]

LEAKING = '''\
class Bandit:
    """Plays the noisy leader, with fresh noise on all rewards so far in every round."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.sums = [0.0] * arms

    def select(self):
        noisy = [s + self.rng.laplace(0, 1 / self.epsilon) for s in self.sums]
        return noisy.index(max(noisy))

    def update(self, action, reward):
        self.sums[action] += reward
'''
LEAKING_LINE = 1 + LEAKING.splitlines().index(
    "        noisy = [s + self.rng.laplace(0, 1 / self.epsilon) for s in self.sums]"
)

SERVICE = """\
import json, sys
import privcheck
from bandit import Bandit

guarded = privcheck.guard(Bandit, epsilon=1.0, arms=2, ledger="budget.db", scope="news", head="heads.db", per_user=1.0)
for event in range(EVENTS):
    arm = guarded.select(request_id=f"e{event}")
    print(json.dumps([event, arm]), flush=True)
    guarded.update(arm, float(event % 3 == 0), request_id=f"e{event}", user=f"u{event}")
print(json.dumps(guarded.spent), flush=True)
"""
CLAIM = ["--epsilon", "1", "--arms", "2"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(secrets, "token_hex", lambda size: "5e" * size)  # seeds of the watch
    Path("bandit.py").write_text(LEAKING, "utf-8")
    return tmp_path


def serve(events, killed_after=None):
    """Play events in a process of its own, kill it after so many answers, and return what it showed."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(Path(privcheck.__file__).parents[1]), str(Path.cwd())])
    }
    command = [sys.executable, "-P", "-c", SERVICE.replace("EVENTS", str(events))]
    shown = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout:
            shown.append(json.loads(line))
            if len(shown) == killed_after:
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == (0 if killed_after is None else -signal.SIGKILL)
    return shown


def nights(number, runs):
    """Play nights, one command each, and return their exit statuses."""
    asked = ["watch", "bandit.py:Bandit", *CLAIM, "--horizon", "16", "--store", "watch.sqlite", "--runs", runs]
    return [run([*asked, "--search", "2000", "--error", "1e-6"]) for _ in range(number)]


@pytest.mark.chance(1e-6, "an alarm in ten nights of a true claim at this error")
def test_from_a_leak_to_a_watched_service(folder, capsys):
    # It leaks, and the audit names the line.
    asked = ["audit", "bandit.py:Bandit", *CLAIM, "--horizon", "12", "--runs", "2000", "--seed", "0"]
    assert run([*asked, "--json", "audit.json"]) == 1
    assert f"bandit.py:{LEAKING_LINE}: the same data are released again" in " ".join(capsys.readouterr().out.split())
    assert privcheck.load("audit.json").verdict == "violation"
    assert run(["certify", "bandit.py:Bandit", *CLAIM, "--horizon", "16"]) == 1

    # It is fixed, and what is written is certified.
    assert run(["fix", "bandit.py:Bandit", *CLAIM, "--rounds", "150", "--time-budget", "1", "--write"]) == 0
    fixed = Path("bandit.py").read_text("utf-8")
    assert fixed != LEAKING
    assert Path("bandit.py.orig").read_text("utf-8") == LEAKING
    assert run(["certify", "bandit.py:Bandit", *CLAIM, "--horizon", "16", "--json", "certificate.json"]) == 0
    certificate = privcheck.load("certificate.json")
    assert certificate.granted
    assert certificate.epsilon_upper == pytest.approx(1.0)

    # It is deployed under a ledger, killed between an answer and its reward, and goes on.
    first = serve(events=12, killed_after=5)
    again = serve(events=12)
    *answers, spent = again
    assert answers[: len(first)] == first
    assert [event for event, _ in answers] == list(range(12))
    assert spent == pytest.approx(1.0)
    assert serve(events=12) == again, "everything was asked before: nothing is drawn or charged anew"
    assert run(["ledger", "verify", "budget.db", "--head", "heads.db"]) == 0
    capsys.readouterr()

    # It is watched for ten nights, and the leak would be noticed if it came back.
    assert nights(10, "100") == [0] * 10
    (watched,) = privcheck.read_watches("watch.sqlite")
    assert [night.number for night in watched.nights] == list(range(1, 11))
    assert not watched.alarms
    Path("bandit.py").write_text(LEAKING, "utf-8")
    assert nights(3, "1000")[-1] == 1
