"""CSV and npz: everything comes back to the last digit, and files that are something else are refused."""

import csv
import dataclasses
import zipfile

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.environments import Bernoulli, Beta, FiniteSupport, Gaussian, Replay, RewardTable
from privcheck.errors import PrivcheckError
from privcheck.results import Simulation
from privcheck.results._simulation_files import read_csv
from privcheck.simulation import simulate

SPECS = [ALGORITHMS["adap-ucb"](arms=2, epsilon=1 / 3, alpha=2.0), "ucb", ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0)]


def small(place=(0.7, 0.4), policies=SPECS):
    return simulate(policies, place, horizon=50, runs=3, checkpoints=5, seed=7)


def test_csv_is_tidy_and_comes_back(tmp_path):
    simulation = small()
    simulation.save_csv(tmp_path / "regret.csv")
    with (tmp_path / "regret.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["policy", "run", "round", "regret"]
    arrays = simulation.to_arrays()
    assert len(rows) == arrays["regret"].size
    assert rows[-1]["policy"] == "adap-ucb(epsilon=1, alpha=3.1)"
    assert (int(rows[-1]["run"]), int(rows[-1]["round"])) == (2, 50)
    assert float(rows[-1]["regret"]) == arrays["regret"][-1, -1, -1]
    back = read_csv(tmp_path / "regret.csv")
    for name, values in arrays.items():
        assert back[name].dtype == values.dtype
        assert np.array_equal(back[name], values)


@pytest.mark.parametrize(
    "place",
    [
        Bernoulli((0.7, 0.4)), Beta((0.7, 0.4), 0.3), FiniteSupport((0.0, 0.5), ((1 / 3, 2 / 3), (0.5, 0.5))),
        Gaussian((0.7, 0.4), outside="clip"), Replay((0.0, 1.0), ((0.1, 0.9), (0.5, 0.5)), names=("tea", "coffee")),
    ],
    ids=lambda place: place.id,
)  # fmt: skip
def test_npz_comes_back_whole(place, tmp_path):
    simulation = small(place)
    simulation.save_npz(tmp_path / "simulation.npz")
    back = Simulation.read_npz(tmp_path / "simulation.npz")
    assert back.environment == place
    assert back.environment.means == place.means
    assert (back.horizon, back.runs, back.seed) == (50, 3, 7)
    assert back.summary() == simulation.summary()
    for result, original in zip(back.results, simulation.results, strict=True):
        assert result.algorithm == original.algorithm
        assert np.array_equal(result.regret, original.regret)
    assert np.array_equal(back.checkpoints, simulation.checkpoints)
    assert back.compare() == simulation.compare()


def test_named_instances_and_tables_come_back(tmp_path):
    for place in ("c2", RewardTable(np.random.default_rng(0).random((60, 5)))):
        simulation = small(place, "ucb")
        simulation.save_npz(tmp_path / "simulation.npz")
        back = Simulation.read_npz(tmp_path / "simulation.npz").environment
        assert type(back) is type(simulation.environment)
        assert back.means == simulation.environment.means


def test_what_is_not_registered_is_not_written(tmp_path):
    @dataclasses.dataclass(frozen=True)
    class Mine(Bernoulli):
        """Mine."""

    with pytest.raises(PrivcheckError, match=r"environment: got an object of .*Mine, expected one that is registered"):
        small(Mine((0.7, 0.4))).save_npz(tmp_path / "mine.npz")
    assert list(tmp_path.iterdir()) == []


def test_files_of_another_kind_are_refused(tmp_path):
    path = tmp_path / "other.npz"
    for content in (None, b"", b"text", b"PK\x05\x06" + bytes(18)):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(PrivcheckError, match=r"npz: got .*, expected a file written by save_npz"):
            Simulation.read_npz(path)
    np.savez(path, regret=np.zeros(3))
    with pytest.raises(PrivcheckError, match="npz: got"):
        Simulation.read_npz(path)
    small().save_npz(path)
    with zipfile.ZipFile(path) as archive:
        assert "regret.npy" in archive.namelist()
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(PrivcheckError, match="npz: got"):
        Simulation.read_npz(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text.replace("regret", "loss", 1),
        lambda text: "\n".join(text.splitlines()[:-1]),
        lambda text: text + text.splitlines()[-1] + "\n",
        lambda text: text.replace("ucb,1,", "ucb,one,", 1),
        lambda text: text.rstrip().rpartition(",")[0] + ",much\n",
        lambda text: text + "ucb\n",
    ],
)
def test_csv_files_that_were_changed_are_refused(change, tmp_path):
    path = tmp_path / "regret.csv"
    small().save_csv(path)
    path.write_text(change(path.read_text()))
    with pytest.raises(PrivcheckError, match=r"csv: got .*, expected a file written by save_csv"):
        read_csv(path)
    with pytest.raises(PrivcheckError, match="csv: got"):
        read_csv(tmp_path / "missing.csv")


@pytest.mark.parametrize(
    ("method", "name"), [("save_csv", "a.txt"), ("save_npz", "a.csv"), ("save_csv", "/dev/null/a.csv")]
)
def test_bad_paths(method, name, tmp_path):
    with pytest.raises(PrivcheckError, match=method[5:]):
        getattr(small(), method)(tmp_path / name)
