"""The gate leaves slow cases to the night; it keeps a case of every test but of long ones, and a test of every file."""

from pathlib import Path

import pytest

from tests.modules import beside

pytest_plugins = ["pytester"]

HERE = Path(__file__).parent
nightly = beside(__file__, "nightly")

TESTS = """
import pytest

@pytest.mark.parametrize("case", [1, 2])
def test_a(case): ...

@pytest.mark.nightly
def test_b(): ...

def test_c(): ...
"""


@pytest.fixture
def suite(pytester):
    for name in ("conftest.py", "nightly.py"):
        pytester.makepyfile(**{name.removesuffix(".py"): (HERE / name).read_text(encoding="utf-8")})
    pytester.makefile(".txt", nightly="test_it.py::test_a[2]\n")
    pytester.makepyfile(test_it=TESTS)
    pytester.makeini("[pytest]\nmarkers = nightly\n")
    return lambda *arguments: pytester.runpytest("-p", "no:cacheprovider", "-W", "ignore", *arguments)


def test_listed_and_marked_cases_are_left_out(suite):
    suite().assert_outcomes(passed=2, deselected=2)
    suite("test_it.py").assert_outcomes(passed=2, deselected=2)


def test_they_run_when_they_are_asked_for(suite):
    suite("test_it.py::test_a").assert_outcomes(passed=2)
    suite("-k", "test_b or test_c").assert_outcomes(passed=2, deselected=2)
    suite("-m", "nightly").assert_outcomes(passed=2, deselected=2)
    suite("--evidence", "full").assert_outcomes(passed=4)
    suite("--evidence", "full", "-m", "nightly").assert_outcomes(passed=2, deselected=2)


def test_the_list_is_written_from_a_run_of_everything(suite, pytester):
    suite("--write-nightly=new.txt").assert_outcomes(passed=4)
    assert (pytester.path / "new.txt").read_text(encoding="utf-8") == "", "nothing is slow"


def test_what_was_skipped_is_not_kept(pytester):
    watch = nightly.Stopwatch(pytester.path / "new.txt")
    for name, outcome, took in (("a::t[1]", "skipped", 0.0), ("a::t[2]", "passed", 3.0), ("a::t[3]", "passed", 4.0)):
        watch.pytest_runtest_logreport(pytest.TestReport(name, ("a", 0, name), {}, outcome, None, "call", [], took))
    watch.pytest_sessionfinish()
    assert nightly.listed(pytester.path / "new.txt") == {"a::t[3]"}


def test_evidence_is_gathered_in_the_gate_too(pytester):
    watch, long = nightly.Stopwatch(pytester.path / "new.txt"), nightly.LONG
    for name, took, marks in (("a::t", 0.0, {}), ("a::u", long, {"evidence": 1}), ("a::v", long, {})):
        watch.pytest_runtest_logreport(pytest.TestReport(name, ("a", 0, name), marks, "passed", None, "call", [], took))
    watch.pytest_sessionfinish()
    assert nightly.listed(pytester.path / "new.txt") == {"a::v"}


def test_the_quickest_case_of_a_test_stays():
    slow, quick = nightly.SLOW, nightly.SLOW / 2
    assert nightly.slow({"a::t[1]": slow, "a::t[2]": quick, "a::alone": slow}) == ["a::t[1]"]
    assert nightly.slow({"a::t[1]": nightly.LONG, "a::t[2]": nightly.LONG + 1}) == ["a::t[2]"], "the file has no other"
    assert nightly.slow({"a::t[1]": nightly.LONG, "a::u[1]": slow, "b::t": nightly.LONG}) == ["a::t[1]"]
    assert nightly.slow({"a::t[1]": slow, "a::t[2]": slow + 1, "a::t[3]": slow + 1}) == ["a::t[2]", "a::t[3]"]


def test_what_is_listed_exists_and_is_not_all_of_a_file(request):
    listed = nightly.listed()
    assert listed
    for name in listed:
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}(" in (HERE.parent / file).read_text(encoding="utf-8"), name
    if request.config.getoption("-k") or request.config.getoption("-m") or any("::" in a for a in request.config.args):
        return  # of some tests, not all cases are here
    files = {item.nodeid.partition("::")[0] for item in request.session.items}
    kept = {item.nodeid.partition("::")[0] for item in request.session.items if item.nodeid not in listed}
    assert {name.partition("::")[0] for name in listed} & files <= kept
