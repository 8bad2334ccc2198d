"""LinUCB in all variants: kernel and reference, noise bounds, true levels, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from privcheck.bandits import ALGORITHMS
from privcheck.bandits.linear_kernel import PLAIN, linear_kernel
from privcheck.bandits.linear_policy import WishartSums
from privcheck.bandits.linear_regularisers import gaussian_bounds, wishart_bounds
from privcheck.bounds import ContextualInstance
from privcheck.bounds.shariff_sheffet_2018.regulariser import gaussian_noise, regulariser, wishart_freedom
from privcheck.environments import LinearContexts
from privcheck.errors import PrivcheckError
from privcheck.feedback import kind
from privcheck.kernels import SIGNS, DecisionSets, Generators
from privcheck.mechanisms import SymmetricGaussianTree, WishartTree

CONTEXTUAL = [name for name in ALGORITHMS if ALGORITHMS[name].feedback == "contextual"]
SPECS = {
    "lin-ucb": [{}, {"regulariser": 0.3, "sigma": 0.5, "theta_norm": 2.0}],
    "lin-ucb-batches": [{"first": 1}, {"first": 5, "ratio": 1.05}, {"first": 20, "context_norm": 0.4, "sigma": 0.5}],
    "lin-ucb-gaussian": [{}, {"noise": "published"}, {"tree": "square-root"}, {"context_norm": 0.4, "sigma": 0.5}],
    "lin-ucb-wishart": [{}, {"noise": "published"}, {"reward_bound": 0.5}],
    "lin-ucb-wishart-unshifted": [{}, {"noise": "published"}],
}
ALL = [(name, changes) for name in SPECS for changes in SPECS[name]]


def made(name, **changes):
    cls = ALGORITHMS[name]
    values = {"arms": 3, "features": 2, "epsilon": 2.0, "delta": 0.1, "horizon": 64}
    return cls(**{key: value for key, value in values.items() if cls.declares(key)} | changes)


def random_table(spec, rounds, seed):
    """Rewards -1 and 1, and actions of norm at most 1 that repeat now and then."""
    rng = np.random.default_rng(seed)
    actions = rng.standard_normal((rounds, spec.arms, spec.features))
    actions /= np.maximum(np.linalg.norm(actions, axis=2, keepdims=True), 1.0)
    actions[::5] = actions[::5, :1]
    return spec.contexts.join(rng.choice([-1.0, 1.0], (rounds, spec.arms)), actions)


def streams(seed):
    return Generators(*(np.random.default_rng([seed, purpose]) for purpose in range(3)))


def reference(spec, table, seed):
    played, by = [], kind("contextual")
    policy = spec.build(np.random.default_rng(9), noise=streams(seed).noise)
    by.play(policy, iter(by.rounds(table, spec.arms, spec.contexts)), spec.arms, played)
    return played


def test_every_variant_is_tested():
    assert sorted(SPECS) == CONTEXTUAL


@pytest.mark.parametrize(("name", "changes"), ALL)
def test_the_kernel_is_the_reference_draw_for_draw(name, changes):
    for seed, (arms, features, rounds) in enumerate([(3, 2, 64), (2, 1, 40), (7, 4, 64), (3, 3, 5)]):
        spec = made(name, arms=arms, features=features, **changes)
        table = random_table(spec, rounds, seed)
        expected = reference(spec, table, seed)
        assert spec.symbols(table, 1, streams(seed))[0].tolist() == expected
        assert len(set(expected)) > 1


@pytest.mark.parametrize(("name", "changes"), ALL)
def test_runs_of_one_call_are_successive_single_runs(name, changes):
    spec = made(name, **changes)
    table, together, singly = random_table(spec, 30, 3), streams(4), streams(4)
    batch = spec.symbols(table, 6, together)
    assert np.array_equal(batch, [spec.symbols(table, 1, singly)[0] for _ in range(6)])
    assert together.noise.random() == singly.noise.random()
    assert (len({row.tobytes() for row in batch}) > 1) == spec.private


@pytest.mark.parametrize("name", CONTEXTUAL)
def test_the_regret_is_that_of_the_actions(name):
    spec = made(name, **SPECS[name][0])
    table, checkpoints = random_table(spec, 64, 5), np.array([1, 2, 31, 64])
    rewards, contexts = (np.ascontiguousarray(part) for part in spec.contexts.split(table, 3))
    means = np.random.default_rng(6).random((64, 3))
    place = DecisionSets(contexts, rewards, means, False, 0.0, 0.0, 0.0, SIGNS)
    actions, regret = np.zeros((2, 64), np.int8), np.zeros((2, 4))
    own = streams(7)
    linear_kernel(spec.setup, place, 3, 2, own.rewards, own.noise, 64, 2, actions, checkpoints, regret)
    gaps = means.max(axis=1) - means[np.arange(64), actions]
    assert np.allclose(regret, np.cumsum(gaps, axis=1)[:, checkpoints - 1])
    assert np.array_equal(actions, spec.symbols(table, 2, streams(7)))


def test_without_noise_the_private_kernel_is_the_plain_one():
    """Gaussian noise of scale 0 leaves the regulariser 2 U I."""
    spec = made("lin-ucb-gaussian", arms=5, features=3, horizon=200)
    played = []
    for kinds in ({"scale": 0.0}, {"kind": PLAIN}):
        own, found = streams(1), np.zeros((1, 1))
        linear_kernel(
            spec.setup._replace(**kinds), LinearContexts(features=3, arms=5).place(), 5, 3, own.rewards, own.noise, 200,
            1, np.zeros((0, 0), np.int8), np.array([200]), found,
        )  # fmt: skip
        played.append(found[0, 0])
    assert played[0] == played[1] > 0.0


def test_the_first_index_by_hand():
    """One datum x = (1, 0), y = 1 and the regulariser 2: theta = (1 / 3, 0), V = diag(3, 2)."""
    spec = made("lin-ucb", arms=2, horizon=10, regulariser=2.0)
    policy = spec.build(np.random.default_rng(0))
    policy.update(np.eye(2), 0, 1.0)
    beta = math.sqrt(2 * math.log(20) + math.log(6.0 / 4.0)) + math.sqrt(2.0)
    assert beta == pytest.approx(
        spec.setup.sigma * math.sqrt(spec.setup.log_failure + math.log(1.5)) + spec.setup.offset
    )
    edge = (1 / 3 + beta / math.sqrt(3.0)) / (beta / math.sqrt(2.0))  # the length of (0, x) with the index of (1, 0)
    for length, chosen in ((edge + 1e-6, 1), (edge - 1e-6, 0), (edge, 0)):
        assert policy.select(np.array([[1.0, 0.0], [0.0, length]])) == chosen


# Bounds on the noise


@pytest.mark.parametrize("noise", ["gaussian", "wishart", "wishart-unshifted"])
def test_the_bounds_are_those_of_the_theory(noise):
    """With the levels of the paper, against `privcheck.bounds`."""
    for features, horizon, epsilon in ((5, 5 * 10**7, 1.0), (3, 20000, 0.5), (2, 1000, 2.0)):
        instance = ContextualInstance(
            dimension=features, horizon=horizon, epsilon=epsilon, delta=0.1, alpha=1 / horizon, noise=noise
        )
        expected, m = regulariser(instance), instance.levels
        if noise == "gaussian":
            found = gaussian_bounds(features, gaussian_noise(instance) * math.sqrt(m), horizon, 1 / horizon)
            assert found.shift == pytest.approx(2.0 * expected.rho_min, rel=1e-12)
        else:
            found = wishart_bounds(
                features, 2.0, m * wishart_freedom(instance), horizon, 1 / horizon, shifted=noise == "wishart"
            )
        assert found[1:] == pytest.approx((expected.rho_min, expected.rho_max, expected.gamma), rel=1e-9)


def within(spec, runs, twin=None):
    """Return in how many of a number of noisy sums, at the last item, the bounds on H and h hold."""
    bounds, d, items = spec.bounds, spec.features, spec.items
    mechanism = twin or spec.mechanism
    nothing = np.zeros((items, d + 1, d + 1))
    if isinstance(mechanism, WishartTree | SymmetricGaussianTree):
        noise = mechanism.release_batch(nothing, np.random.default_rng(0), runs)[:, -1]
    else:
        rows = mechanism.release_batch(np.zeros((items, 3)), np.random.default_rng(0), runs)[:, -1]
        noise = np.array([[[a, b / 2**0.5], [b / 2**0.5, c]] for a, b, c in rows])
    matrix, vector = noise[:, :d, :d] + bounds.shift * np.eye(d), noise[:, :d, d]
    values = np.linalg.eigvalsh(matrix)
    inside = (values[:, 0] >= bounds.rho_min) & (values[:, -1] <= bounds.rho_max)
    lengths = np.einsum("ri,ri->r", vector, np.linalg.solve(matrix, vector[..., None])[..., 0])
    return int((inside & (lengths <= bounds.gamma**2)).sum())


# those of batches are in test_lin_ucb_batches.py
@pytest.mark.chance(1e-11, "a binomial count of runs outside of the bounds")
@pytest.mark.parametrize(("name", "changes"), [each for each in ALL if each[0] not in ("lin-ucb", "lin-ucb-batches")])
def test_the_noise_is_within_its_bounds(name, changes):
    """The bounds fail with probability alpha / (2 n) = 1e-4 in a round: more than 8 of 300 with less than 1e-11.

    A mechanism with three times the noise, as a control, leaves them in most runs.
    """
    features = 1 if changes.get("tree") == "square-root" else 2
    spec = made(name, features=features, horizon=63, **changes)
    assert within(spec, 300) >= 292
    larger = spec.mechanism
    if isinstance(larger, WishartTree):
        larger = replace(larger, sensitivity=9.0 * larger.sensitivity)
    else:
        larger = type(larger).with_scale(
            20.0 * larger.scale, horizon=larger.horizon, **({"degree": 2} if "degree" in vars(larger) else {})
        )
    assert within(spec, 300, larger) < 250


def test_unpadded_wishart_sums_are_not_positive_definite_once_shifted():
    """The paper sums "at most m" nodes, and subtracts a shift for m of them."""
    spec = made("lin-ucb-wishart", noise="published")
    least = {}
    for padded in (True, False):
        sums = WishartSums(spec.mechanism, np.random.default_rng(0))
        nodes = sums.stream._sums
        values = []
        for _ in range(15):
            sums.add(np.zeros(3))
            noise = sums.total if padded else nodes._sums[-1][2]
            values.append(np.linalg.eigvalsh(noise[:2, :2] + spec.bounds.shift * np.eye(2))[0])
        least[padded] = np.array(values)
    assert (least[True] >= spec.bounds.rho_min).all()
    assert (least[False] < 0.0).all()


# True levels


def test_the_published_noise_is_really_this_private():
    """(1, 0.1) at n = 5e7: mu = 0.0665 with the 26 released levels, 0.0678 with the paper's 27."""
    instance = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    scale = gaussian_noise(instance)
    assert (5 * 10**7 - 1).bit_length() == (2**25).bit_length() == 26
    tree = SymmetricGaussianTree.with_scale(math.sqrt(2.0) * scale, horizon=2**25, degree=2)
    mu = tree.charge(math.sqrt(2.0) * 2.0).mu
    assert mu == pytest.approx(0.0665, abs=5e-5)
    assert mu * math.sqrt(27 / 26) == pytest.approx(0.0678, abs=5e-5)
    first, second = stats.norm.logcdf(-1 / mu + mu / 2), 1.0 + stats.norm.logcdf(-1 / mu - mu / 2)
    assert math.exp(first + math.log1p(-math.exp(second - first))) == pytest.approx(1.5e-53, rel=0.05)
    spec = made("lin-ucb-gaussian", horizon=20000, epsilon=1.0, noise="published")
    assert spec.mu == pytest.approx(math.sqrt(15 / 16) / (4 * math.log(40.0)), rel=1e-9)


