"""What the tests of the auditor share: the policies of policies.py as a module and as places in a file."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from privcheck.targets import Request, Sampler

FILE = Path(__file__).parent / "policies.py"


@pytest.fixture(scope="session")
def policies() -> ModuleType:
    """The module of policies."""
    spec = importlib.util.spec_from_file_location("policies_of_the_auditing_tests", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def place() -> Callable[[str], str]:
    """Name a policy of policies.py as a user names one in a file."""
    return lambda name: f"{FILE}:{name}"


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Every request for runs that is made from here on."""
    seen: list[Request] = []
    tasks = Sampler._tasks

    def watched(self, requests):
        seen.extend(requests)
        return tasks(self, requests)

    monkeypatch.setattr(Sampler, "_tasks", watched)
    return seen
