"""The test data of each mechanism, one file for each kind; `conftest.py` imports this folder as a package."""

from . import (
    above_threshold,
    discrete_gaussian,
    discrete_laplace,
    gaussian,
    gaussian_streams,
    laplace,
    local,
    noisy_max,
    randomised_response,
    staircase,
    trees,
)
from . import above_threshold_oracles as sparse
from . import local_oracles as of_one_datum
from . import tree_oracles as of_trees
from .case import Case

__all__ = ["APART", "CASES", "Case", "of_one_datum", "of_trees", "sparse"]

FILES = (
    above_threshold,
    discrete_gaussian,
    discrete_laplace,
    gaussian,
    gaussian_streams,
    laplace,
    local,
    noisy_max,
    randomised_response,
    staircase,
    trees,
)
CASES: dict[str, Case] = {name: case for file in FILES for name, case in file.CASES.items()}

APART = {"wishart": "test_wishart.py"}
"""Mechanisms whose privacy is no multiple of sensitivity / scale, and the files of their contracts."""
