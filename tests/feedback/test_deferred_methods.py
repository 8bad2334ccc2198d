"""Policies whose `update` or `select` does nothing when it is called: refused wherever a policy comes in."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from privcheck import PrivcheckError, audit, certify, guard
from privcheck.feedback import FEEDBACKS, kind
from privcheck.targets import PolicyRunner


class Ordinary:
    stopped, batch, delay = False, 1, 0

    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return 0

    def update(self, action, reward):
        pass

    def recommend(self):
        return 0

    def act(self, n):
        return [0] * n

    def learn(self, actions, rewards):
        pass


class Awaits(Ordinary):
    async def update(self, action, reward):
        self.arm = int(reward > 0.5)


class Yields(Ordinary):
    def update(self, action, reward):
        yield reward


class YieldsLater(Ordinary):
    async def update(self, action, reward):
        yield reward


class ChoosesLater(Ordinary):
    async def select(self):
        return 0


class Partial(Ordinary):
    def __init__(self, rng):
        super().__init__(rng)
        self.update = functools.partial(Awaits.update, self)


class Wrapped(Ordinary):
    @functools.wraps(Awaits.update)
    def update(self, *told):
        return Awaits.update(self, *told)


class Callback(Ordinary):
    class Called:
        async def __call__(self, action, reward):
            pass

    update = Called()


DEFERRED = (Awaits, Yields, YieldsLater, ChoosesLater, Partial, Wrapped, Callback)
SAID = r"whose (update|select)\(\) is a (coroutine|generator) function"


@pytest.mark.parametrize("policy", DEFERRED)
def test_they_are_refused_at_every_door(policy):
    for enter in (
        lambda: audit(policy, epsilon=1.0, arms=2, horizon=4, runs=20),
        lambda: certify(policy, epsilon=1.0, arms=2, horizon=4, runs=2),
        lambda: guard(policy(np.random.default_rng(0)), epsilon=1.0),
    ):
        with pytest.raises(PrivcheckError, match=SAID):
            enter()


@pytest.mark.parametrize("name", list(FEEDBACKS))
def test_under_every_kind_of_feedback(name):
    for method in kind(name).methods:
        deferred = type("Deferred", (Ordinary,), {method: Awaits.update})
        with pytest.raises(PrivcheckError, match=rf"whose {method}\(\) is a coroutine function"):
            PolicyRunner(deferred, {"arms": 2}, name)


@pytest.mark.parametrize("name", ["bandit", "full", "identification", "batch", "delayed"])
def test_ordinary_methods_pass(name):
    PolicyRunner(Ordinary, {"arms": 2}, name)
