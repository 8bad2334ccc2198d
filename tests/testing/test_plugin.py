"""The pytest plugin, run on suites of correct and broken twins, with and without pytest-xdist."""

import inspect
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import privcheck
from privcheck.targets import CertifySettings, Settings
from privcheck.testing import assert_certified, assert_private

pytest_plugins = ["pytester"]

TWINS = Path(__file__).with_name("twins.py")
INI = """
[pytest]
addopts = --strict-markers
filterwarnings =
    error
    ignore:Module already imported
"""
SUITE = """
import pytest
import twins

@pytest.fixture(params=["noisy_sum", "noisy_sum_broken"])
def mechanism(request):
    return getattr(twins, request.param)

@pytest.mark.privacy(epsilon=1.0, horizon=2)
def test_sums(mechanism):
    return mechanism

@pytest.mark.privacy(epsilon=1.0, arms=2, horizon=3, runs=1000)
class TestFollowers:
    def test_correct(self):
        return twins.Follower

    def test_broken(self):
        return twins.FollowerBroken

@pytest.mark.certified(epsilon=1.0, arms=2, horizon=6)
@pytest.mark.parametrize("name", ["Publisher", "PublisherOfSums", "Peeker"])
def test_certified(name):
    return getattr(twins, name)

def test_without_a_mark():
    assert True
"""
BROKEN = {"test_sums[noisy_sum_broken]", "TestFollowers::test_broken", "test_certified[PublisherOfSums]"}
BROKEN |= {"test_certified[Peeker]"}
CORRECT = {"test_sums[noisy_sum]", "TestFollowers::test_correct", "test_certified[Publisher]"}


@pytest.fixture
def suite(imported, plugin, pytester, monkeypatch):
    for name in ("CI", "BUILD_NUMBER"):  # either makes pytest repeat whole failures in its summary
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(twins=TWINS.read_text(encoding="utf-8"), test_twins=SUITE)
    pytester.makeini(INI)
    pytester.syspathinsert()
    pytester.options = plugin
    return pytester


def run(suite, *arguments):
    return suite.runpytest_inprocess(*suite.options, "-p", "no:cacheprovider", "--tb=short", *arguments)


def told(result):
    """Return the summary section: test -> sentences."""
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if "what the passing tests could have detected" in line)
    section, found = (
        lines[start + 1 : lines.index("An audit that passes has not refuted the claim; it proves nothing.")],
        {},
    )
    for node, sentence in zip(section[::2], section[1::2], strict=True):
        found.setdefault(node.removeprefix("test_twins.py::"), []).append(sentence.strip())
    return found


@pytest.mark.chance(2e-6, "two verdicts on true claims at 1e-6")
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one process", "xdist"])
def test_broken_twins_fail_and_the_others_say_what_they_could_have_seen(suite, workers):
    result = run(suite, *workers)
    result.assert_outcomes(passed=len(CORRECT) + 1, failed=len(BROKEN))
    failed = {line.split(" - ")[0].split("test_twins.py::")[1] for line in result.outlines if line.startswith("FAILED")}
    assert failed == BROKEN
    seen = told(result)
    assert set(seen) == CORRECT
    assert "could have shown a lower bound of up to " in seen["test_sums[noisy_sum]"][0]
    assert "5,000 runs per input" in seen["test_sums[noisy_sum]"][0]
    assert "1,000 runs per stream" in seen["TestFollowers::test_correct"][0]
    assert "certified: epsilon is at most 1.000" in seen["test_certified[Publisher]"][0]
    result.stdout.no_fnmatch_line("*During handling of the above exception*")


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_a_failure_prints_witness_chance_seed_and_the_command_that_replays_it(suite):
    result = run(suite, "-k", "test_sums", "--privcheck-seed=3", "--privcheck-budget=4000")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "test_sums[[]noisy_sum_broken[]]: violation: the claim epsilon = 1 is refuted at level 1e-06; epsilon is *",
            "Two inputs of * that differ in row *",
            "Event: *",
            "  probability on the first input *, on the second *",
            "False failures: a true claim fails this test with probability at most 1e-06.",
            "Seed 3. Replay:",
        ]
    )
    assert "4,000 runs per input" in told(result)["test_sums[noisy_sum]"][0]
    command = next(line.strip() for line in result.outlines if line.startswith("  pytest "))
    assert command == "pytest 'test_twins.py::test_sums[noisy_sum_broken]' --privcheck-seed=3 --privcheck-budget=4000"
    again = run(suite, *shlex.split(command)[1:])
    again.assert_outcomes(failed=1)
    kept = [line for line in result.outlines if re.search(r"is refuted at level|probability on|Event:", line)]
    assert len(kept) == 3
    assert [line for line in again.outlines if line in kept] == kept


