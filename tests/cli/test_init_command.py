"""`privcheck init`: the project that it writes passes its own tests, fails when it leaks, and overwrites nothing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.cli._init_command import FILES, skeleton

PLACES = str(Path(privcheck.__file__).parents[1])


@pytest.fixture
def project(tmp_path, capsys):
    folder = tmp_path / "private-news"
    assert run(["init", str(folder)]) == 0
    assert "Now run: cd " in capsys.readouterr().out
    return folder


@pytest.mark.parametrize("options", [[], ["--service"]])
def test_the_command_that_is_printed_is_one_for_a_shell(options, tmp_path, capsys):
    folder = tmp_path / "we ird's $(name)"
    assert run(["init", *options, str(folder)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Now run: ")]
    entered, _, _ = line.removeprefix("Now run: ").partition(" && ")
    shown = subprocess.run(["sh", "-c", f"{entered} && pwd"], capture_output=True, text=True, check=True, timeout=20)
    assert shown.stdout.strip() == str(folder)


def outcome(folder, *arguments, plugin=True):
    command = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "GITHUB", "COV"))
    }
    places = {"PYTHONPATH": PLACES, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [*command, *(["-p", "_hypothesis_pytestplugin", "-p", "privcheck.testing.plugin"] if plugin else [])],
        cwd=folder, env=environment | places, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.chance(2e-6, "two verdicts on true claims at 1e-6")
def test_the_tests_of_a_new_project_pass(project):
    """An audit of a true claim fails with probability at most 1e-6, and the seeds are fixed."""
    result = outcome(project)
    assert result.returncode == 0, result.stdout
    assert "4 passed" in result.stdout
    assert "consistent: the claim epsilon = 1 " in result.stdout
    assert "certified: epsilon is at most 1.000" in result.stdout
    assert not (project / "privacy-reports").exists()


def test_a_leak_fails_the_tests_and_leaves_a_page(project):
    pytest.importorskip("matplotlib")
    bandit = project / "private_news" / "bandit.py"
    text = bandit.read_text()
    assert "return sum(block)" in text
    bandit.write_text(text.replace("return sum(block)", "return 4.0 * sum(block)"))
    result = outcome(project, "-k", "private or released")
    assert result.returncode == 1
    assert "2 failed" in result.stdout
    assert "Page: privacy-reports/tests-test_privacy.py-test_the_arms_played_are_private.html" in result.stdout
    assert len(list((project / "privacy-reports").glob("*.html"))) == 1


def test_the_names_are_those_of_the_folder(project):
    table = tomllib.loads((project / "pyproject.toml").read_text())
    assert table["project"]["name"] == "private-news"
    assert table["tool"]["privcheck"] == {
        "epsilon": 1.0, "arms": 2, "horizon": 10, "runs": 5000, "error": 1e-6, "output": "privacy-reports"
    }  # fmt: skip
    assert (project / "private_news" / "__init__.py").is_file()
    everything = "".join(path.read_text() for path in project.rglob("*") if path.is_file())
    assert "${package}" not in everything
    assert "${name}" not in everything


@pytest.mark.parametrize("path", list(FILES))
def test_nothing_is_overwritten(path, tmp_path, capsys):
    file = tmp_path / list(skeleton(tmp_path))[list(FILES).index(path)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    assert run(["init", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert file.relative_to(tmp_path).as_posix() in told
    assert told.count("\n") == 1
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [file]
    assert file.read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("mine")
    assert run(["init", str(tmp_path / "file")]) == 2
    assert "expected a folder, or a name that is free" in capsys.readouterr().err


def test_the_workflow_is_valid_and_keeps_the_pages(project):
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load((project / ".github/workflows/privacy.yml").read_text())["jobs"]["privacy"]["steps"]
    kept = next(step["with"]["path"] for step in steps if step.get("uses", "").startswith("actions/upload-artifact"))
    assert kept == tomllib.loads((project / "pyproject.toml").read_text())["tool"]["privcheck"]["output"]


def test_the_files_of_the_example_are_formatted(project):
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("needs ruff")
    command = [str(ruff), "format", "--check", "--isolated", "--line-length=120", str(project)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def service(tmp_path, capsys):
    folder = tmp_path / "news-service"
    assert run(["init", str(folder), "--service"]) == 0
    assert "privcheck audit --command" in capsys.readouterr().out
    return folder


def audit_step(folder):
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load((folder / ".github/workflows/privacy.yml").read_text())["jobs"]["privacy"]["steps"]
    return next(step["run"] for step in steps if step.get("name") == "audit")


def played(folder, script, options):
    """Run a step of the workflow with a `privcheck` that takes further options."""
    tool = folder.parent / "bin" / "privcheck"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m privcheck "$@" {options}\n')
    tool.chmod(0o755)
    environment = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}", "PYTHONPATH": PLACES}
    command = ["bash", "-e", "-c", script.replace("--time-budget 240", "").replace("--annotate github", "")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.chance(0.0, "so few runs can refute nothing")
def test_an_inconclusive_audit_of_a_service_passes_with_a_warning(service):
    pytest.importorskip("matplotlib")
    done = played(service, audit_step(service), "--runs 40 --pairs 4")
    assert done.returncode == 0, done.stderr
    assert "::warning::the audit was inconclusive" in done.stdout
    assert (service / "privacy-reports" / "audit.html").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_an_audit_of_a_service_that_counted_nothing_fails(service):
    pytest.importorskip("matplotlib")
    done = played(service, audit_step(service), "--stop-after 0")
    assert done.returncode == 3, done.stderr
    assert "::error::no run was counted" in done.stdout
    assert "::warning::" not in done.stdout


def test_the_workflow_shows_how_a_service_is_started(service):
    """The step is a comment of the template; without its hashes it is one of the job."""
    yaml = pytest.importorskip("yaml")
    text = (service / ".github/workflows/privacy.yml").read_text()
    uncommented = text.replace("      # - name: start", "      - name: start").replace("      #   ", "        ")
    steps = yaml.safe_load(uncommented)
    names = [step.get("name") for step in steps["jobs"]["privacy"]["steps"]]
    assert names.index("start the service") < names.index("audit")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_leaking_service_fails_the_workflow(service):
    pytest.importorskip("matplotlib")
    program = service / "service.py"
    text = program.read_text()
    assert "self.scale * noise" in text
    program.write_text(text.replace("self.scale * noise", "0.01 * noise"))
    done = played(service, audit_step(service), "--runs 400 --pairs 20")
    assert done.returncode == 1, done.stdout
    assert "violation" in done.stdout


def test_no_file_of_a_service_has_a_name_left_open(service):
    everything = "".join(path.read_text() for path in service.rglob("*") if path.is_file())
    assert "${package}" not in everything
    assert "${name}" not in everything
    assert '--name news-service --code-version "$GITHUB_SHA"' in everything
    assert sorted(path.name for path in service.rglob("*") if path.is_file()) == [
        ".gitignore", "README.md", "privacy.yml", "service.py", "watch.yml"
    ]  # fmt: skip


LEAKY = """\
{head}class MyUCB1{base}:
    def __init__(self, rng, {parameters}):
        self.rng, self.sums = rng, [0.0] * arms

    def select(self):
        return self.sums.index(max(self.sums))

    def update(self, {told}):
        self.sums[action] += {value}
