"""Random and logged decision sets: their laws, their files, and what is refused; false failures with 1e-6."""

import math

import numpy as np
import pytest
from scipy import stats

from privcheck.environments import LinearContexts, LoggedContexts, environment
from privcheck.errors import PrivcheckError

LEVEL = 1e-6


def other_means(features, gap, rounds=1500):
    place = LinearContexts(features=features, arms=6, gap=gap)
    actions, means, _ = place.draw(np.random.default_rng(0), rounds)
    return actions, means, np.sort(means, axis=1)[:, :-1].ravel()


@pytest.mark.chance(2e-6, "one or two Kolmogorov tests at 1e-6")
@pytest.mark.parametrize("features", [2, 3, 5])
def test_the_other_actions_are_uniform_on_their_part_of_the_sphere(features):
    """(1 + x' theta) / 2 is Beta((d - 1) / 2, (d - 1) / 2) on the whole sphere; here it is truncated."""
    _, _, others = other_means(features, 0.1)
    law = stats.beta((features - 1) / 2, (features - 1) / 2, loc=-1.0, scale=2.0)
    low, high = law.cdf(-0.75), law.cdf(0.65)
    assert stats.kstest(others, lambda x: (law.cdf(x) - low) / (high - low)).pvalue > LEVEL
    uniform = stats.kstest(others, stats.uniform(-0.75, 1.4).cdf).pvalue
    assert uniform > LEVEL if features == 3 else uniform < LEVEL, "only for d = 3 are the means uniform (Archimedes)"


@pytest.mark.chance(2e-6, "a chi-square and a Kolmogorov test at 1e-6")
def test_the_best_action_is_uniform_on_its_circle_and_at_any_place():
    place = LinearContexts(features=3, arms=4)
    actions, means, _ = place.draw(np.random.default_rng(1), 3000)
    assert np.allclose(np.linalg.norm(actions, axis=2), 1.0)
    best = means.argmax(axis=1)
    assert np.allclose(means.max(axis=1), 0.75)
    assert np.sort(means, axis=1)[:, -2].max() <= 0.65 + 1e-12
    assert stats.chisquare(np.bincount(best, minlength=4)).pvalue > LEVEL
    chosen = actions[np.arange(3000), best]
    theta = np.linalg.lstsq(actions.reshape(-1, 3), means.ravel(), rcond=None)[0]
    assert np.linalg.norm(theta) == pytest.approx(1.0)
    first = np.cross(theta, [1.0, 0.0, 0.0])
    first /= np.linalg.norm(first)
    angles = np.arctan2(chosen @ np.cross(theta, first), chosen @ first)
    assert stats.kstest(angles, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > LEVEL


@pytest.mark.chance(3e-6, "three Kolmogorov tests at 1e-6")
def test_theta_is_uniform_on_the_sphere():
    """The place of the best actions' mean over 500 runs: each coordinate of theta is uniform for d = 3."""
    place = LinearContexts(features=3, arms=2)
    found = []
    for seed in range(500):
        actions, means, _ = place.draw(np.random.default_rng(seed), 3)
        found.append(np.linalg.lstsq(actions.reshape(-1, 3), means.ravel(), rcond=None)[0])
    for coordinate in np.array(found).T:
        assert stats.kstest(coordinate, stats.uniform(-1.0, 2.0).cdf).pvalue > LEVEL


@pytest.mark.chance(2e-6, "a normal score and, for normal rewards, a Kolmogorov test at 1e-6")
@pytest.mark.parametrize(("rewards", "deviation"), [("signs", None), ("normal", 1.0)])
def test_rewards_have_the_means_of_their_actions(rewards, deviation):
    place = LinearContexts(features=2, arms=3, rewards=rewards)
    _, means, paid = place.draw(np.random.default_rng(2), 4000)
    noise = paid - means
    spread = np.sqrt(1.0 - means**2) if deviation is None else np.full_like(means, deviation)
    score = (noise * means).sum() / math.sqrt((spread**2 * means**2).sum())
    assert abs(score) < stats.norm.isf(LEVEL / 2)
    twin = ((paid - 1.5 * means) * means).sum() / math.sqrt((spread**2 * means**2).sum())
    assert abs(twin) > stats.norm.isf(LEVEL / 2), "rewards whose means are half as large again are told apart"
    if deviation is None:
        assert set(np.unique(paid)) == {-1.0, 1.0}
    else:
        assert stats.kstest(noise.ravel(), "norm").pvalue > LEVEL


def test_parameters():
    assert (environment("linear-contexts").arms, environment("linear-contexts").features) == (25, 5)
    assert LinearContexts(features=4).arms == 16
    assert LinearContexts(gap=0.5).gaps().tolist() == [1.5]
    assert LinearContexts(rewards="normal").reward_bound == math.inf
    with pytest.raises(PrivcheckError, match="decision sets are new every round"):
        LinearContexts().table(np.random.default_rng(0), 3)


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        *[({"features": bad}, "features") for bad in (1, 0, 2.5, math.nan, "3", 257)],
        *[({"arms": bad}, "arms") for bad in (1, -1, 2.5, math.nan)],
        *[({"gap": bad}, "gap") for bad in (-0.1, 1.5, 2.0, math.nan, math.inf)],
        *[({"best": bad}, "best") for bad in (0.0, 1.0, math.nan)],
        ({"rewards": "coin"}, "rewards"),
    ],
)
def test_bad_parameters_are_refused(changes, parameter):
    with pytest.raises(PrivcheckError) as caught:
        LinearContexts(**changes)
    assert caught.value.parameter == parameter


