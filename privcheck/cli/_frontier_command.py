"""`privcheck frontier`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from privcheck.cli._delivery import deliver
from privcheck.cli._environment_options import described_environment
from privcheck.cli._options import (
    EnvironmentName,
    EnvironmentSettings,
    Horizon,
    Jobs,
    Json,
    LogAction,
    LogPropensity,
    LogReward,
    LogRewardRange,
    Means,
    Policies,
    Scheduler,
    Seed,
    Store,
    check_html,
    check_json,
    number,
    numbers,
    whole,
)
from privcheck.errors import PrivcheckError


def frontier(
    policies: Policies,
    epsilons: Annotated[str | None, typer.Option(help="Budgets, separated by commas: 0.1,0.3,1,3.")] = None,
    means: Means = None,
    environment: EnvironmentName = None,
    settings: EnvironmentSettings = None,
    log: Annotated[str | None, typer.Option(help="A CSV file of logged feedback to resample.")] = None,
    action: LogAction = None,
    reward: LogReward = None,
    propensity: LogPropensity = None,
    reward_range: LogRewardRange = None,
    horizon: Horizon = None,
    runs: Annotated[int, whole("runs", "Simulated runs of each policy at each budget.")] = 200,
    audit_runs: Annotated[int, whole("audit_runs", "Runs per side of each audit; 0 for no audits.")] = 20_000,
    certificates: Annotated[
        bool, typer.Option("--certificates/--no-certificates", help="Whether policies are certified.")
    ] = True,
    time_budget: Annotated[
        float, number("time_budget", "Seconds for the simulated runs of a policy of your own.", "SECONDS")
    ] = 60.0,
    plot: Annotated[str | None, typer.Option(help="Draw regret against epsilon to this .png or .svg file.")] = None,
    html: Annotated[str | None, typer.Option(help="Write a page with picture and tables to this .html file.")] = None,
    csv: Annotated[str | None, typer.Option(help="Write one row per policy and budget to this .csv file.")] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    store: Store = None,
    json: Json = None,
) -> int:
    """Show what privacy costs: regret against epsilon, with the audited and certified epsilon and the theory's bounds.

        privcheck frontier adap-ucb ucb --epsilons 1,3 --means 0.75,0.5
            --horizon 1e4 --runs 50 --audit-runs 2000 --plot frontier.png

    Every policy is simulated, audited and certified with each budget; one that takes no epsilon is simulated once.
    Your own policies and logs are given as to `privcheck simulate`.

    Exit status: 0, 1 if an audit refutes a claim, or 2 for bad input.
    """
    from privcheck.files import check_output
    from privcheck.reporting import details
    from privcheck.tradeoffs import frontier as trade_off

    check_json(json)
    check_html(html)
    for path, name, suffixes in ((plot, "plot", (".png", ".svg")), (csv, "csv", (".csv",))):
        if path is not None:
            check_output(path, name, suffixes)
    if epsilons is None:
        raise PrivcheckError("epsilons", None, "at least one budget", "for example --epsilons 0.1,0.3,1,3")
    if horizon is None:
        raise PrivcheckError("horizon", None, "the number of rounds", "for example --horizon 1e5")
    columns = {"action": action, "reward": reward, "propensity": propensity, "reward_range": reward_range}
    place = described_environment(means, environment, settings or [], log, columns)
    found = trade_off(
        policies, place, epsilons=numbers(epsilons, "epsilons"), horizon=horizon, runs=runs,  # type: ignore[arg-type]
        audit_runs=audit_runs, certificates=certificates, seed=seed, jobs=jobs, time_budget=time_budget,
        scheduler=scheduler, store=store,
    )  # fmt: skip
    for remark in found.remarks:
        typer.echo(f"privcheck: {remark}", err=True)
    files: list[Callable[[], object]] = [partial(found.save, csv)] if csv is not None else []
    files += [partial(found.save_html, html)] if html is not None else []
    files += [partial(found.plot, plot)] if plot is not None else []
    deliver(json, found.to_json(), lambda: details(found), *files)
    return int(any(point.verdict == "violation" for point in found.points))
