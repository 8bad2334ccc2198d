"""Private LinUCB is certified at its true level, its audits see what they should, and its broken twins are caught."""

import math

import numpy as np
import pytest

from privcheck import audit, certify, guard
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.linear_policy import PrivateLinUCBPolicy, RowSums, TreeSums, WishartSums
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import GaussianTree, SymmetricGaussian, SymmetricGaussianTree, Wishart, WishartTree
from privcheck.privacy import Contexts

pytestmark = pytest.mark.long

EPSILON, DELTA, ROUNDS = 1.0, 0.1, 16
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": Contexts(shape=(2, 2), norm=1.0)}
CLAIM = {"epsilon": EPSILON, "delta": DELTA, "arms": 2, "horizon": ROUNDS, "runs": 3, "rewards": (-1.0, 1.0)}
NORM = math.sqrt(2.0)
NAMES = [
    "lin-ucb-batches(first=3)",
    "lin-ucb-gaussian",
    "lin-ucb-gaussian(tree=square-root)",
    "lin-ucb-wishart",
    "lin-ucb-wishart-unshifted",
]


@pytest.mark.parametrize("name", NAMES)
def test_certified_with_all_of_its_budget(name):
    certificate = certify(name, **CLAIM)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (
        True, "all-executions-under-guard", 1.0,
    )  # fmt: skip
    assert (certificate.leaks, certificate.refusals, certificate.replay.divergences) == ([], [], 0)
    assert 0.95 < certificate.ledger_epsilon <= 1.0
    spec = ALGORITHMS[name.partition("(")[0]](
        arms=2,
        features=2,
        epsilon=1.0,
        delta=0.1,
        horizon=ROUNDS,
        **({"tree": "square-root"} if "root" in name else {}),
    )
    assert certificate.ledger_mu == pytest.approx(spec.mu, rel=1e-6)
    assert certificate.feedback == "contextual"
    assert certificate.neighbours == "context-reward"


@pytest.mark.parametrize("name", ["lin-ucb-gaussian(noise=published)", "lin-ucb-wishart(noise=published)"])
def test_published_noise_is_certified_at_what_it_really_costs(name):
    """Far less than the budget; at this level it keeps a budget of a tenth, and not one of half of that."""
    certificate = certify(name, **CLAIM)
    assert certificate.granted
    assert 0.0 < certificate.ledger_mu < 0.07
    assert certificate.ledger_epsilon < 0.05
    if "gaussian" in name:
        assert certificate.ledger_mu == pytest.approx(math.sqrt(4 / 5) / (4 * math.log(40.0)), rel=1e-6)
        text = name.replace("(", "(epsilon=1, delta=0.1, ")
        assert certify(text, **CLAIM | {"epsilon": None, "delta": 0.0, "runs": 2}, mu=0.061).granted
        assert not certify(text, **CLAIM | {"epsilon": None, "delta": 0.0, "runs": 2}, mu=0.060).granted


def test_lin_ucb_is_not_private():
    certificate = certify("lin-ucb", epsilon=1.0, arms=2, horizon=8, runs=2)
    assert not certificate.granted
    assert certificate.leaks
    report = audit("lin-ucb", epsilon=1.0, arms=2, horizon=6, runs=400, rewards=(-1.0, 1.0), pairs=20)
    assert report.verdict == "violation"


def test_shipped_ids_know_their_contexts():
    spec = ALGORITHMS["lin-ucb-gaussian"](arms=2, features=3, epsilon=1.0, delta=0.1, horizon=4)
    certificate = certify(spec, epsilon=1.0, delta=0.1, runs=1, horizon=4)
    assert certificate.contexts == Contexts(shape=(2, 3), low=-1.0, high=1.0, norm=1.0)
    wider = Contexts(shape=(2, 4), norm=0.5)
    assert certify("lin-ucb-gaussian", **CLAIM | JOINT | {"contexts": wider, "runs": 1}).contexts == wider
    for options, parameter in (
        ({"delta": 0.0}, "delta"),
        ({"neighbours": "reward"}, "neighbours"),
        ({"epsilon": None, "delta": 0.0}, "epsilon"),
    ):
        with pytest.raises(PrivcheckError) as caught:
            certify("lin-ucb-gaussian", **CLAIM | options)
        assert caught.value.parameter == parameter
    with pytest.raises(PrivcheckError, match="contexts shape"):
        certify(spec, **CLAIM | JOINT)


def test_the_guard_plays_it_for_real():
    """Deployment: all 8 rounds are played, and 7 rows are released."""
    spec = ALGORITHMS["lin-ucb-gaussian"](arms=2, features=2, epsilon=1.0, delta=0.1, horizon=8)
    policy = guard(
        spec.build(np.random.default_rng(0)), epsilon=1.0, delta=0.1, noise="float", rng=np.random.default_rng(1),
        rewards=(-1.0, 1.0), **JOINT,
    )  # fmt: skip
    rng = np.random.default_rng(2)
    for _ in range(8):
        actions = rng.uniform(-0.7, 0.7, (2, 2))
        policy.update(actions, policy.select(actions), rng.choice([-1.0, 1.0]))
    assert len(policy.ledger.releases) == 7


