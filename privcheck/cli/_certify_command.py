"""`privcheck certify`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.code_findings import Annotate, Sarif, check_findings, deliver_findings
from privcheck.cli._described.contexts import ContextOptions
from privcheck.cli._described.long_runs import MANY_GUARDED, check_effort, seconds_of_rounds, seconds_per_run
from privcheck.cli._described.target import with_file
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_certificate

if TYPE_CHECKING:
    from privcheck.results import Certificate


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
        effort = Effort(run_certify, target, asked)
        limits = MANY_GUARDED, asked["horizon"], effort.rounds
        check_effort(asked["runs"], yes, effort.seconds, *limits, effort.less)
        with told_in_lines():
            certificate = run_certify(target, **asked)
    files: list[Callable[[], object]] = [partial(certificate.save_html, html)] if html is not None else []
    files += [partial(certificate.plot, plot, picture=picture)] if plot is not None else []
    files += deliver_findings(certificate, annotate, sarif)
    deliver(json, certificate.to_json(), lambda: with_file(details(certificate), target), *files)
    return status_of_certificate(certificate)


@dataclass
class Effort:
    """What a certificate takes, and the horizon at which shorter ones that measured it saw all lines."""

    certify: Callable[..., Certificate]
    target: str
    asked: dict[str, Any]
    granted: int | None = None

    @property
    def rounds(self) -> int | None:
        """The rounds of all guarded runs and replays; None if no horizon was asked for, or if there are none."""
        from privcheck.certifying import rounds_played

        runs, horizon = self.asked["runs"], self.asked["horizon"]
        return rounds_played(runs, horizon) if (runs or 0) > 0 and (horizon or 0) > 0 else None

    def seconds(self) -> float:
        """Return the time of a guarded run, with its share of the replays."""
        runs, horizon = self.asked["runs"], self.asked["horizon"]
        if self.rounds is None:
            return seconds_per_run(lambda count: self.certify(self.target, **self.asked | {"runs": count}))
        return seconds_of_rounds(self._play, horizon, self.rounds) / float(runs)

    def _play(self, horizon: int) -> int:
        from privcheck.certifying import rounds_played

        found = self.certify(self.target, **self.asked | {"horizon": horizon, "runs": 1})
        if self.granted is None and found.granted and not found.later_rounds:
            self.granted = horizon
        return rounds_played(1, horizon)

    def less(self) -> str:
        """Return at which horizon a certificate covers as much, if one does."""
        if self.granted is None or _takes_horizon(self.target):
            return ""
        seen = f"within {self.granted} rounds every line that matters for privacy ran"
        return f"; {seen}: a certificate with --horizon {self.granted} covers as much"


def _takes_horizon(target: str) -> bool:
    """Tell whether a target may be another one with another horizon."""
    from privcheck.targets import factory_parameters, load

    factory = getattr(load(target), "factory", None)
    taken = set() if factory is None else factory_parameters(factory)
    return not taken or any(name == "horizon" or name.startswith("**") for name in taken)
