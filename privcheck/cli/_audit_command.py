"""`privcheck audit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.code_findings import Annotate, Sarif, check_findings, deliver_findings
from privcheck.cli._described.contexts import ContextOptions
from privcheck.cli._described.long_runs import check_effort, seconds_of_audit
from privcheck.cli._described.target import TargetOptions, named_target, with_file
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_audit


@declared_options(DECLARED["audit"])
def audit(
    target: Annotated[
        str | None,
        typer.Argument(help="A shipped id, also 'adap-ucb(alpha=2)'; path/to/file.py:name or package.module:name."),
    ] = None,
    *,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page with pictures to this .html file.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw one picture into this .svg or .png file.")] = None,
    picture: Annotated[str, typer.Option(help="Which picture: bounds, witness or trade-off.")] = "bounds",
    annotate: Annotate = None,
    sarif: Sarif = None,
    **options: Any,
) -> int:
    """Search for two neighbouring reward streams that a policy tells apart better than its claim allows.

    Prints a lower bound of epsilon that holds with the stated confidence over the whole search, a verdict on the claim,
    and a witness: the two streams, and an event of the actions with its probability on each.

    A policy is any class with select() and update(action, reward) that takes its numpy Generator as first argument:

        privcheck audit my_bandit.py:MyBandit --epsilon 1 --arms 2 --horizon 16

    A one-shot mechanism is any function f(data, rng), or f(data, rng, runs) that makes many runs at once:

        privcheck audit my_mechanism.py:noisy_sum --epsilon 1

    A program in any language, a service, or code that needs another interpreter:

        privcheck audit --command "./bandit" --epsilon 1 --arms 2
        privcheck audit --url http://127.0.0.1:8000/ --epsilon 1 --arms 2
        privcheck audit old_bandit.py:Bandit --python old/bin/python
            --epsilon 1 --arms 2

    A shipped algorithm, until the claim is refuted, with a page to share:

        privcheck audit rnm-ftnl-published --epsilon 1 --arms 4 --horizon 4
            --sequential --html report.html

    Exit status: 0 consistent with the claim (or no claim), 1 violation, 2 bad input, 3 inconclusive, 130 or 143
    interrupted before any run was counted.
    """
    from privcheck.auditing import audit as run_audit
    from privcheck.reporting import check_plot, details
    from privcheck.targets import DEFAULT_RUNS

    check_json(json)
    check_html(html)
    check_findings(annotate, sarif, json)
    check_plot("audit", plot, picture)
    played = named_target(target, **vars(taken(options, TargetOptions)))
    asked = options | {"contexts": taken(options, ContextOptions).made()}
    yes = asked.pop("yes")
    with contained_target():
        if asked["time_budget"] is None:
            runs = DEFAULT_RUNS if asked["runs"] is None and _is_shipped(played) else asked["runs"]
            seconds = partial(seconds_of_audit, run_audit, played, asked)
            check_effort(runs, yes, seconds, horizon=asked["horizon"])
        report = run_audit(played, **asked)
    files: list[Callable[[], object]] = [partial(report.save_html, html)] if html is not None else []
    files += [partial(report.plot, plot, picture=picture)] if plot is not None else []
    files += deliver_findings(report, annotate, sarif)
    deliver(json, report.to_json(), lambda: with_file(details(report), target), *files)
    return status_of_audit(report)


def _is_shipped(target: Any) -> bool:
    """Tell whether a target is named by the id of an algorithm, which plays a fixed number of runs by default."""
    from privcheck.bandits import ALGORITHMS

    return isinstance(target, str) and target.partition("(")[0] in ALGORITHMS
