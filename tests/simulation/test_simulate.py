"""`simulate` and its result: scheduling, seeding, labels, statistics, JSON, arrays."""

import contextlib
import io
import json

import numpy as np
import pytest

from privcheck import progress as progress_module
from privcheck.bandits import ALGORITHMS
from privcheck.environments import Bernoulli
from privcheck.errors import PrivcheckError
from privcheck.simulation import _engine as engine
from privcheck.simulation import simulate
from privcheck.simulation._engine import chunk_runs, log_checkpoints, play

FIELDS = ["policy", "mean", "se", "median", "q05", "q95", "q99", "runs", "horizon", "engine", "seconds"]
ALL = [
    name
    for name in ALGORITHMS
    if ALGORITHMS[name].feedback in ("bandit", "full") and ALGORITHMS[name].budget_name() != "rho"
]


@pytest.fixture(scope="module")
def simulation():
    return simulate(ALL, "c2", horizon=1000, runs=600, seed=3, epsilon=1.0, checkpoints=20)


@pytest.mark.parametrize("jobs", [2, 3])
def test_results_do_not_depend_on_jobs(simulation, jobs):
    again = simulate(ALL, "c2", horizon=1000, runs=600, seed=3, epsilon=1.0, checkpoints=20, jobs=jobs)
    assert np.array_equal(again.to_arrays()["regret"], simulation.to_arrays()["regret"])


@pytest.mark.parametrize("name", ALL)
def test_more_runs_extend_the_sample_and_other_policies_change_nothing(simulation, name):
    alone = simulate(name, "c2", horizon=1000, runs=300, seed=3, epsilon=1.0, checkpoints=20)
    assert np.array_equal(alone.results[0].regret, simulation.results[ALL.index(name)].regret[:300])


def test_an_algorithm_under_zcdp_takes_rho_or_mu():
    options = {"horizon": 1000, "runs": 50, "seed": 3, "checkpoints": 20}
    by_rho, by_mu = (
        simulate("gaussian-glr-imed", "c2", rho=0.5, **options),
        simulate("gaussian-glr-imed", "c2", mu=1.0, **options),
    )
    assert np.array_equal(by_rho.results[0].regret, by_mu.results[0].regret)
    with pytest.raises(PrivcheckError, match=r"rho: got None, .* give its budget, for example rho=0\.1"):
        simulate("gaussian-glr-imed", "c2", epsilon=1.0, **options)


def warm_up(name):
    values = {"arms": 5, "epsilon": 1.0, "horizon": 1000}
    cls = ALGORITHMS[name]
    return cls(**{key: value for key, value in values.items() if cls.declares(key)}).warm_up()


def test_another_seed_is_another_sample(simulation):
    other = simulate(ALL, "c2", horizon=1000, runs=600, seed=4, epsilon=1.0, checkpoints=20).to_arrays()["regret"]
    for name, ours, theirs in zip(ALL, simulation.to_arrays()["regret"], other, strict=True):
        if warm_up(name) > 1000:
            continue  # until then dp-se plays the arms in a fixed order
        assert not np.array_equal(ours, theirs)


def test_chunks_are_independent_and_of_a_size_fixed_by_the_work(monkeypatch):
    spec = ALGORITHMS["ucb"](arms=5)
    assert [chunk_runs(spec, Bernoulli((0.5,) * 5), t) for t in (10, 10**5, 10**6, 10**7)] == [256, 20, 2, 1]
    place, rounds, seen = Bernoulli((0.6, 0.5, 0.4, 0.3, 0.2)), np.array([64]), []
    original = engine.play_chunk

    def recording(algorithm, environment, checkpoints, runs, seed, key):
        seen.append((runs, key))
        return original(algorithm, environment, checkpoints, runs, seed, key)

    monkeypatch.setattr(engine, "play_chunk", recording)
    done = []
    regret = play(spec, place, checkpoints=rounds, runs=600, seed=0, key=(9,), advance=done.append)
    assert seen[1:] == [(256, (9, 0)), (256, (9, 1)), (88, (9, 2))]
    assert done == [256, 256, 88]
    assert not np.array_equal(regret[:256], regret[256:512])


