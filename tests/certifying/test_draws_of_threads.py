"""Other threads of the process that draw from a global generator while code is certified."""

import random
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from privcheck import certify
from privcheck.mechanisms import Laplace


class Good:
    """Releases each reward."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.noise = rng, Laplace(sensitivity=1.0, epsilon=epsilon)
        self.published, self.rounds = [0.0] * arms, 0

    def select(self):
        return self.rounds if self.rounds < len(self.published) else self.published.index(max(self.published))

    def update(self, action, reward):
        self.rounds += 1
        self.published[action] = self.released(reward)

    def released(self, reward):
        return self.noise.release(reward, self.rng)


class Raw(Good):
    """Reads each third reward as it is."""

    def released(self, reward):
        return self.noise.release(reward, self.rng) if self.rounds % 3 else reward


class Undeclared(Good):
    """Adds noise of numpy's global generator, which no set of primitives records."""

    def released(self, reward):
        return reward - np.log(1.0 - np.random.random()) + np.log(1.0 - np.random.random())  # noqa: NPY002


class OfNumpy(Good):
    def released(self, reward):
        return reward + np.random.laplace(0.0, 1.0)  # noqa: NPY002


class OfPython(Good):
    def released(self, reward):
        return reward + random.gauss(0.0, 1.0)


@contextmanager
def another_thread(draw, seconds=0.0):
    """Let another thread draw all the time while the block runs."""
    ended = threading.Event()

    def draws():
        while not ended.is_set():
            draw()
            if seconds:
                time.sleep(seconds)

    thread = threading.Thread(target=draws)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


DRAWS = [np.random.random, random.random]


@pytest.mark.parametrize("seconds", [0.0, 0.02])
@pytest.mark.parametrize("draw", DRAWS, ids=["numpy", "random"])
def test_a_leak_stays_one_while_another_thread_draws(draw, seconds):
    with another_thread(draw, seconds):
        certificate = certify(Raw, epsilon=1.0, arms=2, horizon=6, runs=4)
    assert (certificate.is_inconclusive, certificate.uncounted) == (False, [])
    assert certificate.leaks
    assert not any("thread" in note for note in certificate.notes)


def test_right_code_is_certified_while_another_thread_draws():
    with another_thread(np.random.random):
        assert certify(Good, epsilon=1.0, arms=2, horizon=6, runs=4).granted


@pytest.mark.parametrize(("policy", "name"), [(Undeclared, "numpy"), (OfNumpy, "numpy"), (OfPython, "random")])
def test_noise_of_the_code_is_no_leak_while_another_thread_draws_and_the_doubt_is_said(policy, name):
    with another_thread(DRAWS[name == "random"]):
        certificate = certify(policy, epsilon=1.0, arms=2, horizon=6, runs=4)
    assert (certificate.is_inconclusive, certificate.uncounted) == (True, [name])
    (note,) = [note for note in certificate.notes if "another thread of this process draws from" in note]
    assert f"test_draws_of_threads.py:{certificate.leaks[0].line} is a leak" in note


@pytest.mark.parametrize(("policy", "name"), [(Undeclared, "numpy"), (OfPython, "random")])
def test_threads_that_draw_nothing_are_not_mentioned(policy, name):
    with another_thread(lambda: None, 0.01):
        certificate = certify(policy, epsilon=1.0, arms=2, horizon=6, runs=4)
    assert (certificate.is_inconclusive, certificate.uncounted) == (True, [name])
    assert not any("thread" in note for note in certificate.notes)
