"""The pytest plugin: marks that audit and certify, options, and a summary of what passing tests could detect."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any

import pytest

from privcheck.errors import PrivcheckError
from privcheck.testing.assertion import PrivacyFailure, Running, current, running

PROPERTY = "privcheck"
"""The user property that carries a sentence in a test's report, also from the workers of pytest-xdist."""

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
        default=0,
        metavar="SEED",
        help="seed of privacy tests without seed= (default 0)",
    )


def _whole(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if int(text) < least:
            raise ValueError
        return int(text)

    number.__name__ = f"integer of at least {least}"
    return number


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks, and register the summary of passing tests."""
    for _, meaning in MARKS.values():
        config.addinivalue_line("markers", meaning)
    config.pluginmanager.register(Summary(), "privcheck-summary")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Tell the assertions which test they belong to, and the options of the command line."""
    options = item.config.option
    with running(Running(item.nodeid, options.privcheck_seed, options.privcheck_budget)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Apply the assertions of a test's marks to the value that it returns, and report what they could detect."""
    closest = {mark.name: mark for mark in reversed(list(item.iter_markers())) if mark.name in MARKS}
    plain = item.obj if isinstance(item, pytest.Function) else None
    if closest and isinstance(item, pytest.Function):
        item.obj = _asserting(item.obj, list(closest.values()))
    try:
        return (yield)
    finally:
        if isinstance(item, pytest.Function):
            item.obj = plain
        item.user_properties += [(PROPERTY, sentence) for sentence in current().passed]


def _asserting(test: Callable[..., Any], marks: list[pytest.Mark]) -> Callable[..., None]:
    import privcheck.testing

    @functools.wraps(test)
    def asserting(**arguments: Any) -> None:
        target = test(**arguments)
        for mark in marks:
            assertion = getattr(privcheck.testing, MARKS[mark.name][0])
            wrong = _failure(assertion, mark, target)
            if wrong:
                pytest.fail(wrong, pytrace=False)

    return asserting


def _failure(assertion: Callable[..., Any], mark: pytest.Mark, target: Any) -> str:
    """Return why the assertion of a mark fails, or an empty string when it passes."""
    try:
        given = inspect.signature(assertion).bind(target, *mark.args, **mark.kwargs).arguments
        if not ({"epsilon", "rho", "mu"} & ({*given} | {*given.get("options", {})})):
            raise TypeError("missing a required argument: 'epsilon'")
    except TypeError as error:
        return f"pytest.mark.{mark.name}: {error}; as in @pytest.mark.{mark.name}(epsilon=1.0, arms=2)"
    try:
        assertion(target, *mark.args, **mark.kwargs)
    except (PrivacyFailure, PrivcheckError) as error:
        return str(error)
    return ""


class Summary:
    """What the passing tests of this run, on any worker, could have detected."""

    def __init__(self) -> None:
        self.passed: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the sentences of a test that passed."""
        if report.when == "call" and report.passed:
            said = [str(value) for name, value in report.user_properties if name == PROPERTY]
            self.passed += [(report.nodeid, sentence) for sentence in said]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the section."""
        if not self.passed:
            return
        terminalreporter.section("privacy: what the passing tests could have detected")
        for node, sentence in sorted(self.passed):
            terminalreporter.line(node)
            terminalreporter.line(f"    {sentence}")
        terminalreporter.line("An audit that passes has not refuted the claim; it proves nothing.")
