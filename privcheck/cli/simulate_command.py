"""`privcheck simulate`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from privcheck.cli.delivery import deliver
from privcheck.cli.environment_options import described_environment
from privcheck.cli.options import Epsilon, Horizon, Jobs, Json, Means, Seed, check_html, check_json, whole
from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from privcheck.results.simulation import Simulation


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
    delta: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="For best-arm identification: the probability of error, or several, as in 0.1,0.01."
        ),
    ] = None,
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

    Algorithms that identify the best arm (adap-tt, dp-exact-tt, dp-se-bai, dp-tt, and top-two
    without privacy) are run until they stop, for at most HORIZON rounds:

        privcheck simulate dp-exact-tt --means 0.9,0.8,0.5
            --epsilon 1 --delta 0.1,0.01 --horizon 1e6 --runs 100

    Algorithms for semi-bandits play sets of base arms:

        privcheck simulate cucb-batches --environment top-k --means 0.9,0.8,0.3
            --with size=2 --epsilon 1 --horizon 1e4

    `privcheck list` lists the algorithms and the environments. Exit status: 0, or 2 for bad input.
    """
    from privcheck.declared import Integer, check
    from privcheck.files import check_output
    from privcheck.simulation.semi_bandits import VacuousBonusWarning
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
    if delta is not None or _identify(policies):
        if unused := [
            name
            for name, value in {
                "compare": compare, "csv": csv, "npz": npz, "plot": plot, "html": html, "log-regret": log_regret
            }.items()
            if value
        ]:  # fmt: skip
            hint = "best-arm identification gives a table and --json"
            raise PrivcheckError(unused[0], "given", "no such option with best-arm identification", hint)
        from privcheck.reporting.terminal.identification_table import identification_table
        from privcheck.simulation.identify import identify

        found = identify(
            policies, place, horizon=rounds, delta=_numbers(delta), runs=count, seed=seed, jobs=jobs, epsilon=epsilon
        )
        deliver(json, found.to_json(), lambda: identification_table(found))
        return 0
    if compare and (len(policies) < 2 or count < 2):
        raise PrivcheckError("compare", f"{len(policies)} policies, {count} runs", "at least two of each")
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", VacuousBonusWarning)
        result = run_simulation(
            policies, place, horizon=rounds, runs=count, seed=seed, jobs=jobs, checkpoints=checkpoints, epsilon=epsilon
        )
    for note in noted:
        typer.echo(f"privcheck: {note.message}", err=True)
    files: list[Callable[[], object]] = [partial(result.save_csv, csv)] if csv is not None else []
    files += [partial(result.save_npz, npz)] if npz is not None else []
    files += [partial(result.save_html, html)] if html is not None else []
    files += [partial(result.plot, plot, log_regret=log_regret)] if plot is not None else []
    deliver(json, result.to_json(compare=compare), lambda: _text(result, compare), *files)
    return 0


def _identify(policies: list[str]) -> bool:
    """Tell whether the first policy identifies the best arm; what is wrong with a name is said later."""
    from privcheck.bandits import ALGORITHMS
    from privcheck.bandits.best_arm import BestArmAlgorithm

    name = policies[0].partition("(")[0]
    return name in ALGORITHMS and issubclass(ALGORITHMS[name], BestArmAlgorithm)


def _numbers(text: str | None) -> list[float] | None:
    """Return the numbers of a list such as 0.1,0.01."""
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise PrivcheckError("delta", text, "a number or several, as in 0.1,0.01", "separate them by commas") from None


def _text(result: Simulation, compare: bool) -> RenderableType:
    from rich.console import Group

    from privcheck.reporting.terminal.simulation_tables import comparison_table, summary_table

    return Group(summary_table(result), *([comparison_table(result.compare())] if compare else []))
