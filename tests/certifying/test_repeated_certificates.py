"""A certificate prints a Python call and a command line that give the same certificate when they are pasted."""

from __future__ import annotations

import json
import runpy
import shlex

import numpy as np
import pytest

import privcheck
from privcheck.cli import run
from privcheck.reporting._text.repeating import repeat_certificate

TARGETS = '''
from privcheck.mechanisms import Laplace


class Released:
    """Plays the arm that the noisy first reward names."""

    def __init__(self, rng, epsilon):
        self.rng, self.noise, self.arm = rng, Laplace(sensitivity=1.0, epsilon=epsilon), None

    def select(self):
        return self.arm or 0

    def update(self, action, reward):
        if self.arm is None:
            self.arm = int(self.noise.release(reward, self.rng) > 0.5)


class Leaky(Released):
    def update(self, action, reward):
        if reward > 0.5:
            self.arm = 1


class Thresholded:
    def __init__(self, rng, epsilon):
        self.rng, self.noise, self.released = rng, Laplace(sensitivity=2.0, epsilon=epsilon), 0.0

    def select(self, context):
        return int(self.released * float(context[0]) > 0.0)

    def update(self, context, action, reward):
        self.released = self.noise.release(reward * context[0], self.rng)
'''

KINDS = {
    "a file": ("my targets.py:Released", {"arms": 2, "epsilon": 1.0}),
    "a leak": ("my targets.py:Leaky", {"arms": 2, "epsilon": 1.0, "runs": 7, "seed": 3}),
    "a refusal": ("my targets.py:Released", {"arms": 3, "epsilon": 0.7, "neighbours": "group:2", "horizon": 5}),
    "contexts": (
        "my targets.py:Thresholded",
        {"arms": 2, "epsilon": 1 / 3, "feedback": "contextual", "neighbours": "context-reward", "horizon": 4,
         "contexts": privcheck.Contexts(shape=(1,), norm=1.0)},
    ),
    "shipped": ("adap-ucb", {"epsilon": 1 / 3, "arms": 3}),
    "shipped, full information": ("rnm-ftnl", {"epsilon": 2.0, "horizon": 6}),
}  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "my targets.py").write_text(TARGETS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def by_command(certificate, capsys, **places):
    words = shlex.split(str(repeat_certificate(certificate).command), comments=True)
    capsys.readouterr()
    status = run([*(places.get(word.partition(".")[0], word) for word in words[1:]), "--json", "-"])
    assert (status == 0) == (certificate.granted or certificate.epsilon_claimed is None)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_is_repeated(files, capsys, kind):
    target, options = KINDS[kind]
    certificate = privcheck.certify(target, **options)
    again = eval(repeat_certificate(certificate).python.folded(), {"privcheck": privcheck})
    assert again.to_json() == certificate.to_json()
    assert by_command(certificate, capsys) == certificate.to_json()


def test_the_certificate_of_an_audit_is_repeated(files, capsys):
    certificate = privcheck.audit(
        "my targets.py:Released", epsilon=1.0, arms=2, horizon=4, runs=100, pairs=2
    ).certificate
    again = eval(str(repeat_certificate(certificate).python), {"privcheck": privcheck})
    assert again.to_json() == certificate.to_json()
    assert by_command(certificate, capsys) == certificate.to_json()


def test_what_was_not_text_is_named(files, capsys):
    """A class in memory, and a range of contexts that the command line cannot give."""
    module = runpy.run_path("my targets.py")
    certificate = privcheck.certify(module["Released"], epsilon=1.0, arms=2)
    call, command = repeat_certificate(certificate)
    assert (call.comment, command.comment) == ("target: Released", "FILE.py:NAME: the place of Released")
    again = eval(str(call), {"privcheck": privcheck, "target": module["Released"]})
    assert again.to_json() == certificate.to_json()
    said = json.loads(by_command(certificate, capsys, FILE="my targets.py:Released"))
    assert (said["granted"], said["epsilon_upper"], said["executions"]) == (True, 1.0, certificate.executions)
    contexts = privcheck.Contexts(shape=(1,), low=np.float64(0.0), high=1.0)
    target, options = KINDS["contexts"]
    call, command = repeat_certificate(privcheck.certify(target, **options | {"contexts": contexts}))
    assert call.comment == ""
    assert command.comment == "entries of contexts in [0, 1] can be given in Python only"
    assert eval(str(call), {"privcheck": privcheck}).contexts == contexts
