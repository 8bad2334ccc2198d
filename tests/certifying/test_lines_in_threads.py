"""Lines that run in a thread of the policy's own have run, whenever that thread was started."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import privcheck


class Computes:
    """Releases each reward once, with Laplace noise of scale 1, in a thread."""

    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.rounds = rng, 0, 0

    def select(self):
        return self.arm

    def noisy(self, reward):
        return float(reward + self.rng.laplace(0.0, 1.0))


class ThreadEachRound(Computes):
    def update(self, action, reward):
        found = []
        thread = threading.Thread(target=lambda: found.append(self.noisy(reward)))
        thread.start()
        thread.join()
        self.arm = int(found[0] > 0.5)


class PoolEachRound(Computes):
    def update(self, action, reward):
        with ThreadPoolExecutor(1) as threads:
            self.arm = int(threads.submit(self.noisy, reward).result() > 0.5)


class OnePool(Computes):
    def __init__(self, rng, arms=2):
        super().__init__(rng, arms)
        self.threads = ThreadPoolExecutor(1)
        self.threads.submit(int).result()

    def update(self, action, reward):
        self.arm = int(self.threads.submit(lambda: self.noisy(reward)).result() > 0.5)

    def __del__(self):
        self.threads.shutdown()


class OneLineLeft(PoolEachRound):
    """Releases the reward again in a round that is not played."""

    def noisy(self, reward):
        self.rounds += 1
        if self.rounds > 500:
            return super().noisy(reward) + self.rng.laplace(0.0, 1.0) + reward  # left
        return super().noisy(reward)


@pytest.mark.parametrize("policy", [ThreadEachRound, PoolEachRound, OnePool])
def test_a_line_that_ran_in_a_thread_has_run(policy):
    before = threading.gettrace()
    certificate = privcheck.certify(policy, epsilon=1.0, arms=2, horizon=6, runs=3)
    assert certificate.granted, certificate.unreached
    assert threading.gettrace() is before


def test_a_line_that_did_not_is_left():
    certificate = privcheck.certify(OneLineLeft, epsilon=1.0, arms=2, horizon=6, runs=3)
    assert not certificate.complete
    assert [line.text for line in certificate.unreached] == [
        "return super().noisy(reward) + self.rng.laplace(0.0, 1.0) + reward  # left"
    ]
