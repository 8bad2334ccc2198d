"""The settings of a project: where they come from, which comes first, and what is said about a wrong one."""

from pathlib import Path

import pytest

from privcheck.testing._kept_page import page_name

pytest_plugins = ["pytester"]

TWINS = Path(__file__).with_name("twins.py")
ARGUMENTS = ["-p", "no:cacheprovider", "--tb=short", "-W", "ignore:Module already imported"]
TABLE = "[tool.privcheck]\nepsilon = 1.5\nhorizon = 2\nruns = 1000\n"
AUDITED = "import pytest, twins\n@pytest.mark.privacy{given}\ndef test_it():\n    return twins.{twin}\n"


@pytest.fixture
def suite(imported, plugin, pytester, monkeypatch):
    for name in ("CI", "BUILD_NUMBER", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(twins=TWINS.read_text(encoding="utf-8"))
    pytester.syspathinsert()
    pytester.options = plugin
    return pytester


def run(suite, *arguments, table=TABLE, given="", twin="noisy_sum", test=None):
    suite.makepyfile(test_it=test or AUDITED.format(given=given, twin=twin))
    (suite.path / "pyproject.toml").write_text(table, encoding="utf-8")
    return suite.runpytest_inprocess(*suite.options, *ARGUMENTS, *arguments)


@pytest.mark.parametrize(
    ("given", "arguments", "runs"),
    [
        ("", [], "1,000"),
        ("", ["-o", "privcheck_runs=1100"], "1,100"),
        ("", ["-o", "privcheck_runs=1100", "--privcheck-budget=1200"], "1,200"),
        ("(runs=1300)", ["-o", "privcheck_runs=1100", "--privcheck-budget=1200"], "1,300"),
    ],
    ids=["table", "configuration", "command line", "mark"],
)
def test_what_is_closer_to_the_test_comes_first(suite, given, arguments, runs):
    result = run(suite, *arguments, given=given)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"*the claim epsilon = 1.5 is not refuted*by {runs} runs per input*"])


def test_a_mark_has_its_own_claim_and_an_argument_too(suite):
    call = "from privcheck.testing import assert_private\ndef test_call():\n    assert_private(twins.noisy_sum, 1.75)\n"
    result = run(suite, test=AUDITED.format(given="(2.0)", twin="noisy_sum") + call)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*the claim epsilon = 1.75 is not refuted*", "*the claim epsilon = 2 is not refuted*"])


def test_the_claim_of_the_project_can_fail(suite):
    run(suite, twin="noisy_sum_broken").assert_outcomes(failed=1)


def test_arms_are_those_of_the_project_unless_the_target_knows_its_own_or_is_a_mechanism(suite):
    test = """
    import pytest, twins

    @pytest.mark.privacy
    @pytest.mark.parametrize("target", [twins.Follower, "adap-ucb", "adap-ucb(arms=2)", twins.noisy_sum])
    def test_it(target):
        return target
    """
    result = run(suite, test=test, table=f"{TABLE.replace('horizon = 2', 'horizon = 8')}arms = 3\n")
    result.assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("table", "arguments", "said"),
    [
        ("[tool.privcheck]\nepsilon = -1", [], "pyproject.toml: [[]tool.privcheck[]] epsilon: got -1, *above 0*"),
        ("[tool.privcheck]\nepsilon = '1'", [], "pyproject.toml: [[]tool.privcheck[]] epsilon: got '1', expected *"),
        ("[tool.privcheck]\nbudget = 9", [], "pyproject.toml: [[]tool.privcheck[]] budget: *did you mean 'runs'?"),
        ("[tool.privcheck]\nepsilom = 9", [], "*epsilom: *did you mean 'epsilon'?"),
        ("[tool.privcheck]\nerror = 0.9", [], "pyproject.toml: [[]tool.privcheck[]] error: got 0.9, expected *"),
        ("[tool.privcheck]\noutput = 3", [], "*output: got 3, expected the name of a folder*"),
        ("[tool]\nprivcheck = 1", [], "pyproject.toml: tool.privcheck: got 1, expected a table*"),
        ("", ["-o", "privcheck_horizon=many"], "*privcheck_horizon: got 'many', expected an integer*"),
    ],
)
def test_a_wrong_setting_is_one_line_with_file_and_key(suite, table, arguments, said):
    result = run(suite, *arguments, table=table)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*pytest.mark.privacy: {said}"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_wrong_setting_is_no_matter_where_there_are_no_privacy_tests(suite):
    run(suite, table="[tool.privcheck]\nepsilon = -1", test="def test_it():\n    pass\n").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("privacy(1.0, horizn=2)", "option: got 'horizn' (did you mean 'horizon'?), expected *"),
        ("privacy(1.0, horizon=0)", "horizon: got 0, expected *"),
        ("privacy(1.0, 2)", "got 2 arguments without a name*"),
        ("privacy(1.0, epsilon=2)", "got epsilon twice*"),
        ("privacy(1.0, error=0.7)", "error: got 0.7, expected *"),
        ("certified(1.0, observe='releases')", "option: got 'observe'*"),
        ("certified(rho=-1.0)", "rho: got -1.0, expected *"),
        ("certified", "missing a required argument: 'epsilon'*"),
    ],
)
def test_marks_are_checked_before_any_test_runs(suite, mark, said):
    test = "import pytest, twins\ndef test_first():\n    open('ran', 'w')\n"
    test += f"@pytest.mark.{mark}\ndef test_it():\n    pass\n"
    result = run(suite, table="", test=test)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"test_it.py::test_it: pytest.mark.{mark.partition('(')[0]}: {said}"])
    assert not (suite.path / "ran").exists()


