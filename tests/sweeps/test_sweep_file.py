"""What a TOML file may say: every mistake is one line with the file and the key, before anything is played."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import privcheck
from privcheck import PrivcheckError, sweep
from privcheck.cli import run
from privcheck.sweeps._sweep_file import AUDITED, PLAYED, SIMULATED, read_cells

GOOD = Path("sweep.toml")

MISTAKES = {
    "kind = [": "invalid TOML",
    "kind = 'train'": "kind: got 'train', expected one of 'audit', 'simulation'",
    "": "kind: got nothing",
    "kind = 'audit'": "targets: got nothing",
    "kind = 'audit'\ntargets = 'adap-ucb'": "targets: got 'adap-ucb', expected a list",
    "kind = 'audit'\ntargets = [1]": "targets: got 1, expected a list of texts",
    "kind = 'audit'\ntargets = []": "targets: got [], expected a list with one value or more",
    "kind = 'audit'\ntargets = ['ucb', 'ucb']": "targets: got 'ucb', expected every value once",
    "kind = 'audit'\ntargets = ['ucb']\nepsilon = 1": "epsilon: got an unknown key",
    "kind = 'audit'\ntargets = ['ucb']\nepsilons = [0]": "epsilons: got 0, expected a finite number above 0",
    "kind = 'audit'\ntargets = ['ucb']\nepsilons = [1, 1.0]": "epsilons: got 1.0, expected every value once",
    "kind = 'audit'\ntargets = ['ucb']\nepsilons = ['a']": "epsilons: got 'a'",
    "kind = 'audit'\ntargets = ['ucb']\nhorizons = [1.5]": "horizons: got 1.5, expected an integer of at least 1",
    "kind = 'audit'\ntargets = ['ucb']\nseeds = {from = 3}": "seeds: got {'from': 3}",
    "kind = 'audit'\ntargets = ['ucb']\nseeds = {count = 0}": "seeds.count: got 0",
    "kind = 'audit'\ntargets = ['ucb']\nseeds = [-1]": "seeds: got -1",
    "kind = 'audit'\ntargets = ['ucb']\nenvironments = ['c2']": "environments: got a list, expected no environments",
    "kind = 'audit'\ntargets = ['ucb']\ndata = ['none.csv']": "data: got 'none.csv', expected a file that can be read",
    "kind = 'audit'\ntargets = ['ucb']\noptions = 1": "options: got 1, expected a table [options]",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\nrun = 5": "options.run: got an unknown option",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\nruns = 5": "runs: got 5, expected an integer of at least 20",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\nhorizon = 5": "options.horizon: got an option, expected the list",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\njobs = 5": "options.jobs: got an option",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\nguarded = true": "epsilon: got None",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\ncontexts = 3": "contexts: got 3, expected a table",
    "kind = 'audit'\ntargets = ['ucb']\n[product]\nruns = 50": "product.runs: got 50, expected a list",
    "kind = 'audit'\ntargets = ['ucb']\n[options]\nruns = 50\n[product]\nruns = [50]": "product.runs: got a value in",
    "kind = 'simulation'\ntargets = ['ucb']": "environments: got nothing",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = ['c2']": "horizons: got nothing",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = ['c2', 'c9']": "environments, number 2",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = [{means = [0.5]}]": "environments, number 1",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = [{id = 'beta', mean = [0.5, 0.4]}]": "environments, number",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = [[0.5, 2.0]]": "environments, number 1",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = [{log = 'no.csv', action = 'a', reward = 'r'}]": "number 1",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = ['c2']\nhorizons = [9]\n[options]\nruns = 0": "runs: got 0",
    "kind = 'simulation'\ntargets = ['ucb']\nenvironments = ['c2']\nhorizons = [9]\nseeds = {count = 1000000}\n"
    "[product]\nruns = [1, 2]": "product: got 2,000,000 cells",
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MISTAKES.items(), ids=range(len(MISTAKES)))
def test_every_mistake_is_one_line_with_file_and_key(text, said, capsys):
    GOOD.write_text(text)
    assert run(["sweep", "sweep.toml", "--store", "store"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("privcheck: sweep.toml")
    assert said in line
    assert not Path("store").exists()


def test_a_file_that_does_not_exist(capsys):
    assert run(["sweep", "none.toml", "--store", "store"]) == 2
    assert capsys.readouterr().err.startswith("privcheck: none.toml")


def test_options_are_those_of_the_functions():
    simulated = inspect.signature(privcheck.simulate).parameters
    axes = {"policies", "environment", "horizon", "epsilon", "seed", *PLAYED}
    assert {name: p.default for name, p in simulated.items() if name not in axes} == {
        name: default for name, (_, default) in SIMULATED.items()
    }
    assert set(AUDITED) == set(inspect.signature(privcheck.audit).parameters) - {
        "target", "epsilon", "horizon", "seed", *PLAYED,
    }  # fmt: skip


def test_the_order_is_that_of_the_file():
    plan = {"kind": "audit", "targets": ["ucb", "imed"], "epsilons": [2, 1], "seeds": [1, 0], "horizons": [4]}
    cells = read_cells(plan | {"options": {"runs": 50}, "product": {"arms": [3, 2]}})
    asked = [(cell.target, cell.options["arms"], cell.epsilon, cell.horizon, cell.seed) for cell in cells]
    assert asked[:3] == [("ucb", 3, 2.0, 4, 1), ("ucb", 3, 2.0, 4, 0), ("ucb", 3, 1.0, 4, 1)]
    assert len(set(asked)) == 16
    assert {cell.options["runs"] for cell in cells} == {50}


def test_equal_cells_have_equal_places():
    first, again, other = (
        read_cells({"kind": "audit", "targets": ["ucb"], "epsilons": [epsilon], "options": options})[0]
        for epsilon, options in ((1, {}), (1.0, {"confidence": 0.95}), (1.0, {"confidence": 0.9}))
    )
    assert first.place == again.place != other.place


def test_contextual_audits_and_every_kind_of_environment(tmp_path):
    plan = {"kind": "audit", "targets": ["lin-ucb-gaussian"], "epsilons": [1.0], "horizons": [4]}
    options = {"delta": 1e-5, "feedback": "contextual", "neighbours": "context-reward", "runs": 100}
    found = sweep(plan | {"options": options | {"contexts": {"shape": [2, 2], "norm": 1.0}}}, "audits")
    assert [cell["error"] for cell in found.cells] == [None]
    Path("clicks.csv").write_text("item,click\n" + "a,1\na,0\nb,1\nb,1\n" * 5)
    places = ["c2", [0.75, 0.5], {"id": "beta", "means": [0.75, 0.5], "concentration": 4}]
    places.append({"log": "clicks.csv", "action": "item", "reward": "click"})
    plan = {"kind": "simulation", "targets": ["ucb"], "environments": places, "horizons": [20], "options": {"runs": 2}}
    found = sweep(plan, "simulations")
    assert [cell["error"] for cell in found.cells] == [None] * 4
    before = found.cells[-1]["digest"]
    Path("clicks.csv").write_text("item,click\n" + "a,1\na,1\nb,0\nb,0\n" * 5)
    again = sweep(plan, "simulations")
    assert again.stale == (found.cells[-1]["file"],)
    assert again.cells[-1]["digest"] != before


def test_arguments_of_the_function_are_checked():
    plan = {"kind": "audit", "targets": ["ucb"]}
    with pytest.raises(PrivcheckError, match="jobs: got 0"):
        sweep(plan, "store", jobs=0)
    with pytest.raises(PrivcheckError, match="the sweep, kind"):
        sweep({"kind": "x"}, "store")


@pytest.mark.parametrize("name", ["streams", "encode", "law"])
def test_a_function_has_to_be_in_a_file(name):
    """It raised `TypeError: Object of type function is not JSON serializable`."""
    plan = {"kind": "audit", "targets": ["dp-se"], "epsilons": [1.0], "options": {name: len}}
    with pytest.raises(PrivcheckError, match=rf"the sweep, {name}: got a function, expected FILE\.py:NAME, or package"):
        sweep(plan, "store")
    assert not Path("store").exists()
