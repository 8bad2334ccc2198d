"""`privcheck simulate`."""

from __future__ import annotations

from typing import Annotated

import typer

from privcheck.cli.options import Epsilon, Horizon, Jobs, Json, Means, Seed, check_json, numbers, whole, write_json
from privcheck.errors import PrivcheckError


def simulate(
    policies: Annotated[list[str], typer.Argument(help="Shipped ids, such as adap-ucb kl-ucb.")],
    means: Means = None,
    environment: Annotated[str | None, typer.Option(help="A named environment, such as c2, instead of means.")] = None,
    epsilon: Epsilon = None,
    horizon: Horizon = None,
    runs: Annotated[float, whole("runs", "Independent runs of each policy.")] = 1000,
    checkpoints: Annotated[int, whole("checkpoints", "Rounds, log-spaced, at which regret is kept.")] = 200,
    plot: Annotated[str | None, typer.Option(help="Write the regret curves to this .png, .svg or .pdf file.")] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
) -> int:
    """Simulate shipped algorithms on Bernoulli arms and summarise their pseudo-regret.

    privcheck simulate adap-ucb kl-ucb --means 0.75,0.5 --epsilon 1 --horizon 1e5 --plot regret.png
    """
    from bounds.domains import Integer, check
    from privcheck.files import check_output
    from privcheck.simulation.simulate import simulate as run_simulation

    check_json(json)
    if plot is not None:
        check_output(plot, "plot", (".png", ".svg", ".pdf"))
    if (means is None) == (environment is None):
        raise PrivcheckError(
            "environment", None, "means or a named environment", "give --means 0.75,0.5 or --environment c2"
        )
    if horizon is None:
        raise PrivcheckError("horizon", None, "the number of rounds", "give --horizon 1e6")
    rounds = check("horizon", horizon, Integer(1), "the number of rounds T")
    count = check("runs", runs, Integer(1), "independent runs of each policy")
    result = run_simulation(
        policies,
        numbers(means, "means") if means is not None else str(environment),
        horizon=rounds,
        runs=count,
        seed=seed,
        jobs=jobs,
        checkpoints=checkpoints,
        epsilon=epsilon,
    )
    if not write_json(json, result.to_json()):
        from rich import box
        from rich.console import Console
        from rich.table import Table

        table = Table(
            title=f"pseudo-regret after {horizon:g} rounds, {runs:g} runs",
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
        )
        columns = ("policy", "mean", "se", "median", "q05", "q95", "q99", "engine", "seconds")
        for column in columns:
            table.add_column(column, justify="left" if column in ("policy", "engine") else "right", overflow="fold")
        for row in result.summary():
            table.add_row(*(f"{row[c]:.4g}" if isinstance(row[c], float) else str(row[c]) for c in columns))
        Console().print(table)
    if plot is not None:
        result.plot(plot)
    return 0
