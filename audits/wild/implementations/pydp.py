"""PyDP: Google's building blocks for differential privacy, called from Python."""

from __future__ import annotations

from typing import Any

from audits.wild.implementation import Project, Wild

PACKAGE = Project("PyDP", "1.1.5", "Apache-2.0", package="python-dp")

ROW = "one row more or less"
BOUNDS = {"lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float"}


def count(data: Any, rng: Any) -> Any:
    """Release a count."""
    from pydp.algorithms.laplacian import Count

    return int(Count(epsilon=1.0, dtype="int").quick_result(data))


def bounded_sum(data: Any, rng: Any) -> Any:
    """Release a sum."""
    from pydp.algorithms.laplacian import BoundedSum

    return float(BoundedSum(epsilon=1.0, **BOUNDS).quick_result(data))


def bounded_mean(data: Any, rng: Any) -> Any:
    """Release a mean."""
    from pydp.algorithms.laplacian import BoundedMean

    return float(BoundedMean(epsilon=1.0, **BOUNDS).quick_result(data))


def bounded_variance(data: Any, rng: Any) -> Any:
    """Release a variance."""
    from pydp.algorithms.laplacian import BoundedVariance

    return float(BoundedVariance(epsilon=1.0, **BOUNDS).quick_result(data))


def median(data: Any, rng: Any) -> Any:
    """Release a median."""
    from pydp.algorithms.laplacian import Median

    return float(Median(epsilon=1.0, **BOUNDS).quick_result(data))


def audited(name: str, play: Any, pair: Any) -> Wild:
    """Return an audit of code that cannot be seeded."""
    return Wild(f"pydp-{name}", f"`{name}`", PACKAGE, play, 1.0, ROW, pair=pair, seeded=False)


AUDITS = (
    audited("Count", count, ([1, 1, 1], [1, 1])),
    audited("BoundedSum", bounded_sum, ([0.0, 1.0, 1.0], [0.0, 1.0])),
    audited("BoundedMean", bounded_mean, ([0.0, 0.0, 1.0], [0.0, 0.0])),
    audited("BoundedVariance", bounded_variance, ([0.0, 0.0, 1.0], [0.0, 0.0])),
    audited("Median", median, ([0.1, 0.1, 0.9], [0.1, 0.1])),
)
