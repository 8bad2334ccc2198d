"""`privcheck certify`."""

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
from privcheck.cli._described.long_runs import MANY_GUARDED, check_effort, seconds_of_long_run, seconds_per_run
from privcheck.cli._described.target import with_file
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_certificate


@declared_options(DECLARED["certify"])
def certify(
    target: Annotated[str, typer.Argument(help="A shipped id, path/to/file.py:name or package.module:name.")],
    *,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page with the ledger to this .html file.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw one picture into this .svg or .png file.")] = None,
    picture: Annotated[str, typer.Option(help="Which picture: ledger or divergence.")] = "ledger",
    annotate: Annotate = None,
    sarif: Sarif = None,
    **options: Any,
) -> int:
    """Certify a policy that releases through privcheck's mechanisms: within its budget, on every guarded execution.

    Rewards arrive wrapped, sensitivities are computed, a ledger charges every datum and a filter refuses what exceeds
    the budget; then transcripts are replayed on neighbouring streams:

        privcheck certify my_bandit.py:MyBandit --epsilon 1 --arms 2

    The budget is epsilon, epsilon with delta, rho (zCDP) or mu (Gaussian DP):

        privcheck certify my_bandit.py:MyBandit --epsilon 1 --delta 1e-6 --arms 2
        privcheck certify my_bandit.py:MyBandit --rho 0.1 --arms 2

    A contextual bandit is certified for joint differential privacy:

        privcheck certify my_contextual_bandit.py:MyBandit --epsilon 1 --arms 2
            --feedback contextual --neighbours context-reward
            --contexts 2,3 --context-norm 1

    Exit status: 0 certified (or nothing claimed and nothing found), 1 a leak or a refused certificate, 2 bad input, 3
    inconclusive: lines that matter for privacy never ran; 130 or 143 interrupted.
    """
    from privcheck.certifying import certify as run_certify
    from privcheck.progress import told_in_lines
    from privcheck.reporting import check_plot, details

    check_json(json)
    check_html(html)
    check_findings(annotate, sarif, json)
    check_plot("certificate", plot, picture)
    asked = options | {"contexts": taken(options, ContextOptions).made()}
    yes = asked.pop("yes")
    with contained_target():
        check_effort(asked["runs"], yes, partial(_seconds, run_certify, target, asked), MANY_GUARDED, asked["horizon"])
        with told_in_lines():
            certificate = run_certify(target, **asked)
    files: list[Callable[[], object]] = [partial(certificate.save_html, html)] if html is not None else []
    files += [partial(certificate.plot, plot, picture=picture)] if plot is not None else []
    files += deliver_findings(certificate, annotate, sarif)
    deliver(json, certificate.to_json(), lambda: with_file(details(certificate), target), *files)
    return status_of_certificate(certificate)


def _seconds(certify: Callable[..., object], target: str, asked: dict[str, Any]) -> float:
    """Return the time of a guarded run."""
    if asked["horizon"] is None:
        return seconds_per_run(lambda runs: certify(target, **asked | {"runs": runs}))
    own = {name: value for name, value in asked.items() if name not in ("horizon", "runs")}
    play = lambda rounds, runs: certify(target, horizon=rounds, runs=runs, **own)  # noqa: E731
    return seconds_of_long_run(play, asked["horizon"])
