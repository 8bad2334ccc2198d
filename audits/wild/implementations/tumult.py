"""Tumult Core: measurements on counts and on a series, in an interpreter with numpy below 2."""

from __future__ import annotations

from typing import Any

from audits.wild.implementation import Project, Wild

PACKAGE = Project("Tumult Core", "0.20.0", "Apache-2.0", package="tmlt-core", apart=True)

ROWS = [[0.1, 0.6, 0.6], [0.1, 0.6, 0.6, 0.6]]


def laplace(data: Any, rng: Any) -> Any:
    """Add Laplace noise to a count."""
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.noise_mechanisms import AddLaplaceNoise

    return AddLaplaceNoise(NumpyFloatDomain(), scale=1)(float(len(ROWS[int(data[0])])))


def geometric(data: Any, rng: Any) -> Any:
    """Add geometric noise to a count."""
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

    return int(AddGeometricNoise(alpha=1)(len(ROWS[int(data[0])])))


def discrete_gaussian(data: Any, rng: Any) -> Any:
    """Add discrete Gaussian noise to a count."""
    from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise

    return int(AddDiscreteGaussianNoise(sigma_squared=16)(len(ROWS[int(data[0])])))


def quantile_of_column() -> Any:
    """Return the median of a series of numbers from 0 to 1, at epsilon 1."""
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.domains.pandas_domains import PandasSeriesDomain
    from tmlt.core.measurements.pandas_measurements.series import NoisyQuantile
    from tmlt.core.measures import PureDP

    column = PandasSeriesDomain(NumpyFloatDomain())
    return NoisyQuantile(column, PureDP(), quantile=0.5, lower=0.0, upper=1.0, epsilon=1)


def median(data: Any, rng: Any) -> Any:
    """Release a median."""
    import pandas as pd

    return float(quantile_of_column()(pd.Series(ROWS[int(data[0])])))


def audited(name: str, what: str, play: Any, epsilon: float = 1.0, **more: Any) -> Wild:
    """Return an audit of code that cannot be seeded, in an interpreter of its own."""
    relation = "one row more or less"
    return Wild(
        f"tumult-{name}",
        what,
        PACKAGE,
        play,
        epsilon,
        relation,
        pair=(ROWS[0], ROWS[1]),
        runs=3_000,
        seeded=False,
        **more,
    )


AUDITS = (
    audited("laplace", "`AddLaplaceNoise`", laplace),
    audited("geometric", "`AddGeometricNoise`", geometric),
    audited(
        "discrete-gaussian",
        "`AddDiscreteGaussianNoise`",
        discrete_gaussian,
        1.231,
        delta=1e-5,
        remark="claims rho = 1 / 32 of zCDP, which converts to this",
    ),
    audited("median", "`NoisyQuantile`", median),
)