def test_checkpoints():
    for horizon, count in [(1, 1), (5, 200), (10**7, 200), (10**15, 200), (37, 10), (10**6, 1)]:
        rounds = log_checkpoints(horizon, count)
        assert rounds.dtype == np.int64
        assert rounds[-1] == horizon
        assert rounds[0] >= 1
        assert (np.diff(rounds) > 0).all()
        assert len(rounds) <= count
    assert len(log_checkpoints(10**7, 200)) > 150


def test_regret_grows_and_is_bounded(simulation):
    for result in simulation.results:
        assert (np.diff(result.regret, axis=1) >= 0).all()
        assert (result.regret <= 0.5 * simulation.checkpoints + 1e-9).all()


def test_summary(simulation):
    for result, row in zip(simulation.results, simulation.summary(), strict=True):
        final = result.regret[:, -1]
        assert list(row) == FIELDS
        assert row["mean"] == pytest.approx(np.mean(final))
        assert row["se"] == pytest.approx(np.std(final, ddof=1) / np.sqrt(600))
        assert [row["q05"], row["median"], row["q95"], row["q99"]] == pytest.approx(
            np.percentile(final, [5, 50, 95, 99])
        )
        assert (row["runs"], row["horizon"]) == (600, 1000)
        assert row["engine"] == ALGORITHMS[row["policy"]].simulation_engine
        assert 0 < row["seconds"] < 60


def test_json(simulation):
    text = simulation.to_json()
    assert text.startswith('{"schema_version": 3, ')
    place = {"id": simulation.environment.id, "means": list(simulation.environment.means)}
    setting = {"environment": place, "horizon": 1000, "runs": 600, "seed": simulation.seed}
    setting["algorithms"] = [result.algorithm.describe() for result in simulation.results]
    assert json.loads(text) == {"schema_version": 3, "results": simulation.summary()} | setting


def test_one_run_has_no_standard_error():
    one = simulate("ucb", "c2", horizon=10, runs=1)
    assert one.summary()[0]["se"] is None
    assert json.loads(one.to_json())["results"][0]["se"] is None


def test_arrays_survive_numpy_files(simulation, tmp_path):
    np.savez(tmp_path / "simulation.npz", **simulation.to_arrays())
    with np.load(tmp_path / "simulation.npz") as stored:
        assert stored["policy"].tolist() == ALL
        assert stored["round"].tolist() == simulation.checkpoints.tolist()
        assert stored["regret"].shape == (len(ALL), 600, len(simulation.checkpoints))


def test_labels_are_distinct():
    adap = ALGORITHMS["adap-ucb"]
    policies = ["ucb", adap(arms=2, epsilon=0.5), adap(arms=2, epsilon=1), "rnm-ftnl", "rnm-ftnl", "kl-ucb"]
    simulation = simulate(policies, (0.6, 0.4), horizon=100, runs=300, epsilon=2.0)
    labels = [row["policy"] for row in simulation.summary()]
    assert labels == ["ucb", "adap-ucb(epsilon=0.5)", "adap-ucb(epsilon=1)", "rnm-ftnl #1", "rnm-ftnl #2", "kl-ucb"]
    first, second = (simulation.results[i].regret for i in (3, 4))
    assert not np.array_equal(first, second), "twins have streams of their own"


def test_a_spec_keeps_its_own_epsilon():
    spec = ALGORITHMS["adap-ucb"](arms=2, epsilon=0.5)
    simulation = simulate([spec, "adap-ucb"], (0.6, 0.4), horizon=100, runs=2, epsilon=3.0)
    assert [result.algorithm.epsilon for result in simulation.results] == [0.5, 3.0]


def test_progress_is_silent_without_a_terminal_and_shown_on_one(monkeypatch, capsys):
    simulate("ucb", "c2", horizon=10, runs=2)
    assert capsys.readouterr() == ("", "")

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(progress_module.sys, "stderr", terminal)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        simulate("ucb", "c2", horizon=10, runs=2)
    assert "simulating" in terminal.getvalue()
    assert out.getvalue() == ""


def test_the_global_random_state_is_left_alone():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    simulate("adap-ucb", "c2", horizon=100, runs=10, epsilon=1.0)
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002