@pytest.mark.parametrize("tree", ["binary", "square-root"])
def test_calibrated_noise_has_exactly_the_delta(tree):
    for epsilon, delta in ((1.0, 0.1), (0.3, 1e-6), (4.0, 1e-3)):
        mu = made("lin-ucb-gaussian", epsilon=epsilon, delta=delta, tree=tree).mu
        first, second = (stats.norm.cdf(-epsilon / mu + sign * mu / 2) for sign in (1, -1))
        assert first - math.exp(epsilon) * second == pytest.approx(delta, rel=1e-6)


def test_the_square_root_has_less_noise():
    binary, root = (made("lin-ucb-gaussian", horizon=20000, tree=tree) for tree in ("binary", "square-root"))
    assert binary.mu == pytest.approx(root.mu, rel=1e-6)
    squares = 1.0 + sum(math.prod((1 - 0.5 / j) ** 2 for j in range(1, i + 1)) for i in range(1, 60))
    squares += math.log((19998 + 0.25) / (59 + 0.75)) / math.pi  # the tail: the coefficients are 1 / sqrt(pi (j + 1/4))
    assert binary.deviation / root.deviation == pytest.approx(15 / squares, rel=1e-3)
    assert 15 / squares > 3.0


def test_published_noise_that_is_not_private_is_refused():
    with pytest.raises(PrivcheckError, match="published, which does not keep epsilon = 1000"):
        made("lin-ucb-gaussian", epsilon=1000.0, delta=0.5, noise="published")
    with pytest.raises(PrivcheckError, match="a budget below 1 for a node"):
        made("lin-ucb-wishart", epsilon=30.0, delta=0.1, noise="published")
    assert made("lin-ucb-gaussian", epsilon=1000.0, delta=0.5).mu > 1.0