"""

PLAIN = {
    "head": "raise SystemExit('it is not imported')\n", "base": "", "parameters": "arms, epsilon",
    "told": "action, reward", "value": "reward",
}  # fmt: skip


def written_test(folder, target, capsys, **changes):
    (folder / "code").mkdir(parents=True)
    (folder / "code" / "mine.py").write_text(LEAKY.format(**PLAIN | changes))
    assert run(["init", str(folder), "--from", f"{folder}/code/{target}"]) == 0
    told = capsys.readouterr().out
    (file,) = (folder / "tests").iterdir()
    assert told.splitlines()[0] == str(file)
    assert [each.name for each in folder.iterdir() if each.name not in ("code", "pyproject.toml")] == ["tests"]
    return file


@pytest.mark.parametrize("told", ["action, reward, weight=1.0", "action, reward=0.0", "action, reward, *, weight=1.0"])
def test_parameters_with_defaults_are_left_out(told, tmp_path, capsys):
    written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys, head="", told=told)
    found = privcheck.certify(f"{tmp_path}/mine/code/mine.py:MyUCB1", epsilon=1.0, arms=2, horizon=4, runs=1)
    assert [leak.line for leak in found.leaks] == [6]


def test_a_night_decides_how_many_runs_a_written_test_plays(tmp_path, capsys):
    file = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys, head="", value="0.5 - reward")
    file.write_text(file.read_text().replace("horizon=16", "horizon=3"))
    night = ["--privcheck-budget=41", "--privcheck-seed=1"]
    result = outcome(tmp_path / "mine", "-k", "private", *night, f"tests/{file.name}")
    assert "violation" in result.stdout
    assert "plays_are_private --privcheck-seed=1 --privcheck-budget=41\n" in result.stdout


@pytest.mark.parametrize(
    ("parameters", "claim"),
    [("arms, epsilon", "epsilon=1.0, arms=2"), ("arms=3, *, epsilon=0.5", "epsilon=0.5, arms=3"),
     ("arms=1, epsilon=-2", "epsilon=1.0, arms=2"), ("arms=None, epsilon='1'", "epsilon=1.0, arms=2")],
)  # fmt: skip
def test_the_test_of_a_class_states_what_its_constructor_takes(parameters, claim, tmp_path, capsys):
    file = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys, parameters=parameters)
    assert file.name == "test_privacy_of_my_ucb1.py"
    text = file.read_text()
    assert f"assert_private(TARGET, {claim}, horizon=16, runs=runs)\n" in text
    assert f"assert_certified(TARGET, {claim}, horizon=16)\n" in text
    assert "${" not in text


@pytest.mark.parametrize(
    ("imported", "names"),
    [("import numpy as np, os.path\nimport mine\nfrom . import other\n", ""),
     ("from pandas.core import x\n", "pandas"),
     ("def late():\n    import sklearn, torch.nn\n", "sklearn, torch"),
     ("from privcheck.adapters import from_coba\n", "privcheck.adapters")],
)  # fmt: skip
def test_the_test_of_a_certificate_says_which_libraries_may_leak(imported, names, tmp_path, capsys):
    text = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys, head=imported).read_text()
    assert "    assert_certified(TARGET, epsilon=1.0, arms=2, horizon=16)\n" in text
    assert (f"The file imports {names}. A library" in text) == bool(names)
    assert "The file imports" not in text or names


@pytest.mark.parametrize("library", ["opendp", "diffprivlib"])
def test_noise_of_a_library_is_recorded_and_not_certified(library, tmp_path, capsys):
    """It takes no private values: the test of a certificate could not pass."""
    head = f"import {library}.mechanisms\n"
    file = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys, head=head)
    text = file.read_text()
    assert "assert_certified" not in text
    assert f"rewards are plain numbers to {library}," in text
    asked = "code/mine.py:MyUCB1 --epsilon 1.0 --arms 2 --horizon 16"
    assert f"privcheck certify {asked} --primitives {library}\n" in text
    assert "def test_the_arms_that_my_ucb1_plays_are_private(pytestconfig):" in text
    assert "${" not in text
    for check in (["check", "--isolated"], ["format", "--isolated", "--line-length", "120", "--check"]):
        subprocess.run([sys.executable, "-m", "ruff", *check, str(file)], check=True, capture_output=True)


def test_the_noise_of_two_libraries_is_recorded_by_one_option(tmp_path, capsys):
    """Of an option that is given twice the last counts, and the noise of the other library would be a coin."""
    head = "import diffprivlib.mechanisms\nimport opendp.prelude\n"
    text = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys, head=head).read_text()
    assert " --horizon 16 --primitives diffprivlib,opendp\n" in text


def test_a_policy_that_gives_rewards_to_such_a_library_has_no_certificate(tmp_path):
    (tmp_path / "mine.py").write_text(OF_OPENDP)
    with pytest.raises(privcheck.PolicyError, match="Private"):
        privcheck.certify(f"{tmp_path}/mine.py:Noisy", epsilon=1.0, arms=2, horizon=4, runs=1)


OF_OPENDP = """\
import opendp.prelude as dp

