"""The algorithms for semi-bandits: kernels, privacy with broken twins, bonuses, and regret."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from privcheck import audit, certify, identify, simulate
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.batch_likelihood import divergence_sum, most_likely_mean
from privcheck.bandits.cucb_batches import CUCBBatches, CUCBBatchesPolicy, likelihood_index
from privcheck.bandits.cucb_dp import CUCBDP, CUCBDPPolicy
from privcheck.bandits.cucb_ldp1 import CUCBLDP1
from privcheck.bandits.cucb_ldp2 import CUCBLDP2, CUCBLDP2Policy
from privcheck.environments import Beta, CoverageArms, SemiBandit, ShortestPathArms, SpanningTreeArms, TopKArms
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.kernels import Generators
from privcheck.mechanisms import BinaryTree, Laplace
from privcheck.oracles import GreedyCoverage, MaximumSpanningTree, ShortestPath, TopK
from privcheck.simulation import VacuousBonusWarning

pytestmark = pytest.mark.long

NAMES = [name for name in ALGORITHMS if ALGORITHMS[name].feedback == "semi-bandit"]
PRIVATE = [name for name in NAMES if ALGORITHMS[name].private]
MEANS = (0.9, 0.8, 0.7, 0.3, 0.2, 0.1)
PLACE = TopKArms(MEANS, size=2)
EDGES = ((0, 1), (1, 3), (0, 2), (2, 3), (1, 2), (0, 3))
PROBLEMS = [
    TopK(6, 2), ShortestPath(EDGES, 0, 3), MaximumSpanningTree(EDGES),
    GreedyCoverage(((0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (3, 2)), 2),
]  # fmt: skip


def spec_for(name, oracle, horizon=200, **more):
    cls = ALGORITHMS[name]
    values = {"arms": oracle.arms, "size": oracle.size, "epsilon": 3.0, "horizon": horizon, "ties": "random"} | more
    return cls(**{key: value for key, value in values.items() if cls.declares(key)})


def streams(seed=0):
    return Generators(*(np.random.default_rng([seed, i]) for i in range(3)))


# Kernels


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("oracle", PROBLEMS, ids=lambda oracle: oracle.id)
def test_kernels_play_as_references_on_every_problem(name, oracle):
    """Ties break at random, so that no rule of the oracle decides them; regret is that of the super arms played."""
    spec = spec_for(name, oracle)
    table = (np.random.default_rng(5).random((200, oracle.arms)) < np.array(MEANS)).astype(float)
    drawn, actions = streams(), np.zeros((1, 200), np.int64)
    regret = spec.regret(table, np.array(MEANS), oracle, drawn, 200, 1, np.array([100, 200]), actions)
    again = streams()
    policy = spec.build(again.coins, noise=again.noise, oracle=oracle)
    played, lost = [], []
    for row in table:
        chosen = policy.select()
        played.append(sum(1 << arm for arm in chosen))
        lost.append(oracle.alpha * oracle.best(MEANS) - oracle.reward(MEANS, chosen))
        policy.update(chosen, row[list(chosen)])
    assert actions[0].tolist() == played
    assert len(set(played)) > 1
    assert regret[0] == pytest.approx([sum(lost[:100]), sum(lost)])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cucb", {"index": "kl"}), ("cucb-ldp1", {"fallback": "first"}), ("cucb-ldp2", {"bonus": "repaired"}),
        ("cucb-ldp2", {"fallback": "first", "ties": "lowest", "epsilon": 100.0}),
        ("cucb-dp", {"fallback": "first", "epsilon": 300.0}),
        ("cucb-dp", {"noise": "published", "bonus": "published", "epsilon": 1e6}),
        ("cucb-batches", {"statistic": "accumulated"}), ("cucb-batches", {"ties": "mean", "ratio": 1.2}),
    ],
)  # fmt: skip
def test_kernels_play_as_references_with_every_option(name, options):
    spec = spec_for(name, TopK(6, 3), horizon=400, **options)
    table = (np.random.default_rng(6).random((400, 6)) < np.array(MEANS)).astype(float)
    drawn, again = streams(1), streams(1)
    actions = spec.symbols(table, 1, drawn)[0]
    policy, played = spec.build(again.coins, noise=again.noise), []
    for row in table:
        chosen = policy.select()
        played.append(sum(1 << arm for arm in chosen))
        policy.update(chosen, row[list(chosen)])
    assert actions.tolist() == played
    assert len(set(played)) > 1


def test_an_oracle_in_python_is_played_as_the_compiled_one():
    """The same problem behind a plain callable: the reference plays it, on the same tables."""

    class Plain:
        arms, size = 6, 2

        def __init__(self):
            self.inner = TopK(6, 2)

        def __call__(self, index):
            return self.inner(index)

        def reward(self, means, super_arm):
            return self.inner.reward(means, super_arm)

        def best(self, means):
            return self.inner.best(means)

    spec, rounds = CUCBDP(6, 50.0, 100, 2), np.array([10, 100])
    table = np.random.default_rng(0).random((100, 6))
    ours = spec.regret(table, np.array(MEANS), TopK(6, 2), streams(), 100, 1, rounds)
    theirs = spec.regret(table, np.array(MEANS), Plain(), streams(), 100, 1, rounds)
    assert ours == pytest.approx(theirs)
    found = simulate("cucb", SemiBandit(Beta(MEANS), Plain()), horizon=50, runs=2)
    assert found.results[0].regret.shape[0] == 2


def test_a_subclass_that_plays_otherwise_is_not_mistaken_for_the_shipped_oracle():
    """An oracle that always plays its best super arm has no regret; the kernel would play the top two."""

    class Fixed(TopK):
        def __call__(self, index):
            return 4, 5

    found = simulate("cucb", SemiBandit(Beta(MEANS), Fixed(6, 2)), horizon=50, runs=2)
    assert found.results[0].regret == pytest.approx(0.0, abs=1e-9)


def test_an_infeasible_super_arm_is_refused_by_name():
    class Wrong(TopK):
        def __call__(self, index):
            return (0, 1, 2)

    policy = CUCBLDP2(4, 1.0, 100, 2).build(np.random.default_rng(0), oracle=Wrong(4, 2))
    with pytest.raises(PrivcheckError, match=r"super arm: got \{0, 1, 2\}, expected 2 of 4 base arms"):
        policy.select()
    with pytest.raises(PrivcheckError, match="the privacy noise is calibrated to the size"):
        CUCBLDP2(4, 1.0, 100, 1).build(np.random.default_rng(0), oracle=TopK(4, 2))


@pytest.mark.parametrize("told", [
    ((0, 0), [0.5, 0.5]), ((0, 9), [0.5, 0.5]), ((0, 1), [0.5]), ((0, 1), [0.5, 1.5]), ((0, 1), 0.5), (3, [0.5]),
    ((0, 1, 2), [0.5] * 3), ((0, 1), [0.5, math.nan]),
])  # fmt: skip
@pytest.mark.parametrize("name", NAMES)
def test_what_update_is_told_is_checked(name, told):
    policy = spec_for(name, TopK(4, 2), arms=4).build(np.random.default_rng(0))
    with pytest.raises(PrivcheckError):
        policy.update(*told)
    assert policy.rounds == 0


# Privacy


@pytest.mark.parametrize("statistic", ["accumulated", "likelihood"])
def test_batches_are_certified_at_a_budget_for_which_all_indices_are_one(statistic):
    spec = CUCBBatches(arms=4, epsilon=0.1, size=3, statistic=statistic)
    assert certify(spec, epsilon=0.1, horizon=24, runs=1).granted


@pytest.mark.parametrize("options", [{}, {"fallback": "first"}, {"ties": "lowest"}, {"bonus": "repaired"},
                                     {"statistic": "accumulated"}, {"noise": "published"}])  # fmt: skip
@pytest.mark.parametrize("name", PRIVATE)
def test_every_option_is_certified_with_super_arms_of_two(name, options):
    cls = ALGORITHMS[name]
    repaired_dp = options.get("bonus") == "repaired" and name == "cucb-dp"
    if repaired_dp or not all(cls.declares(option) for option in options):
        pytest.skip("no such option")
    spec = cls(
        **{"arms": 4, "epsilon": 1.0, "size": 2} | ({"horizon": 24} if cls.declares("horizon") else {}) | options
    )
    found = certify(spec, epsilon=1.0, horizon=24, runs=3)
    assert found.granted
    assert (found.leaks, found.refusals, found.replay.divergences) == ([], [], 0)
    expected = 5.0 / (2.0 * math.log(24.0)) if options.get("noise") == "published" else 1.0
    assert found.ledger_epsilon == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(("horizon", "loss"), [(2, 1.0 / math.log(2.0)), (4, 3.0 / (2.0 * math.log(4.0)))])
def test_the_published_noise_is_short_for_two_and_four_rounds(horizon, loss):
    published = CUCBDP(2, 1.0, horizon, 2, noise="published")
    assert not certify(published, epsilon=1.0, horizon=horizon, runs=3).granted
    assert certify(published, epsilon=1.5, horizon=horizon, runs=3).ledger_epsilon == pytest.approx(loss)
    assert certify(CUCBDP(2, 1.0, horizon, 2), epsilon=1.0, horizon=horizon, runs=3).granted


@pytest.mark.parametrize("horizon", [3, 5, 7, 8, 100, 4096])
def test_the_published_noise_is_enough_otherwise(horizon):
    assert horizon.bit_length() / (2.0 * math.log(horizon)) < 1.0
    assert CUCBDP(4, 1.0, horizon, 2, noise="published").tree.scale > CUCBDP(4, 1.0, horizon, 2).tree.scale


@pytest.mark.chance(3e-6, "a verdict and two bounds at 1e-6")
def test_an_audit_of_the_releases_refutes_the_published_noise():
    """The loss of two rounds is 1.443 epsilon.

    At epsilon = 2 the claim and the loss of 2.885 are far apart for 3000 runs: the likelihood ratios of the releases
    are exact, as nothing else is drawn.
    """
    tables = np.zeros((2, 2)), np.zeros((2, 2))
    tables[1][0] = 1.0
    options = {
        "epsilon": 2.0,
        "horizon": 2,
        "runs": 3000,
        "observe": "releases",
        "streams": tables,
        "confidence": 1.0 - 1e-6,
    }
    published = audit(CUCBDP(2, 2.0, 2, 2, noise="published", ties="lowest"), **options)
    assert published.verdict == "violation"
    assert published.epsilon_lower <= 2.0 / math.log(2.0)
    calibrated = audit(CUCBDP(2, 2.0, 2, 2, ties="lowest"), error=1e-6, **options)
    assert (calibrated.verdict, calibrated.epsilon_lower <= 2.0) == ("consistent", True)


def twin(name):
    """Return the factory of a broken twin."""
    oracle = TopK(4, 2)

    class ByOutcome(CUCBLDP2Policy):
        """Reports the largest outcome instead of that of the base arm with the fewest reports."""

        def take_in(self, chosen, outcomes):
            j = max(range(len(chosen)), key=lambda j: outcomes[j])
            self.sums[chosen[j]] += self.report.release(outcomes[j], self.noise)
            self.pulls[chosen[j]] += 1

    class FreshNoise(CUCBDPPolicy):
        """Draws new noise for every prefix sum, as if the sum so far cost nothing."""

        def take_in(self, chosen, outcomes):
            item = [0.0] * self.arms
            for j, arm in enumerate(chosen):
                item[arm] = outcomes[j]
                self.pulls[arm] += 1
            self.exact = np.stack(item) if self.rounds == 1 else self.exact + np.stack(item)
            self.sums = Laplace.with_scale(self.stream.mechanism.scale).release(self.exact, self.rng).tolist()

    def build(rng):
        if name == "one entry's noise on all reports":
            policy = CUCBLDP1(4, 1.0, 24, 2).build(rng)
            policy.report = Laplace(sensitivity=1.0, epsilon=1.0)
            return policy
        if name == "report of the largest outcome":
            return ByOutcome(4, 2, oracle, rng, "oracle", Laplace(sensitivity=1.0, epsilon=1.0), 1.0, 3.0, rng)
        if name == "one base arm's noise on all batches":
            return CUCBBatchesPolicy(4, 2, oracle, rng, 1.0, 2.0, rng, 1.0)
        if name == "a tree per base arm":
            stream = BinaryTree(horizon=24, sensitivity=1.0, epsilon=1.0).start(rng)
            return CUCBDPPolicy(4, 2, oracle, rng, "oracle", stream, (1.0, 1.0))
        policy = FreshNoise(4, 2, oracle, rng, "oracle", CUCBDP(4, 1.0, 24, 2).tree.start(rng), (1.0, 1.0))
        policy.rng = rng
        return policy

    return build


@pytest.mark.parametrize("name", [
    "one entry's noise on all reports", "report of the largest outcome", "one base arm's noise on all batches",
    "a tree per base arm", "fresh noise for every prefix",
])  # fmt: skip
def test_broken_twins_are_not_certified(name):
    found = certify(twin(name), epsilon=1.0, arms=4, horizon=24, runs=3, feedback="semi-bandit")
    assert not found.granted
    if name == "report of the largest outcome":
        assert found.leaks
    else:
        assert found.refusals
        assert found.leaks == []


@pytest.mark.chance(2e-6, "a verdict and a bound at 1e-6")
def test_an_audit_finds_the_noise_of_one_entry_on_two():
    """The reports of round 1 lose 2 instead of 1."""
    tables = np.zeros((4, 4)), np.zeros((4, 4))
    tables[1][0] = 1.0
    options = {"epsilon": 1.0, "horizon": 4, "runs": 2000, "observe": "releases", "streams": tables, "seed": 1}
    options["confidence"] = 1.0 - 1e-6
    broken = audit(twin("one entry's noise on all reports"), arms=4, feedback="semi-bandit", **options)
    assert broken.verdict == "violation"
    assert broken.epsilon_lower <= 2.0
    assert audit(CUCBLDP1(4, 1.0, 24, 2), error=1e-6, **options).verdict == "consistent"


def test_rewards_of_another_shape_are_refused_under_the_guard():
    class Short:
        def select(self):
            return (0, 1)

        def update(self, action, rewards):
            raise AssertionError("is told outcomes of the wrong shape")

    from privcheck import guard

    guarded = guard(Short(), epsilon=1.0, feedback="semi-bandit")
    guarded.select()
    with pytest.raises((PrivcheckError, PolicyError), match="one reward for each base arm"):
        guarded.update((0, 1), [0.5])


# Indices


def test_the_published_bonuses():
    ln_t = math.log(1000.0)
    assert CUCBLDP1(4, 2.0, 1000, 3).bonus_after(10) == pytest.approx(4 * math.sqrt(2 * 3 * ln_t / (4.0 * 10)))
    assert CUCBLDP2(4, 2.0, 1000, 3).bonus_after(10) == pytest.approx(4 * math.sqrt(2 * ln_t / (4.0 * 10)))
    dp = CUCBDP(4, 2.0, 1000, 3, bonus="published").bonus_after(10)
    assert dp == pytest.approx(math.sqrt(4 * math.log(4000.0) / 10) + 12 * 3 * ln_t**3 / (10 * 2.0))


def test_the_published_bonus_misses_the_first_report_too_often():
    """P(report below mean - bonus) = exp(-epsilon bonus) / 2 exceeds 1 / T^2 for T = 10^6; the repaired not."""
    horizon, epsilon = 10**6, 1.0
    for bonus, covered in (("published", False), ("repaired", True)):
        width = CUCBLDP2(4, epsilon, horizon, 2, bonus=bonus).bonus_after(1)
        assert (0.5 * math.exp(-epsilon * width) <= horizon**-2.0) == covered


@pytest.mark.parametrize("pulls", [100, 1000, 15_000])
def test_the_calibrated_bonus_covers_the_noise_of_the_tree(pulls):
    """The sum of all levels' noise exceeds c with probability below 1 / (m T), by Fourier inversion."""
    spec = CUCBDP(6, 1.0, 20_000, 2)
    levels, b = 15, spec.tree.scale
    u = np.linspace(0.0, 10.0, 400_001)
    c = spec.bonuses[1] / b
    inside = np.trapezoid(c * np.sinc(c * u / math.pi) * (1.0 + u * u) ** -levels, u) * 2.0 / math.pi
    assert 0.0 <= 1.0 - inside < 1.0 / (6 * 20_000)
    assert spec.bonus_after(pulls) >= spec.bonuses[1] / pulls


