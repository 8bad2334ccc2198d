"""The slow cases that the gate leaves to the night: `tests/nightly.txt`, from what a run of the whole suite measured.

    python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --write-nightly=tests/nightly.txt

writes the list again. The gate keeps a case of every test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("nightly.txt")

SLOW = 1.0
"""Seconds from which a case of several is left to the night, unless all others of its test take longer."""


def slow(seconds: Mapping[str, float]) -> list[str]:
    """Return the ids of the slow cases, given what every case took.

    >>> slow({"a.py::test[1]": 9.0, "a.py::test[2]": 0.1, "a.py::test_alone": 9.0})
    ['a.py::test[1]']
    """
    cases: dict[str, list[str]] = {}
    for name in seconds:
        cases.setdefault(name.partition("[")[0], []).append(name)
    found = []
    for names in cases.values():
        quickest = min(names, key=lambda name: seconds[name])
        found += [name for name in names if name != quickest and seconds[name] >= SLOW]
    return sorted(found)


class Stopwatch:
    """Adds up what each case takes, with its fixtures, and writes the list when the suite has ended.

    Cases that are skipped or fail are no cases that the gate can keep.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.seconds, self.left_out = file, dict[str, float](), set[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.passed:
            self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        else:
            self.left_out.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        seconds = {name: took for name, took in self.seconds.items() if name not in self.left_out}
        self.file.write_text("".join(f"{name}\n" for name in slow(seconds)), encoding="utf-8")


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
