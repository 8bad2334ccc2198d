"""Files that take long are handed out first, so that no process plays the last of them alone."""

from pathlib import Path

pytest_plugins = ["pytester"]

HERE = Path(__file__).parent


def test_files_marked_long_come_first_and_stay_whole(pytester):
    for name in ("conftest", "nightly"):
        pytester.makepyfile(**{name: (HERE / f"{name}.py").read_text(encoding="utf-8")})
    pytester.makepyfile(
        test_a="def test_1(): ...\ndef test_2(): ...",
        test_b="import pytest\ndef test_1(): ...\n@pytest.mark.long\ndef test_2(): ...",
        test_c="import pytest\npytestmark = pytest.mark.long\ndef test_1(): ...",
    )
    found = pytester.runpytest("-p", "no:cacheprovider", "--collect-only", "-q", "-W", "ignore")
    names = [line for line in found.outlines if "::" in line]
    assert names == [
        "test_b.py::test_1", "test_b.py::test_2", "test_c.py::test_1", "test_a.py::test_1", "test_a.py::test_2",
    ]  # fmt: skip


def test_whoever_divides_the_suite_by_files_keeps_this_order():
    """By itself pytest-xdist begins with the files that have the most tests."""
    for name in ("Makefile", "noxfile.py"):
        for line in (HERE.parent / name).read_text(encoding="utf-8").splitlines():
            assert ("loadfile" in line) == ("--no-loadscope-reorder" in line), line