def test_the_page_of_a_failed_test_stays_until_the_test_passes(suite):
    pytest.importorskip("matplotlib")
    table = f"{TABLE}output = 'pages'\n"
    page = suite.path / "pages" / page_name("test_it.py::test_it")
    result = run(suite, table=table, twin="noisy_sum_broken")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"Page: pages/{page.name}"])
    assert "noisy_sum_broken" in page.read_text(encoding="utf-8")
    run(suite, table=table).assert_outcomes(passed=1)
    assert list(page.parent.iterdir()) == []


def test_without_an_output_folder_nothing_is_written(suite):
    before = {*suite.path.iterdir(), suite.path / "test_it.py", suite.path / "pyproject.toml"}
    run(suite, twin="noisy_sum_broken").assert_outcomes(failed=1)
    assert {path for path in suite.path.iterdir() if path.name != "__pycache__"} <= before


def test_a_folder_that_cannot_be_written_does_not_hide_the_failure(suite):
    pytest.importorskip("matplotlib")
    (suite.path / "pages").write_text("a file")
    result = run(suite, "--privcheck-output=pages", twin="noisy_sum_broken")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*is refuted at level*", "Page: not written: *"])


def test_targets_without_a_name_are_called_by_the_test(suite):
    test = """
    import pytest, twins

    @pytest.mark.privacy
    @pytest.mark.parametrize("target", [lambda data, rng, runs: twins.noisy_sum(data, rng, runs)], ids=["mine"])
    def test_one_of(target):
        return target

    @pytest.mark.privacy
    def test_it():
        return lambda data, rng, runs: twins.noisy_sum(data, rng, runs)
    """
    result = run(suite, test=test)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["    test_it: consistent: *", "    test_one_of[[]mine[]]: consistent: *"])


def test_the_summary_of_a_job_has_failures_first(suite, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "summary.md"))
    test = AUDITED.format(given="", twin="noisy_sum") + "\n@pytest.mark.privacy\ndef test_a_leak():\n"
    run(suite, test=f"{test}    return twins.noisy_sum_broken\n").assert_outcomes(passed=1, failed=1)
    lines = (suite.path / "summary.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "### Privacy tests: 1 failed, 1 passed"
    assert lines[4].startswith("| ❌ | test\\_it.py::test\\_a\\_leak | noisy\\_sum\\_broken: violation")
    assert lines[5].startswith("| ✅ | test\\_it.py::test\\_it | noisy\\_sum: consistent")
    (suite.path / "summary.md").unlink()
    run(suite, test="def test_it():\n    pass\n")
    assert not (suite.path / "summary.md").exists()
