"""Contextual algorithms in `simulate`: results, files, the command line, and the figures of two other simulators."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import t as student

from privcheck.bandits import ALGORITHMS
from privcheck.bandits.lin_ucb import LinUCB
from privcheck.bandits.lin_ucb_gaussian import LinUCBGaussian
from privcheck.environments import LinearContexts, LoggedContexts
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import SymmetricGaussianTree
from privcheck.simulation import simulate
from privcheck.simulation._engine import play
from tests.example_results import read_csv

NAMES = ["lin-ucb", "lin-ucb-gaussian", "lin-ucb-wishart", "lin-ucb-wishart-unshifted"]
OPTIONS = {"horizon": 300, "runs": 7, "seed": 3, "epsilon": 1.0, "delta": 0.1, "checkpoints": 10}
PLACE = LinearContexts(features=2, arms=5)


@pytest.fixture(scope="module")
def simulation():
    return simulate(NAMES, PLACE, **OPTIONS)


def logged(order="logged", **changes):
    actions, means, rewards = PLACE.draw(np.random.default_rng(0), 400)
    return LoggedContexts(actions, rewards, **{"expected": means, "order": order} | changes)


def test_results_do_not_depend_on_jobs_or_on_other_policies(simulation):
    again = simulate(NAMES, PLACE, **OPTIONS, jobs=2)
    assert np.array_equal(again.to_arrays()["regret"], simulation.to_arrays()["regret"])
    alone = simulate("lin-ucb-gaussian", PLACE, **OPTIONS | {"runs": 3})
    assert np.array_equal(alone.results[0].regret, simulation.results[1].regret[:3])
    other = simulate("lin-ucb-gaussian", PLACE, **OPTIONS | {"seed": 4})
    assert not np.array_equal(other.results[0].regret, simulation.results[1].regret)


def test_files_are_read_back(simulation, tmp_path):
    simulation.save_csv(tmp_path / "a.csv")
    assert np.array_equal(read_csv(tmp_path / "a.csv")["regret"], simulation.to_arrays()["regret"])
    for found in (simulation, simulate("lin-ucb", logged(), horizon=20, runs=2)):
        found.save_npz(tmp_path / "a.npz")
        again = type(found).read_npz(tmp_path / "a.npz")
        assert np.array_equal(again.to_arrays()["regret"], found.to_arrays()["regret"])
        assert [result.algorithm for result in again.results] == [result.algorithm for result in found.results]
        assert again.environment.described == found.environment.described
    assert np.array_equal(again.environment.contexts, logged().contexts)


def test_pages_pictures_and_json_say_where(simulation, tmp_path):
    simulation.save_html(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "linear-contexts (features 2, arms 5, gap 0.1" in page
    assert len(simulation.plot().axes[0].lines) >= 4
    written = json.loads(simulation.to_json(compare=True))
    assert written["environment"]["features"] == 2
    assert [row["policy"] for row in written["results"]] == NAMES
    assert "linear-contexts, 5 arms" in repr(simulation)
    shown = json.loads(simulate("lin-ucb", logged(), horizon=20, runs=2).to_json())["environment"]
    assert shown["contexts"] == [400, 5, 2]


def test_the_regret_of_a_log_is_that_of_its_means():
    """Non-private LinUCB in the order of the log has no randomness; its regret is that of the reference's actions."""
    place = logged()
    found = simulate("lin-ucb", place, horizon=400, runs=2, checkpoints=400).results[0]
    policy, total = found.algorithm.build(np.random.default_rng(0)), 0.0
    for t in range(400):
        chosen = policy.select(place.contexts[t])
        policy.update(place.contexts[t], chosen, float(place.rewards[t, chosen]))
        total += place.expected[t].max() - place.expected[t, chosen]
        at = np.flatnonzero(found.checkpoints == t + 1)
        assert np.allclose(found.regret[:, at], total)
    assert 0.0 < total < 400 * place.gaps()[0]


def test_without_means_the_regret_is_relative_to_the_rewards():
    hindsight = simulate("lin-ucb", logged(expected=None), horizon=50, runs=1).results[0].regret[0, -1]
    assert hindsight > simulate("lin-ucb", logged(), horizon=50, runs=1).results[0].regret[0, -1]


def test_a_resampled_log_can_be_played_for_longer():
    regret = simulate("lin-ucb", logged("resampled"), horizon=2000, runs=2).results[0].regret[:, -1]
    assert regret[0] != regret[1]
    with pytest.raises(PrivcheckError, match="at most the 400 rounds"):
        simulate("lin-ucb", logged(), horizon=401, runs=1)


