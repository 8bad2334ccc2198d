"""`privcheck simulate`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.environment import EnvironmentOptions
from privcheck.cli._described.long_runs import check_effort, seconds_of_long_run, timed_policies
from privcheck.cli._described.policies import labelled
from privcheck.cli._options import Json, Policies, check_html, check_json
from privcheck.cli._statuses import status_of_simulation
from privcheck.errors import PrivcheckError


@declared_options(DECLARED["simulate"])
def simulate(
    policies: Policies,
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
    json: Json = None,
    **asked: Any,
) -> int:
    """Simulate policies and summarise their pseudo-regret: mean, standard error, median and upper quantiles.

        privcheck simulate adap-ucb kl-ucb --means 0.75,0.5 --epsilon 1 --horizon 1e5
            --compare --plot regret.png

    Rewards are Bernoulli with the given means, those of a named environment, or resampled from your own log:

        privcheck simulate adap-ucb --environment beta --means 0.75,0.5
            --with concentration=4 --epsilon 1 --horizon 1e4
        privcheck simulate adap-ucb --log clicks.csv --action item --reward click
            --epsilon 1 --horizon 1e5

    Policies of your own play beside the shipped ones, in Python and for at most --time-budget seconds each; a label
    before = stands in tables and pictures:

        privcheck simulate ours=my_bandit.py:MyBandit adap-ucb --means 0.75,0.5
            --epsilon 1 --horizon 1000 --runs 100 --jobs 2

    Algorithms that identify the best arm (adap-tt, dp-exact-tt, dp-se-bai, dp-tt, and top-two
    without privacy) are run until they stop, for at most HORIZON rounds:

        privcheck simulate dp-exact-tt --means 0.9,0.8,0.5
            --epsilon 1 --delta 0.1,0.01 --horizon 1e6 --runs 100

    Algorithms for semi-bandits play sets of base arms:

        privcheck simulate cucb-batches --environment top-k --means 0.9,0.8,0.3
            --with size=2 --epsilon 1 --horizon 1e4

    Contextual algorithms play on decision sets, drawn or from your own log:

        privcheck simulate lin-ucb lin-ucb-gaussian --environment linear-contexts
            --with features=3 --epsilon 1 --delta 1e-6 --horizon 1e4 --runs 20

    `privcheck list` lists the algorithms and the environments. Exit status: 0, 2 for bad input (also if a policy of
    your own fails: the results of the others are shown), or 130 if interrupted (what was finished is shown).
    """
    from privcheck.declared import Integer, check
    from privcheck.environments import ContextualEnvironment
    from privcheck.files import check_output
    from privcheck.progress import told_in_lines
    from privcheck.reporting import details
    from privcheck.simulation import VacuousBonusWarning, is_own
    from privcheck.simulation import simulate as run_simulation

    check_json(json)
    check_html(html)
    for path, name, suffixes in (
        (plot, "plot", (".png", ".svg", ".pdf")),
        (csv, "csv", (".csv",)),
        (npz, "npz", (".npz",)),
    ):
        if path is not None:
            check_output(path, name, suffixes)
    named = labelled(policies)
    policies = list(named.values()) if isinstance(named, dict) else named
    place = taken(asked, EnvironmentOptions).made()
    delta, horizon, store, scheduler = (asked.pop(name) for name in ("delta", "horizon", "store", "scheduler"))
    yes = asked.pop("yes")
    if horizon is None:
        raise PrivcheckError("horizon", None, "the number of rounds", "for example --horizon 1e6")
    rounds = check("horizon", horizon, Integer(1), "the number of rounds T")
    count = check("runs", asked.pop("runs"), Integer(1), "independent runs of each policy")
    levels, contextual = _numbers(delta), isinstance(place, ContextualEnvironment)
    own_budget = {name: asked[name] for name in ("rho", "mu") if asked[name] is not None}
    if _identify(policies) or (levels is not None and not contextual and not any(map(is_own, policies))):
        for name, value in own_budget.items():
            raise PrivcheckError(name, value, "epsilon for best-arm identification", "give --epsilon")
        if unused := [
            name
            for name, value in {
                "compare": compare, "csv": csv, "npz": npz, "plot": plot, "html": html, "log-regret": log_regret
            }.items()
            if value
        ]:  # fmt: skip
            hint = "best-arm identification gives a table and --json"
            raise PrivcheckError(unused[0], "given", "no such option with best-arm identification", hint)
        from privcheck.simulation import identify

        own = {name: asked[name] for name in ("seed", "jobs", "epsilon")}
        find = partial(identify, named, place, delta=levels, **own)
        check_effort(count, yes, lambda: _seconds(find, rounds, min(count, asked["jobs"])), horizon=rounds)
        with told_in_lines():
            found = find(horizon=rounds, runs=count, scheduler=scheduler, store=store)
        deliver(json, found.to_json(), lambda: details(found))
        return 0
    if compare and (len(policies) < 2 or count < 2):
        raise PrivcheckError("compare", f"{len(policies)} policies, {count} runs", "at least two of each")
    if levels is not None and len(levels) > 1:
        raise PrivcheckError("delta", delta, "one number", "one simulation has one budget")
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", VacuousBonusWarning)
        level = None if levels is None else levels[0]
        play = partial(run_simulation, environment=place, delta=level, **asked)
        if timed := timed_policies(policies, asked["time_budget"]):
            measured = partial(play, policies=timed)
            check_effort(count, yes, lambda: _seconds(measured, rounds, min(count, asked["jobs"])), horizon=rounds)
        with told_in_lines():
            result = play(policies=named, horizon=rounds, runs=count, scheduler=scheduler, store=store)
    for note in noted:
        typer.echo(f"privcheck: {note.message}", err=True)
    for remark in result.remarks:
        typer.echo(f"privcheck: {remark.policy}: {remark.text}", err=True)
    compare = compare and len(result.results) > 1 and min(len(each.regret) for each in result.results) > 1
    files: list[Callable[[], object]] = [partial(result.save_csv, csv)] if csv is not None else []
    files += [partial(result.save_npz, npz)] if npz is not None else []
    files += [partial(result.save_html, html)] if html is not None else []
    files += [partial(result.plot, plot, log_regret=log_regret)] if plot is not None else []
    deliver(json, result.to_json(compare=compare), lambda: details(result, compare=compare), *files)
    return status_of_simulation(result)


def _seconds(play: Callable[..., object], horizon: int, workers: int) -> float:
    return seconds_of_long_run(lambda rounds, runs: play(horizon=rounds, runs=runs), horizon, workers)


def _identify(policies: list[str]) -> bool:
    """Tell whether the first policy identifies the best arm; what is wrong with a name is said later."""
    from privcheck.bandits import ALGORITHMS, BestArmAlgorithm

    name = policies[0].partition("(")[0]
    return name in ALGORITHMS and issubclass(ALGORITHMS[name], BestArmAlgorithm)


def _numbers(text: str | None) -> list[float] | None:
    """Return the numbers of a list such as 0.1,0.01."""
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise PrivcheckError("delta", text, "a number or several, as in 0.1,0.01", "separate them by commas") from None