dp.enable_features("contrib")


class Noisy:
    def __init__(self, rng, arms, epsilon):
        domain = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        self.sums, self.noise = [0.0] * arms, dp.m.make_laplace(*domain, scale=1.0 / epsilon)

    def select(self):
        return self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.sums[action] += self.noise(reward)
"""


def test_the_test_of_a_class_leaves_the_claim_to_the_project(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pyproject.toml").write_text("[tool.privcheck]\nepsilon = 0.25\narms = 2\n")
    text = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys).read_text()
    assert "assert_private(TARGET)\n" in text
    assert "assert_certified(TARGET)\n" in text


@pytest.mark.parametrize("claim", ["", "[tool.privcheck]\nepsilon = 1.0\narms = 2\n"])
def test_the_test_of_a_class_fails_where_pytest_loads_no_plugin(claim, tmp_path, capsys):
    """Marks would only be unknown there, and every test would pass: with a claim the leak is found, without one not."""
    folder = tmp_path / "mine"
    if claim:
        folder.mkdir()
        (folder / "pyproject.toml").write_text(claim)
    file = written_test(folder, "mine.py:MyUCB1", capsys, head="", value="0.5 - reward")
    file.write_text(file.read_text().replace("runs=runs", "runs=2_000"))
    result = outcome(folder, f"tests/{file.name}", plugin=False)
    assert result.returncode == 1, result.stdout
    assert "2 failed" in result.stdout
    assert ("epsilon: got None" in result.stdout) is bool(claim)


RECOMMENDS = """\
from privcheck.mechanisms import Laplace