@pytest.mark.parametrize(
    ("policies", "place", "changes", "parameter"),
    [
        ("lin-ucb", [0.5, 0.4], {}, "policies"),
        ("adap-ucb", PLACE, {}, "policies"),
        ("dp-exact-tt", PLACE, {}, "policies"),
        (["lin-ucb", "ucb"], PLACE, {}, "policies"),
        ("lin-ucb-gaussian", PLACE, {"delta": None}, "delta"),
        *[("lin-ucb-gaussian", PLACE, {"delta": bad}, "delta") for bad in (0.0, 1.0, -0.1, "0.1", float("nan"))],
        ("lin-ucb-gaussian", PLACE, {"epsilon": None}, "epsilon"),
        ("lin-ucb-gaussian(features=3)", PLACE, {}, "policies"),
        ("lin-ucb-gaussian(arms=4)", PLACE, {}, "policies"),
        (ALGORITHMS["lin-ucb"](arms=5, features=3, horizon=300), PLACE, {}, "policies"),
        (ALGORITHMS["lin-ucb"](arms=5, features=2, horizon=299), PLACE, {}, "policies"),
        (ALGORITHMS["ucb"](arms=5), PLACE, {}, "policies"),
        ("lin-ucb-gaussian(outside=refuse, reward_bound=0.5)", PLACE, {}, "reward"),
        ("lin-ucb-wishart(outside=refuse, context_norm=0.5)", PLACE, {}, "context"),
        ("lin-ucb", "logged-contexts", {}, "environment"),
    ],
)
def test_bad_input_is_refused(policies, place, changes, parameter):
    with pytest.raises(PrivcheckError) as caught:
        simulate(policies, place, **OPTIONS | changes)
    assert caught.value.parameter == parameter
    assert "\n" not in str(caught.value)


def test_the_command_line(tmp_path, capsys):
    from privcheck.cli import run

    actions, means, rewards = PLACE.draw(np.random.default_rng(0), 60)
    np.savez(tmp_path / "log.npz", contexts=actions, rewards=rewards, expected=means)
    names = [f"context_{a}_{j}" for a in range(5) for j in range(2)] + [f"reward_{a}" for a in range(5)]
    values = np.column_stack([actions.reshape(60, -1), rewards])
    np.savetxt(tmp_path / "log.csv", values, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    common = [
        "simulate",
        "lin-ucb",
        "lin-ucb-gaussian",
        "--epsilon",
        "1",
        "--delta",
        "0.1",
        "--runs",
        "3",
        "--json",
        "-",
    ]
    for place in (
        ["--environment", "linear-contexts", "--with", "features=2", "--with", "arms=5"],
        ["--log", str(tmp_path / "log.npz")],
        ["--log", str(tmp_path / "log.csv"), "--with", "order=resampled"],
    ):
        assert run([*common, "--horizon", "50", *place]) == 0
        assert len(json.loads(capsys.readouterr().out)["results"]) == 2
    for wrong, message in (
        (
            ["--log", str(tmp_path / "log.npz"), "--with", "gap=1"],
            "gap: got '1', expected a parameter of logged contexts",
        ),
        (["--log", str(tmp_path / "none.npz")], "none.npz"),
        (["--environment", "linear-contexts", "--delta", "0.1,0.2"], "delta: got '0.1,0.2', expected one number"),
        (["--environment", "linear-contexts", "--with", "gap=2"], "gap: got 2"),
    ):
        assert run([*common, "--horizon", "50", *wrong]) == 2
        assert message in capsys.readouterr().err


# Figures of two simulators that share no code with this one: d = 3, K = 9, n = 20,000, gap 0.1, epsilon 1, delta 0.1


@dataclass(frozen=True)
class WithThePapersLevels(LinUCBGaussian):
    """Noise for the paper's 16 levels, of which 15 are released, as in the other simulators."""

    @property
    def mechanism(self):
        own = super().mechanism
        scale = own.scale * (math.sqrt(16 / 15) if self.noise == "calibrated" else 1.0)
        return SymmetricGaussianTree.with_scale(scale, horizon=self.items, degree=2)

    @property
    def deviation(self):
        return self.mechanism.scale * math.sqrt(16 / 2)


BARS = [(LinUCB, {}, 13.8, 0.1), (WithThePapersLevels, {"noise": "calibrated"}, 124.6, 0.6),
        (WithThePapersLevels, {"noise": "published"}, 1749.9, 11.0)]  # fmt: skip


@pytest.mark.chance(1e-6, "a mean against that of another simulator, within the quantile of Student's law")
@pytest.mark.evidence
@pytest.mark.parametrize(("cls", "changes", "bar", "error"), BARS)
def test_the_regret_is_that_of_other_simulators(cls, changes, bar, error, evidence):
    """Means and standard errors; the error of ours by Student's law.

    In the other simulators the best action comes first, and wins the tie of all actions in the first round.
    """
    budget = {"epsilon": 1.0, "delta": 0.1} if cls.private else {}
    spec, runs = cls(arms=9, features=3, horizon=20_000, **budget, **changes), evidence(40, 1000)
    found = play(spec, LinearContexts(features=3), checkpoints=np.array([1, 20_000]), runs=runs, seed=0)
    regret = found[:, 1] - found[:, 0]
    quantile = student.isf(5e-7, runs - 1)
    assert abs(regret.mean() - bar) < quantile * np.hypot(regret.std(ddof=1) / np.sqrt(runs), error)


@pytest.mark.evidence
def test_calibration_and_the_square_root_save_regret(evidence):
    """Runs of each at n = 20,000: the ranges of their regret do not overlap."""
    cls, regret = ALGORITHMS["lin-ucb-gaussian"], []
    for options in ({"noise": "published"}, {}, {"tree": "square-root"}):
        spec = cls(arms=9, features=3, horizon=20_000, epsilon=1.0, delta=0.1, **options)
        played = play(spec, LinearContexts(features=3), checkpoints=np.array([20_000]), runs=evidence(6, 40), seed=1)
        regret.append(played[:, -1])
    assert regret[0].min() > 5.0 * regret[1].max()
    assert regret[1].mean() > 1.5 * regret[2].mean()
