"""Policies of MABWiser, adapted: they act as when driven by hand, and audits of them find what has to be found."""

import numpy as np
import pytest

import privcheck
from privcheck.adapters import from_mabwiser
from privcheck.adapters._seeded_factory import SEEDS

ROUNDS = 14
CONTEXT_FREE = {
    "EpsilonGreedy": {"epsilon": 0.4},
    "Popularity": {},
    "Random": {},
    "Softmax": {"tau": 0.5},
    "ThompsonSampling": {},
    "UCB1": {"alpha": 0.7},
}
LINEAR = {"LinGreedy": {"epsilon": 0.4}, "LinTS": {"alpha": 0.5}, "LinUCB": {"alpha": 0.5}}
NEAR = {"Clusters": {"n_clusters": 2}, "KNearest": {"k": 2}, "Radius": {"radius": 0.5}, "TreeBandit": {}}


def builder(mabwiser, policy, options, neighbourhood=None, labels=("left", "right", "middle")):
    def build(seed):
        near = neighbourhood and getattr(mabwiser.NeighborhoodPolicy, neighbourhood)(**NEAR[neighbourhood])
        return mabwiser.MAB([*labels], getattr(mabwiser.LearningPolicy, policy)(**options), near, seed=seed)

    return build


def by_hand(mab, rewards, contexts=None):
    """Play a MAB as its documentation does: fit on a history, here of every arm once, then predict and partial_fit."""
    labels = list(mab.arms)
    paid = [rewards[i][i] for i in range(len(labels))]
    if contexts is None:
        mab.fit(labels, paid)
    else:
        mab.fit(labels, paid, contexts[: len(labels)])
    played = list(range(len(labels)))
    for number in range(len(labels), len(rewards)):
        shown = () if contexts is None else (contexts[number : number + 1],)
        label = mab.predict(*shown)
        played.append(labels.index(label))
        mab.partial_fit([label], [rewards[number][played[-1]]], *shown)
    return played


def one_run(mabwiser, play, build, seed, contextual):
    rng = np.random.default_rng([seed, 99])
    rewards = rng.integers(2, size=(ROUNDS, 3)).astype(float)
    contexts = rng.uniform(-1.0, 1.0, (ROUNDS, 2)) if contextual else None
    adapted = play.actions(from_mabwiser(build), seed, rewards, contexts)
    alone = build(int(np.random.default_rng(seed).integers(SEEDS)))
    return adapted, by_hand(alone, rewards, contexts)


@pytest.mark.parametrize("policy", [*CONTEXT_FREE, *LINEAR])
def test_actions_are_those_of_the_library_driven_by_hand(mabwiser, play, policy):
    contextual = policy in LINEAR
    build = builder(mabwiser, policy, (CONTEXT_FREE | LINEAR)[policy])
    runs = [one_run(mabwiser, play, build, seed, contextual) for seed in range(6)]
    for adapted, alone in runs:
        assert adapted == alone
        assert adapted[:3] == [0, 1, 2]
    assert len({tuple(alone) for _, alone in runs}) > 1, "a run that does not vary would agree by chance"


@pytest.mark.parametrize("neighbourhood", list(NEAR))
def test_neighbourhood_policies_agree_too(mabwiser, play, neighbourhood):
    build = builder(mabwiser, "UCB1", {"alpha": 0.7}, neighbourhood)
    for seed in range(1 + (neighbourhood != "Clusters")):
        adapted, alone = one_run(mabwiser, play, build, seed, contextual=True)
        assert adapted == alone


def test_the_generator_determines_a_run(mabwiser, play):
    adapter = from_mabwiser(builder(mabwiser, "Random", {}))
    rewards = np.zeros((ROUNDS, 3))
    once, again, other = (play.actions(adapter, seed, rewards) for seed in (4, 4, 5))
    assert once == again != other


def test_a_fitted_mab_is_asked_in_the_first_round(mabwiser, play):
    def fitted(seed):
        mab = mabwiser.MAB([10, 20, 30], mabwiser.LearningPolicy.EpsilonGreedy(0.0), seed=seed)
        mab.fit([10, 20, 30], [0.0, 0.0, 0.5])
        return mab

    rewards = np.zeros((4, 3))
    assert play.actions(from_mabwiser(fitted), 0, rewards) == [2, 2, 2, 2]
    paid = np.ones((4, 3))
    assert play.actions(from_mabwiser(fitted, first=[20, 20]), 0, paid) == [1, 1, 1, 1]
    assert play.actions(from_mabwiser(fitted, first=[]), 0, rewards) == [2, 2, 2, 2]


@pytest.mark.parametrize("policy", ["EpsilonGreedy", "UCB1"])
def test_policies_that_follow_rewards_are_refuted(mabwiser, streams, policy):
    adapter = from_mabwiser(builder(mabwiser, policy, {}, labels=[0, 1]))
    report = privcheck.audit(adapter, epsilon=1.0, streams=streams, runs=400)
    assert report.verdict == "violation"
    assert report.target == f"MAB({policy})"
    assert report.arms == 2


def test_a_contextual_policy_is_refuted_under_joint_privacy(mabwiser, contextual):
    adapter = from_mabwiser(builder(mabwiser, "LinUCB", {"alpha": 0.1}, labels=[0, 1]))
    assert privcheck.audit(adapter, epsilon=1.0, runs=200, **contextual).verdict == "violation"


