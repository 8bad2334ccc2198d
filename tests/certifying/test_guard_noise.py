"""The noise of a guard: exact samplers and the system's randomness, unless float noise is asked for by name."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from privcheck import PrivcheckError, ReleaseRefusedError, guard
from privcheck.bandits import ALGORITHMS
from privcheck.certifying._noise_source import same_stream
from privcheck.mechanisms import MECHANISMS, DiscreteLaplace, Laplace, NoisyMax
from privcheck.mechanisms.scaled import ScaledMechanism


class Releases:
    """Releases every reward; `rng` is the generator of its coins."""

    def __init__(self, mechanism, rng=None):
        self.mechanism, self.rng, self.outputs = mechanism, rng, []

    def select(self):
        return 0

    def update(self, action, reward):
        self.outputs.append(self.mechanism.release(reward, self.rng))


UNIT = Laplace(sensitivity=1.0, epsilon=1.0)


def on_the_lattice_of_one(reward, **noise):
    """Return the share of releases near zero that are multiples of 2^-53, as all sums of 1 and a small double are."""
    policy = Releases(UNIT)
    guarded = guard(policy, epsilon=1.0, feedback="full", neighbours="reward", **noise)
    guarded.update(guarded.select(), [reward] * 2000)
    near = [x for x in policy.outputs[0].tolist() if abs(x) < 0.125]
    assert len(near) >= 40
    return np.mean([float(x * 2.0**53).is_integer() for x in near])


@pytest.mark.chance(1e-6, "four binomial counts of releases near zero, and three of their last digits", fresh=True)
def test_the_last_digits_of_float_noise_show_the_reward_and_those_of_secure_noise_do_not():
    """A double below 1/8 has 2^-56 and finer digits: at most an eighth of them are multiples of 2^-53.

    Of 2000 releases, those near zero number 86 or more in the mean: fewer than 40 in one of four runs with probability
    below 1e-6. Of the 40 or more in each of the three runs without a lattice, more than half are multiples with
    probability below 1e-9.
    """
    assert on_the_lattice_of_one(1.0, noise="float") == 1.0
    assert on_the_lattice_of_one(0.0, noise="float") < 0.5
    assert on_the_lattice_of_one(1.0) < 0.5
    assert on_the_lattice_of_one(0.0, noise="secure") < 0.5


@pytest.mark.parametrize(
    "name", [name for name in ALGORITHMS if ALGORITHMS[name].private and ALGORITHMS[name].feedback != "contextual"]
)
def test_every_private_algorithm_runs_with_secure_noise(name):
    """Its own generator draws no noise, and there is no other to draw it from."""
    algorithm = ALGORITHMS[name]
    values = {"arms": 2, "epsilon": 1.0, "rho": 1.0, "horizon": 60, "first": 2.0}
    spec = algorithm(**{key: value for key, value in values.items() if algorithm.declares(key)})
    noise = np.random.default_rng(1)
    policy = spec.build(np.random.default_rng(0), noise=noise)
    guarded = guard(policy, feedback=spec.feedback, **{spec.budget_name(): 2.0})
    assert guarded._session.noise is None
    while not guarded._session.ledger.releases:
        guarded.update(guarded.select(), {"full": [0.5, 0.5], "semi-bandit": [0.5]}.get(spec.feedback, 0.5))
    assert guarded.spent > 0.0
    assert noise.bit_generator.state == np.random.default_rng(1).bit_generator.state


def test_every_mechanism_has_an_exact_sampler():
    """But for Wishart noise, of which the class says why."""
    assert [name for name in MECHANISMS if not MECHANISMS[name].samples_exactly] == ["wishart"]
    assert "no secure sampler" in MECHANISMS["wishart"].__doc__


class Doubled(Laplace):
    """Draws in a way of its own, and says nothing of secure noise."""

    def draw(self, value, rng, *, secure=False):
        return super().draw(value, rng or np.random.default_rng(0), secure=False)


class Quieter(Doubled):
    """Draws as its base does."""


class Vouched(Doubled):
    samples_exactly = True


class Uniform(ScaledMechanism):
    notion, sensitivity_norm = "pure", "L1"


def test_a_mechanism_of_ones_own_has_an_exact_sampler_only_if_it_says_so():
    found = [cls.samples_exactly for cls in (Doubled, Quieter, Vouched, Uniform)]
    assert found == [False, False, True, False]


@pytest.mark.parametrize("mechanism", [Doubled(sensitivity=1.0, epsilon=1.0), Quieter(sensitivity=1.0, epsilon=1.0)])
@pytest.mark.parametrize("public", [False, True])
def test_without_an_exact_sampler_nothing_is_released_or_spent(mechanism, public):
    policy = Releases(mechanism)
    if public:
        policy.update = lambda action, reward: mechanism.release(0.5, None)
    guarded = guard(policy, epsilon=1.0)
    with pytest.raises(PrivcheckError, match=r'no exact sampler.*one with secure noise; .*noise="float"') as caught:
        guarded.update(guarded.select(), 0.5)
    assert public or isinstance(caught.value, ReleaseRefusedError)
    assert (guarded.spent, guarded.ledger.releases, policy.outputs) == (0.0, [], [])
    floats = guard(Releases(mechanism), epsilon=1.0, noise="float")
    floats.update(floats.select(), 0.5)
    assert floats.spent == 1.0


def jumped(rng):
    return np.random.Generator(rng.bit_generator.jumped())


def drawn(rng):
    rng.random(3)
    return rng


SAME = {
    "equal": copy.deepcopy,
    "itself": lambda rng: rng,
    "some draws later": lambda rng: drawn(copy.deepcopy(rng)),
    "far ahead": jumped,
}


JUMPING = (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox)
BITS = (*JUMPING, np.random.MT19937, np.random.SFC64)


@pytest.mark.parametrize(
    ("bits", "relation"), [(bits, name) for name in SAME for bits in (JUMPING if name == "far ahead" else BITS)]
)
def test_noise_that_the_policy_can_draw_too_is_refused(bits, relation):
    """Before, a policy subtracted the noise and knew the reward to 1e-9."""
    coins = np.random.Generator(bits(7))
    with pytest.raises(PrivcheckError, match="a Generator that draws what one of the policy's draws") as caught:
        guard(Releases(UNIT, coins), epsilon=1.0, noise="float", rng=SAME[relation](coins))
    assert caught.value.parameter == "rng"
    others = [np.random.Generator(bits(8)), coins.spawn(1)[0], np.random.default_rng(np.random.SeedSequence(9))]
    for other in others:
        assert not same_stream(coins, other)
        guarded = guard(Releases(UNIT, coins), epsilon=1.0, noise="float", rng=other)
        guarded.update(guarded.select(), 0.5)


def test_a_generator_deep_in_the_policy_is_found():
    coins, policy = np.random.default_rng(7), Releases(UNIT)
    policy.parts = {"trees": [Releases(UNIT, coins)]}
    with pytest.raises(PrivcheckError, match="the policy's"):
        guard(policy, epsilon=1.0, noise="float", rng=np.random.default_rng(7))


def test_a_generator_of_a_policy_that_cannot_be_copied_is_found():
    class NotCopied(Releases):
        def __deepcopy__(self, memo):
            raise TypeError

    with pytest.raises(PrivcheckError, match="the policy's"):
        guard(NotCopied(UNIT, np.random.default_rng(7)), epsilon=1.0, noise="float", rng=np.random.default_rng(7))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rng": np.random.default_rng(0)}, 'rng: got a Generator with secure noise, .*noise="float"'),
        ({"noise": "secure", "rng": np.random.default_rng(0)}, "rng: got a Generator with secure noise"),
        ({"noise": "numpy"}, "noise: got 'numpy', expected one of 'secure', 'float'"),
        ({"noise": None}, "noise: got None, expected one of"),
        ({"noise": ["secure"]}, "noise: got .*expected one of"),
        ({"noise": "float", "rng": 3}, "rng: got 3, expected a numpy.random.Generator"),
    ],
)
def test_noise_and_rng_have_to_fit(options, message):
    with pytest.raises(PrivcheckError, match=message):
        guard(Releases(UNIT), epsilon=1.0, **options)


def test_all_kinds_of_mechanisms_release_securely():
    counts = DiscreteLaplace(sensitivity=1, epsilon=1.0)
    best = NoisyMax(score_range=1.0, epsilon=1.0)
    for mechanism in (counts, best):
        policy = Releases(mechanism)
        told = {"feedback": "full"} if mechanism is best else {}
        policy.update = lambda action, reward, policy=policy: policy.outputs.append(
            policy.mechanism.release(reward, None) if policy.mechanism is best else policy.mechanism.release(2, None)
        )
        guarded = guard(policy, epsilon=2.0, neighbours="reward", **told)
        guarded.update(guarded.select(), [0.5, 1.0] if told else 1.0)
        assert type(policy.outputs[0]) is int


@pytest.mark.parametrize("relation", SAME)
def test_noise_that_a_built_policy_can_draw_too_is_refused(relation):
    """The Generator is in the policy that a factory makes, not in the one that it is given."""
    coins = np.random.default_rng(7)

    def build(given, arms):
        policy = Releases(UNIT, coins)
        policy.given = given
        return policy

    with pytest.raises(PrivcheckError, match="a Generator that draws what one of the policy's draws"):
        guard(build, epsilon=1.0, arms=2, noise="float", rng=SAME[relation](coins))
    guarded = guard(build, epsilon=1.0, arms=2, noise="float", rng=np.random.default_rng(8))
    guarded.update(guarded.select(), 0.5)


class SameSeedLater:
    """Makes a Generator with the seed of the guard's noise in the middle of a run, and subtracts what it draws."""

    def __init__(self):
        self.outputs = []

    def select(self):
        return 0

    def update(self, action, reward):
        noise = np.random.default_rng(8).laplace(0.0, UNIT.scale)
        self.outputs.append(UNIT.release(reward, None) - noise)


def test_a_seed_that_the_policy_uses_later_does_not_give_it_the_noise():
    """Noise that goes on from the given Generator itself would leave the rewards."""
    policies = [SameSeedLater() for _ in range(2)]
    for policy, reward in zip(policies, (0.0, 0.7134), strict=True):
        guarded = guard(policy, epsilon=1.0, noise="float", rng=np.random.default_rng(8))
        guarded.update(guarded.select(), reward)
    assert policies[1].outputs[0] - policies[0].outputs[0] == pytest.approx(0.7134)
    assert abs(policies[0].outputs[0]) > 1e-6
