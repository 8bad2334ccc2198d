"""The shipped policies run on private values without a change."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck.bandits.base import ALGORITHMS
from privcheck.mechanisms import Laplace, NoisyMax
from privcheck.private_values import REVEAL, LeakError, Private, PrivateSource


def play(policy, source, horizon, full):
    rng = np.random.default_rng(5)
    for t in range(horizon):
        rewards = rng.random(4)
        action = policy.select()
        if full:
            policy.update(action, source.vector(rewards, 0.0, 1.0, data=t))
        else:
            policy.update(action, source.scalar(rewards[action], 0.0, 1.0, datum=t))


DECLARED = {"l1": "sensitivity", "range": "score_range"}
"""What a mechanism calls the sensitivity that it declares, by its norm."""


@pytest.mark.parametrize(("name", "mechanism", "norm"), [
    ("adap-ucb", Laplace, "l1"), ("adap-kl-ucb", Laplace, "l1"), ("rnm-ftnl", NoisyMax, "range"),
])  # fmt: skip
def test_shipped_policies_run_unchanged(name, mechanism, norm, monkeypatch):
    """Every release gets a private value whose computed sensitivity is the declared one, each datum in one release."""
    released, real = [], mechanism.release

    def release(self, value, rng, **options):
        assert isinstance(value, Private)
        computed = value.sensitivities(norm)
        assert computed == dict.fromkeys(value.data, pytest.approx(getattr(self, DECLARED[norm]), rel=1e-9))
        released.append(value.data)
        return real(self, value.reveal(REVEAL), rng, **options)

    algorithm, leaks, full = ALGORITHMS[name](arms=4, epsilon=1.0), [], name.startswith("rnm")
    guarded, plain = (algorithm.build(np.random.default_rng(1)) for _ in range(2))
    monkeypatch.setattr(mechanism, "release", release)
    play(guarded, PrivateSource(leaks.append), 200, full)
    monkeypatch.undo()
    rng, actions = np.random.default_rng(5), []
    for _ in range(200):
        rewards = rng.random(4)
        actions.append(plain.select())
        plain.update(actions[-1], rewards if full else rewards[actions[-1]])
    assert leaks == []
    assert len(released) >= 5
    assert sum(map(len, released)) == len(frozenset().union(*released))
    assert guarded.select() == plain.select()
    if not full:
        assert guarded.private_mean == pytest.approx(plain.private_mean, rel=1e-14)


def test_a_shipped_policy_that_compares_rewards_leaks_in_its_own_file():
    leaks = []
    policy = ALGORITHMS["ucb"](arms=4).build(np.random.default_rng(1))
    with pytest.raises(LeakError):
        play(policy, PrivateSource(leaks.append), 10, full=False)
    (leak,) = leaks
    assert (leak.kind, leak.function, set(leak.data)) == ("comparison", "select", {0, 1})
    assert leak.file.endswith("bandits/ucb.py")
    assert "max(indices)" in leak.code