def test_the_likelihood_index_solves_its_equation():
    rng = np.random.default_rng(0)
    for _ in range(200):
        k, epsilon, level = int(rng.integers(1, 8)), float(rng.uniform(0.2, 3.0)), float(rng.uniform(0.1, 8.0))
        means = np.clip(rng.normal(0.5, 0.4, k), 0.0, 1.0)
        lengths = 2.0 ** np.arange(k)
        estimate = most_likely_mean(means, lengths, k, epsilon, means.min(), means.max())
        q = likelihood_index(means, lengths, k, estimate, level, epsilon)
        rise = divergence_sum(means, lengths, k, q, epsilon) - divergence_sum(means, lengths, k, estimate, epsilon)
        assert rise == pytest.approx(level, rel=1e-6) or (q == 1.0 and rise <= level)


def test_batches_become_cucb_with_the_kl_index_as_epsilon_grows():
    """Without noise the two differ by the batches alone: regret within a factor of 3 of it, and far below private."""
    quiet = simulate("cucb-batches", PLACE, horizon=5000, runs=100, epsilon=1e4).results[0].regret[:, -1]
    loud = simulate("cucb-batches", PLACE, horizon=5000, runs=100, epsilon=0.2).results[0].regret[:, -1]
    plain = simulate("cucb(index='kl')", PLACE, horizon=5000, runs=20).results[0].regret[:, -1]
    assert plain.mean() / 3.0 < quiet.mean() < 3.0 * plain.mean() < loud.mean()


