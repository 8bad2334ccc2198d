"""The correct and broken twins, for the tests of this folder and for suites that pytester writes."""

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def twins():
    path = Path(__file__).with_name("twins.py")
    spec = importlib.util.spec_from_file_location("privacy_twins", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["privacy_twins"] = module
    spec.loader.exec_module(module)
    return module
