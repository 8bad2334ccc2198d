"""What all tests share: their order, how much statistical evidence to gather, and reproducible property-based tests."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import settings

os.environ.pop("GITHUB_STEP_SUMMARY", None)  # suites that tests run would report there

settings.register_profile("privcheck", derandomize=True, deadline=None)
settings.load_profile("privcheck")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--evidence",
        choices=("reduced", "full"),
        default="reduced",
        help="how many repetitions the tests marked `evidence` make",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that are marked `long` first: where processes share the suite, one that starts last runs alone."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session")
def evidence(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Return a function of (reduced, full) that gives the number of repetitions asked for with --evidence."""
    full = request.config.getoption("--evidence") == "full"
    return lambda reduced, repetitions: repetitions if full else reduced
