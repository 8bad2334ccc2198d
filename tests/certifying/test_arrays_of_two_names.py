"""An array that numpy returns itself is one array under the guard, too: by either name it shows what was written."""

import textwrap
import warnings

import numpy as np
import pytest

import privcheck
from privcheck.certifying._certify import LENT
from privcheck.generators import GuardedDraws, HandledGenerator
from privcheck.private_values import PrivateSource
from tests.certifying.translated_programs import loaded

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


VIEWS = {
    "positional dtype": lambda a: np.asarray(a, float),
    "dtype as text": lambda a: np.asarray(a, dtype="f8"),
    "order": lambda a: np.asarray(a, order="C"),
    "copy if needed": lambda a: np.array(a, copy=None),
    "asfortranarray": lambda a: np.asfortranarray(a.T),
    "astype": lambda a: a.astype(float, copy=False),
    "conj": lambda a: a.conj(),
    "real": lambda a: a.real,
    "numpy.real": np.real,
    "mT": lambda a: a.mT,
    "flipud": np.flipud,
    "fliplr": np.fliplr,
    "rot90": np.rot90,
    "half turn": lambda a: np.rot90(a, 2),
    "diag": np.diag,
    "split": lambda a: np.split(a, 2)[0],
    "array_split": lambda a: np.array_split(a, 3)[0],
    "hsplit": lambda a: np.hsplit(a, 2)[0],
    "vsplit": lambda a: np.vsplit(a, 2)[0],
    "atleast_3d": np.atleast_3d,
    "rollaxis": lambda a: np.rollaxis(a, 1),
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a, (1, 2)),
    "broadcast_arrays": lambda a: np.broadcast_arrays(a, np.zeros((3, 2, 2)))[0],
    "of a view": lambda a: np.flipud(a[:, ::-1].T),
    "of every second": lambda a: np.flipud(a[:, ::2]),
    "memory order": lambda a: np.ravel((a.reshape(1, 2, 2).transpose(1, 0, 2) * 1.0)[:, 0]),
}


def shows_the_corner(view, *, late):
    class Shows:
        """Reads a sum of rewards by another name of its array, which is made first or after a reward."""

        def __init__(self, rng):
            self.sums, self.seen = np.zeros((2, 2)), None
            if not late:
                self.look()

        def look(self):
            self.seen = view(self.sums)

        def select(self):
            return int(np.sum(self.seen) > 0.5)

        def update(self, action, reward):
            if late and self.seen is None:
                self.look()
            self.sums[0, 0] += reward

    return Shows


@pytest.mark.parametrize("name", sorted(VIEWS.keys() - {"memory order"}))
def test_a_view_shows_what_is_written_later(name):
    assert np.shares_memory(VIEWS[name](array := np.zeros((2, 2))), array)
    policy = privcheck.guard(shows_the_corner(VIEWS[name], late=False), epsilon=1.0, arms=2, noise="float")
    assert policy.select() == 0
    policy.update(0, 1.0)
    with pytest.raises(privcheck.LeakError):
        policy.select()


PRIVATE_VIEWS = ["rot90", "half turn", "diag", "split", "array_split", "hsplit", "vsplit", "positional dtype", "order"]


@pytest.mark.parametrize("name", PRIVATE_VIEWS)
def test_a_view_of_private_numbers_shows_what_is_written_later(name):
    class Forgets:
        """Writes to the array, and reads another name of it that was made while rewards were in the array."""

        def __init__(self, rng):
            self.sums, self.arm = np.zeros((2, 2)), 0

        def select(self):
            return self.arm

        def update(self, action, reward):
            self.sums[0, 0] = reward
            seen = VIEWS[name](self.sums)
            self.sums[...] = 0.0
            self.sums[0, 0] = 0.75
            self.arm = int(np.sum(seen) == 0.75)

    policy = privcheck.guard(Forgets, epsilon=1.0, arms=2, noise="float")
    policy.update(policy.select(), 1.0)
    assert policy.select() == 1


def test_a_view_is_one_whatever_the_order_in_memory():
    class Permuted:
        def __init__(self, rng):
            self.sums = np.zeros((2, 2, 3)).transpose(1, 0, 2) * 1.0
            self.seen = self.sums[:, 0].ravel()

        def select(self):
            return int(self.seen[0] > 0.5)

        def update(self, action, reward):
            self.sums[0, 0, 0] += reward

    policy = privcheck.guard(Permuted, epsilon=1.0, arms=2, noise="float")
    policy.update(policy.select(), 1.0)
    with pytest.raises(privcheck.LeakError):
        policy.select()


def test_an_array_of_numpys_that_numpy_does_not_copy_is_one_array():
    class Plain:
        def __init__(self, rng):
            self.counts = np.arange(2.0)
            self.sums = np.array(self.counts, copy=False)

        def select(self):
            return int(self.counts[0] > 0.5)

        def update(self, action, reward):
            self.sums[0] += reward

    policy = privcheck.guard(Plain, epsilon=1.0, arms=2, noise="float")
    with pytest.raises(privcheck.LeakError):
        policy.update(policy.select(), 1.0)