# Simulation


@pytest.mark.chance(1e-6, "a mean within the quantile of Student's law")
@pytest.mark.parametrize(
    ("policy", "mean", "error"),
    [
        ("cucb(ties='random')", 167.9, 3.9), ("cucb-ldp1", 2998.0, 53.0), ("cucb-ldp2", 3005.1, 10.5),
        ("cucb-ldp2(bonus='repaired')", 4344.0, 40.0), ("cucb-dp", 4122.0, 10.0),
    ],
)  # fmt: skip
def test_regret_of_a_second_simulator(policy, mean, error):
    """Means and standard errors of an independent implementation at T = 20,000; ours by Student's law."""
    found = simulate(policy, PLACE, horizon=20_000, runs=40, epsilon=1.0, seed=2).summary()[0]
    assert abs(found["mean"] - mean) < student.isf(5e-7, 39) * math.hypot(found["se"], error)


def test_median_and_tail_of_batches():
    """At T = 20,000: median 143 +- 4 with accumulated sums, and almost no run above three medians by likelihoods."""
    accumulated = simulate("cucb-batches(statistic='accumulated')", PLACE, horizon=20_000, runs=400, epsilon=1.0)
    final = accumulated.results[0].regret[:, -1]
    assert abs(np.median(final) - 143.0) < 4.0 + 5.0 * 1.25 * 45.0 / 20.0
    assert np.mean(final > 3.0 * np.median(final)) < 0.04
    robust = simulate("cucb-batches", PLACE, horizon=20_000, runs=400, epsilon=1.0).results[0].regret[:, -1]
    assert np.mean(robust > 3.0 * np.median(robust)) < 0.015


