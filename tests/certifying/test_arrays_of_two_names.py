"""An array that numpy returns itself is one array under the guard, too: by either name it shows what was written."""

import numpy as np
import pytest

import privcheck

NAMES = {
    "asarray": np.asarray,
    "asarray of floats": lambda array: np.asarray(array, dtype=float),
    "asanyarray": np.asanyarray,
    "ascontiguousarray": np.ascontiguousarray,
    "array": lambda array: np.array(array, copy=False),
}


class Arms:
    """Sums rewards by arm; `seen` is the array of sums by another name."""

    def __init__(self, rng, arms=2):
        self.rng, self.arms, self.rounds = rng, arms, 0
        self.sums, self.counts = np.zeros(arms), np.zeros(arms)
        self.seen, self.pulls = self.again(self.sums), self.again(self.counts)

    def select(self):
        return self.rounds % self.arms


def sees_the_sums(again):
    class Sees(Arms):
        """Explores until the sum of all raw rewards is 25, which takes more rounds than are played."""

        enough = 5.0**2

        def select(self):
            return self.rounds % self.arms * int(self.seen.sum() < self.enough)

        def update(self, action, reward):
            self.rounds += 1
            self.sums[action] += reward

    Sees.again = staticmethod(again)
    return Sees


def sees_the_counts(again):
    class Counts(Arms):
        """Private: each reward is released once, with Laplace noise of scale 1; counts are public."""

        def select(self):
            return int(np.argmin(self.pulls))

        def update(self, action, reward):
            self.counts[action] += 1
            self.seen[action] = reward + self.rng.laplace(0.0, 1.0)
            self.rounds += int(self.sums[action] > 0.5)

    Counts.again = staticmethod(again)
    return Counts


@pytest.mark.parametrize("name", [*NAMES, "itself"])
def test_what_a_later_round_reads_by_the_other_name_is_seen(name):
    policy = sees_the_sums(NAMES.get(name, lambda array: array))
    certificate = privcheck.certify(policy, epsilon=1.0, arms=2, horizon=16, runs=3)
    assert not certificate.granted
    assert "was not seen with the private numbers that it may read in later rounds" in str(certificate)


@pytest.mark.parametrize("name", NAMES)
def test_public_numbers_are_read_by_the_other_name(name):
    certificate = privcheck.certify(sees_the_counts(NAMES[name]), epsilon=1.0, arms=2, horizon=8, runs=3)
    assert certificate.granted, str(certificate)
    assert certificate.ledger_epsilon == 1.0


@pytest.mark.parametrize("copied", [np.array, lambda array: np.ascontiguousarray(np.stack([array, array])[:, 0])])
def test_a_copy_is_another_array(copied):
    certificate = privcheck.certify(sees_the_sums(copied), epsilon=1.0, arms=2, horizon=16, runs=3)
    assert certificate.granted, str(certificate)
