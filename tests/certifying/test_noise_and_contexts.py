"""Noise that is unread when `select` reads a context: no release, no charge and no coin of `update` depends on it."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace
from privcheck.private_values import LeakError, Private

CONTEXTS = privcheck.Contexts(shape=(2, 3), norm=1.0)
HIGH = np.full((2, 3), 0.1)
LOW = -HIGH


class Shared:
    """Adds one draw to two sums, so that both together cannot be read; neither is."""

    def __init__(self, rng, arms):
        self.rng, self.t, self.sums, self.cycle = rng, 0, None, self

    def select(self, context):
        if self.sums is not None and context[0, 0] > 0.0:
            self.asked(context)
        return 0

    def asked(self, context):
        """Nothing."""

    def update(self, context, action, reward):
        self.t += 1
        if self.t == 1:
            self.reward = reward
            self.sums = np.stack([reward, 2.0 * reward]) + self.rng.laplace(0.0, 4.0)


class Takes(Shared):
    """Takes one of the sums where the context is high, in a copy that no reference count frees."""

    def asked(self, context):
        self.taken = self.sums[0]


class Flips(Shared):
    """Reads the noise where the context is high, by a mechanism that takes public numbers in `select`."""

    def asked(self, context):
        with suppress(PrivcheckError):
            Laplace.with_scale(1.0).release(self.sums[0] - self.reward, None)

    def update(self, context, action, reward):
        super().update(context, action, reward)
        if self.t == 3:
            float(self.sums[0])


class Meets(Shared):
    """A draw meets other data first where the context is high."""

    def asked(self, context):
        self.sums[2] + self.reward

    def update(self, context, action, reward):
        self.t += 1
        if self.t == 1:
            self.reward, noise = reward, self.rng.laplace(0.0, 4.0, 2)
            self.sums = np.stack([reward + noise[0], 2.0 * reward + noise[0], noise[1]])
        if self.t == 3:
            np.asarray(np.stack([1.0, 2.0]) * (reward + self.sums[2]))


class Draws(Shared):
    """Draws from a Generator that all copies share where the context is high."""

    def __deepcopy__(self, memo):
        copied = type(self)(self.rng, 2)
        copied.t, copied.sums = self.t, self.sums
        return copied

    def asked(self, context):
        self.drawn = self.rng.laplace(0.0, 1.0)
        assert not isinstance(self.drawn, Private)


def transcript(policy, contexts):
    """Return what is spent after each round, and the error that ends the run."""
    options = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS, "arms": 2}
    noise = {"noise": "float", "rng": np.random.default_rng(0)}
    guarded, found = privcheck.guard(policy, epsilon=10.0, **options, **noise), []
    for context in contexts:
        try:
            guarded.update(context, guarded.select(context), 0.5)
        except PrivcheckError as error:
            found.append(type(error).__name__)
            break
        found.append(guarded.spent)
    return found


@pytest.mark.filterwarnings("ignore:.* is guarded provided that:RuntimeWarning")
@pytest.mark.parametrize("policy", [Takes, Flips, Meets, Draws])
def test_what_select_does_with_unread_noise_changes_no_later_release(policy):
    rounds = [HIGH, HIGH, LOW, LOW, LOW]
    assert transcript(policy, [HIGH, LOW, *rounds[2:]]) == transcript(policy, rounds)


def test_noise_that_cannot_be_read_at_the_end_of_update_is_refused_later():
    class Later(Shared):
        def update(self, context, action, reward):
            super().update(context, action, reward)
            if self.t == 2:
                float(self.sums[0])

    options = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS, "arms": 2}
    guarded = privcheck.guard(Later, epsilon=10.0, **options)
    guarded.update(LOW, guarded.select(LOW), 0.5)
    with pytest.raises(LeakError, match="draw noise in the update"):
        guarded.update(LOW, guarded.select(LOW), 0.5)
    assert guarded.spent == 0.0