def test_too_few_degrees_of_freedom_are_refused():
    with pytest.raises(PrivcheckError, match="too few for its noise to be positive definite"):
        wishart_bounds(2, 2.0, 30.0, 1000, 1e-3, shifted=True)


# What policies are told


def policies():
    for name in CONTEXTUAL:
        yield made(name).build(np.random.default_rng(0))


NO_SETS = [np.eye(2), np.zeros((3, 3)), np.zeros((0, 2)), np.full((3, 2), np.nan), [[1, 2]] * 2, "abc", None, 3.0]


@pytest.mark.parametrize("bad", NO_SETS, ids=str)
def test_other_decision_sets_are_refused_and_change_nothing(bad):
    for policy in policies():
        before = policy.sums.total.copy()
        for call in (lambda policy=policy: policy.select(bad), lambda policy=policy: policy.update(bad, 0, 1.0)):
            with pytest.raises(PrivcheckError) as caught:
                call()
            assert caught.value.parameter == "context"
        assert np.array_equal(before, policy.sums.total)
        assert policy.rounds == 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, "1", None, [1.0], 1j])
def test_other_rewards_are_refused(bad):
    for policy in policies():
        with pytest.raises(PrivcheckError) as caught:
            policy.update(np.zeros((3, 2)), 0, bad)
        assert (caught.value.parameter, policy.rounds) == ("reward", 0)


