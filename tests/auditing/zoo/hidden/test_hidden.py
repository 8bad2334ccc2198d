"""The search finds leaks that few streams or few functions of the outputs show, and is silent on their correct twins.

`benchmarks/search_power.py` audits all of them at default settings; the quick ones are tested here.
"""

import numpy as np
import pytest

import privcheck

from . import TWINS
from .trees import bare_nodes, tree

ERROR = 1e-6
"""Level of the verdict: a test of a correct twin fails by chance with at most this probability. Seeds are fixed."""

RUNS = 4000

QUICK = [
    "tree of 8 rounds, node 7 to 7 bare",
    "additive shares",
    "integer and its pad",
    "integer and two pads",
    "counts with one offset",
    "one bin without noise",
    "parity of partial rewards",
    "a report sent as it is",
    "raw once rewards alternate",
]
"""Names of leaks whose targets are fast."""

CHOSEN = [twins for twins in TWINS if twins.name in QUICK]


def test_there_are_thirty_and_a_third_needs_what_extreme_constant_streams_or_single_parts_do_not_show():
    assert len(TWINS) == 30
    assert len({twins.name for twins in TWINS}) == 30
    assert sum(twins.needs in ("linear", "interior", "alternating") for twins in TWINS) >= 10
    assert len(CHOSEN) == len(QUICK)


@pytest.mark.parametrize("twins", CHOSEN, ids=str)
def test_a_hidden_leak_is_found(twins):
    report = privcheck.audit(twins.broken, epsilon=1.0, runs=RUNS, error=ERROR, **twins.options | twins.for_broken)
    assert report.verdict == "violation", twins.leak


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("twins", CHOSEN, ids=str)
def test_its_correct_twin_is_not_accused(twins):
    report = privcheck.audit(twins.correct, epsilon=1.0, runs=RUNS, error=ERROR, **twins.options | twins.for_correct)
    assert report.verdict == "consistent"


@pytest.mark.parametrize("bare", bare_nodes(8), ids=str)
def test_any_bare_node_is_found(bare):
    report = privcheck.audit(tree(4, bare), epsilon=1.0, horizon=8, runs=1000, pairs=300, error=ERROR)
    assert report.verdict == "violation"


@pytest.mark.chance(1e-6, "one bound at this level")
def test_the_tree_on_a_given_pair_is_near_its_loss():
    """The last round but one is in two nodes that are released, each of loss 1/4."""
    first, second = np.zeros(8), np.eye(8)[6]
    report = privcheck.audit(tree(4), epsilon=1.0, streams=(first, second), runs=RUNS, confidence=1.0 - ERROR)
    assert report.epsilon_lower <= 0.5
