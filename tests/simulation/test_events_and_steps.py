"""The event engines have the law of the step-by-step run, and a wrong twin of an algorithm is told apart.

Every accepting test has a false-failure probability of 1e-6 for each comparison (chi-square; Kolmogorov and Smirnov,
conservative for discrete regret; p < 1e-6) for a seed chosen blindly; seeds are fixed: it fails always or never.
"""

import numpy as np
import pytest
from scipy import stats

from privcheck.bandits import ALGORITHMS
from privcheck.environments import Bernoulli
from privcheck.simulation._engine import play, play_steps

PLACE = Bernoulli((0.8, 0.55, 0.3))
HORIZON, RUNS = 250, 4000
CHECKPOINTS = np.array([40, HORIZON])
LEVEL = 1e-6


BANDITS = [name for name in ALGORITHMS if ALGORITHMS[name].feedback in ("bandit", "full")]


def example(name, **changes):
    cls = ALGORITHMS[name]
    values = {"arms": PLACE.arms, "epsilon": 1.0, "rho": 1.0, "horizon": HORIZON}
    return cls(**({key: value for key, value in values.items() if cls.declares(key)} | changes))


def final(engine, spec, seed):
    if engine == "steps":
        return play_steps(spec, PLACE, CHECKPOINTS, RUNS, seed, ())
    return play(spec, PLACE, checkpoints=CHECKPOINTS, runs=RUNS, seed=seed)


BY_REGRET = [name for name in BANDITS if example(name).warm_up() < HORIZON]


@pytest.mark.chance(1e-6, "one chi-square test")
def test_dp_se_agrees_in_law_and_with_other_noise_does_not(law_test):
    """Means as far apart as the threshold of the first epoch, of 1519 pulls each: all three may stay or go."""
    place, checkpoints, runs = Bernoulli((0.5, 0.64, 0.5)), np.array([6000]), 1500

    def spec(epsilon):
        return ALGORITHMS["dp-se"](arms=3, epsilon=epsilon, horizon=6000)

    fast = play(spec(1.0), place, checkpoints=checkpoints, runs=runs, seed=1)[:, 0]
    assert law_test(fast, play_steps(spec(1.0), place, checkpoints, runs, 2, ())[:, 0]) > LEVEL
    assert law_test(fast, play_steps(spec(0.05), place, checkpoints, runs, 2, ())[:, 0]) < LEVEL


@pytest.mark.chance(1e-6, "a chi-square and a Kolmogorov-Smirnov test at 2.5e-7 in two rounds")
@pytest.mark.parametrize("name", BY_REGRET)
def test_own_engine_and_steps_agree_in_law(name, law_test):
    fast, slow = final("own", example(name), 1), final("steps", example(name), 2)
    for column, checkpoint in enumerate(CHECKPOINTS):
        if checkpoint <= example(name).warm_up() and len(np.unique(slow[:, column])) == 1:
            assert np.array_equal(fast[:, column], slow[:, column]), "arms are still played in a fixed order"
            continue
        assert law_test(fast[:, column], slow[:, column]) > LEVEL / 4
        assert stats.ks_2samp(fast[:, column], slow[:, column], method="asymp").pvalue > LEVEL / 4


@pytest.mark.chance(1e-9, "broken twins alone")
@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("adap-ucb", example("adap-ucb", epsilon=0.5)),
        ("adap-kl-ucb", example("adap-kl-ucb", alpha=2.5)),
        ("rnm-ftnl", example("rnm-ftnl-published")),
        ("kl-ucb", example("ucb")),
    ],
)
def test_wrong_parameters_are_told_apart(name, twin, law_test):
    fast, slow = final("own", example(name), 1)[:, -1], final("steps", twin, 2)[:, -1]
    assert law_test(fast, slow) < LEVEL
    assert stats.ks_2samp(fast, slow, method="asymp").pvalue < LEVEL


@pytest.mark.chance(1e-6, "one chi-square test")
@pytest.mark.parametrize("name", ["adap-ucb", "adap-kl-ucb"])
@pytest.mark.parametrize(("factor", "same"), [(1.0, True), (2.0, False)])
def test_noise_of_twice_the_scale_is_told_apart(name, factor, same, law_test):
    """The plain-Python reference, its privacy noise scaled: the negative control of the noise of the kernels."""

    class ScaledNoise(np.random.Generator):
        def laplace(self, loc=0.0, scale=1.0, size=None):
            return super().laplace(loc, factor * scale, size)

    spec, rng, runs, horizon = example(name, epsilon=0.5), np.random.default_rng(3), 2500, 100
    means, gaps = np.array(PLACE.means), PLACE.gaps()
    noise, regret = ScaledNoise(np.random.PCG64(4)), np.zeros(runs)
    for run in range(runs):
        policy, uniform = spec.build(rng, noise=noise), rng.random((horizon, PLACE.arms))
        for row in (uniform < means).astype(float).tolist():
            arm = policy.select()
            policy.update(arm, row[arm])
            regret[run] += gaps[arm]
    kernel = play(spec, PLACE, checkpoints=np.array([horizon]), runs=runs, seed=5)[:, 0]
    assert (law_test(kernel, regret) > LEVEL) == same
