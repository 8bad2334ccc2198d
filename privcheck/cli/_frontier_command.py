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
    epsilons, horizon = asked.pop("epsilons"), asked.pop("horizon")
    if epsilons is None:
        raise PrivcheckError("epsilons", None, "at least one budget", "for example --epsilons 0.1,0.3,1,3")
    if horizon is None:
        raise PrivcheckError("horizon", None, "the number of rounds", "for example --horizon 1e5")
    place = taken(asked, ArmsOptions).made()
    found = trade_off(policies, place, epsilons=numbers(epsilons, "epsilons"), horizon=horizon, **asked)
    for remark in found.remarks:
        typer.echo(f"privcheck: {remark}", err=True)
    files: list[Callable[[], object]] = [partial(found.save, csv)] if csv is not None else []
    files += [partial(found.save_html, html)] if html is not None else []
    files += [partial(found.plot, plot)] if plot is not None else []
    deliver(json, found.to_json(), lambda: details(found), *files)
    return status_of_frontier(found)