# Audits


def row(reward):
    """One round whose actions are (1, 0) and (-1, 0), both with this reward."""
    return [reward, reward, 1.0, 0.0, -1.0, 0.0]


STREAMS = np.array([row(1.0), row(1.0)]), np.array([row(-1.0), row(1.0)])
"""The reward of the first round changes its sign; the second round asks on which side theta is."""


def with_noise(factor):
    """Return a factory of the Gaussian variant for two rounds with a multiple of the calibrated noise."""
    spec = ALGORITHMS["lin-ucb-gaussian"](arms=2, features=2, epsilon=EPSILON, delta=DELTA, horizon=2)

    def build(rng):
        tree = SymmetricGaussianTree.with_scale(factor * spec.mechanism.scale, horizon=1, degree=2)
        return PrivateLinUCBPolicy(TreeSums(tree, 3, rng), spec.setup, 2, None)

    return build


@pytest.mark.chance(2e-6, "a verdict and a bound at 1e-6")
def test_an_audit_of_two_rounds_nearly_reaches_the_calibrated_loss_and_finds_less_noise():
    """Two rounds show one Gaussian release: P = Phi(mu / 2) against Phi(-mu / 2) is epsilon = 0.58 at delta = 0.1.

    Verdicts are wrong with probability 1e-6. A third of the noise shows 2.9 at delta = 0.1.
    """
    options = {"epsilon": EPSILON, "delta": DELTA, "arms": 2, "rewards": (-1.0, 1.0), "streams": STREAMS} | JOINT
    shipped = audit("lin-ucb-gaussian", **options, runs=40_000, error=1e-6, confidence=1.0 - 1e-6)
    assert shipped.verdict == "consistent"
    assert 0.45 < shipped.epsilon_lower < 0.6
    twin = audit(with_noise(1 / 3), **options, runs=2000, error=1e-6)
    assert twin.verdict == "violation"


# Broken twins. Each is the shipped policy with other sums; the correct one passes the same certificate.


class Sums(RowSums):
    """The shipped sums, for the twins to change."""

    def __init__(self, rng):
        self.rng, self.total = rng, np.zeros((3, 3))
        budget = {"epsilon": EPSILON, "delta": DELTA, "sensitivity": math.sqrt(2.0) * NORM**2}
        self.tree = SymmetricGaussianTree.calibrate(**budget, horizon=ROUNDS - 1, degree=2)
        self.stream, self.exact = self.tree.start(rng), 0.0

    def add(self, row):
        self.total = self.stream.add(np.outer(row, row))


class OneFrozenNoise(Sums):
    """Draws one noise matrix, and adds it to every exact sum."""

    def __init__(self, rng):
        super().__init__(rng)
        self.frozen = SymmetricGaussian.with_scale(self.tree.scale).release(np.zeros((3, 3)), rng)

    def add(self, row):
        self.exact = self.exact + np.outer(row, row)
        self.total = self.exact + self.frozen


class FreshNoiseForEverySum(Sums):
    """Releases every prefix sum anew with the noise of a node."""

    def add(self, row):
        self.exact = self.exact + np.outer(row, row)
        self.total = SymmetricGaussian.with_scale(self.tree.scale).release(self.exact, self.rng)


class PaysForOneLevel(Sums):
    """Noise as if every datum entered one node."""

    def __init__(self, rng):
        super().__init__(rng)
        self.stream = SymmetricGaussianTree.with_scale(self.tree.scale / 2.0, horizon=ROUNDS - 1, degree=2).start(rng)


class LacksVarianceOnTheDiagonal(Sums):
    """Releases the triangle with independent noise s: the diagonal has s^2 and not 2 s^2."""

    def __init__(self, rng):
        super().__init__(rng)
        scale = self.tree.scale / math.sqrt(2.0)
        self.stream = GaussianTree.with_scale(scale, horizon=ROUNDS - 1, degree=2).start(rng)

    def add(self, row):
        triangle = self.stream.add(np.outer(row, row)[np.triu_indices(3)])
        self.total = np.zeros((3, 3))
        self.total[np.triu_indices(3)] = triangle
        self.total = self.total + np.triu(self.total, 1).T


class ForgetsTheOtherRow(Sums):
    """Noise for a row that is added or removed; here one is replaced."""

    def __init__(self, rng):
        super().__init__(rng)
        scale = self.tree.scale / math.sqrt(2.0)
        self.stream = SymmetricGaussianTree.with_scale(scale, horizon=ROUNDS - 1, degree=2).start(rng)


class LinUCBOn(PrivateLinUCBPolicy):
    def __init__(self, sums):
        spec = ALGORITHMS["lin-ucb-gaussian"](arms=2, features=2, epsilon=EPSILON, delta=DELTA, horizon=ROUNDS)
        super().__init__(sums, spec.setup, 2, None)


class DoesNotClip(LinUCBOn):
    def row(self, context, action, reward):
        return 1.0 * np.hstack([context[action], 2.0 * reward])


