"""`privcheck simulate`: environments, files and comparisons by flags."""

import json

import numpy as np
import pytest

from privcheck.cli import run
from privcheck.environments import Beta, FiniteSupport, Gaussian
from privcheck.results import Simulation
from tests.example_results import read_csv

BASE = ["simulate", "adap-ucb", "ucb", "--epsilon", "1", "--horizon", "300", "--runs", "5"]
MEANS = ["--means", "0.75,0.5"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{'tea' if i % 2 else 'milk'},{i % 3},{0.5}" for i in range(40)]
    (tmp_path / "clicks.csv").write_text("\n".join(["item,stars,p", *rows]) + "\n")
    (tmp_path / "twice.csv").write_text("item,stars,stars\ntea,1,0\nmilk,0,1\n")
    (tmp_path / "nameless.csv").write_text("item,stars\ntea,1\n,0\n")
    (tmp_path / "alone.csv").write_text("item,stars\ntea,1\n")


def test_files_and_comparison(capsys):
    assert (
        run([*BASE, *MEANS, "--csv", "out/a.csv", "--npz", "a.npz", "--compare", "--plot", "a.png", "--log-regret"])
        == 0
    )
    out = capsys.readouterr().out
    assert "pseudo-regret after 300 rounds, 5 runs" in out
    assert "differences in final regret" in out
    stored = Simulation.read_npz("a.npz")
    assert np.array_equal(read_csv("out/a.csv")["regret"], stored.to_arrays()["regret"])


def test_comparisons_in_json(capsys):
    assert run([*BASE, *MEANS, "--compare", "--json", "-"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (found["first"], found["second"]) == ("adap-ucb", "ucb")
    assert set(found["q99"]) == {"value", "low", "high"}
    assert run([*BASE, *MEANS, "--json", "-"]) == 0
    assert "comparisons" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("flags", "place"),
    [
        (["--environment", "beta", *MEANS], Beta((0.75, 0.5))),
        (["--environment", "beta", *MEANS, "--with", "concentration=9"], Beta((0.75, 0.5), 9.0)),
        (["--environment", "gaussian", *MEANS, "--with", "outside=clip", "--with", "deviation=0.2"],
         Gaussian((0.75, 0.5), 0.2, "clip")),
        (["--environment", "finite-support", "--with", "support=0,0.5", "--with", "weights=0.5,0.5;0.1,0.9"],
         FiniteSupport((0.0, 0.5), ((0.5, 0.5), (0.1, 0.9)))),
    ],
)  # fmt: skip
def test_kinds_of_arms(flags, place):
    assert run([*BASE, *flags, "--npz", "a.npz"]) == 0
    assert Simulation.read_npz("a.npz").environment == place


def test_a_log():
    flags = [
        "--log",
        "clicks.csv",
        "--action",
        "item",
        "--reward",
        "stars",
        "--reward-range",
        "0,4",
        "--propensity",
        "p",
    ]
    assert run([*BASE, *flags, "--npz", "a.npz"]) == 0
    place = Simulation.read_npz("a.npz").environment
    assert place.names == ("milk", "tea")
    assert place.support == (0.0, 0.25, 0.5)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], ["environment: got None", "--log clicks.csv"]),
        (["--with", "low=0.1", *MEANS], ["environment: got None"]),
        (["--environment", "beta"], ["build it with its means"]),
        (["--environment", "beta", "--with", "concentration=3"], ["means: got None", "--with means="]),
        (
            ["--environment", "beta", *MEANS, "--with", "spread=3"],
            ["spread: got '3'", "the parameters of beta are means, concentration"],
        ),
        (["--environment", "beta", *MEANS, "--with", "concentration"], ["with: got 'concentration'"]),
        (["--environment", "beta", *MEANS, "--with", "concentration=0"], ["concentration: got 0.0"]),
        (["--environment", "c2", *MEANS], ["environment: got 'c2 with means'", "c2 has fixed means"]),
        (["--environment", "gaussian", *MEANS], ["adap-ucb on rewards outside [0, 1]", "clip"]),
        (["--environment", "betta", *MEANS], ["did you mean 'beta'?"]),
        (["--log", "clicks.csv", *MEANS], ["one source of rewards"]),
        (["--log", "clicks.csv", "--reward", "stars"], ["action: got None", "--action", "the file has item, stars, p"]),
        (
            ["--log", "clicks.csv", "--action", "item", "--reward", "clicks"],
            ["columns: got 'clicks'", "item, stars, p"],
        ),
        (["--log", "clicks.csv", "--action", "item", "--reward", "stars"], ["column 'stars', line 4: got 2.0"]),
        (["--log", "twice.csv", "--action", "item", "--reward", "stars"], ["columns: got 'stars', 2 times"]),
        (["--log", "nameless.csv", "--action", "item", "--reward", "stars"], ["column 'item', line 3: got ''"]),
        (["--log", "alone.csv", "--action", "item", "--reward", "stars"], ["arms: got ('tea',)"]),
        (["--log", "none.csv", "--action", "item", "--reward", "stars"], ["log: got 'none.csv'"]),
        (["--action", "item", *MEANS], ["action: got 'item'", "--log"]),
        (["--means", "0.5"], ["means: got (0.5,)", "2 to 127 numbers in [0, 1]"]),
        (["--means", "0.5,nan"], ["means: got (0.5, nan)"]),
        (["--means", "0.5,1.2"], ["means: got (0.5, 1.2)"]),
        (["--means", "0.5,,0.4"], ["means: got '0.5,,0.4'"]),
        (
            ["--environment", "finite-support", "--with", "support=0,0", "--with", "weights=0.5,0.5;0.1,0.9"],
            ["support: got (0.0, 0.0)", "different numbers"],
        ),
        ([*MEANS, "--horizon", "0"], ["horizon: got 0"]),
        ([*MEANS, "--horizon", "1"], ["horizon: got 1", "every arm is played once"]),
        ([*MEANS, "--horizon", "nan"], ["horizon: got nan"]),
        ([*MEANS, "--epsilon", "0"], ["epsilon: got 0", "give a positive budget"]),
        ([*MEANS, "adap-ucb(alpha=0)"], ["alpha: got 0"]),
        ([*MEANS, "adap-ucb(alpha=-1)"], ["alpha: got -1"]),
        ([*MEANS, "--csv", "a.txt"], ["csv: got 'a.txt'"]),
        ([*MEANS, "--npz", "a.csv"], ["npz: got 'a.csv'"]),
        ([*MEANS, "--compare", "--runs", "1"], ["compare: got '2 policies, 1 runs'"]),
    ],
)
def test_refused_in_one_line(flags, words, capsys):
    assert run([*BASE, *flags]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for word in words:
        assert word in err
