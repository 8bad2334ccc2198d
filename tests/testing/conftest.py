"""The correct and broken twins, for the tests of this folder and for suites that pytester writes."""

import importlib.util
import sys
from importlib import metadata
from pathlib import Path

import pytest
import scipy.stats  # noqa: F401  (pytester forgets later imports)

from privcheck.testing import PrivacyFailure, assert_certified, assert_private, assert_sensitivity


@pytest.fixture(scope="session")
def twins():
    path = Path(__file__).with_name("twins.py")
    spec = importlib.util.spec_from_file_location("privacy_twins", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["privacy_twins"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def plugin():
    """Return the options that load the plugin, none where the installed package does."""
    installed = any(point.name == "privcheck" for point in metadata.entry_points(group="pytest11"))
    return [] if installed else ["-p", "privcheck.testing.plugin"]


@pytest.fixture(scope="session")
def imported(twins):
    """Import what the suites need before pytester starts: it forgets later ones, and numpy and numba bear one each."""
    import numba

    assert numba.njit(lambda flag: not flag)(False)  # the compiler imports the rest when it is needed

    with pytest.raises(PrivacyFailure):
        assert_private(twins.noisy_sum_broken, 1.0, horizon=2)
    assert_private(twins.Follower, 1.0, arms=2, horizon=2, runs=1000)
    assert_certified(twins.Publisher, 1.0, arms=2, horizon=4)
    assert_sensitivity(lambda data: data.sum(), 1.0, arms=1)