class KeepsTheContext(LinUCBOn):
    seen = 0.0

    def select(self, context):
        chosen = super().select(context) if np.sum(self.seen) <= 0.0 else 0
        self.seen = context
        return chosen


class CountsItsActions(LinUCBOn):
    def update(self, context, action, reward):
        super().update(context, action, reward)
        self.seen = [0, 1][action]


def certified(build):
    return certify(build, **CLAIM, **JOINT)


def test_the_correct_policy_passes():
    certificate = certified(lambda rng: LinUCBOn(Sums(rng)))
    assert (certificate.coverage, certificate.leaks, certificate.refusals) == ("all-executions-under-guard", [], [])


@pytest.mark.parametrize("twin", [OneFrozenNoise, KeepsTheContext, CountsItsActions])
def test_twins_that_leak(twin):
    build = (lambda rng: LinUCBOn(twin(rng))) if issubclass(twin, Sums) else (lambda rng: twin(Sums(rng)))
    certificate = certified(build)
    assert certificate.epsilon_upper is None
    assert certificate.leaks


@pytest.mark.parametrize(
    "twin", [FreshNoiseForEverySum, PaysForOneLevel, LacksVarianceOnTheDiagonal, ForgetsTheOtherRow, DoesNotClip]
)
def test_twins_that_release_too_much(twin):
    build = (lambda rng: LinUCBOn(twin(rng))) if issubclass(twin, Sums) else (lambda rng: twin(Sums(rng)))
    certificate = certified(build)
    assert certificate.epsilon_upper is None
    assert certificate.leaks == []
    assert certificate.refusals


def wishart(norm, runs=1, **changes):
    """Return the certificate of a policy on a Wishart tree with exactly the degrees of freedom that privacy needs."""
    options = {"dimension": 3, "sensitivity": norm**2, "horizon": ROUNDS - 1, "epsilon": EPSILON, "delta": DELTA}
    exact = WishartTree.exact(**options)
    values = {"dimension": 3, "degrees": exact.degrees, "sensitivity": norm**2, "delta": exact.delta}
    tree = WishartTree(**values | changes, horizon=ROUNDS - 1)
    bound = math.sqrt(norm**2 - 1.0)
    spec = ALGORITHMS["lin-ucb-wishart"](
        arms=2, features=2, epsilon=EPSILON, delta=DELTA, horizon=ROUNDS, context_norm=bound
    )
    contexts = Contexts(shape=(2, 2), low=-bound, high=bound, norm=bound)
    return certify(
        lambda rng: PrivateLinUCBPolicy(WishartSums(tree, rng), spec.setup, 2, None),
        **CLAIM | {"runs": runs}, **JOINT | {"contexts": contexts}, accountants={"gdp": 0.5},
    )  # fmt: skip


@pytest.mark.nightly
def test_wishart_twins():
    """The scale Ltilde in the place of its square, half the degrees of freedom, delta not divided among the nodes."""
    assert wishart(2.0, runs=3).epsilon_upper == 1.0
    assert wishart(2.0, sensitivity=2.0).refusals
    assert wishart(2.0, degrees=30).refusals
    assert wishart(2.0, delta=0.05).refusals


def test_the_noise_of_a_wishart_node_is_needed():
    """Nothing but noise before the first item: without the padding the first Gram matrix would be 0."""
    spec = ALGORITHMS["lin-ucb-wishart"](arms=2, features=2, epsilon=EPSILON, delta=DELTA, horizon=ROUNDS)
    tree = spec.mechanism
    first = WishartSums(tree, np.random.default_rng(0)).total
    whole = Wishart(dimension=3, degrees=tree.levels * tree.degrees, sensitivity=tree.sensitivity, delta=0.01)
    assert np.array_equal(first, whole.release(np.zeros((3, 3)), np.random.default_rng(0)))


def test_secure_noise_is_for_gaussian_variants():
    """OpenDP draws the noise of nodes and rows; there is no exact sampler of Wishart noise, which the guard says."""
    rng = np.random.default_rng(0)
    for options in ({}, {"tree": "square-root"}):
        spec = ALGORITHMS["lin-ucb-gaussian"](arms=2, features=2, epsilon=1.0, delta=0.1, horizon=8, **options)
        policy = guard(spec.build(rng), epsilon=1.0, delta=0.1, rewards=(-1.0, 1.0), **JOINT)
        assert policy._session.noise is None
        for _ in range(3):
            policy.update(np.eye(2), policy.select(np.eye(2)), 1.0)
        assert 0.0 < policy.spent <= 1.0
    spec = ALGORITHMS["lin-ucb-wishart"](arms=2, features=2, epsilon=1.0, delta=0.1, horizon=8)
    policy = guard(spec.build(rng), epsilon=1.0, delta=0.1, accountants={"gdp": 0.5}, rewards=(-1.0, 1.0), **JOINT)
    with pytest.raises(PrivcheckError, match="wishart"):
        policy.update(np.eye(2), policy.select(np.eye(2)), 1.0)
