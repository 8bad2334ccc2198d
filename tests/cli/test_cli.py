"""The command line: exit statuses, one line for bad input, JSON and files as promised, quick help."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from privcheck import PolicyError, PrivcheckError
from privcheck.cli import main, run
from privcheck.files import check_output, write_whole
from privcheck.targets import Sampler

EXAMPLE = f"{Path(__file__).parents[2] / 'examples' / 'running_mean_bandit.py'}:RunningMeanBandit"
COMMANDS = ["audit", "bounds", "simulate", "report", "list"]

CLAIM = ["--epsilon", "1", "--arms", "4", "--horizon", "4", "--runs", "2e4"]
VIOLATION = ["audit", "rnm-ftnl-published", *CLAIM, "--pairs", "10"]
CONSISTENT = ["audit", "rnm-ftnl", *CLAIM, "--error", "1e-6"]
INCONCLUSIVE = ["audit", "rnm-ftnl", "--epsilon", "3", "--horizon", "4", "--runs", "20", "--pairs", "5"]
MEASURED = ["audit", "ucb", "--horizon", "4", "--runs", "1000", "--pairs", "10"]
BOUNDS = ["bounds", "--family", "bernoulli", "--means", "0.75,0.625,0.5", "--epsilon", "1", "--horizon", "1e7"]
SIMULATE = ["simulate", "adap-ucb", "ucb", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e3", "--runs", "20"]
LIST = ["list"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Run every test in an empty folder: what is left in it was written by the command."""
    monkeypatch.chdir(tmp_path)


def process(*arguments, **options):
    """Run the command line as a process of its own, in the present folder."""
    code = "import sys; from privcheck.cli import main; sys.argv[0] = 'privcheck'; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        text=True,
        timeout=120,
        check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | ENVIRONMENT | options,
    )


def _environment():
    """Let child processes find privcheck where this process found it, source tree or wheel."""
    import privcheck
    from privcheck import bounds

    places = [str(Path(module.__file__).parents[1]) for module in (privcheck, bounds)]
    return {"env": os.environ | {"PYTHONPATH": os.pathsep.join(places)}}


ENVIRONMENT = _environment()


def parsed(text):
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


# Exit statuses


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (VIOLATION, 1, "violation"),
        (CONSISTENT, 0, "consistent"),
        (INCONCLUSIVE, 3, "inconclusive"),
        (MEASURED, 0, "no claim"),
        (BOUNDS, 0, "azize-basu-2022/thm3"),
        (SIMULATE, 0, "adap-ucb"),
        (LIST, 0, "rnm-ftnl-published"),
    ],
)
def test_exit_status_and_text(capsys, tmp_path, arguments, status, word):
    assert run(arguments) == status
    out, err = capsys.readouterr()
    assert word in out
    assert err == ""
    assert list(tmp_path.iterdir()) == []


def test_statuses_of_real_processes():
    for arguments, status in ((VIOLATION, 1), (CONSISTENT, 0), (INCONCLUSIVE, 3), (["audit", "nope"], 2)):
        done = process(*arguments)
        assert done.returncode == status
        assert "Traceback" not in done.stdout + done.stderr
        assert (done.stderr == "") == (status != 2)