def test_a_bonus_above_one_is_warned_of_and_only_ties_decide():
    published = "cucb-dp(noise='published', bonus='published', ties='{}')"
    for ties, low, high in (("random", 1300.0, 1500.0), ("lowest", 0.0, 0.0)):
        with pytest.warns(VacuousBonusWarning, match="even after 2000 outcomes"):
            found = simulate(published.format(ties), PLACE, horizon=2000, runs=10, epsilon=1.0)
        assert low <= found.summary()[0]["mean"] <= high


@pytest.mark.parametrize("place", [
    ShortestPathArms((0.9, 0.8, 0.7, 0.6, 0.5, 0.3), EDGES, 0, 3),
    SpanningTreeArms((0.9, 0.8, 0.7, 0.6, 0.5, 0.3), EDGES),
    CoverageArms((0.9, 0.8, 0.7, 0.6, 0.5, 0.3), ((0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (3, 2)), 2),
    SemiBandit(Beta(MEANS), TopK(6, 2)),
], ids=lambda place: place.id)  # fmt: skip
def test_every_environment_is_learned_and_kept(place, tmp_path):
    found = simulate("cucb", place, horizon=2000, runs=5, checkpoints=5)
    curve = found.results[0].regret.mean(axis=0)
    assert curve[-1] < 0.5 * 2000 * curve[2] / found.checkpoints[2] or curve[-1] <= 0.0
    found.save_npz(tmp_path / "runs.npz")
    again = type(found).read_npz(tmp_path / "runs.npz")
    assert again.environment == place
    assert np.array_equal(again.results[0].regret, found.results[0].regret)
    found.save_html(tmp_path / "page.html")
    found.save_csv(tmp_path / "runs.csv")
    assert place.id in found.to_json()


@pytest.mark.parametrize(
    ("policies", "place", "parameter"),
    [
        ("ucb", PLACE, "policies"), ("cucb", list(MEANS), "policies"), ("cucb(size=1)", PLACE, "oracle"),
        (CUCBBatches(5, 1.0, 2), PLACE, "policies"), ("cucb-dp", PLACE, "epsilon"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(policies, place, parameter):
    with pytest.raises(PrivcheckError) as caught:
        simulate(policies, place, horizon=100, runs=1)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("odd", [{}, {"id": "top-k"}, {"id": [], "parameters": {}}, {"id": "beta", "parameters": []}])
def test_a_dictionary_that_describes_nothing_is_refused(odd):
    for name, make in (("base", lambda: SemiBandit(odd, TopK(6, 2))), ("oracle", lambda: SemiBandit(Beta(MEANS), odd))):
        with pytest.raises(PrivcheckError, match=f"{name}: got .*, expected an"):
            make()


def test_a_policy_that_identifies_an_arm_is_refused():
    with pytest.raises(PrivcheckError, match="expected an algorithm for semi-bandits, one of cucb"):
        identify("dp-exact-tt", PLACE, horizon=100, runs=1, epsilon=1.0)


def test_the_regret_of_an_approximate_oracle_may_be_negative_and_is_compared():
    """Quantiles of few runs end at the extremes: alpha best - best and alpha best, times T."""
    place = CoverageArms((0.9, 0.8, 0.7, 0.6), ((0, 0), (1, 0), (1, 1), (2, 1)), 1)
    low, high = place.regret_range(100)
    assert (low, high) == pytest.approx((100 * (place.oracle.alpha - 1.0) * 1.5, 100 * place.oracle.alpha * 1.5))
    found = simulate(["cucb", "cucb(index='kl')"], place, horizon=100, runs=3)
    assert all(low - 1e-9 <= value <= high + 1e-9 for result in found.results for value in result.regret[:, -1])
    (difference,) = found.compare()
    assert (difference.median.low, difference.median.high) == pytest.approx((low - high, high - low))
    path = ShortestPathArms((0.9, 0.8, 0.7, 0.6, 0.5, 0.3), EDGES, 0, 3)
    assert path.regret_range(10) == pytest.approx((0.0, 10 * (path.best_reward + 3)))


def test_the_command_line_tells_of_a_vacuous_bonus(capsys):
    from privcheck.cli import main

    options = ["--environment", "top-k", "--means", "0.9,0.8,0.3", "--with", "size=2", "--epsilon", "1"]
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "cucb-dp(noise=published, bonus=published)", *options, "--horizon", "500", "--runs", "2"])
    assert not ended.value.code
    shown = capsys.readouterr()
    assert "cucb-dp" in shown.out
    assert "even after 500 outcomes of a base arm" in shown.err
