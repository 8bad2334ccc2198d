"""What all tests share: their order, what is left to the night, what is said of failures, how much evidence to gather.

Properties are reproducible: hypothesis draws the same examples in every run.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from tests.unsynced import leave_unsynced

os.environ.pop("GITHUB_STEP_SUMMARY", None)  # suites that tests run would report there

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell leaves it to what it starts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("privcheck", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("privcheck")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--evidence",
        choices=("reduced", "full"),
        default="reduced",
        help="how many repetitions the tests marked `evidence` make; `full` runs those marked `nightly` too",
    )
    parser.addoption("--share", type=float, default=1.0, help="the share of these repetitions, of `full`, to make")
    parser.addoption("--write-nightly", type=Path, help="the list of slow cases, which are run and measured")
    parser.addoption("--false-failures", type=Path, help="the page into which the table of all tests is written")
    parser.addoption("--reseed", type=int, help="take other seeds than those that are written in the tests")


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the garbage collector leave alone what stays until the end: it would visit nearly a million objects."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is left to the night, unless tests are chosen by ids, marks or names, and put the files that are
    marked `long` first: where processes share the suite, one that starts last runs alone.
    """
    kept, left_out = _beside("nightly").divided(items)
    chosen = any(config.getoption(option, False) for option in ("-m", "-k", "--lf", "--write-nightly"))
    chosen = chosen or any("::" in argument for argument in config.args)
    if not (chosen or config.getoption("--evidence") == "full" or config.getoption("--false-failures")):
        items[:] = kept
        config.hook.pytest_deselected(items=left_out)
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)


def _beside(name: str) -> ModuleType:
    """Return a module of this folder, which cannot be imported by name."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_collection_finish(session: pytest.Session) -> None:
    if page := session.config.getoption("--false-failures"):
        _beside("false_failures").write(page, session.items)


@pytest.fixture(scope="session", autouse=True)
def _state_of_programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep heads of ledgers apart from the user's, which would outlive the ledgers of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def unsynced_ledgers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of the test ends before its time: nothing needs to be on the disk."""
    leave_unsynced(monkeypatch)


class NamesFailures:
    """Names each failed test as soon as it has failed: a suite that is cut off says nothing at its end."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self.terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = str(getattr(crash, "message", report.longrepr)).partition("\n")[0]
            self.terminal.write_line(f"\n{report.when} of {report.nodeid} failed after {report.duration:.0f} s: {why}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if terminal := config.pluginmanager.get_plugin("terminalreporter"):
        config.pluginmanager.register(NamesFailures(terminal))
        if file := config.getoption("--write-nightly"):
            config.pluginmanager.register(_beside("nightly").Stopwatch(file))
    if (number := config.getoption("--reseed")) is not None:
        _beside("false_failures").reseed(number)


@pytest.fixture(scope="session")
def evidence(request: pytest.FixtureRequest) -> Callable[[int, int | None], int | None]:
    """Return a function of (reduced, full) that gives the number of repetitions asked for with --evidence.

    A full number of None means no limit, and no share is taken of it.
    """
    full, share = (request.config.getoption(option) for option in ("--evidence", "--share"))

    def number(reduced: int, repetitions: int | None) -> int | None:
        if full != "full":
            return reduced
        if repetitions is None or repetitions <= reduced:
            return repetitions
        return max(reduced, round(share * repetitions))

    return number
