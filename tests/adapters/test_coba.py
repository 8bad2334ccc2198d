"""Learners of coba, adapted: they act as when driven by hand, and audits of them find what has to be found."""

import numpy as np
import pytest

import privcheck
from privcheck.adapters import from_coba
from privcheck.adapters._seeded_factory import SEEDS

ROUNDS = 16
ACTIONS = ["left", "right", "middle"]


def learners(coba):
    def corral(seed):
        return coba.CorralLearner(
            [coba.BanditEpsilonLearner(0.2, seed=seed + 1), coba.BanditUCBLearner(seed=seed + 2)], seed=seed
        )

    return {
        "epsilon": lambda seed: coba.BanditEpsilonLearner(0.3, seed=seed),
        "ucb": lambda seed: coba.BanditUCBLearner(seed=seed),
        "fixed": lambda seed: coba.FixedLearner([0.2, 0.3, 0.5], seed=seed),
        "random": lambda seed: coba.RandomLearner(seed=seed),
        "corral": corral,
        "safe": lambda seed: coba.SafeLearner(coba.BanditUCBLearner(seed=seed)),
        "misguided": lambda seed: coba.MisguidedLearner(coba.BanditUCBLearner(seed=seed), 1.0, -1.0),
    }


def by_hand(coba, learner, actions, rewards, contexts=None):
    """Play a learner as coba's experiments do."""
    safe, played = coba.SafeLearner(learner), []
    for number, row in enumerate(rewards):
        shown = None if contexts is None else tuple(contexts[number].tolist())
        action, probability, more = safe.predict(shown, actions)
        played.append(actions.index(action))
        safe.learn(shown, action, row[played[-1]], probability, **more)
    return played


def agreement(coba, play, build, actions, *, contextual=False):
    runs = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 99])
        rewards = rng.integers(2, size=(ROUNDS, len(actions))).astype(float)
        contexts = rng.uniform(-1.0, 1.0, (ROUNDS, 2)) if contextual else None
        adapted = play.actions(from_coba(build, actions), seed, rewards, contexts)
        alone = build(int(np.random.default_rng(seed).integers(SEEDS)))
        assert adapted == by_hand(coba, alone, actions, rewards, contexts)
        runs.append(tuple(adapted))
    return len(set(runs))


@pytest.mark.parametrize("name", ["epsilon", "ucb", "fixed", "random", "corral", "safe", "misguided"])
@pytest.mark.parametrize("actions", [ACTIONS, [0, 1, 2]], ids=["words", "numbers"])
def test_actions_are_those_of_the_library_driven_by_hand(coba, play, name, actions):
    assert agreement(coba, play, learners(coba)[name], actions) > 1


@pytest.mark.parametrize("name", ["LinUCBLearner", "LinTSLearner"])
def test_contextual_learners_agree_too(coba, play, name):
    actions = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert agreement(coba, play, lambda seed: getattr(coba, name)(seed=seed), actions, contextual=True) > 1


def test_the_noise_of_thompson_sampling_in_coba_does_not_depend_on_the_seed(coba, play):
    """coba 8.1 draws it from `numpy.random.default_rng(1)`: whoever knows the code knows the noise."""
    adapter = from_coba(lambda seed: coba.LinTSLearner(seed=seed), [(1, 0), (0, 1)])
    rewards = np.random.default_rng(3).random((ROUNDS, 2))
    assert len({tuple(play.actions(adapter, seed, rewards)) for seed in range(20)}) == 1


@pytest.mark.nightly
def test_learners_that_follow_rewards_are_refuted(coba, streams, contextual):
    for build in (learners(coba)["ucb"], lambda seed: coba.LinTSLearner(seed=seed)):
        report = privcheck.audit(from_coba(build, [0, 1]), epsilon=1.0, streams=streams, runs=500)
        assert report.verdict == "violation"
    report = privcheck.audit(
        from_coba(lambda seed: coba.LinUCBLearner(seed=seed), [0, 1]), epsilon=1.0, runs=200, **contextual
    )
    assert report.verdict == "violation"
    assert report.target == "LinUCBLearner"


def test_the_search_finds_the_leak_by_itself(coba):
    report = privcheck.audit(from_coba(learners(coba)["ucb"], [0, 1]), epsilon=1.0, horizon=4, runs=1000)
    assert report.verdict == "violation"