@pytest.mark.parametrize(
    ("given", "named"),
    [(np.require, True), (np.asarray_chkfinite, True), (lambda a: np.array([a, a]), False), (np.sum, False)],
)
@pytest.mark.parametrize("keeps", [False, True])
def test_what_other_code_may_keep_is_named(given, named, keeps):
    """What the policy itself keeps is another number with ordinary rewards."""

    class Gives:
        """Private; it gives its sums to other code, and writes rewards into them after that."""

        def __init__(self, rng):
            self.rng, self.sums, self.arm = rng, np.zeros(2), 0
            seen = given(self.sums)
            self.seen = seen if keeps else None

        def select(self):
            return self.arm

        def update(self, action, reward):
            self.sums[action] += reward
            self.arm = int(np.sum(self.sums) + self.rng.laplace(0.0, 1.0) > 0.5)
            self.sums = np.zeros(2)

    certificate = privcheck.certify(Gives, epsilon=1.0, arms=2, horizon=2, runs=2)
    assert certificate.granted == (not (named and keeps)), str(certificate)
    assert (LENT in certificate.rests_on) == named


CHOICES = {
    "branch": "x = self.a\nif reward > 0.5:\n    x = np.zeros(2)\n",
    "two arrays": "if reward > 0.5:\n    x = self.a\nelse:\n    x = self.b\n",
    "expression": "x = self.a if reward > 0.5 else np.zeros(2)\n",
    "view": "x = self.m[0] if reward > 0.5 else np.zeros(2)\n",
    "an array of numpy": "x = self.p if reward > 0.5 else np.zeros(2)\n",
    "returned": "x = self.either(reward)\n",
    "in place on one side": "x = self.a\nif reward > 0.5:\n    x += 1.0\nelse:\n    x = np.ones(2)\n",
}
SINGLE = {
    "new arrays": "x = np.ones(2) if reward > 0.5 else np.zeros(2)\n",
    "in place": "x = self.a\nif reward > 0.5:\n    x += 1.0\n",
    "computed with": "x = 2.0 * (self.a if reward > 0.5 else self.b)\n",
    "added": "x = np.zeros(2)\nx += self.a if reward > 0.5 else self.b\n",
    "selected by numpy": "x = np.where(reward > 0.5, self.a, self.b)\n",
    "a number": "x = 0.0\nif reward > 0.5:\n    x += 1.0\nelse:\n    x = 3.0\n",
}
CHOOSES = """\
import numpy as np


class Policy:
    def __init__(self, rng):
        self.a, self.b, self.m, self.p = np.zeros(2), np.zeros(2), np.zeros((2, 2)), np.arange(2.0)
        self.m[0, 0] = 0.0

    def either(self, reward):
        return self.a if reward > 0.5 else self.b

    def select(self):
        return 0

    def update(self, action, reward):
{lines}
        x = x * 1.0
"""


def chooses(lines, folder):
    policy = loaded(CHOOSES.format(lines=textwrap.indent(lines, 8 * " ")), folder)
    return privcheck.guard(policy, epsilon=1.0, arms=2, noise="float")


@pytest.mark.parametrize("name", CHOICES)
def test_which_of_two_arrays_a_name_stands_for_is_not_chosen_by_a_datum(name, tmp_path):
    policy = chooses(CHOICES[name], tmp_path)
    with pytest.raises(privcheck.LeakError):
        policy.update(policy.select(), 1.0)


@pytest.mark.parametrize("name", SINGLE)
def test_new_arrays_are_chosen_by_a_datum(name, tmp_path):
    policy = chooses(SINGLE[name], tmp_path)
    policy.update(policy.select(), 1.0)


def test_the_rows_of_a_shuffled_array_are_those_that_were_in_it():
    class Shuffles:
        def __init__(self, rng):
            self.rng, self.kept, self.rows = rng, np.zeros((4, 2)), []

        def select(self):
            return 0

        def update(self, action, reward):
            for axis in (0, 1):
                kept = np.zeros((4, 3))
                for place in range(12):
                    kept[place // 3, place % 3] = reward * (place + 1.0)
                self.rng.shuffle(kept, axis)
                self.rows.append(kept)

    kept = []

    class Looks(Shuffles):
        def update(self, action, reward):
            super().update(action, reward)
            kept.extend(float(sum(x.sensitivities("l1").values())) for rows in self.rows for x in rows.ravel())

    policy = privcheck.guard(Looks, epsilon=1.0, arms=2, noise="float", rng=np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy.update(policy.select(), 1.0)
    assert [sorted(kept[:12]), sorted(kept[12:])] == 2 * [[float(place) for place in range(1, 13)]]


@pytest.mark.parametrize("shape", [(5,), (5, 2), (2, 5)])
def test_a_private_array_is_shuffled_as_numpys_is(shape):
    draws, plain = (np.random.default_rng(3) for _ in range(2))
    rng = HandledGenerator(GuardedDraws(draws.bit_generator, PrivateSource()))
    array, expected = privcheck.zeros(shape), np.arange(float(np.prod(shape))).reshape(shape)
    array[...] = expected.copy()
    rng.shuffle(array, axis=shape.index(5))
    plain.shuffle(expected, axis=shape.index(5))
    assert np.array_equal(np.array(array), expected)
    assert rng.integers(1000) == plain.integers(1000)