def test_another_seed_makes_another_audit(suite):
    sentences = {told(run(suite, "-k", "noisy_sum]", f"--privcheck-seed={seed}")).popitem()[1][0] for seed in (0, 0, 1)}
    assert len(sentences) == 2


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (
            "@pytest.mark.privacy(epsilon=1.0)\ndef test_it(): pass",
            "*the test returns nothing: did you forget `return`?*",
        ),
        (
            "@pytest.mark.privacy(1.0, runs=20)\ndef test_it(): return twins.noisy_sum",
            "*could not have failed. Give it more*",
        ),
        ("@pytest.mark.privacy(1.0)\ndef test_it(): return twins.Follower", "*arms: got None*"),
        ("@pytest.mark.privacy(1.0)\nasync def test_it(): return twins.noisy_sum", "*write def in place of async def"),
    ],
)
def test_a_mark_that_tests_nothing_fails_in_one_line(suite, test, said):
    suite.makepyfile(test_twins=f"import pytest, twins\n{test}")
    result = run(suite)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*what the passing tests could have detected*")


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("certified", "primitives: got 'numpy', expected none, since record and replay certifies nothing; in a test"),
        ("privacy", "option: got 'primitives', expected one of *; an audit plays the code as it is; in a test write"),
    ],
)
def test_primitives_are_refused_with_what_to_write(suite, mark, said):
    """A certificate of recorded code is never granted, so that such a test always failed, and said nothing found."""
    suite.makepyfile(
        test_twins=f"""
        import pytest, twins

        @pytest.mark.{mark}(epsilon=1.0, arms=2, primitives="numpy")
        def test_it():
            return twins.Publisher
        """
    )
    result = run(suite)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{said}*: assert not privcheck.certify(*primitives=...).has_findings"])


def test_every_option_of_a_command_but_primitives_is_one_of_its_mark():
    for command, settings in ((privcheck.audit, Settings), (privcheck.certify, CertifySettings)):
        names = {declared.name for declared in settings.options()}
        assert set(inspect.signature(command).parameters) - {"target"} == names
    with pytest.raises(privcheck.PrivcheckError, match="primitives: got 'numpy', expected none"):
        assert_certified("adap-ucb", 1.0, arms=2, horizon=8, primitives="numpy")
    with pytest.raises(privcheck.PrivcheckError, match="an audit plays the code as it is; in a test write: assert not"):
        assert_private("adap-ucb", 1.0, arms=2, horizon=8, primitives="numpy")


def test_each_of_several_marks_of_a_test_is_carried_out(suite):
    """Two rounds of `Publisher` may cost 2: its second claim is false, wherever its mark stands."""
    suite.makepyfile(
        test_twins="""
        import pytest, twins

        right = pytest.mark.certified(1.0, arms=2, horizon=3, runs=1)
        wrong = pytest.mark.certified(1.0, arms=2, horizon=3, runs=1, neighbours="group:2")

        @right
        @wrong
        def test_below():
            return twins.Publisher

        @wrong
        @right
        def test_above():
            return twins.Publisher

        @right
        @pytest.mark.parametrize("target", [pytest.param(twins.Publisher, marks=wrong)])
        def test_of_a_parameter(target):
            return target

        @right
        class TestBase:
            def test_it(self):
                return twins.Publisher

        @wrong
        class TestDerived(TestBase):
            pass

        @wrong
        class TestOfAClass:
            @right
            def test_that_has_a_mark_of_its_own(self):
                return twins.Publisher
        """
    )
    result = run(suite)
    result.assert_outcomes(passed=2, failed=4)
    passed = {"TestBase::test_it", "TestOfAClass::test_that_has_a_mark_of_its_own"}
    assert set(told(result)) == passed


