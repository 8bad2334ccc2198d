"""`privcheck certify`: exit statuses, JSON, and one line for bad input."""

import json
from pathlib import Path

import pytest

from privcheck import certify
from privcheck.cli import run
from privcheck.results import Certificate

FOLDER = Path(__file__).parents[1] / "certifying"
EXAMPLE = f"{Path(__file__).parents[2] / 'examples' / 'running_mean_bandit.py'}:RunningMeanBandit"
ZOO = f"{FOLDER / 'zoo.py'}:"
HIDING = f"{FOLDER / 'hiding.py'}:"
GAUSSIAN = f"{FOLDER / 'gaussian_policies.py'}:"
CONTEXTUAL = f"{FOLDER / 'contextual_zoo.py'}:"
EPSILON = ["--epsilon", "1", "--arms", "2"]
JOINT = [
    *EPSILON,
    *["--feedback", "contextual", "--neighbours", "context-reward", "--contexts", "2,2", "--context-norm", "1"],
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Run every test in an empty folder: what is left in it was written by the command."""
    monkeypatch.chdir(tmp_path)


def parsed(text):
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["adap-ucb", "--epsilon", "1"], 0, ["certified", "bounded under the guard"]),
        (
            ["adap-ucb", "--epsilon", "2", "--neighbours", "reward", "--arms", "5"],
            0,
            ["certified", "bounded under the guard"],
        ),
        ([f"{ZOO}ForgettingMean", *EPSILON], 0, ["certified", "bounded under the guard"]),
        ([f"{ZOO}ForgettingMean", "--arms", "2"], 0, ["no budget", "ForgettingMean", "exit status 0 says only"]),
        (["rnm-ftnl-published", "--epsilon", "1"], 1, ["not certified", "rnm_ftnl.py:", "at most epsilon = 1"]),
        (["ucb"], 1, ["not certified", "leak", "ucb.py:", "diverge", "round"]),
        ([EXAMPLE, *EPSILON], 1, ["not certified", "running_mean_bandit.py:"]),
        ([f"{ZOO}NoiseOfTheMean", *EPSILON], 1, ["not certified", "declared 0.25 (L1)", "zoo.py:"]),
        ([f"{ZOO}TiesByRawTotals", "--arms", "2"], 1, ["leak", "zoo.py:", "diverge"]),
        ([f"{HIDING}HidesTheLeak", *EPSILON], 1, ["not certified", "hiding.py:"]),
        ([f"{HIDING}OverlongTree", *EPSILON], 1, ["step: got 8 in a release at hiding.py:", "at most the horizon 7"]),
        ([f"{ZOO}Unclipped", *EPSILON, "--rewards=0,10"], 1, ["not certified", "10.0 computed from the data"]),
        ([f"{ZOO}Clipped", *EPSILON, "--rewards=-3,10"], 0, ["certified", "bounded under the guard"]),
        (
            [f"{GAUSSIAN}Batches", *EPSILON, "--delta", "1e-6"],
            0,
            ["at delta = 1e-06", "bounded under the guard", "gdp, with 100 %"],
        ),
        ([f"{GAUSSIAN}Batches", "--arms", "2", "--rho", "0.03"], 0, ["rho is at most 0.030", "rho = 0.0276817"]),
        ([f"{GAUSSIAN}Batches", "--arms", "2", "--mu", "0.24"], 0, ["mu is at most 0.240", "and so rho 0.029"]),
        ([f"{GAUSSIAN}Batches", *EPSILON], 1, ["not certified", "without a bound on epsilon"]),
        ([f"{GAUSSIAN}Batches", "--arms", "2", "--mu", "0.2"], 1, ["not certified", "at most mu = 0.2 per datum"]),
        (
            [f"{GAUSSIAN}Batches", *EPSILON, "--delta", "1e-6", "--accountants", "gdp=0.5,zcdp=0.5"],
            *(1, ["not certified", "at most epsilon = 1 at delta = 1e-06"]),
        ),
        (["adap-ucb(epsilon=0.25)", "--rho", "0.1"], 0, ["rho is at most 0.100"]),
        ([f"{CONTEXTUAL}SumsByArm", *JOINT], 0, ["joint differential privacy", "bounded under the guard", "norm=1.0"]),
        (
            [f"{CONTEXTUAL}CountsArms", *JOINT],
            1,
            ["not certified", "contextual_zoo.py:", ".argmax() on unreleased data"],
        ),
    ],
)
def test_exit_status_and_text(capsys, tmp_path, arguments, status, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")  # what stands in one cell of a table stands in one line
    assert run(["certify", *arguments]) == status
    out, err = capsys.readouterr()
    unwrapped = "".join(out.split())
    assert [word for word in words if "".join(word.split()) not in unwrapped] == []
    assert status == 0 or "allexecutions" not in unwrapped
    assert err == ""
    assert list(tmp_path.iterdir()) == []


def test_a_policy_that_needs_no_release_is_certified(capsys):
    """It spends nothing, whatever the budget."""
    Path("fixed.py").write_text(
        "class Fixed:\n    def __init__(self, rng): pass\n    def select(self): return 0\n"
        "    def update(self, action, reward): pass\n"
    )
    assert run(["certify", "fixed.py:Fixed", *EPSILON]) == 0
    assert "nothingwasreleasedthroughamechanism" in "".join(capsys.readouterr().out.split())
    assert run(["certify", "fixed.py:Fixed", "--arms", "2"]) == 0


def test_group_privacy_on_the_command_line(capsys):
    assert run(["certify", "adap-ucb", "--epsilon", "1", "--neighbours", "group:2", "--json", "-"]) == 1
    found = parsed(capsys.readouterr().out)
    assert (found["neighbours"], found["granted"], len(found["refusals"])) == ("group:2", False, 1)


@pytest.mark.parametrize("name", ["adap-ucb", "rnm-ftnl-published", "ucb"])
def test_json_is_what_python_gives(capsys, name):
    status = run(["certify", name, "--epsilon", "1", "--arms", "3", "--horizon", "12", "--seed", "7", "--json", "-"])
    out, err = capsys.readouterr()
    assert (status, err) == (int(name != "adap-ucb"), "")
    found = parsed(out)
    assert list(found) == ["schema_version", *Certificate.__dataclass_fields__]
    expected = certify(name, epsilon=1.0, arms=3, horizon=12, seed=7)
    assert found == parsed(expected.to_json())
    assert found["epsilon_upper"] == (1.0 if name == "adap-ucb" else None)
    assert (found["arms"], found["horizon"], found["seed"], found["executions"]) == (3, 12, 7, 20)


def test_json_goes_to_a_file(capsys):
    assert run(["certify", "adap-ucb", "--epsilon", "1", "--json", "deep/certificate.json"]) == 0
    assert "certified" in capsys.readouterr().out
    assert parsed(Path("deep/certificate.json").read_text())["granted"] is True
    assert [path.name for path in Path("deep").iterdir()] == ["certificate.json"]


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["adap-ucb", "--epsilon", "-1"], "epsilon: got -1.0, expected a finite number above 0"),
        (["adap-ucb", "--epsilon", "nan"], "epsilon: got nan"),
        (["adap-ucb", "--epsilon", "inf"], "epsilon: got inf"),
        (["adap-ucb", "--epsilon", "0"], "epsilon: got 0.0"),
        (["adap-ucb", "--epsilon", "one"], "epsilon: got 'one', expected a number"),
        (["adap-ucb"], "epsilon: got None"),
        (["adap-ucp", "--epsilon", "1"], "target: got 'adap-ucp'"),
        (
            ["adap-ucb", "--epsilon", "1", "--delta", "1e-6", "--accountants", "gdp=0.5, gdp=0.5"],
            "accountants: got 'gdp=0.5, gdp=0.5', expected one share of gdp",
        ),
        (["adap-ucb", "--delta", "1e-5"], "delta: got delta = 1e-05 without epsilon"),
        (["adap-ucb", "--epsilon", "1", "--delta", "1"], "delta: got 1.0, expected a number in [0, 1)"),
        (["adap-ucb", "--epsilon", "1", "--rho", "0.1"], "budget: got epsilon and rho"),
        (["adap-ucb", "--epsilon", "1", "--mu", "1"], "budget: got epsilon and mu"),
        (["adap-ucb", "--rho", "0.1"], "epsilon: got None, expected the budget to build adap-ucb with"),
        (["adap-ucb", "--mu", "zero"], "mu: got 'zero', expected a number"),
        (["adap-ucb", "--epsilon", "1", "--accountants", "gdp=1"], "accountants: got"),
        (["adap-ucb", "--epsilon", "1", "--delta", "0.1", "--accountants", "gdp"], "accountants: got 'gdp', expected"),
        (["adap-ucb", "--epsilon", "1", "--delta", "0.1", "--accountants", "gpd=1"], "accountant: got 'gpd'"),
        (["adap-ucb", "--epsilon", "1", "--delta", "0.1", "--accountants", "gdp=0.7,zcdp=0.7"], "accountants: got"),
        ([f"{ZOO}ForgettingMean", "--epsilon", "1"], "arms: got None"),
        ([f"{ZOO}NoSuchAnimal", *EPSILON], "target: got"),
        (["nowhere.py:Bandit", *EPSILON], "target: got 'nowhere.py', expected an existing Python file"),
        (["no_such_module:Bandit", *EPSILON], "target: got no_such_module, which raises ModuleNotFoundError"),
        (["broken.py:Bandit", *EPSILON], "target: got broken.py, which raises ZeroDivisionError"),
        (["unparsed.py:Bandit", *EPSILON], "target: got unparsed.py, which raises SyntaxError"),
        (["adap-ucb", "--epsilon", "1", "--arms", "1"], "arms: got 1"),
        (["adap-ucb", "--epsilon", "1", "--horizon", "0"], "horizon: got 0"),
        (["adap-ucb", "--epsilon", "1", "--runs", "0"], "runs: got 0"),
        (["adap-ucb", "--epsilon", "1", "--runs", "-2"], "runs: got -2"),
        (["adap-ucb", "--epsilon", "1", "--rewards", "0"], "rewards: got '0'"),
        (["adap-ucb", "--epsilon", "1", "--rewards", "1,0"], "rewards range: got"),
        (["adap-ucb", "--epsilon", "1", "--rewards", "a,b"], "rewards: got 'a,b'"),
        (["adap-ucb", "--epsilon", "1", "--rewards", "0,nan"], "rewards range: got"),
        (["adap-ucb", "--epsilon", "1", "--neighbours", "group"], "neighbours: got 'group'"),
        (["adap-ucb", "--epsilon", "1", "--feedback", "some"], "feedback: got 'some'"),
        (["adap-ucb", "--epsilon", "1", "--seed", "-1"], "seed: got -1"),
        (["adap-ucb", "--epsilon", "1", "--json", "certificate.txt"], "json: got 'certificate.txt'"),
        ([], "Missing argument '"),
    ],
)
def test_bad_input_is_told_in_one_line(capsys, tmp_path, arguments, start):
    Path("broken.py").write_text("Bandit = 1 / 0\n")
    Path("unparsed.py").write_text("class Bandit(:\n")
    assert run(["certify", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"privcheck: {start}")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [
        "broken.py",
        "unparsed.py",
    ]


@pytest.mark.parametrize(
    ("command", "few"), [("certify", ["--runs", "1"]), ("audit", ["--runs", "20", "--pairs", "1"])]
)
def test_a_module_is_shown_with_its_file(command, few, tmp_path, monkeypatch, capsys):
    """The one that is installed and a checkout have the same name."""
    module = f"{command}_of_my_own"  # each is imported once in a process
    (tmp_path / f"{module}.py").write_text(
        "class Two:\n"
        "    def __init__(self, rng): pass\n"
        "    def select(self): return 0\n"
        "    def update(self, action, reward): pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    run([command, f"{module}:Two", *EPSILON, "--horizon", "2", *few])
    said = f"The code that was played: {module} is {tmp_path / f'{module}.py'}"
    assert "".join(said.split()) in "".join(capsys.readouterr().out.split()), "whole, on as many lines as it takes"


LINEAR = """import numpy as np


class Linear:
    def __init__(self, rng, arms, rho):
        self.rng, self.theta, self.scale = rng, np.zeros(2), 2.0 / np.sqrt(2.0 * rho)

    def select(self, context):
        return int(context @ self.theta > 0.0)

    def update(self, context, action, reward):
        self.theta = reward * context + self.rng.normal(0.0, self.scale, 2)
"""


def test_contextual_feedback_brings_its_neighbour_relation(tmp_path, capsys):
    file = tmp_path / "linear.py"
    file.write_text(LINEAR)
    given = ["certify", f"{file}:Linear", "--rho", "0.5", "--arms", "2", "--horizon", "3", "--runs", "1", "--json", "-"]
    given += ["--feedback", "contextual", "--contexts", "2", "--context-norm", "1"]
    assert run(given) == 0
    assert json.loads(capsys.readouterr().out)["neighbours"] == "context-reward"
    assert run([*given, "--neighbours", "row"]) == 2
    assert "give --neighbours context-reward" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--primitives", "zz"], 'declare one: privcheck.primitive("library.module.function", value=0)'),
        (
            ["--feedback", "contextual", "--neighbours", "context-reward"],
            "declare the contexts, as in --contexts 3 --context-norm 1",
        ),
    ],
)
def test_hints_are_options_outside_calls_of_python(options, hint, capsys):
    assert run(["certify", f"{ZOO}ForgettingMean", *EPSILON, *options]) == 2
    assert capsys.readouterr().err.rstrip().endswith(hint)
