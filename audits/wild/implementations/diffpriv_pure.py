"""diffpriv-pure: sums, means and counts in Python's standard library."""

from __future__ import annotations

from typing import Any

from audits.wild.arguments.one_sided import never_below_the_count
from audits.wild.implementation import Fault, Project, Wild

PACKAGE = Project("diffpriv-pure", "0.1.0", "MIT", package="diffpriv-pure")


def private_sum(data: Any, rng: Any) -> Any:
    """Add Laplace noise to a clipped sum."""
    from diffpriv_pure import private_sum

    return private_sum(list(data), (0.0, 1.0), 1.0)


def private_mean(data: Any, rng: Any) -> Any:
    """Add Gaussian noise to a clipped mean."""
    from diffpriv_pure import private_mean

    return private_mean(list(data), (0.0, 1.0), 1.0, 1e-5)


def private_count(data: Any, rng: Any) -> Any:
    """Add geometric noise to a count."""
    from diffpriv_pure import private_count

    return private_count(int(sum(data)), 1.0)


ROW = "one row replaced"
AUDITS = (
    Wild("diffpriv-pure-sum", "`private_sum`", PACKAGE, private_sum, 1.0, ROW, options={"horizon": 2}),
    Wild("diffpriv-pure-mean", "`private_mean`", PACKAGE, private_mean, 1.0, ROW, delta=1e-5, options={"horizon": 2}),
    Wild(
        "diffpriv-pure-count",
        "`private_count`",
        PACKAGE,
        private_count,
        1.0,
        ROW,
        options={"horizon": 2},
        expected="violation",
        fault=Fault(
            "the default search sees it",
            "`geometric_noise` draws a geometric number, which is negative only if `random.random()` returns 0.",
            "A released count is practically never below the true one: an output of n shows that it is not n + 1.",
            "Subtract two independent geometric numbers, which gives the two-sided geometric law.",
            "not reported upstream yet",
            never_below_the_count,
        ),
    ),
)
