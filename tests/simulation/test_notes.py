"""What is said beside the regret of policies: their budgets, and the order of the arms."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from privcheck.bandits import ALGORITHMS
from privcheck.reporting import details, page
from privcheck.results import PolicyResult, Simulation
from privcheck.simulation import simulate

FAVOURED = "the best arm is arm 0 in every run"


def printed(simulation, **options):
    console = Console(width=200, file=io.StringIO())
    console.print(details(simulation, **options))
    return " ".join(console.file.getvalue().split())


@pytest.mark.parametrize(
    ("policies", "means", "options", "said"),
    [
        (["ucb", "adap-ucb"], [0.75, 0.5], {}, True),
        (["ucb", "adap-ucb"], [0.5, 0.75], {}, False),
        (["ucb", "adap-ucb"], [0.75, 0.5], {"shuffle_arms": True}, False),
        (["adap-ucb"], [0.75, 0.5], {}, False),
    ],
)
def test_an_order_that_favours_a_policy_is_said(policies, means, options, said):
    found = simulate(policies, means, horizon=100, runs=3, epsilon=1.0, **options)
    assert (FAVOURED in printed(found)) == said
    assert (FAVOURED[1:] in page(found)) == said


def test_budgets_stand_beside_the_regret():
    found = simulate(["adap-ucb(epsilon=0.5)", "adap-ucb(epsilon=2)"], [0.75, 0.5], horizon=100, runs=3)
    assert "adap-ucb(epsilon=0.5): epsilon = 0.5; adap-ucb(epsilon=2): epsilon = 2" in printed(found)
    found = simulate(["adap-ucb", "ldp-ucb"], [0.75, 0.5], horizon=100, runs=3, epsilon=1.0)
    assert "adap-ucb: epsilon = 1; ldp-ucb: epsilon = 1 (local DP)" in printed(found)
    found = simulate(["ucb", "kl-ucb"], [0.75, 0.5], horizon=100, runs=3)
    assert printed(found).startswith("pseudo-regret after 100 rounds, 3 runs policy mean")
    figure = simulate(["ucb", "adap-ucb"], [0.75, 0.5], horizon=100, runs=3, epsilon=1.0).plot()
    assert "epsilon = 1 (ucb: not private)" in figure.legends[0].get_title().get_text()


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_a_local_algorithm_says_so(name):
    """The mark agrees with the guarantee that the docstring states."""
    stated = "epsilon-local DP" in (ALGORITHMS[name].__doc__ or "")
    assert ALGORITHMS[name].local == stated


def test_rounding_is_no_difference():
    """Regrets that differ in their last digits alone are ties; the twin compares them as they are."""
    found = simulate(["ucb", "kl-ucb"], [0.75, 0.5], horizon=100, runs=40)
    one, two = found.results
    regret = np.tile(np.arange(1.0, 5.0), 10)[:, None]
    noisy = regret * (1.0 - 3e-16 * np.arange(1, 41)[:, None])
    assert (noisy <= regret).all()
    assert (noisy < regret).any()

    def played(result, final):
        shape = {**vars(result), "regret": np.broadcast_to(final, (40, len(result.checkpoints)))}
        return PolicyResult(**shape)

    same = Simulation(**{**vars(found), "results": (played(one, regret), played(two, noisy))})
    (pair,) = same.compare()
    assert (pair.p_order, pair.p_mean, pair.better) == (1.0, 1.0, 0.5)
    assert pair.median.value == pair.q95.value == 0.0
