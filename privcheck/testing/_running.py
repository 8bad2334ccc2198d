"""The running test: what the assertions inside it receive, and what they report; importing it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Running:
    """One running test: the options of the command line, and what its assertions report.

    Parameters
    ----------
    node : the test's id; empty outside of pytest.
    name : the end of the test's id.
    parametrised : whether it is one of several of its name.
    seed, runs, output, watch : options of the command line; None where it gives none.
    config : pytest's configuration; None outside of pytest.
    passed, failed : one sentence from each assertion that passed, or failed.
    pages : the pages of results that were kept.
    watched : nights of evidence that its audits have added.
    machines : of each `BanditMachine` by name, its runs, those that released something, and the rounds of the longest.
    """

    node: str = ""
    name: str = ""
    parametrised: bool = False
    seed: int | None = None
    runs: int | None = None
    output: str | None = None
    watch: str | None = None
    config: Any = None
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    watched: int = 0
    machines: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def begin(self) -> None:
        """Forget what an earlier attempt at this test has told."""
        for kept in (self.passed, self.failed, self.pages, self.machines):
            kept.clear()
        self.watched = 0

    def add_run(self, machine: str, releases: int, rounds: int) -> None:
        """Count a run of a machine, which made so many releases in so many rounds."""
        runs, with_releases, longest = self.machines.get(machine, (0, 0, 0))
        self.machines[machine] = runs + 1, with_releases + (releases > 0), max(longest, rounds)

    def told(self) -> list[str]:
        """Return the sentences of what passed, those of machines at the end."""
        found = [*self.passed]
        for machine, (runs, with_releases, longest) in self.machines.items():
            played = f"{runs:,} runs of up to {longest:,} rounds"
            if with_releases:
                what = f"{with_releases:,} of {played} released something, within budget"
            else:
                what = f"nothing was released in {played}, so no ledger was tested: is the horizon long enough?"
            found.append(f"{machine}: {what}")
        return found


_RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)


def current() -> Running:
    """Return the running test, or one with the default settings outside pytest."""
    return _RUNNING.get() or Running()


@contextmanager
def running(test: Running) -> Iterator[Running]:
    """Assign the assertions of this block to a test."""
    token = _RUNNING.set(test)
    try:
        yield test
    finally:
        _RUNNING.reset(token)
