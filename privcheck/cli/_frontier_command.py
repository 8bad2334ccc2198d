"""`privcheck frontier`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.environment import ArmsOptions
from privcheck.cli._described.long_runs import check_effort, seconds_of_long_run, timed_policies
from privcheck.cli._described.policies import labelled
from privcheck.cli._options import Json, Policies, check_html, check_json, numbers
from privcheck.cli._statuses import status_of_frontier
from privcheck.errors import PrivcheckError


@declared_options(DECLARED["frontier"])
def frontier(
    policies: Policies,
    plot: Annotated[str | None, typer.Option(help="Draw regret against epsilon to this .png or .svg file.")] = None,
    html: Annotated[str | None, typer.Option(help="Write a page with picture and tables to this .html file.")] = None,
    csv: Annotated[str | None, typer.Option(help="Write one row per policy and budget to this .csv file.")] = None,
    json: Json = None,
    **asked: Any,
) -> int:
    """Show what privacy costs: regret against the budget, with its audited and certified bounds and the theory's.

        privcheck frontier adap-ucb ucb --epsilons 1,3 --means 0.75,0.5
            --horizon 1e4 --runs 50 --audit-runs 2000 --plot frontier.png

    Every policy is simulated, audited and certified with each budget; one that takes no such budget is simulated once.
    Your own policies and logs are given as to `privcheck simulate`. Their budgets may also be in another notion:

        privcheck frontier my_bandit.py:MyBandit --epsilons 1,3 --delta 1e-6
            --means 0.75,0.5 --horizon 1000 --runs 20 --audit-runs 500
        privcheck frontier gaussian-glr-imed --rho 0.1,0.5
            --means 0.75,0.5 --horizon 1000 --runs 20 --audit-runs 500

    Exit status: 0, 1 if an audit refutes a claim, or 2 for bad input.
    """
    from privcheck.declared import Integer, check
    from privcheck.files import check_output
    from privcheck.progress import told_in_lines
    from privcheck.reporting import details
    from privcheck.tradeoffs import frontier as trade_off

    check_json(json)
    check_html(html)
    for path, name, suffixes in ((plot, "plot", (".png", ".svg")), (csv, "csv", (".csv",))):
        if path is not None:
            check_output(path, name, suffixes)
    horizon, yes = asked.pop("horizon"), asked.pop("yes")
    budgets: dict[str, Any] = {
        name: None if (text := asked.pop(name)) is None else numbers(text, name) for name in ("epsilons", "rho", "mu")
    }
    if all(budget is None for budget in budgets.values()):
        raise PrivcheckError("epsilons", None, "at least one budget", "for example --epsilons 0.1,0.3,1,3")
    if horizon is None:
        raise PrivcheckError("horizon", None, "the number of rounds", "for example --horizon 1e5")
    named = labelled(policies)
    policies = list(named.values()) if isinstance(named, dict) else named
    place, rounds = taken(asked, ArmsOptions).made(), check("horizon", horizon, Integer(1), "the number of rounds T")
    if timed := timed_policies(policies, asked["time_budget"]):
        simulated = partial(trade_off, timed, place, **budgets | asked | {"audit_runs": 0, "certificates": False})
        play = lambda rounds, runs: simulated(horizon=rounds, runs=runs)  # noqa: E731
        check_effort(asked["runs"], yes, partial(seconds_of_long_run, play, rounds), horizon=rounds)
    with told_in_lines():
        found = trade_off(named, place, horizon=rounds, **budgets, **asked)
    for remark in found.remarks:
        typer.echo(f"privcheck: {remark}", err=True)
    files: list[Callable[[], object]] = [partial(found.save, csv)] if csv is not None else []
    files += [partial(found.save_html, html)] if html is not None else []
    files += [partial(found.plot, plot)] if plot is not None else []
    deliver(json, found.to_json(), lambda: details(found), *files)
    return status_of_frontier(found)
