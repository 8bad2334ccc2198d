"""The slow cases that the gate leaves to the night: `tests/nightly.txt`, from what a run of the whole suite measured.

    python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --write-nightly=tests/nightly.txt

writes the list again. The gate keeps a case of every test that does not take long, a test of every
file, and the evidence, which it gathers in a reduced form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("nightly.txt")

SLOW = 0.2
"""Seconds from which a case of several is left to the night, unless all others of its test take longer."""

LONG = 1.5
"""Seconds from which the quickest case of a test is left to the night, unless all others of its file take longer."""


def slow(seconds: Mapping[str, float], evidence: Collection[str] = ()) -> list[str]:
    """Return the ids of the slow cases, given what every case took, and which ones the gate runs in a reduced form.

    >>> slow({"a.py::test[1]": 9.0, "a.py::test[2]": 0.1, "a.py::test_alone": 9.0, "b.py::test_alone": 9.0})
    ['a.py::test[1]', 'a.py::test_alone']
    """
    kept = _without_slow(seconds, seconds, "[", SLOW)
    long = _without_slow([name for name in kept if name not in evidence], seconds, "::", LONG)
    return sorted(set(seconds) - {*long, *(name for name in kept if name in evidence)})


def _without_slow(names: Iterable[str], seconds: Mapping[str, float], mark: str, limit: float) -> list[str]:
    """Return those below a limit, and of names that are alike up to a mark the quickest."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(name.partition(mark)[0], []).append(name)
    quickest = {min(group, key=lambda name: seconds[name]) for group in alike.values()}
    return [name for group in alike.values() for name in group if name in quickest or seconds[name] < limit]


class Stopwatch:
    """Adds up what each case takes, with its fixtures, and writes the list when the suite has ended.

    Cases that are skipped or fail are no cases that the gate can keep.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.seconds, self.left_out, self.evidence = file, dict[str, float](), set[str](), set[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "evidence" in report.keywords:
            self.evidence.add(report.nodeid)
        if report.passed:
            self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        else:
            self.left_out.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        seconds = {name: took for name, took in self.seconds.items() if name not in self.left_out}
        self.file.write_text("".join(f"{name}\n" for name in slow(seconds, self.evidence)), encoding="utf-8")


def listed(file: Path = LIST) -> set[str]:
    """Return the ids of the list."""
    return set(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else set()


def divided(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the cases of the gate and those of the night, which are the listed ones and those marked `nightly`."""
    names = listed()
    parts: tuple[list[pytest.Item], list[pytest.Item]] = ([], [])
    for item in items:
        if item.nodeid in names:
            item.add_marker("nightly")
        parts[item.get_closest_marker("nightly") is not None].append(item)
    return parts
