"""SmartNoise: the mechanisms of its SQL, and its synthesizer by multiplicative weights."""

from __future__ import annotations

from functools import cache
from typing import Any

from audits.wild.arguments.data_as_domain import range_of_the_column
from audits.wild.implementation import Fault, Project, Wild

SQL = Project("SmartNoise SQL", "1.0.10", "MIT", package="smartnoise-sql", apart=True)
SYNTH = Project("SmartNoise Synth", "1.0.8", "MIT", package="smartnoise-synth", apart=True)

ADDED, REPLACED = "one row more or less", "one row replaced"
ROWS = [[0.2, 1.0], [0.2, 1.0, 1.0]]
MANY = [[0.9] * 22, [0.9] * 23]
CATEGORIES = [[0, 0, 0, 0], [0, 0, 0, 1]]


@cache
def made(kind: Any, **options: Any) -> Any:
    """Return a mechanism, whose scale is searched for, once."""
    return kind(1.0, **options)


def laplace(data: Any, rng: Any) -> Any:
    """Add Laplace noise to a count."""
    from snsql.sql._mechanisms.laplace import Laplace

    return made(Laplace, sensitivity=1).release([len(ROWS[int(data[0])])])[0]


def gaussian(data: Any, rng: Any) -> Any:
    """Add Gaussian noise to a bounded sum."""
    from snsql.sql._mechanisms.gaussian import Gaussian

    return made(Gaussian, delta=1e-5, lower=0, upper=1).release([sum(ROWS[int(data[0])])])[0]


def bounds(data: Any, rng: Any) -> Any:
    """Estimate the range of a column."""
    from snsql.sql._mechanisms.approx_bounds import approx_bounds

    return approx_bounds(MANY[int(data[0])], 1.0)


def public_categories() -> Any:
    """Return the transformer of a column with the categories 0 and 1, fitted without private data."""
    from snsynth.transform import LabelTransformer, TableTransformer

    column = TableTransformer([LabelTransformer(nullable=False)])
    column.fit([(0,), (1,)])
    return column


def multiplicative_weights(data: Any, rng: Any) -> Any:
    """Draw ten synthetic rows of a column whose categories, 0 and 1, are public."""
    from snsynth.mwem import MWEMSynthesizer

    model = MWEMSynthesizer(epsilon=1.0, iterations=1, q_count=1)
    model.fit([(row,) for row in CATEGORIES[int(data[0])]], transformer=public_categories())
    return [int(row[0]) for row in model.sample(10)]


def audited(name: str, what: str, play: Any, relation: str, **more: Any) -> Wild:
    """Return an audit of code that cannot be seeded, in an interpreter of its own."""
    project = more.pop("project", SQL)
    usual: dict[str, Any] = {"pair": (ROWS[0], ROWS[1]), "runs": 3_000}
    return Wild(f"smartnoise-{name}", what, project, play, 1.0, relation, seeded=False, **usual | more)


AUDITS = (
    audited("laplace", "`Laplace`", laplace, ADDED),
    audited("gaussian", "`Gaussian`", gaussian, ADDED, delta=1e-5),
    audited("bounds", "`approx_bounds`", bounds, ADDED, pair=tuple(MANY), runs=500),
    audited(
        "mwem",
        "`MWEMSynthesizer`",
        multiplicative_weights,
        REPLACED,
        project=SYNTH,
        pair=tuple(CATEGORIES),
        expected="violation",
        fault=Fault(
            "the audit sees it on given inputs",
            "`_histogram_from_data_attributes` takes the bins of each column from the smallest and largest value in "
            "the private data, even if the transformer was fitted on public categories.",
            "A synthetic row can only have a category between the smallest and the largest that occur: one with the "
            "last category shows that somebody has it.",
            "Take the number of bins and their range from the transformer, or let the caller give them.",
            "not reported upstream yet",
            range_of_the_column,
        ),
    ),
)
