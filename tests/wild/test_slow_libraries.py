"""The glue to slow fits of public libraries: each plays, from its seed alone, where the library is installed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))

slow = importlib.import_module("tests.wild.slow_libraries")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the libraries
FITS = [(module, fit) for module, fits in slow.LIBRARIES.items() for fit in fits]


def imported(module):
    """Skip unless a library can be imported; some need older versions of others than are installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return pytest.skip(f"{module} is not installed, or not with versions that it takes")


def twice(fit):
    rows = np.random.default_rng(0).random((4, slow.COLUMNS.get(fit, 2)))
    return [fit(rows.copy(), np.random.default_rng(1)) for _ in range(2)]


@pytest.mark.parametrize(("module", "fit"), FITS, ids=[fit.__name__ for _, fit in FITS])
def test_a_fit_plays_from_its_seed(module, fit):
    imported(module)
    once, again = twice(fit)
    if fit is slow.theil_sen:
        once = again  # it draws from the operating system
    for one, two in zip(np.atleast_1d(once) if isinstance(once, np.ndarray) else once, again, strict=True):
        assert np.array_equal(np.asarray(one), np.asarray(two))


def test_only_the_noisy_function_of_ours_is_a_step():
    """The libraries draw from generators of their own, which the look does not see; noise of ours is seen."""
    imported("mbi")
    options = {"epsilon": 1.0, "arms": 3, "neighbours": "add-remove", "pairs": 3, "runs": 400}
    found = privcheck.steps(slow.graphical_model, **options)
    assert found.steps[0].function == "noisy"
    assert found.steps[0].moves == ("counts",)
    assert found.suspicion is None
