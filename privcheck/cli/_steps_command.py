"""`privcheck steps`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.contexts import ContextOptions
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_steps


@declared_options(DECLARED["steps"])
def steps(
    target: Annotated[str, typer.Argument(help="Code in Python: path/to/file.py:name or package.module:name.")],
    *,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page about the steps to this .html file.")] = None,
    **options: Any,
) -> int:
    """Find the noisy step of slow code, and play it alone: a call takes microseconds where a run takes milliseconds.

    Calls that draw are recorded on two neighbours, with the outputs of all earlier draws forced to be equal:

        privcheck steps my_bandit.py:MyBandit --epsilon 1 --arms 2

    With a fixed number of calls of the best step, and a page:

        privcheck steps my_bandit.py:MyBandit --epsilon 1 --arms 2
            --runs 5000 --html steps.html

    What a step shows is a suspicion, and no bound for the target, whose output may hide it: audit the target on these
    neighbours.

    Exit status: 0 the step that was audited is told apart no better than the claim allows; 2 bad input, also a target
    of whose draws none is seen; 3 a suspicion, a step that has not the law of --law, one whose runs do not tell, or
    none that can be played alone; 130 or 143 interrupted.
    """
    from privcheck.auditing import steps as find_steps
    from privcheck.reporting import details

    check_json(json)
    check_html(html)
    asked = options | {"contexts": taken(options, ContextOptions).made()}
    with contained_target():
        report = find_steps(target, **asked)
    files: list[Callable[[], object]] = [partial(report.save_html, html)] if html is not None else []
    deliver(json, report.to_json(), lambda: details(report), *files)
    return status_of_steps(report)