class Base:
    stopped = False

    def __init__(self, rng, arms=2, epsilon=0.5):
        self.rng, self.noise, self.sums, self.rounds = rng, Laplace(1.0, epsilon), [0.0] * arms, 0

    def select(self):
        return self.rounds % len(self.sums)

    def recommend(self):
        return self.sums.index(max(self.sums))


class Chooser(Base):
    def update(self, action, reward):
        self.rounds += 1
        self.sums[action] {step}
        self.stopped = self.rounds == 4
"""


@pytest.mark.parametrize(
    ("step", "project", "failed"),
    [("= self.noise.release(reward, self.rng)", "", 0), ("+= reward", "", 2),
     ("+= reward", "[tool.privcheck]\nepsilon = 0.5\narms = 2\nhorizon = 6\n", 2)],
)  # fmt: skip
@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
def test_the_test_of_a_class_that_recommends_an_arm_sees_the_recommendation(step, project, failed, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(RECOMMENDS.replace("{step}", step))
    if project:
        (tmp_path / "pyproject.toml").write_text(project)
    assert run(["init", str(tmp_path), "--from", f"{tmp_path}/mine.py:Chooser", "--watch"]) == 0
    capsys.readouterr()
    watched = (tmp_path / ".github/workflows/watch.yml").read_text()
    assert re.search(r"mine.py:Chooser --epsilon 0.5 --arms 2 --horizon (6|16) --feedback identification ", watched)
    file = tmp_path / "tests" / "test_privacy_of_chooser.py"
    claim = "" if project else ", epsilon=0.5, arms=2, horizon=16"
    text = file.read_text()
    assert f'assert_certified(TARGET{claim}, feedback="identification")\n' in text
    file.write_text(text.replace("horizon=16", "horizon=6").replace("runs=runs", "runs=2_000, error=1e-7"))
    result = outcome(tmp_path, f"tests/{file.name}")
    assert result.returncode == (failed > 0), result.stdout
    assert f"{failed or 2} {'failed' if failed else 'passed'}" in result.stdout
    assert ("Leak at mine.py:14" in result.stdout) is (failed > 0)
    assert ("violation: the claim epsilon = 0.5 is refuted" in result.stdout) is (failed > 0)


@pytest.mark.parametrize("claim", ["", "[tool.privcheck]\nepsilon = 0.25\narms = 3\n"])
def test_the_workflow_of_a_class_watches_it(claim, tmp_path, monkeypatch, capsys):
    yaml = pytest.importorskip("yaml")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "mine.py").write_text(LEAKY.format(**PLAIN))
    if claim:
        (tmp_path / "pyproject.toml").write_text(claim)
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--from", "code/mine.py:MyUCB1", "--watch"]) == 0
    assert "watch.yml" in capsys.readouterr().out
    text = (tmp_path / ".github/workflows/watch.yml").read_text()
    assert "${" not in text.replace("${{", "")
    assert ("privcheck[plots]' .\n" in text) is bool(claim)
    (night,) = [
        step["run"] for step in yaml.safe_load(text)["jobs"]["watch"]["steps"] if "privcheck watch" in str(step)
    ]
    command = next(line for line in night.splitlines() if line.startswith("privcheck watch"))
    (tmp_path / "code" / "mine.py").write_text(LEAKY.format(**PLAIN | {"head": ""}))  # now it may be imported
    asked = command.removeprefix("privcheck ").partition(" --annotate")[0].split()
    told = ["0.25", "3"] if claim else ["1.0", "2"]
    assert asked == ["watch", "code/mine.py:MyUCB1", "--epsilon", told[0], "--arms", told[1], "--horizon", "16"]
    assert run([*asked[:-1], "3", "--runs", "20", "--search", "20", "--nights", "1"]) in (0, 1)


def test_a_workflow_is_of_a_class_in_the_repository(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(LEAKY.format(**PLAIN))
    assert run(["init", str(tmp_path / "other"), "--from", f"{tmp_path}/mine.py:MyUCB1", "--watch"]) == 2
    assert "a file below" in capsys.readouterr().err
    assert run(["init", str(tmp_path / "other"), "--watch"]) == 2
    told = capsys.readouterr().err
    assert "got --watch without --from, expected --from beside it" in told
    assert "--from my_bandit.py:MyBandit" in told
    assert run(["init", str(tmp_path / "other"), "--workflow"]) == 2
    assert "got --workflow without --from" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def two_bandits(folder):
    text = LEAKY.format(**PLAIN)
    (folder / "mine.py").write_text(text)
    (folder / "other.py").write_text(text.replace("MyUCB1", "Other"))


def test_a_second_class_is_tested_and_watched_beside_the_first(tmp_path, monkeypatch, capsys):
    yaml = pytest.importorskip("yaml")
    monkeypatch.chdir(tmp_path)
    two_bandits(tmp_path)
    (tmp_path / "setup.py").write_text("")
    both = ["--watch", "--workflow"]
    assert run(["init", "--from", "mine.py:MyUCB1", *both]) == 0
    told = capsys.readouterr().out.splitlines()
    workflows = [".github/workflows/privacy.yml", ".github/workflows/watch.yml"]
    assert told[:3] == ["tests/test_privacy_of_my_ucb1.py", *workflows]
    assert run(["init", "--from", "other.py:Other", *both]) == 0
    said = capsys.readouterr().out
    assert ".github/workflows/privacy.yml is there, and runs this test, too." in said
    assert "A line was added to .github/workflows/watch.yml" in said
    assert {each.name for each in Path("tests").iterdir()} == {
        "test_privacy_of_my_ucb1.py", "test_privacy_of_other.py"
    }  # fmt: skip
    jobs = [yaml.safe_load(Path(each).read_text())["jobs"] for each in workflows]
    tests, night = ([step.get("run", "") for step in job["steps"]] for job in (jobs[0]["privacy"], jobs[1]["watch"]))
    assert "pytest tests/test_privacy_of_*.py --privcheck-output=privacy-reports" in tests
    assert "pip install './.privcheck[testing,plots]' ." in tests
    (played,) = (text.splitlines() for text in night if "privcheck watch" in text)
    assert [line.split()[0] for line in played] == ["status=0", "privcheck", "privcheck", "echo"]
    assert [line.split()[2] for line in played[1:3]] == ["mine.py:MyUCB1", "other.py:Other"]
    assert all(line.endswith("--badge watch/badge.svg || status=$?") for line in played[1:3])
    Path("tests/test_privacy_of_other.py").unlink()
    before = Path(workflows[1]).read_text()
    assert run(["init", "--from", "other.py:Other", "--watch"]) == 0
    assert "is there, and watches this class" in capsys.readouterr().out
    assert Path(workflows[1]).read_text() == before


def test_workflows_that_were_changed_stay_as_they_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    two_bandits(tmp_path)
    Path(".github/workflows").mkdir(parents=True)
    for name in ("privacy.yml", "watch.yml"):
        Path(".github/workflows", name).write_text("name: mine\n")
    assert run(["init", "--from", "mine.py:MyUCB1", "--watch", "--workflow"]) == 0
    said = capsys.readouterr().out
    assert "let it run pytest tests/test_privacy_of_my_ucb1.py" in said
    assert "Add this line to it: privcheck watch mine.py:MyUCB1 --epsilon 1.0 --arms 2" in said
    assert Path("tests/test_privacy_of_my_ucb1.py").is_file()
    for name in ("privacy.yml", "watch.yml"):
        assert Path(".github/workflows", name).read_text() == "name: mine\n"


@pytest.mark.parametrize("options", [[], ["--service"]])
def test_the_checkout_of_privcheck_is_no_package_of_the_project(options, tmp_path, monkeypatch, capsys):
    """The flat layout of setuptools, its default, refuses a second package at the top level of a project."""
    setuptools = pytest.importorskip("setuptools")
    yaml = pytest.importorskip("yaml")
    assert run(["init", str(tmp_path / "new"), *options]) == 0
    capsys.readouterr()
    for file in (tmp_path / "new" / ".github/workflows").iterdir():
        (job,) = yaml.safe_load(file.read_text())["jobs"].values()
        (path,) = [step["with"]["path"] for step in job["steps"] if "repository" in step.get("with", {})]
        place = tmp_path / file.stem
        for package in ("mylib", f"{path}/privcheck"):
            (place / package).mkdir(parents=True)
            (place / package / "__init__.py").write_text("")
        monkeypatch.chdir(place)
        found = setuptools.Distribution({"name": "mylib"})
        found.set_defaults()
        assert found.packages == ["mylib"]


@pytest.mark.parametrize(
    ("value", "failed"), [("reward", 1), ("0.5 - reward", 2), ("float(reward + rng.laplace(0.0, 1.0))", 0)]
)
def test_the_test_of_a_class_finds_a_leak_and_names_the_command(value, failed, tmp_path, capsys):
    """The first plays one arm for ever, which no audit can refute; the second fails an audit, too."""
    folder = tmp_path / "mine"
    value = value.replace("rng", "self.rng")
    file = written_test(folder, "mine.py:MyUCB1", capsys, head="", value=value)
    text = file.read_text()
    fewer = text.replace("runs=runs", "runs=2_000")
    file.write_text(fewer if failed else fewer.replace("horizon=16", "horizon=4"))
    chosen = () if failed else ("-k", "leaks")  # the audit that has so few runs may be inconclusive
    result = outcome(folder, *chosen, f"tests/{file.name}")
    assert result.returncode == (failed > 0), result.stdout
    if failed:
        assert f"{failed} failed" in result.stdout
        assert "Leak at mine.py:" in result.stdout
    command = "fix: privcheck fix code/mine.py:MyUCB1 --epsilon 1 --arms 2"
    assert (command in result.stdout) is (failed > 0)
    file.write_text(text)
    ruff = Path(sys.executable).with_name("ruff")
    if ruff.exists():
        command = [str(ruff), "format", "--check", "--isolated", "--line-length=120", str(file)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("target", "changes", "said"),
    [
        ("mine.py", {}, "expected path/to/file.py:Class"), ("mine.py:Other", {}, "the file has MyUCB1"),
        ("nowhere.py:A", {}, "which cannot be read"), ("mine.py:MyUCB1", {"head": "x = (\n"}, "which cannot be read"),
        ("mine.py:MyUCB1", {"told": "context, action, reward"}, "say what contexts look like, as in --contexts 2,3"),
        ("mine.py:MyUCB1", {"told": "action, reward, weight, when"}, "with update(self, action, reward, weight, when)"),
        ("mine.py:MyUCB1", {"told": "action, rewards"}, "say which in its assertions"),
        ("mine.py:MyUCB1", {"told": "arms, outcomes"}, "with update(self, arms, outcomes)"),
        ("mine.py:MyUCB1", {"told": "action, *, reward"}, "with update(self, action, *, reward)"),
        ("mine.py:MyUCB1", {"told": "context, action, reward=0"}, "say what contexts look like, as in --contexts 2,3"),
    ],
)  # fmt: skip
def test_what_is_no_bandit_has_no_test_of_its_class(target, changes, said, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(LEAKY.format(**PLAIN | changes))
    assert run(["init", str(tmp_path), "--from", f"{tmp_path}/{target}"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]


def test_the_test_of_a_class_replaces_no_file_and_is_of_no_service(tmp_path, capsys):
    file = written_test(tmp_path / "mine", "mine.py:MyUCB1", capsys)
    file.write_text("mine")
    command = ["init", str(tmp_path / "mine"), "--from", f"{tmp_path}/mine/code/mine.py:MyUCB1"]
    assert run(command) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert run([*command, "--service"]) == 2
    assert "leave out --service" in capsys.readouterr().err


CONTEXTUAL = """
import numpy as np
import privcheck