def test_main_exits_with_the_status(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["audit", "nope"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("privcheck: target: got 'nope'")


def test_a_file_of_ones_own_is_audited(capsys):
    arguments = ["--epsilon", "1", "--arms", "2", "--horizon", "20", "--runs", "2000", "--pairs", "10", "--json", "-"]
    assert run(["audit", EXAMPLE, *arguments]) == 1
    found = parsed(capsys.readouterr().out)
    assert (found["verdict"], found["engine"]) == ("violation", "python")


def test_an_interrupted_audit_is_inconclusive(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Sampler, "play", interrupted)
    assert run([*CONSISTENT, "--json", "-"]) == 3
    assert parsed(capsys.readouterr().out)["epsilon_lower"] is None


# Bad input


BAD = [
    (["nope"], ["No such command 'nope'", "lists the commands"]),
    (["--nope"], ["No such option: --nope", "`privcheck --help` lists the options"]),
    (["audit"], ["target: got none", "--command"]),
    (["audit", "adap-ucb", "--nope"], ["No such option", "--nope"]),
    (["audit", "adap-ucb", "--epsilon", "x"], ["--epsilon"]),
    (["audit", "adap-ucb", "--epsilon"], ["--epsilon"]),
    (["audit", "adap-ucb", "--arms", "2.5"], ["--arms"]),
    (["audit", "adap-ucb"], ["epsilon: got None", "--epsilon 1"]),
    (["audit", "adap-ucb", "--epsilon", "0"], ["epsilon: got 0.0", "a finite number above 0"]),
    (["audit", "adap-ucb", "--epsilon", "-1"], ["epsilon: got -1.0"]),
    (["audit", "adap-ucb", "--epsilon", "nan"], ["epsilon: got nan"]),
    (["audit", "adap-ucb", "--epsilon", "inf"], ["epsilon: got inf"]),
    (["audit", "adap-ucp", "--epsilon", "1"], ["target: got 'adap-ucp'", "did you mean 'adap-ucb'?", "privcheck list"]),
    (["audit", "missing.py:Bandit", "--arms", "2"], ["missing.py", "an existing Python file"]),
    (["audit", EXAMPLE.replace("RunningMeanBandit", "Nope"), "--arms", "2"], ["it defines RunningMeanBandit"]),
    (["audit", EXAMPLE.rpartition(":")[0], "--arms", "2"], ["path/to/file.py:name", "as in", EXAMPLE]),
    (["audit", EXAMPLE], ["arms: got None", "--arms 2"]),
    (["audit", "ucb", "--arms", "1"], ["arms: got 1", "an integer in [2, 127]"]),
    (["audit", "ucb", "--arms", "3", "--horizon", "2"], ["horizon: got 2", "at least the number of arms, 3"]),
    (["audit", "ucb", "--runs", "3"], ["runs: got 3", "an integer of at least 20"]),
    (["audit", "ucb", "--runs", "100.5"], ["runs: got '100.5'", "a whole number"]),
    (["audit", "ucb", "--jobs", "0"], ["jobs: got 0", "an integer in [1, 10000]"]),
    (["audit", "ucb", "--jobs", "99999999999999999999"], ["jobs: got 99999999999999999999", "[1, 10000]"]),
    (["audit", "ucb", "--time-limit", "1e11"], ["time_limit: got 100000000000.0", "a number in [0.001, 1e+09]"]),
    (["audit", EXAMPLE, "--arms", "2", "--horizon", "1e20"], ["horizon: got 100000000000000000000", "[1, 100000000]"]),
    (["audit", "ucb", "--store", ""], ["store: got ''", "a folder"]),
    (["certify", EXAMPLE, "--accountants", "gdp"], ["as in --accountants gdp=0.5,zcdp=0.5"]),
    (["audit", "ucb", "--time-budget", "0"], ["time_budget: got 0.0", "a finite number above 0"]),
    (["audit", "ucb", "--confidence", "95"], ["confidence: got 95.0", "a number in [0.5, 1)"]),
    (["audit", "ucb", "--error", "0"], ["error: got 0.0", "a number in (0, 0.5]"]),
    (["audit", "ucb", "--delta", "1"], ["delta: got 1.0", "a number in [0, 1)"]),
    (["audit", "ucb", "--seed", "-1"], ["seed: got -1", "an integer of at least 0"]),
    (["audit", "ucb", "--observe", "rewards"], ["observe: got 'rewards'", "'actions'"]),
    (["audit", "ucb", "--feedback", "some"], ["feedback: got 'some'", "'full'"]),
    (["audit", "ucb", "--neighbours", "rows"], ["neighbours: got 'rows'", "did you mean 'row'?"]),
    (["audit", "ucb", "--rewards", "0"], ["rewards: got '0'", "--rewards 0,1"]),
    (["audit", "ucb", "--rewards", "0;1"], ["rewards: got '0;1'", "numbers separated by commas; as in --rewards 0,1"]),
    (["audit", "ucb", "--rewards", "1,0"], ["rewards range: got (1.0, 0.0)", "lo < hi"]),
    (["audit", "ucb", "--streams", "missing.csv"], ["streams: got 'missing.csv'", "an existing file"]),
    ([*CONSISTENT, "--json", "report.txt"], ["json: got 'report.txt'", ".json"]),
    ([*CONSISTENT, "--json", "."], ["json: got '.'", ".json"]),
    ([*CONSISTENT, "--html", "report.pdf"], ["html: got 'report.pdf'", ".html"]),
    ([*CONSISTENT, "--json", "a.json", "--html", "b.txt"], ["html: got 'b.txt'"]),
    ([*CONSISTENT, "--json", "a.json", "--html", "/dev/null/b.html"], ["html: got", "a writable location"]),
    (["bounds"], ["instance: got None", "--means 0.75,0.5"]),
    (["bounds", "missing.toml"], ["missing.toml", "a TOML file"]),
    (["bounds", "a.toml", "--instance", "c2"], ["a.toml and c2", "one source of the arms"]),
    (["bounds", "--means", "0.75,0.5"], ["epsilon: got None", "--epsilon 1"]),
    (["bounds", "--means", "0.75,high", "--epsilon", "1"], ["means: got '0.75,high'", "numbers separated by commas"]),
    (["bounds", "--means", "0.75,1.5", "--epsilon", "1"], ["1.5"]),
    (["bounds", "--means", "0.75,0.5", "--epsilon", "-1"], ["epsilon: got -1.0"]),
    (["bounds", "--means", "0.75,0.5", "--epsilon", "1", "--family", "cauchy"], ["family: got 'cauchy'", "gaussian"]),
    (["bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "0"], ["horizon: got 0.0", "at least 1"]),
    (["bounds", "--instance", "c9", "--epsilon", "1"], ["'c9'", "'c2'"]),
    ([*BOUNDS, "--json", "bounds.txt"], ["json: got 'bounds.txt'", ".json"]),
    (["simulate"], ["Missing argument", "POLICY"]),
    (["simulate", "ucb", "--horizon", "10"], ["environment: got None", "--means 0.75,0.5"]),
    (["simulate", "ucb", "--means", "0.7,0.5"], ["horizon: got None", "--horizon 1e6"]),
    (["simulate", "ucb", "--means", "0.7,0.5", "--environment", "c2", "--horizon", "10"], ["environment"]),
    (["simulate", "ucb", "--means", "0.7", "--horizon", "10"], ["means"]),
    (["simulate", "ucb", "--means", "0.7,2", "--horizon", "10"], ["means", "2.0"]),
    (["simulate", "ucb", "--environment", "c9", "--horizon", "10"], ["environment: got 'c9'"]),
    (["simulate", "ucb", "--environment", "C2", "--horizon", "10"], ["environment: got 'C2'", "did you mean 'c2'?"]),
    (["simulate", "ucc", "--means", "0.7,0.5", "--horizon", "10"], ["algorithm: got 'ucc'", "did you mean 'ucb'?"]),
    (["simulate", "adap-ucb", "--means", "0.7,0.5", "--horizon", "10"], ["epsilon: got None"]),
    ([*SIMULATE, "--epsilon", "-1"], ["epsilon: got -1.0"]),
    ([*SIMULATE, "--runs", "0"], ["runs: got 0", "an integer of at least 1"]),
    ([*SIMULATE, "--horizon", "1.5"], ["horizon: got 1.5"]),
    ([*SIMULATE, "--horizon", "1"], ["horizon: got 1"]),
    ([*SIMULATE, "--checkpoints", "0"], ["checkpoints: got 0"]),
    ([*SIMULATE, "--seed", "-1"], ["seed: got -1"]),
    ([*SIMULATE, "--jobs", "0"], ["jobs: got 0"]),
    ([*SIMULATE, "--plot", "regret.doc"], ["plot: got 'regret.doc'", ".png"]),
    ([*SIMULATE, "--json", "regret.csv"], ["json: got 'regret.csv'"]),
    (["list", "--json", "list.txt"], ["json: got 'list.txt'"]),
    (["list", "everything"], ["everything"]),
    (["audit", "ucb", "--horizn", "4"], ["No such option: --horizn", "`privcheck audit --help`"]),
    (["certify", "ucb", "--delta", "0.1"], ["delta: got delta = 0.1 without epsilon", "only epsilon takes a delta"]),
    (["certify", "ucb", "--delt", "0.1"], ["No such option: --delt", "`privcheck certify --help`"]),
    (["certify", "ucb", "--primitives", "a", "--primitives", "b"], ["--primitives: got 2 lists, expected one"]),
    (["audti"], ["No such command 'audti'", "`privcheck --help`"]),
    (["simulate", "shop.py:Shop", "--means", "0.7,0.5", "--horizon", "10"], ["'shop.py'", "an existing Python file"]),
]


@pytest.mark.parametrize(("arguments", "fragments"), BAD, ids=lambda value: " ".join(value)[-60:])
def test_bad_input_is_told_in_one_line_and_nothing_is_written(capsys, tmp_path, arguments, fragments):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"privcheck: .*\S\n", err), err
    for fragment in fragments:
        assert fragment in err
    assert ".;" not in err
    assert list(tmp_path.iterdir()) == []


BAD_POLICY = """
class Bad:
    def __init__(self, rng): pass
    def select(self): return 7
    def update(self, action, reward): pass
"""


def test_a_policy_that_misbehaves_is_bad_input(capsys, tmp_path):
    (tmp_path / "bad.py").write_text(BAD_POLICY)
    assert run(["audit", "bad.py:Bad", "--arms", "2", "--runs", "100", "--html", "page.html"]) == 2
    error = PolicyError("action in round 1", 7, "an arm in 0, ..., 1", "arms are counted from 0; is `arms` right?")
    assert capsys.readouterr().err == f"privcheck: {error}\n"
    assert {path.name for path in tmp_path.iterdir()} <= {"bad.py", "__pycache__"}


def test_bad_input_of_real_processes(tmp_path):
    done = process("audit", "adap-ucb", "--epsilon", "-1", "--json", "a.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# JSON


def test_json_of_audit_on_standard_output(capsys):
    assert run([*VIOLATION, "--json", "-"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    found = parsed(out)
    assert next(iter(found)) == "schema_version"
    assert (found["verdict"], found["runs"], found["epsilon_claimed"]) == ("violation", 20_000, 1.0)
    import privcheck

    report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000, pairs=10)
    assert found | {"seconds": 0, "schema_version": 3} == parsed(report.to_json()) | {"seconds": 0}


def test_json_of_bounds(capsys):
    assert run([*BOUNDS, "--json", "-"]) == 0
    found = parsed(capsys.readouterr().out)
    assert list(found)[:3] == ["schema_version", "instance", "bounds"]
    assert found["instance"]["means"] == [0.75, 0.625, 0.5]
    fields = {
        "id",
        "kind",
        "quantity",
        "value",
        "constant",
        "asymptotic",
        "applies",
        "conditions",
        "provenance",
        "source",
    }
    for bound in found["bounds"]:
        assert fields <= set(bound)
        assert bound["kind"] in ("lower", "upper")
        assert bound["value"] is None or not bound["asymptotic"]
        assert bound["constant"] is None or bound["asymptotic"]
        assert all(set(condition) == {"text", "holds"} for condition in bound["conditions"])
    assert {"azize-basu-2022/thm3", "azize-basu-2022/thm3-tight"} <= {bound["id"] for bound in found["bounds"]}


def test_json_of_simulate(capsys):
    assert run([*SIMULATE, "--json", "-"]) == 0
    found = parsed(capsys.readouterr().out)
    assert next(iter(found)) == "schema_version"
    assert [row["policy"] for row in found["results"]] == ["adap-ucb", "ucb"]
    for row in found["results"]:
        assert set(row) == {
            "policy", "mean", "se", "median", "q05", "q95", "q99", "runs", "horizon", "engine", "seconds",
        }  # fmt: skip
        assert (row["runs"], row["horizon"]) == (20, 1000)
        assert row["q05"] <= row["median"] <= row["q95"] <= row["q99"]


def test_json_of_list(capsys):
    assert run([*LIST, "--json", "-"]) == 0
    found = parsed(capsys.readouterr().out)
    assert list(found) == ["schema_version", "algorithms", "mechanisms", "environments", "theorems"]
    for kind in ("algorithms", "mechanisms", "environments", "theorems"):
        assert found[kind]
        assert all(set(entry) == {"id", "summary"} and entry["id"] and entry["summary"] for entry in found[kind])


@pytest.mark.parametrize("arguments", [CONSISTENT, BOUNDS, SIMULATE, LIST], ids=lambda value: value[0])
def test_json_to_a_file_beside_the_text(capsys, tmp_path, arguments):
    assert run([*arguments, "--json", "new/result.json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.strip(), "the text is still printed"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["result.json"]
    assert parsed((tmp_path / "new" / "result.json").read_text())["schema_version"] == 3


def test_json_of_a_real_process_is_all_there_is():
    done = process(*INCONCLUSIVE, "--json", "-")
    assert done.returncode == 3
    assert done.stderr == ""
    assert parsed(done.stdout)["verdict"] == "inconclusive"


# Pages, pictures and files


def test_html(capsys, tmp_path):
    assert run([*VIOLATION, "--html", "report.html"]) == 1
    page = (tmp_path / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html")
    assert "violation" in page
    assert not re.search(r"(src|href)=[\"']https?:", page), "the page stands on its own"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert "violation" in capsys.readouterr().out


def test_plot(tmp_path):
    assert run([*SIMULATE, "--plot", "regret.png"]) == 0
    assert (tmp_path / "regret.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["regret.png"]


def test_streams_from_a_file(capsys, tmp_path):
    (tmp_path / "streams.csv").write_text("first,second\n0,1\n0,0\n0,0\n0,0\n")
    assert run(["audit", "ucb", "--epsilon", "1", "--streams", "streams.csv", "--runs", "1000", "--json", "-"]) == 1
    found = parsed(capsys.readouterr().out)
    assert found["witness"]["first"] == np.zeros((4, 2)).tolist()
    assert found["horizon"] == 4
    assert "streams.csv" in found["witness"]["streams"]


def test_bounds_from_a_file(capsys, tmp_path):
    (tmp_path / "mine.toml").write_text('family = "bernoulli"\nmeans = [0.8, 0.1]\nepsilon = 0.5\nhorizon = 1000\n')
    assert run(["bounds", "mine.toml", "--json", "-"]) == 0
    assert parsed(capsys.readouterr().out)["instance"]["epsilon"] == 0.5


def test_bounds_of_a_named_instance(capsys):
    assert run(["bounds", "--instance", "c2", "--epsilon", "1", "--json", "-"]) == 0
    found = parsed(capsys.readouterr().out)
    assert found["instance"]["means"] == [0.75, 0.625, 0.5, 0.375, 0.25]
    tight = next(bound for bound in found["bounds"] if bound["id"] == "azize-basu-2022/thm3-tight")
    assert tight["constant"] == pytest.approx(7.708, abs=1e-3)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "result.json"
    write_whole(target, "old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(PrivcheckError, match=r"json: got .*, expected a writable location; No space left on device"):
        write_whole(target, "new", "json")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_files_get_the_usual_permissions(tmp_path):
    write_whole(tmp_path / "deep" / "result.json", b"bytes")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "deep" / "result.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_outputs_are_checked_before_any_work(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.json").mkdir()
    assert check_output(tmp_path / "new" / "x.JSON", "json", (".json",)).name == "x.JSON"
    for path in (tmp_path / "file" / "x.json", tmp_path / "file" / "deep" / "x.json", tmp_path / "folder.json"):
        with pytest.raises(PrivcheckError, match="json: got"):
            check_output(path, "json", (".json",))


# Help and weight


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([command, "--help"] for command in COMMANDS)])
def test_help(capsys, arguments):
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert "Usage:" in out
    assert err == ""
    if len(arguments) == 1:
        assert all(re.search(rf"^\W*{command}\b", out, re.MULTILINE) for command in COMMANDS)


def test_without_arguments_the_help_is_shown(capsys):
    assert run([]) == 0
    assert "Usage:" in capsys.readouterr().out


HEAVY = ["numba", "scipy", "matplotlib", "opendp", "joblib"]


@pytest.mark.parametrize("code", ["import privcheck", "from privcheck.cli import run; run(['--help'])"])
def test_light_imports(code):
    """numpy itself is allowed; what takes long to import is not."""
    code += f"; import sys; print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, **ENVIRONMENT
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


@pytest.mark.parametrize("arguments", [LIST, [*LIST, "--json", "-"], ["--help"]])
def test_a_pipe_that_nobody_reads_gives_neither_a_verdict_nor_a_traceback(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = process(*arguments, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [LIST, [*LIST, "--json", "-"], ["--help"]])
def test_a_full_disk_is_told_in_one_line(arguments):
    with Path("/dev/full").open("w") as full:
        done = process(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith("privcheck: output: got No space left on device")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("text", "seed"), [("9007199254740993", 2**53 + 1), ("1e3", 1000)])
def test_whole_numbers_are_taken_to_the_last_digit(text, seed, capsys):
    assert (
        run(["simulate", "ucb", "--means", "0.75,0.5", "--horizon", "9", "--runs", "2", "--seed", text, "--json", "-"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["seed"] == seed
