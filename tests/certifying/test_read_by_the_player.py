"""Private numbers that a policy hands out are named at the policy's own lines, never at those of who plays it."""

import inspect
from pathlib import Path

import pytest

import privcheck


class Arms:
    """Plays the arm that its `update` leaves."""

    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.rounds, self.stopped = rng, 0, 0, False

    def select(self):
        self.rounds += 1
        return self.arm

    def update(self, action, reward):
        self.arm = int(reward > 0.5)  # named


class InAHelper(Arms):
    def select(self):
        return self.better(self.arm)

    def better(self, arm):
        return arm


class Both(Arms):
    def select(self):
        self.rounds += 1
        return (self.arm,)

    def update(self, arms, rewards):
        self.arm = int(rewards[0] > 0.5)  # named


class SeesContexts(Arms):
    def select(self, context):
        return self.arm  # named, because a copy is asked

    def update(self, context, action, reward):
        self.arm = int(reward > 0.5)


class Stops(Arms):
    """Tells by its stopping time what a reward was."""

    def update(self, action, reward):  # named
        self.stopped = reward > 0.9 if self.rounds > 2 else False

    def recommend(self):
        return 0


class StopsByAProperty(Arms):
    stopped = property(lambda self: self.kept)  # named
    kept = False

    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.rounds = rng, 0, 0

    def update(self, action, reward):
        self.kept = reward

    def recommend(self):
        return 0


class Recommends(Arms):
    def select(self):
        self.rounds += 1
        return self.rounds % 2

    def update(self, action, reward):
        self.arm, self.stopped = int(reward > 0.5), self.rounds > 4  # named

    def recommend(self):
        return self.arm


def named(policy):
    """Return the line of a class that says so, or of the one that it derives from."""
    for cls in policy.__mro__:
        lines, start = inspect.getsourcelines(cls)
        found = [start + number for number, line in enumerate(lines) if "# named" in line]
        if found:
            return found[0]
    raise AssertionError


@pytest.mark.parametrize(
    ("policy", "feedback"),
    [
        (Arms, "bandit"),
        (InAHelper, "bandit"),
        (Both, "semi-bandit"),
        (SeesContexts, "contextual"),
        (Stops, "identification"),
        (StopsByAProperty, "identification"),
        (Recommends, "identification"),
    ],
)
def test_the_line_is_the_policys_own(policy, feedback):
    options = {"contexts": privcheck.Contexts(shape=(2,))} if feedback == "contextual" else {}
    certificate = privcheck.certify(policy, epsilon=1.0, arms=2, horizon=8, runs=4, feedback=feedback, **options)
    assert {(Path(leak.file).name, leak.line) for leak in certificate.leaks} == {(Path(__file__).name, named(policy))}
    assert all(leak.hint.endswith("; the policy gives it to who plays it") for leak in certificate.leaks)


def play(guarded):
    while not guarded.stopped:
        guarded.update(guarded.select(), 1.0)
    guarded.recommend()


@pytest.mark.parametrize("policy", [Stops, Recommends])
def test_a_guard_names_it_too(policy):
    guarded = privcheck.guard(policy, epsilon=1.0, arms=2, feedback="identification")
    with pytest.raises(privcheck.LeakError) as caught:
        play(guarded)
    assert (Path(caught.value.leak.file).name, caught.value.leak.line) == (Path(__file__).name, named(policy))


class ReadByALine(Arms):
    def select(self):
        return [0, 1][self.arm]  # reads it


def test_a_line_of_the_policy_that_reads_it_is_the_place():
    (leak,) = privcheck.certify(ReadByALine, epsilon=1.0, arms=2, horizon=8, runs=4).leaks
    _, start = inspect.getsourcelines(ReadByALine.select)
    assert leak.line in (start + 1, named(Arms))
    assert "who plays it" not in leak.hint
