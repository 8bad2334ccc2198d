"""`privcheck simulate`."""

from __future__ import annotations

from typing import Annotated

import typer

from privcheck.cli.environment_options import described_environment
from privcheck.cli.options import Epsilon, Horizon, Jobs, Json, Means, Seed, check_html, check_json, whole, write_json
from privcheck.errors import PrivcheckError


def simulate(
    policies: Annotated[list[str], typer.Argument(help="Shipped ids, such as adap-ucb kl-ucb.")],
    means: Means = None,
    environment: Annotated[
        str | None, typer.Option(help="A named environment, such as c2, or a family of arms, such as beta.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--with", help="A parameter of --environment: concentration=4.")
    ] = None,
    log: Annotated[str | None, typer.Option(help="Resample rewards from this CSV file of logged feedback.")] = None,
    action: Annotated[str | None, typer.Option(help="Column of the log with the arm that was played.")] = None,
    reward: Annotated[str | None, typer.Option(help="Column of the log with the reward.")] = None,
    propensity: Annotated[str | None, typer.Option(help="Column of the log with the probability of that arm.")] = None,
    reward_range: Annotated[
        str | None, typer.Option(help="Lowest and highest possible reward in the log: 0,5.")
    ] = None,
    epsilon: Epsilon = None,
    horizon: Horizon = None,
    runs: Annotated[float, whole("runs", "Independent runs of each policy.")] = 1000,
    checkpoints: Annotated[
        int, whole("checkpoints", "Number of log-spaced rounds at which the regret is recorded.")
    ] = 200,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare the policies in pairs, with statistical tests.")
    ] = False,
    csv: Annotated[str | None, typer.Option(help="Write policy, run, round, regret to this .csv file.")] = None,
    npz: Annotated[
        str | None, typer.Option(help="Write all results to this .npz file, which can be read back.")
    ] = None,
    plot: Annotated[str | None, typer.Option(help="Write the regret curves to this .png, .svg or .pdf file.")] = None,
    log_regret: Annotated[bool, typer.Option("--log-regret", help="Draw the regret on a logarithmic axis.")] = False,
    html: Annotated[str | None, typer.Option(help="Write a page with tables and curves to this .html file.")] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
) -> int:
    """Simulate shipped algorithms and summarise their pseudo-regret: mean, standard error, median and upper quantiles.

        privcheck simulate adap-ucb kl-ucb --means 0.75,0.5 --epsilon 1 --horizon 1e5
            --compare --plot regret.png

    Rewards are Bernoulli with the given means, those of a named environment, or resampled from your own log:

        privcheck simulate adap-ucb --environment beta --means 0.75,0.5
            --with concentration=4 --epsilon 1 --horizon 1e4
        privcheck simulate adap-ucb --log clicks.csv --action item --reward click
            --epsilon 1 --horizon 1e5

    `privcheck list` lists the algorithms and the environments. Exit status: 0, or 2 for bad input.
    """
    from privcheck.declared import Integer, check
    from privcheck.files import check_output
    from privcheck.simulation.simulate import simulate as run_simulation

    check_json(json)
    check_html(html)
    for path, name, suffixes in (
        (plot, "plot", (".png", ".svg", ".pdf")),
        (csv, "csv", (".csv",)),
        (npz, "npz", (".npz",)),
    ):
        if path is not None:
            check_output(path, name, suffixes)
    columns = {"action": action, "reward": reward, "propensity": propensity, "reward_range": reward_range}
    place = described_environment(means, environment, settings or [], log, columns)
    if horizon is None:
        raise PrivcheckError("horizon", None, "the number of rounds", "for example --horizon 1e6")
    rounds = check("horizon", horizon, Integer(1), "the number of rounds T")
    count = check("runs", runs, Integer(1), "independent runs of each policy")
    if compare and (len(policies) < 2 or count < 2):
        raise PrivcheckError("compare", f"{len(policies)} policies, {count} runs", "at least two of each")
    result = run_simulation(
        policies, place, horizon=rounds, runs=count, seed=seed, jobs=jobs, checkpoints=checkpoints, epsilon=epsilon
    )
    if csv is not None:
        result.save_csv(csv)
    if npz is not None:
        result.save_npz(npz)
    if not write_json(json, result.to_json(compare=compare)):
        from rich.console import Console

        from privcheck.reporting.terminal.simulation_tables import comparison_table, summary_table

        Console().print(summary_table(result))
        if compare:
            Console().print(comparison_table(result.compare()))
    if html is not None:
        result.save_html(html)
    if plot is not None:
        result.plot(plot, log_regret=log_regret)
    return 0
