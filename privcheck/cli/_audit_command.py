"""`privcheck audit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._code_findings import Annotate, Sarif, check_findings, deliver_findings
from privcheck.cli._declared_options import ContextNorm, declared_options, keywords
from privcheck.cli._delivery import deliver
from privcheck.cli._interruption import NO_ANSWER, interrupted_status
from privcheck.cli._long_runs import Yes, check_effort, seconds_of_audit
from privcheck.cli._named_target import Command, Mechanism, Python, Timeout, Url, named_target
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._process import contained_target
from privcheck.targets import Settings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from privcheck.results import AuditReport

EXIT_STATUS = {None: 0, "consistent": 0, "violation": 1, "inconclusive": 3}


@declared_options(Settings)
def audit(
    target: Annotated[
        str | None,
        typer.Argument(help="A shipped id, also 'adap-ucb(alpha=2)'; path/to/file.py:name or package.module:name."),
    ] = None,
    *,
    command: Command = None,
    url: Url = None,
    python: Python = None,
    timeout: Timeout = None,
    mechanism: Mechanism = False,
    context_norm: ContextNorm = None,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page with pictures to this .html file.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw one picture into this .svg or .png file.")] = None,
    picture: Annotated[str, typer.Option(help="Which picture: bounds, witness or trade-off.")] = "bounds",
    annotate: Annotate = None,
    sarif: Sarif = None,
    yes: Yes = False,
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
    from privcheck.reporting import AUDIT_PICTURES, check_plot

    check_json(json)
    check_html(html)
    check_findings(annotate, sarif, json)
    check_plot(plot, picture, AUDIT_PICTURES)
    played = named_target(target, command, url, python, timeout, mechanism)
    asked = keywords(options, context_norm)
    with contained_target():
        if asked["time_budget"] is None:
            check_effort(asked["runs"], yes, lambda: seconds_of_audit(run_audit, played, asked))
        report = run_audit(played, **asked)
    files: list[Callable[[], object]] = [partial(report.save_html, html)] if html is not None else []
    files += [partial(report.plot, plot, picture=picture)] if plot is not None else []
    files += deliver_findings(report, annotate, sarif)
    deliver(json, report.to_json(), lambda: _text(report), *files)
    if interrupted_status() is not None and report.epsilon_lower is None:
        return NO_ANSWER
    return EXIT_STATUS[report.verdict]


def _text(report: AuditReport) -> RenderableType:
    from privcheck.reporting import audit_details

    return audit_details(report)