@pytest.mark.parametrize("option", ["--privcheck-budget=19", "--privcheck-seed=-1", "--privcheck-budget=many"])
def test_options_out_of_range_are_refused(suite, option):
    result = run(suite, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*integer of at least*"])


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_plain_assertions_inside_tests_and_fixtures_are_summed_up_too(suite):
    suite.makepyfile(
        test_twins="""
        import pytest, twins
        from privcheck.testing import assert_private, assert_sensitivity

        @pytest.fixture
        def checked():
            assert_sensitivity(lambda data: data.sum(), 1.0, arms=1)

        def test_it(checked):
            assert_private(twins.noisy_sum, 1.0, horizon=2)

        def test_broken():
            assert_private(twins.noisy_sum_broken, 1.0, horizon=2)
        """
    )
    result = run(suite)
    result.assert_outcomes(passed=1, failed=1)
    assert len(told(result)["test_it"]) == 2
    frames = [line for line in result.outlines if re.match(r"\S+\.py:\d+: in ", line)]
    assert all(frame.startswith("test_twins.py") for frame in frames)


def test_the_sentences_are_properties_of_the_junit_report(suite):
    run(suite, "-k", "noisy_sum]", "--junitxml=junit.xml")
    assert (
        '<property name="privcheck" value="test_sums[noisy_sum]: consistent' in (suite.path / "junit.xml").read_text()
    )


def test_the_help_explains_options_and_marks(suite):
    result = run(suite, "--help")
    result.stdout.fnmatch_lines(["*--privcheck-budget=RUNS*", "*--privcheck-seed=SEED*"])
    result = run(suite, "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.privacy(epsilon*", "@pytest.mark.certified(epsilon*"])


def test_the_entry_point_is_declared():
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert declared["entry-points"]["pytest11"] == {"privcheck": "privcheck.testing.plugin"}
    assert {name.partition(">")[0] for name in declared["optional-dependencies"]["testing"]} == {"pytest", "hypothesis"}
    assert not any("pytest" in name or "hypothesis" in name for name in declared["dependencies"])


def test_equal_sentences_of_one_test_are_printed_once(imported, plugin, pytester):
    pytester.makepyfile(
        twins=TWINS.read_text(encoding="utf-8"),
        test_twins=(
            "import privcheck.testing\nimport twins\n\n"
            "def test_often():\n"
            "    for _ in range(3):\n"
            "        privcheck.testing.assert_certified(twins.Publisher, 1.0, arms=2, horizon=6, runs=1)\n"
        ),
    )
    pytester.syspathinsert()
    result = pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    (sentences,) = told(result).values()
    assert len(sentences) == 1
    assert sentences[0].endswith("(3 times)")


AGAIN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for left in (1, 0):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        failed = [report for report in reports if report.failed]
        for report in failed:
            report.outcome = "rerun" if left else "failed"
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        if not failed:
            break
    return True

def pytest_report_teststatus(report):
    return ("rerun", "R", "RERUN") if report.outcome == "rerun" else None
"""


def test_a_test_that_is_run_again_is_told_of_once(suite, monkeypatch):
    """What earlier attempts had found was told again with each of them, and their pages stayed."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "summary.md"))
    suite.makeconftest(AGAIN)
    suite.makepyfile(
        test_twins="""
        import pytest, twins

        targets = [twins.Peeker, twins.Publisher]
        mark = pytest.mark.certified(1.0, arms=2, horizon=3, runs=1)

        @mark
        def test_at_the_second_attempt():
            return targets.pop(0)

        @mark
        def test_never():
            return twins.Peeker

        @pytest.mark.xfail
        @mark
        def test_expected():
            return twins.Peeker
        """
    )
    result = run(suite, f"--privcheck-output={suite.path / 'pages'}")
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    assert set(told(result)) == {"test_at_the_second_attempt"}
    summary = (suite.path / "summary.md").read_text()
    assert "Privacy tests: 1 failed, 1 passed" in summary
    assert "times)" not in summary
    pages = {page.name for page in (suite.path / "pages").iterdir()}
    assert pages == {"test_twins.py-test_never.html", "test_twins.py-test_expected.html"}
