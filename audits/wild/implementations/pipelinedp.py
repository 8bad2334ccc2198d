"""PipelineDP: aggregates of its engine, in an interpreter of its own."""

from __future__ import annotations

from typing import Any

from audits.wild.implementation import Project, Wild

PACKAGE = Project("PipelineDP", "0.3.1", "Apache-2.0", package="pipeline-dp", apart=True)

USERS = [[("a", 0.5), ("b", 1.0)], [("a", 0.5), ("b", 1.0), ("c", 1.0)]]
USERS_ZERO = [[("a", 0.5), ("b", 1.0)], [("a", 0.5), ("b", 1.0), ("c", 0.0)]]


def released(users: Any, metric: str) -> Any:
    """Return an aggregate of one public partition to which every user contributes one value from 0 to 1."""
    import pipeline_dp as p

    budget = p.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-9)
    parts = p.DataExtractors(lambda row: row[0], lambda row: "all", lambda row: row[1])
    params = p.AggregateParams(
        metrics=[getattr(p.Metrics, metric)],
        noise_kind=p.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=0.0,
        max_value=1.0,
    )
    result = p.DPEngine(budget, p.LocalBackend()).aggregate(users, params, parts, public_partitions=["all"])
    budget.compute_budgets()
    return float(next(iter(result))[1][0])


def count(data: Any, rng: Any) -> Any:
    """Count values."""
    return released(USERS[int(data[0])], "COUNT")


def users(data: Any, rng: Any) -> Any:
    """Count users."""
    return released(USERS[int(data[0])], "PRIVACY_ID_COUNT")


def total(data: Any, rng: Any) -> Any:
    """Add values up."""
    return released(USERS[int(data[0])], "SUM")


def mean(data: Any, rng: Any) -> Any:
    """Release a mean."""
    return released(USERS_ZERO[int(data[0])], "MEAN")


def variance(data: Any, rng: Any) -> Any:
    """Release a variance."""
    return released(USERS_ZERO[int(data[0])], "VARIANCE")


def audited(name: str, play: Any, pair: Any = USERS) -> Wild:
    """Return an audit of code that cannot be seeded, in an interpreter of its own."""
    what, relation = f"`{name}` of `DPEngine`", "one user more or less"
    return Wild(
        f"pipelinedp-{name.lower().replace('_', '-')}",
        what,
        PACKAGE,
        play,
        1.0,
        relation,
        delta=1e-9,
        pair=tuple(pair),
        runs=3_000,
        seeded=False,
    )


AUDITS = (
    audited("COUNT", count),
    audited("PRIVACY_ID_COUNT", users),
    audited("SUM", total),
    audited("MEAN", mean, USERS_ZERO),
    audited("VARIANCE", variance, USERS_ZERO),
)