# Logs

SETS = np.random.default_rng(3).standard_normal((5, 3, 2))
PAID = np.random.default_rng(4).random((5, 3))


def test_npz_and_csv_files_are_read(tmp_path):
    np.savez(tmp_path / "log.npz", contexts=SETS, rewards=PAID, expected=PAID / 2)
    names = [f"context_{a}_{j}" for a in range(3) for j in range(2)]
    names += [f"reward_{a}" for a in range(3)] + ["user"] + [f"mean_{a}" for a in range(3)]
    order = [8, 2, 0, 1, 3, 4, 5, 6, 7, 10, 9, 11, 12]  # columns may come in any order
    values = np.column_stack([SETS.reshape(5, -1), PAID, np.full(5, 7.0), PAID / 2])
    lines = [",".join(names[i] for i in order)] + [",".join(repr(float(row[i])) for i in order) for row in values]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for place in (LoggedContexts.from_npz(tmp_path / "log.npz"), LoggedContexts.from_csv(tmp_path / "log.csv")):
        assert np.array_equal(place.contexts, SETS)
        assert np.array_equal(place.rewards, PAID)
        assert np.array_equal(place.expected, PAID / 2)
        assert (place.arms, place.features, place.longest) == (3, 2, 5)
        assert place.context_norm == pytest.approx(np.linalg.norm(SETS, axis=2).max())
        assert place.gaps()[0] == pytest.approx(np.ptp(PAID / 2, axis=1).max())
    assert LoggedContexts.from_npz(tmp_path / "log.npz", order="resampled").longest is None


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("context_0_0,context_1_0,reward_0,reward_1", "1,2,3,nan", "rewards: .*finite numbers"),
        ("context_0_0,context_1_0,reward_0,reward_1", "1,2,3,x", "a readable CSV file of numbers"),
        ("context_0_0,reward_0,reward_1", "1,2,3", "no column context_1_0"),
        ("context_0_0,context_1_0,reward_1", "1,2,3", "no column reward_0"),
        ("context_0_0,reward_0", "1,2", "at least two"),
        ("a,b", "1,2", "no columns context_A_J and reward_A"),
        ("context_0_0,context_1_0,reward_0,reward_1,mean_0", "1,2,3,4,5", "no column mean_1"),
    ],
)
def test_bad_csv_files_are_refused(tmp_path, header, row, message):
    (tmp_path / "log.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    with pytest.raises(PrivcheckError, match=message) as caught:
        LoggedContexts.from_csv(tmp_path / "log.csv")
    assert "\n" not in str(caught.value)


def test_bad_npz_files_are_refused(tmp_path):
    with pytest.raises(PrivcheckError, match=r"readable \.npz file"):
        LoggedContexts.from_npz(tmp_path / "none.npz")
    np.savez(tmp_path / "half.npz", contexts=SETS)
    with pytest.raises(PrivcheckError, match="an array named rewards"):
        LoggedContexts.from_npz(tmp_path / "half.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(PrivcheckError, match=r"readable \.npz file"):
        LoggedContexts.from_npz(tmp_path / "text.npz")


@pytest.mark.parametrize(
    ("contexts", "rewards", "parameter"),
    [
        (SETS, PAID[:4], "rewards"),
        (SETS[:, :1], PAID[:, :1], "contexts"),
        (SETS[:0], PAID[:0], "contexts"),
        (SETS[0], PAID, "contexts"),
        (np.where(SETS > 1.0, np.nan, SETS), PAID, "contexts"),
        (SETS, np.full((5, 3), np.inf), "rewards"),
        ("x", PAID, "contexts"),
    ],
)
def test_bad_logs_are_refused(contexts, rewards, parameter):
    with pytest.raises(PrivcheckError) as caught:
        LoggedContexts(contexts, rewards)
    assert caught.value.parameter == parameter
