"""The pytest plugin: marks that audit and certify, options, and a summary of what passing tests could detect.

A session without privacy tests imports nothing but this module and that of the running test: the rest is imported where
a mark is met.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

import pytest

from privcheck.testing._running import Running, current, running

PROPERTY, FAILED, PAGE = "privcheck", "privcheck-failed", "privcheck-page"
"""The user properties that carry sentences and pages in a test's report, also from the workers of pytest-xdist."""

MARKS = {
    "privacy": (
        "assert_private",
        "privacy(epsilon, *, arms, horizon, ...): audit the policy or mechanism that the test returns",
    ),
    "certified": (
        "assert_certified",
        "certified(epsilon, *, arms, horizon, ...): certify the policy that the test returns",
    ),
}
"""The marks, each with its assertion and its description."""

SETTINGS = {
    "epsilon": "the claim of privacy tests, and the budget of certificates",
    "arms": "number of arms of policies that do not know it",
    "horizon": "rounds per run of an audit or a certificate",
    "runs": "runs per stream of an audit",
    "error": "probability with which a privacy test may fail by chance",
    "seed": "seed of privacy tests",
    "output": "folder in which failed privacy tests leave their pages",
}
"""The settings that pytest's configuration may give, as privcheck_epsilon for example, before [tool.privcheck]."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("privcheck", "privacy tests")
    group.addoption(
        "--privcheck-budget",
        type=_whole(20),
        metavar="RUNS",
        help="runs per stream of an audit, at least 20, for tests without runs= (default 5000); more runs detect more",
    )
    group.addoption(
        "--privcheck-seed",
        type=_whole(0),
        metavar="SEED",
        help="seed of privacy tests without seed= (default 0)",
    )
    group.addoption(
        "--privcheck-output",
        metavar="DIR",
        help="folder in which failed privacy tests leave their pages (default none)",
    )
    group.addoption(
        "--privcheck-watch",
        metavar="FILE",
        help="store in which each audit of a claim in epsilon adds a night of evidence, whose alarm fails the test",
    )
    for name, meaning in SETTINGS.items():
        parser.addini(f"privcheck_{name}", f"{meaning}; also {name} in [tool.privcheck]", default=None)


def _whole(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if int(text) < least:
            raise ValueError
        return int(text)

    number.__name__ = f"integer of at least {least}"
    return number


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks, and register the summary of the privacy tests."""
    for _, meaning in MARKS.values():
        config.addinivalue_line("markers", meaning)
    config.pluginmanager.register(Summary(), "privcheck-summary")


def _marks(item: Any) -> list[pytest.Mark]:
    """Return the marks of a test: of each name all those of the closest place that has any, each claim being tested."""
    places: dict[str, Any] = {}
    found = []
    for node, mark in item.iter_markers_with_node():
        if mark.name in MARKS and places.setdefault(mark.name, node) is node and mark not in found:
            found.append(mark)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Refuse marks that could not be carried out before any test runs."""
    found = yield
    for item in found if isinstance(found, list) else ():
        for mark in _marks(item) if isinstance(item, pytest.Function) else ():
            from privcheck.testing._marks import wrong_mark

            if wrong := wrong_mark(mark, collector.config):
                raise pytest.Collector.CollectError(f"{item.nodeid}: {wrong}")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Tell the assertions which test they belong to, and the options of the command line."""
    options = item.config.option
    test = Running(
        item.nodeid,
        item.name,
        hasattr(item, "callspec"),
        options.privcheck_seed,
        options.privcheck_budget,
        options.privcheck_output,
        options.privcheck_watch,
        item.config,
    )
    with running(test):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin an attempt at a test: another plugin may have run it before, because it failed."""
    current().begin()
    item.user_properties = [told for told in item.user_properties if told[0] not in (PROPERTY, FAILED, PAGE)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Apply the assertions of a test's marks to the value that it returns, and report what they could detect."""
    marks = _marks(item) if isinstance(item, pytest.Function) else []
    plain = item.obj if isinstance(item, pytest.Function) else None
    if marks and isinstance(item, pytest.Function):
        from privcheck.testing._marks import asserting

        item.obj = asserting(item.obj, marks)
    try:
        return (yield)
    finally:
        if isinstance(item, pytest.Function):
            item.obj = plain
        _report(item, current())


def _report(item: pytest.Item, test: Running) -> None:
    if test.passed or test.failed or test.machines:
        from privcheck.testing._kept_page import remove_old_pages

        remove_old_pages(test)
        for name, texts in ((PROPERTY, test.told()), (FAILED, test.failed), (PAGE, test.pages)):
            item.user_properties += [(name, text) for text in texts]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a failed `BanditMachine` without frames of privcheck and hypothesis."""
    report = yield
    if report.failed and call.excinfo is not None:
        from privcheck.testing._frames import of_machine, shown

        if of_machine(call.excinfo):
            report.longrepr = shown(call.excinfo, item.config.option.tbstyle)
    return report


class Summary:
    """What the privacy tests of this run, on any worker, found or could have detected."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the sentences of a test, each with its kind; none of a failure that was expected, or is tried again."""
        if report.when == "call" and (report.passed or report.failed):
            kinds = (PROPERTY,) if report.passed else (FAILED, PAGE)
            self.told += [(report.nodeid, name, str(text)) for name, text in report.user_properties if name in kinds]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the section, and the summary of a job on GitHub."""
        told = _once(self.told)
        passed = sorted((node, sentence) for node, kind, sentence in told if kind == PROPERTY)
        if passed:
            terminalreporter.section("privacy: what the passing tests could have detected")
            for node, sentence in passed:
                terminalreporter.line(node)
                terminalreporter.line(f"    {sentence}")
            terminalreporter.line("An audit that passes has not refuted the claim; it proves nothing.")
        if self.told and os.environ.get("GITHUB_STEP_SUMMARY"):
            from privcheck.reporting import append_summary, tests_summary

            append_summary(tests_summary(told, PROPERTY, PAGE))


def _once(told: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return equal sentences of one test once, with how often they were told, and pages as they are.

    >>> _once([("test_it", PROPERTY, "consistent")] * 2 + [("test_it", PAGE, "page.html")])
    [('test_it', 'privcheck', 'consistent (2 times)'), ('test_it', 'privcheck-page', 'page.html')]
    """
    return [
        (node, kind, f"{text} ({times:,} times)" if times > 1 and kind != PAGE else text)
        for (node, kind, text), times in Counter(told).items()
    ]