@pytest.mark.chance(1e-7, "a claim and a bound of 0.5 where the loss is 0, refuted at level 1e-6")
def test_a_learner_that_ignores_rewards_is_consistent(coba):
    """The whole search, for a claim of 0.5; nothing is told."""
    build = learners(coba)["random"]
    report = privcheck.audit(
        from_coba(build, ACTIONS), epsilon=0.5, horizon=4, runs=2000, error=1e-6, confidence=1.0 - 1e-6
    )
    assert (report.verdict, report.arms, report.epsilon_lower <= 0.5) == ("consistent", 3, True)


@pytest.mark.chance(2e-6, "verdict and bound of one audit, 1e-6 each")
@pytest.mark.parametrize(("noise", "verdict"), [(1.0, "consistent"), (2.0, "violation")])
def test_randomised_response_before_the_library_makes_it_private(coba, play, streams, noise, verdict):
    """Twins, as for MABWiser."""
    adapter = from_coba(lambda seed: coba.BanditEpsilonLearner(0.0, seed=seed), [0, 1], randomise=play.randomise(noise))
    report = privcheck.audit(adapter, epsilon=1.0, streams=streams, runs=4000, error=1e-6, confidence=1.0 - 1e-6)
    assert report.verdict == verdict
    assert report.epsilon_lower <= noise


@pytest.mark.chance(2e-6, "three binomial shares within 5 standard deviations, and a bound where the loss is 0")
def test_a_distribution_is_drawn_from_with_the_generator_of_the_audit(streams):
    """A learner that answers a distribution, and learns the probability of what was drawn."""

    class Distribution:
        def __init__(self, seed):
            self.seen = []

        def predict(self, context, actions):
            return [0.2, 0.3, 0.5], {"note": 7}

        def learn(self, context, action, reward, probability, note):
            self.seen.append((action, probability, note))

    adapter = from_coba(Distribution, ACTIONS)
    policy = adapter(np.random.default_rng(0))
    played = []
    for _ in range(4000):
        played.append(policy.select())
        policy.update(played[-1], 0.0)
    weights = dict(zip(ACTIONS, (0.2, 0.3, 0.5), strict=True))
    assert all(weights[action] == probability and note == 7 for action, probability, note in policy._learner.seen)
    for place, share in enumerate(weights.values()):
        assert abs(played.count(place) / 4000 - share) < 5.0 * (share * (1.0 - share) / 4000) ** 0.5
    options = {"epsilon": 0.5, "horizon": 3, "runs": 500, "confidence": 1.0 - 1e-6}
    assert privcheck.audit(from_coba(Distribution, [0, 1, 2]), **options).epsilon_lower <= 0.5


def test_the_global_generator_of_coba_is_refused(coba, streams):
    class Careless:
        def __init__(self, seed):
            pass

        def predict(self, context, actions):
            return coba.random.choicew(actions, [0.5, 0.5])

        def learn(self, context, action, reward, probability):
            pass

    with pytest.raises(privcheck.PolicyError, match=r"different actions in round 1.*another module's global generator"):
        privcheck.audit(from_coba(Careless, ["a", "b"]), epsilon=1.0, streams=streams, runs=100)


def test_memory_between_runs_is_refused(coba, streams):
    shared = coba.BanditEpsilonLearner(0.1)
    with pytest.raises(privcheck.PrivcheckError, match="with the seed 1, whatever seed"):
        from_coba(lambda seed: coba.SafeLearner(shared), [0, 1])
    with pytest.raises(privcheck.PrivcheckError, match="the same BanditEpsilonLearner for two seeds"):
        from_coba(lambda seed: shared, [0, 1])


def test_unsuitable_functions_and_actions_are_refused(coba):
    for build, said in [
        (coba.RandomLearner(), "an object of type RandomLearner, expected a function of a seed"),
        (lambda seed: coba.RandomLearner(), "a RandomLearner with the seed 1, whatever seed"),
        (lambda seed: object(), r"an object of type object, which has no method predict\(\)"),
        (lambda: coba.RandomLearner(), "one that raises TypeError"),
    ]:
        with pytest.raises(privcheck.PrivcheckError, match=f"build: got {said}"):
            from_coba(build, [0, 1])
    for actions in (2, [0], ["a", "a"]):
        with pytest.raises(privcheck.PrivcheckError, match=r"actions: got .* at least two different arms"):
            from_coba(coba.RandomLearner, actions)