@pytest.mark.chance(1e-7, "a claim and a bound of 0.5 where the loss is 0, refuted at level 1e-6")
def test_a_policy_that_ignores_rewards_is_consistent(mabwiser):
    """The whole search, for a claim of 0.5; nothing is told."""
    adapter = from_mabwiser(builder(mabwiser, "Random", {}, labels=["x", "y"]))
    report = privcheck.audit(adapter, epsilon=0.5, horizon=4, runs=2000, error=1e-6, confidence=1.0 - 1e-6)
    assert report.verdict == "consistent"
    assert report.epsilon_lower <= 0.5


@pytest.mark.chance(2e-6, "verdict and bound of one audit, 1e-6 each")
@pytest.mark.parametrize(("noise", "verdict"), [(1.0, "consistent"), (2.0, "violation")])
def test_randomised_response_before_the_library_makes_it_private(mabwiser, play, streams, noise, verdict):
    """Twins: answers of budget 1, and of budget 2, for a claim of 1.

    A reward enters one answer only. With a greedy policy the third action is arm 1 just when the second answer is 1 and
    the first 0, so the loss on these streams is the budget of an answer.
    """
    build = builder(mabwiser, "EpsilonGreedy", {"epsilon": 0.0}, labels=[0, 1])
    adapter = from_mabwiser(build, randomise=play.randomise(noise))
    report = privcheck.audit(adapter, epsilon=1.0, streams=streams, runs=1200, error=1e-6, confidence=1.0 - 1e-6)
    assert report.verdict == verdict
    assert 0.5 * noise < report.epsilon_lower <= noise


def test_a_randomised_one_is_certified_and_the_plain_one_names_its_leak(mabwiser, play):
    build = builder(mabwiser, "EpsilonGreedy", {"epsilon": 0.1}, labels=[0, 1])
    certificate = privcheck.certify(from_mabwiser(build, randomise=play.randomise(1.0)), epsilon=1.0, horizon=6, runs=3)
    assert certificate.granted
    assert certificate.ledger_epsilon == 1.0
    broken = privcheck.certify(from_mabwiser(build, randomise=play.randomise(2.0)), epsilon=1.0, horizon=6, runs=3)
    assert not broken.granted
    assert broken.refusals
    plain = privcheck.certify(from_mabwiser(build), epsilon=1.0, horizon=6, runs=3)
    assert not plain.granted
    assert "mab.py" in plain.leaks[0].file


def test_randomness_besides_the_seed_is_refused(mabwiser, streams):
    class Careless(mabwiser.MAB):
        def predict(self, contexts=None):
            return np.random.default_rng().choice(self.arms)

    adapter = from_mabwiser(lambda seed: Careless([0, 1], mabwiser.LearningPolicy.Random(), seed=seed))
    with pytest.raises(privcheck.PolicyError, match=r"different actions in round 3.*the clock or the operating system"):
        privcheck.audit(adapter, epsilon=1.0, streams=streams, runs=100)


def test_the_feedback_has_to_be_that_of_the_mab(mabwiser, streams, contextual):
    linear, plain = (from_mabwiser(builder(mabwiser, name, {}, labels=[0, 1])) for name in ("LinUCB", "UCB1"))
    with pytest.raises(privcheck.PolicyError, match="feedback: got 'bandit', expected 'contextual'"):
        privcheck.audit(linear, epsilon=1.0, streams=streams, runs=100)
    with pytest.raises(privcheck.PolicyError, match="feedback: got 'contextual', expected 'bandit'"):
        privcheck.audit(plain, epsilon=1.0, runs=100, **contextual)
    with pytest.raises(privcheck.PolicyError, match="arms: got 3, expected 2"):
        privcheck.audit(plain, epsilon=1.0, arms=3, horizon=4, runs=100)


def test_a_mistake_that_only_the_library_can_see_is_one_line(mabwiser):
    adapter = from_mabwiser(builder(mabwiser, "ThompsonSampling", {}, labels=[0, 1]))
    streams = np.full((4, 2), 2.0), np.array([[0.0, 0.0], *[[2.0, 2.0]] * 3])
    with pytest.raises(privcheck.PolicyError, match=r"round \d: got ValueError: Thompson Sampling requires binary"):
        privcheck.audit(adapter, epsilon=1.0, rewards=(0.0, 2.0), streams=streams, runs=100)


def test_unsuitable_functions_are_refused(mabwiser):
    policy = mabwiser.LearningPolicy.EpsilonGreedy(0.1)
    made = mabwiser.MAB([0, 1], policy)
    for build, said in [
        (made, r"an object of type MAB, expected a function of a seed.*lambda seed: MAB\(\[0, 1\]"),
        (lambda seed: made, "the same MAB for two seeds, expected a new MAB from every call"),
        (lambda seed: mabwiser.MAB([0, 1], policy), "a MAB with the seed 123456, whatever seed"),
        (lambda seed: mabwiser.MAB((0, 1), policy, seed=seed), "one that raises TypeError: The arms should be"),
        (lambda seed: policy, "an object of type EpsilonGreedy, which has no method predict()"),
    ]:
        with pytest.raises(privcheck.PrivcheckError, match=f"build: got {said}"):
            from_mabwiser(build)
    with pytest.raises(privcheck.PrivcheckError, match=r"first: got \[2\], expected labels among"):
        from_mabwiser(builder(mabwiser, "UCB1", {}), first=[2])
    with pytest.raises(privcheck.PrivcheckError, match=r"randomise: got 1.0, expected a function of a reward"):
        from_mabwiser(builder(mabwiser, "UCB1", {}), randomise=1.0)
