"""Private numbers that a message of `logging` is given: named, whether or not the message is written."""

from __future__ import annotations

import logging

import pytest

from privcheck import certify

POLICY = """\
import logging

from privcheck.mechanisms import Laplace

log = logging.getLogger("policy")
adapted = logging.LoggerAdapter(log, {{}})


class Policy:
    def __init__(self, rng, epsilon):
        self.rng, self.arm, self.total, self.kept, self.n = rng, 0, 0.0, [], 0
        self.noise = Laplace(sensitivity=1.0, epsilon=epsilon)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.kept.append(reward)
        self.n += 1
        mean = self.noise.release(reward, self.rng)
        self.arm = int(mean > 0.5)
        {line}
        self.kept.clear()
"""
PLACE = ["policy.py:22"]
SAID = "private numbers in messages of logging, taken not to be written"
RAW = {
    "debug": 'log.debug("reward %.3f of arm %d", reward, action)',
    "the root": 'logging.info("kept %s", self.kept)',
    "a level": 'log.log(5, "of arm %d: %s", action, {{"reward": reward}})',
    "by name": 'log.debug("reward %(reward)s", {{"reward": reward}})',
    "an adapter": 'adapted.debug("reward %s", reward)',
    "no text": "log.debug(reward)",
}


def certificate(line, folder):
    file = folder / "policy.py"
    file.write_text(POLICY.format(line=line.format()), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=4, runs=4)


@pytest.mark.parametrize("name", RAW)
def test_a_message_that_is_not_written_is_named(name, tmp_path):
    asked = logging.Logger.isEnabledFor
    found = certificate(RAW[name], tmp_path)
    assert found.granted
    assert found.rests_on.get(SAID) == PLACE
    assert logging.Logger.isEnabledFor is asked


RELEASED = {
    "released": 'log.debug("mean %.3f of arm %d after %s rounds", mean, action, self.n)',
    "of a list": 'log.debug("arms %s", [action, self.arm])',
    "asked alone": "x = log.isEnabledFor(logging.DEBUG)",
}


@pytest.mark.parametrize("name", RELEASED)
def test_a_message_of_public_numbers_is_not(name, tmp_path):
    found = certificate(RELEASED[name], tmp_path)
    assert found.granted
    assert SAID not in found.rests_on


def test_a_message_that_is_written_is_a_leak(tmp_path):
    found = certificate('log.critical("reward %s", reward)', tmp_path)
    assert 22 in [leak.line for leak in found.leaks]