class Rows:
    def __init__(self, rng, epsilon=2.0):
        self.rng, self.scale, self.theta = rng, 2.0 / epsilon, np.zeros(1)

    def select(self, context):
        return int(np.argmax(context @ self.theta))

    def update(self, context, action, reward):
        value = reward * context[action]
        self.theta = {value}
"""
NOISY = "value + self.rng.laplace(0.0, self.scale, 1)"


@pytest.mark.parametrize(
    ("value", "failed", "said"),
    [(NOISY, 0, ""), (NOISY.replace(".scale", ".scale / 2"), 1, "takes the context and reward of round 1 to 4"),
     ("np.array([float(value[0])])", 1, "Leak at mine.py:")],
)  # fmt: skip
def test_the_test_of_a_class_with_contexts(value, failed, said, tmp_path, capsys):
    """The decision set says how many arms there are; half of the noise fails, and so does a line that reads a value."""
    mine = tmp_path / "mine.py"
    mine.write_text(CONTEXTUAL.format(value=value))
    command = ["init", str(tmp_path), "--from", f"{mine}:Rows", "--contexts", "3,1"]
    assert run([*command, "--context-norm", "1"]) == 0
    file = tmp_path / "tests" / "test_privacy_of_rows.py"
    text = file.read_text()
    assert "CONTEXTS = Contexts(shape=(3, 1), norm=1.0)" in text
    told = '(TARGET, epsilon=2.0, arms=3, horizon=16, feedback="contextual", contexts=CONTEXTS'
    assert f"assert_certified{told})" in text
    assert f"assert_private{told})" in text
    file.write_text(text.replace("horizon=16", "horizon=3"))
    chosen = () if value is NOISY else ("-k", "leaks")
    result = outcome(tmp_path, *chosen, "--privcheck-budget=200", f"tests/{file.name}")
    assert result.returncode == failed, result.stdout
    assert said in result.stdout
    ruff = Path(sys.executable).with_name("ruff")
    if ruff.exists():
        command = [str(ruff), "format", "--check", "--isolated", "--line-length=120", str(file)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_contexts_of_a_class_stand_in_its_watch_and_beside_the_claim_of_a_project(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(CONTEXTUAL.format(value=NOISY))
    (tmp_path / "pyproject.toml").write_text("[tool.privcheck]\nepsilon = 0.25\narms = 2\n")
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--from", "mine.py:Rows", "--contexts", "2,1", "--watch"]) == 0
    (file,) = (tmp_path / "tests").iterdir()
    for called in ("assert_private", "assert_certified"):
        assert f'{called}(TARGET, feedback="contextual", contexts=CONTEXTS)\n' in file.read_text()
    text = (tmp_path / ".github/workflows/watch.yml").read_text()
    line = (
        "privcheck watch mine.py:Rows --epsilon 0.25 --arms 2 --horizon 16 --feedback contextual --contexts 2,1 --annot"
    )
    assert line in text
    asked = line.removeprefix("privcheck ").removesuffix(" --annot").split()
    asked[asked.index("16")] = "3"
    assert run([*asked, "--runs", "20", "--search", "20", "--nights", "1"]) in (0, 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--from", "mine.py:Rows", "--context-norm", "1"], "expected --contexts beside it"),
     (["--contexts", "2,3"], "got --contexts without --from"),
     (["--from", "mine.py:Rows", "--contexts", "2.5"], "expected one or two whole numbers"),
     (["--from", "plain.py:MyUCB1", "--contexts", "2"], "expected update(self, context, action, reward); leave out")],
)  # fmt: skip
def test_contexts_that_do_not_fit_the_class_are_refused(options, said, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(CONTEXTUAL.format(value=NOISY))
    (tmp_path / "plain.py").write_text(LEAKY.format(**PLAIN))
    monkeypatch.chdir(tmp_path)
    assert run(["init", *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "tests").exists()