@pytest.mark.parametrize("bad", [-1, 3, True, 0.5, None, "0"])
def test_other_actions_are_refused(bad):
    for policy in policies():
        with pytest.raises(PrivcheckError) as caught:
            policy.update(np.zeros((3, 2)), bad, 1.0)
        assert (caught.value.parameter, policy.rounds) == ("action", 0)


def test_rows_beyond_the_bounds_are_clipped_or_refused():
    far = np.array([[3.0, 4.0], [0.0, 1.0], [0.0, 0.0]])
    for name in ("lin-ucb-gaussian", "lin-ucb-wishart"):
        clipping, refusing = (
            made(name, outside=outside).build(np.random.default_rng(0)) for outside in ("clip", "refuse")
        )
        assert clipping.row(far, 0, 5.0) == pytest.approx(np.array([3.0, 4.0, 5.0]) * math.sqrt(2.0 / 50.0))
        assert clipping.select(far) in range(3)
        for call, parameter in (
            (lambda refusing=refusing: refusing.select(far), "context"),
            (lambda refusing=refusing: refusing.update(far, 0, 1.0), "context"),
            (lambda refusing=refusing: refusing.update(np.zeros((3, 2)), 0, 1.5), "reward"),
        ):
            with pytest.raises(PrivcheckError) as caught:
                call()
            assert caught.value.parameter == parameter
        refusing.update(np.eye(3)[:, :2], 0, -1.0)
        table = made(name).contexts.join(np.ones((4, 3)), np.tile(far, (4, 1, 1)))
        assert made(name).symbols(table, 1, streams(0)).shape == (1, 4)
        with pytest.raises(PrivcheckError, match="context: got 5"):
            made(name, outside="refuse").symbols(table, 1, streams(0))


def test_kernel_and_reference_clip_alike():
    spec = made("lin-ucb-gaussian", context_norm=0.3, reward_bound=0.2)
    table = random_table(spec, 64, 8)
    assert spec.symbols(table, 1, streams(8))[0].tolist() == reference(spec, table, 8)


@pytest.mark.parametrize("name", CONTEXTUAL)
def test_bad_parameters_are_refused(name):
    bad = {"arms": (1, 2.5, None), "features": (0, 300, math.nan), "horizon": (1, math.inf), "sigma": (0.0, math.nan)}
    if name != "lin-ucb":
        bad |= {"epsilon": (0, -1, math.inf), "delta": (0, 1, math.nan), "noise": ("loud",), "outside": ("ignore",),
                "context_norm": (0, math.inf), "reward_bound": (-1,)}  # fmt: skip
    for parameter, values in bad.items():
        for value in values:
            with pytest.raises(PrivcheckError) as caught:
                made(name, **{parameter: value})
            assert caught.value.parameter == parameter


def test_the_square_root_has_a_longest_stream():
    with pytest.raises(PrivcheckError, match="at most 1048577 with the square root"):
        made("lin-ucb-gaussian", horizon=2**21, tree="square-root")


def test_an_indefinite_matrix_is_reported():
    """A setup without the shift: the noise of a few rounds has a negative eigenvalue."""
    spec = made("lin-ucb-gaussian")
    own, place = streams(0), LinearContexts(features=2, arms=3).place()
    arguments = place, 3, 2, own.rewards, own.noise, 64, 1, np.zeros((0, 0), np.int8), np.array([64]), np.zeros((1, 1))
    assert linear_kernel(spec.setup._replace(shift=1e-3), *arguments) in range(2, 65)
    policy = spec.build(np.random.default_rng(0))
    policy.sums.total = -1e6 * np.eye(3)
    with pytest.raises(PrivcheckError, match="not positive definite in round 1"):
        policy.select(np.zeros((3, 2)))
