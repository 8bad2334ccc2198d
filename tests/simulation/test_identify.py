"""`identify`: scheduling, deltas, cut runs, wrong recommendations, JSON, the command, and values that are refused."""

import json

import numpy as np
import pytest

import privcheck
from privcheck import identify
from privcheck.bandits import ALGORITHMS
from privcheck.cli import run
from privcheck.environments import RewardTable
from privcheck.errors import PrivcheckError
from privcheck.inference import clopper_pearson
from privcheck.results import StoppingResult

SPEC = ALGORITHMS["dp-exact-tt"](arms=3, epsilon=1.0)
MEANS = [0.9, 0.6, 0.5]


def test_results_do_not_depend_on_jobs_and_more_runs_extend_the_sample():
    found = identify(SPEC, MEANS, horizon=1e6, delta=[0.1, 0.01], runs=40, seed=1)
    stops = found.results[0].stops
    for options in ({"runs": 40, "jobs": 2}, {"runs": 32}):
        again = identify(SPEC, MEANS, horizon=1e6, delta=[0.1, 0.01], seed=1, **options).results[0].stops
        assert np.array_equal(again, stops[: options["runs"]])
    assert (stops[:, 0, 0] <= stops[:, 1, 0]).all(), "a smaller delta needs no fewer rounds"
    assert len(np.unique(stops[:, 0, 0])) > 3
    arrays = found.to_arrays()
    assert arrays["stop"].shape == arrays["recommendation"].shape == (1, 40, 2)


def result(stops, horizon=100):
    stops = np.array(stops)[:, None, :]
    return StoppingResult("x", SPEC, np.array([0.01]), stops, np.array([True, False, False]), horizon, 0.0, "event")


def test_statistics_of_runs_that_all_stop():
    (row,) = result([[10, 0], [20, 0], [30, 1], [40, 0]]).summary()
    assert (row["mean"], row["median"], row["q95"], row["cut"]) == (25.0, 20.0, 40.0, 0.0)
    assert row["se"] == pytest.approx(np.std([10, 20, 30, 40], ddof=1) / 2)
    assert row["error_rate"] == 0.25
    assert (row["error_low"], row["error_high"]) == clopper_pearson(1, 4, 0.025)


def test_a_run_that_is_cut_takes_the_mean_away():
    """The mean of min(tau, cap) is a function of the cap; a run that is cut is not counted as right or as wrong."""
    (row,) = result([[10, 0], [20, 1], [0, -1], [0, -1]]).summary()
    assert row["mean"] is row["se"] is None
    assert (row["median"], row["q95"], row["cut"], row["error_rate"]) == (20.0, np.inf, 0.5, 0.25)


def test_json_and_table_rewards(capsys):
    """On a table every run sees the same rewards, and at this horizon none of the runs stops."""
    place = RewardTable(np.tile([0.5, 0.5, 0.0], (40, 1)))
    stored = json.loads(identify("dp-exact-tt", place, horizon=40, runs=5, epsilon=1.0).to_json())
    assert stored["results"][0]["mean"] is None
    assert (stored["results"][0]["median"], stored["results"][0]["cut"]) == ("inf", 1.0)
    command = ["simulate", "dp-exact-tt", "--means", "0.9,0.5", "--epsilon", "1", "--horizon", "1e5", "--runs", "5"]
    assert run([*command, "--delta", "0.1,0.01", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert [row["delta"] for row in rows] == [0.1, 0.01]
    assert run(command) == 0
    assert "wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--delta", "x"], "delta: got x, expected a number or several"),
        (["--delta", "0.7"], "delta: got 0.7"),
        (["--delta", "0.1,0.1"], "distinct probabilities"),
        (["--plot", "x.png"], "plot: got given, expected no such option with best-arm identification"),
    ],
)
def test_the_command_refuses(options, expected, capsys):
    command = ["simulate", "dp-exact-tt", "--means", "0.9,0.5", "--epsilon", "1", "--horizon", "1e3", "--runs", "2"]
    assert run([*command, *options]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert expected in said.replace("'", "")


def test_kinds_are_not_mixed():
    with pytest.raises(PrivcheckError, match="policies: got ucb, expected algorithms that identify the best arm"):
        identify(["dp-exact-tt", "ucb"], MEANS, horizon=100, epsilon=1.0)
    with pytest.raises(PrivcheckError, match=r"policies: got dp-exact-tt, expected .* measured by their regret"):
        privcheck.simulate("dp-exact-tt", MEANS, horizon=100, epsilon=1.0)
    with pytest.raises(PrivcheckError, match="horizon"):
        identify("dp-exact-tt", MEANS, horizon=2, epsilon=1.0)
