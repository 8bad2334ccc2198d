"""Every algorithm keeps the contract of specs and policies, and refuses parameters outside their declared domains."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.bandits import ALGORITHMS
from privcheck.declared import Integer, declared_fields
from privcheck.errors import PrivcheckError

NONSENSE = [math.nan, math.inf, -math.inf, -1, 0, "1", None, True, [1.0], 1j, b"1", np.array([1.0, 2.0])]


def told(algorithm, row, action):
    """Return what `update` is told of a row of rewards."""
    if algorithm.feedback == "full":
        return row
    return row[list(action)] if algorithm.feedback == "semi-bandit" else float(row[action])


def test_every_planned_algorithm_is_registered():
    assert {"adap-kl-ucb", "adap-ucb", "kl-ucb", "rnm-ftnl", "rnm-ftnl-published", "ucb"} <= set(ALGORITHMS)
    assert all(ALGORITHMS[name].id == name for name in ALGORITHMS)


def test_metadata(algorithm, play):
    assert algorithm.feedback in ("bandit", "full", "identification", "semi-bandit")
    assert algorithm.simulation_engine in ("event", "step")
    assert algorithm.source
    assert algorithm.private == (algorithm.budget_name() is not None)
    assert algorithm.__doc__.index("Parameters") < algorithm.__doc__.index("Guarantee")
    assert algorithm.__doc__.index("Guarantee") < algorithm.__doc__.index("Source")
    assert play.example(algorithm).describe().startswith(algorithm.id + "(arms=3")


def test_actions_are_arms(algorithm, play):
    @settings(derandomize=True, deadline=None, database=None, max_examples=25)
    @given(data=st.data(), arms=st.integers(2, 10))
    def check(data, arms):
        spec = data.draw(play.specs(algorithm, st.just(arms)))
        policy = spec.build(np.random.default_rng(0))
        seen = set()
        for _ in range(max(spec.warm_up(), 3 * arms)):
            action = policy.select()
            played = action if algorithm.feedback == "semi-bandit" else (action,)
            assert {type(arm) for arm in played} == {int}
            assert 0 <= min(played) <= max(played) < arms
            assert policy.select() == action, "select() is idempotent between updates"
            seen.update(played)
            policy.update(action, told(algorithm, np.full(arms, 0.5), action))
        if algorithm.feedback != "full" and spec.warm_up():
            assert seen == set(range(arms)), "every arm is tried within `warm_up` rounds"

    check()


def test_noise_comes_from_the_noise_generator(algorithm, play):
    """With the noise given, `rng` is for coins alone; without it, noise comes from `rng`; others draw no noise."""
    spec = play.example(algorithm)
    table = np.random.default_rng(1).random((spec.warm_up() or 3, 3))

    def run(rng, noise):
        policy = spec.build(rng, noise=noise)
        for row in table:
            action = policy.select()
            policy.update(action, told(algorithm, row, action))
        return policy

    rng, noise = np.random.default_rng(2), np.random.default_rng(3)
    run(rng, noise)
    unused = rng.bit_generator.state == np.random.default_rng(2).bit_generator.state
    assert unused == (not algorithm.tosses_coins)
    assert (noise.bit_generator.state != np.random.default_rng(3).bit_generator.state) == algorithm.private
    run(rng, None)
    assert (rng.bit_generator.state != np.random.default_rng(2).bit_generator.state) == (
        algorithm.private or algorithm.tosses_coins
    )


def test_parameters_outside_their_domain_are_refused(algorithm, play):
    for declared in declared_fields(algorithm):
        for value in NONSENSE:
            with pytest.raises(PrivcheckError) as caught:
                play.example(algorithm, **{declared.name: value})
            assert caught.value.parameter == declared.name
            assert caught.value.expected == declared.metadata["domain"].text
            assert "\n" not in str(caught.value)
        if isinstance(domain := declared.metadata["domain"], Integer):
            for value in (domain.low - 1, 2.5, *([] if domain.high is None else [domain.high + 1])):
                with pytest.raises(PrivcheckError):
                    play.example(algorithm, **{declared.name: value})


def test_parameters_are_normalised_and_frozen(algorithm, play):
    spec = play.example(algorithm, arms=np.float64(4.0))
    assert (spec.arms, type(spec.arms)) == (4, int)
    assert spec == play.example(algorithm, arms=4)
    assert hash(spec) == hash(play.example(algorithm, arms=4))
    with pytest.raises(AttributeError):
        spec.arms = 5


def test_unknown_ids_are_refused_with_a_suggestion():
    with pytest.raises(PrivcheckError, match="did you mean 'adap-ucb'"):
        ALGORITHMS["adap-ucp"]
