"""Private fits of public libraries that take a millisecond to a second, as a stranger calls them, on rows of data.

`privcheck audit tests/wild/slow_libraries.py:scaler --epsilon 1 --arms 2`, where the library is installed.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

UNIT = ([0.0, 0.0], [1.0, 1.0])
"""Bounds of two features."""

DOMAIN = {"age": 3, "sex": 2, "income": 3}
"""Categories of the columns of the synthetic data."""


def seed(rng: Any) -> int:
    """Return a seed for code that takes no Generator."""
    return int(rng.integers(2**31))


def categories(data: Any) -> Any:
    """Return numbers from 0 to 1 as categories of `DOMAIN`."""
    sizes = np.array(list(DOMAIN.values()))
    return np.minimum(np.floor(data * sizes), sizes - 1).astype(int)


def models() -> Any:
    """Return diffprivlib's models, without its warnings."""
    from diffprivlib import models

    warnings.simplefilter("ignore")
    return models


def scaler(data: Any, rng: Any) -> Any:
    """Fit diffprivlib's StandardScaler."""
    model = models().StandardScaler(epsilon=1.0, bounds=UNIT, random_state=seed(rng)).fit(data)
    return model.mean_, model.var_


def principal_component(data: Any, rng: Any) -> Any:
    """Fit diffprivlib's PCA with one component."""
    made = models().PCA(1, epsilon=1.0, bounds=UNIT, data_norm=np.sqrt(2.0), random_state=seed(rng))
    model = made.fit(data)
    return model.components_, model.mean_


def k_means(data: Any, rng: Any) -> Any:
    """Fit diffprivlib's KMeans with two clusters."""
    return models().KMeans(2, epsilon=1.0, bounds=UNIT, random_state=seed(rng)).fit(data).cluster_centers_


def tree(data: Any, rng: Any) -> Any:
    """Fit diffprivlib's DecisionTreeClassifier; the third column is the class."""
    made = models().DecisionTreeClassifier(
        max_depth=2, epsilon=1.0, bounds=UNIT, classes=[0, 1], random_state=seed(rng)
    )
    model = made.fit(data[:, :2], (data[:, 2] > 0.5).astype(int))
    return model.tree_.threshold, model.tree_.value


def forest(data: Any, rng: Any) -> Any:
    """Fit diffprivlib's RandomForestClassifier; the third column is the class."""
    made = models().RandomForestClassifier(
        3, epsilon=1.0, bounds=UNIT, classes=[0, 1], max_depth=2, random_state=seed(rng)
    )
    model = made.fit(data[:, :2], (data[:, 2] > 0.5).astype(int))
    return model.predict([[0.2, 0.2], [0.2, 0.8], [0.8, 0.2], [0.8, 0.8]])


def histogram(data: Any, rng: Any) -> Any:
    """Release diffprivlib's histogram2d of four bins; a claim about one row more or less."""
    from diffprivlib import tools

    return tools.histogram2d(*data.T, epsilon=1.0, bins=2, range=[(0, 1), (0, 1)], random_state=seed(rng))[0]


def quantiles(data: Any, rng: Any) -> Any:
    """Release three quantiles by diffprivlib."""
    from diffprivlib import tools

    return tools.quantile(data.ravel(), [0.25, 0.5, 0.75], epsilon=1.0, bounds=(0, 1), random_state=seed(rng))


def theil_sen(data: Any, rng: Any) -> Any:
    """Fit OpenDP's LinearRegression, whose map gives 1 for one row more or less."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
    bounds = {"x_bounds": [(0.0, 1.0)], "y_bounds": (0.0, 1.0), "scale": 2.0}
    model = dp.sklearn.linear_model.LinearRegression(dp.max_divergence(), **bounds).fit(X=data[:, :1], y=data[:, 1])
    return np.append(model.coef_, model.intercept_)


def noisy(counts: Any, rng: Any) -> Any:
    """Add Laplace noise for two tables, in each of which a row counts once."""
    return counts + rng.laplace(scale=2.0, size=len(counts))


def graphical_model(data: Any, rng: Any) -> Any:
    """Estimate mbi's graphical model from two noisy tables; a claim about one row more or less."""
    from mbi import Domain, LinearMeasurement, estimation

    age, sex, income = categories(data).T
    first = noisy(np.bincount(2 * age + sex, minlength=6), rng)
    second = noisy(np.bincount(3 * sex + income, minlength=6), rng)
    measured = [LinearMeasurement(first, ("age", "sex")), LinearMeasurement(second, ("sex", "income"))]
    model = estimation.MirrorDescent().estimate(Domain(list(DOMAIN), list(DOMAIN.values())), measured, iters=5)
    return np.asarray(model.project(("age", "income")).datavector())


def synthetic_rows(data: Any, rng: Any) -> Any:
    """Count 20 rows that PrivSyn draws; a claim with delta = 0.01 about one row more or less."""
    import pandas as pd
    from privsyn import PrivSynModel

    extra = {"update_iterations": 5, "consist_iterations": 25}
    model = PrivSynModel(epsilon=1.0, delta=1e-2, random_state=seed(rng), extra_params=extra)
    drawn = model.fit(pd.DataFrame(categories(data), columns=list(DOMAIN)), DOMAIN).sample(20)
    return np.bincount(drawn.to_numpy() @ [6, 3, 1], minlength=18)


LIBRARIES = {
    "diffprivlib": (scaler, principal_component, k_means, tree, forest, histogram, quantiles),
    "mbi": (graphical_model,),
    "opendp.extras.sklearn.linear_model": (theil_sen,),
    "privsyn": (synthetic_rows,),
}
"""The fits, by the module that they need."""

COLUMNS = {quantiles: 1, tree: 3, forest: 3, graphical_model: 3, synthetic_rows: 3}
"""Columns of their rows, where they are not two."""
