"""The commands of `privcheck`, and what its help says."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from privcheck import __version__
from privcheck.cli._account_command import account
from privcheck.cli._audit_command import audit
from privcheck.cli._bounds_command import bounds
from privcheck.cli._certify_command import certify
from privcheck.cli._claims_command import claims
from privcheck.cli._described.help_pages import DocumentedCommand, DocumentedGroup
from privcheck.cli._fix_command import fix
from privcheck.cli._frontier_command import frontier
from privcheck.cli._init_command import init
from privcheck.cli._ledger_command import ledger
from privcheck.cli._list_command import list_everything
from privcheck.cli._report_command import compare, report
from privcheck.cli._simulate_command import simulate
from privcheck.cli._steps_command import steps
from privcheck.cli._sweep_command import sweep
from privcheck.cli._warm_command import warm
from privcheck.cli._watch_command import watch

HELP = """
Audit, certify, bound and simulate differentially private bandits.

    privcheck audit my_bandit.py:MyBandit --epsilon 1 --arms 2 --horizon 16
    privcheck certify adap-ucb --epsilon 1
    privcheck fix my_bandit.py:MyBandit --epsilon 1 --arms 2
    privcheck account plan.toml
    privcheck bounds --means 0.75,0.625,0.5 --epsilon 1 --horizon 1e7
    privcheck simulate adap-ucb ucb --environment c2 --epsilon 1 --horizon 1e5

`privcheck COMMAND --help` describes a command and its options. --plot draws what a command found, --html writes a page
about it, and --json its numbers.

Exit status: 0 nothing found, 1 a violation, a leak or a refused certificate, 2 bad input (one line on standard error),
3 inconclusive, 70 an internal error, 130 or 143 interrupted before there was an answer, 141 nobody reads the output.
"""

app = typer.Typer(
    name="privcheck",
    cls=DocumentedGroup,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"privcheck {__version__}\n")
        raise typer.Exit


@app.callback(help=HELP)
def _options(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


app.command(cls=DocumentedCommand, short_help="Search for a privacy leak: lower bound on epsilon, verdict, witness.")(
    audit
)
app.command(cls=DocumentedCommand, short_help="Bound epsilon from above, for code that releases through mechanisms.")(
    certify
)
app.command(cls=DocumentedCommand, short_help="Find the noisy step of slow code, and play it alone.")(steps)
app.command(cls=DocumentedCommand, short_help="Patch a bandit's source: certified, and priced in regret.")(fix)
app.command(cls=DocumentedCommand, short_help="Add a night's evidence to that of all nights and versions before.")(
    watch
)
app.command(cls=DocumentedCommand, short_help="Add up the privacy loss of a plan, by every accountant.")(account)
app.command(cls=DocumentedCommand, short_help="Evaluate the papers' bounds on an instance.")(bounds)
app.command(cls=DocumentedCommand, short_help="Put the papers' statements to the test: refuted, proven or neither.")(
    claims
)
app.command(cls=DocumentedCommand, short_help="Simulate policies and summarise their regret.")(simulate)
app.command(cls=DocumentedCommand, short_help="Draw regret against epsilon, with bounds and audits.")(frontier)
app.command(cls=DocumentedCommand, short_help="Audit or simulate every combination, and keep the results.")(sweep)
app.command(cls=DocumentedCommand, short_help="Summarise many results in one page, violations first.")(report)
app.command(cls=DocumentedCommand, short_help="Compare results with a baseline: did a verdict get worse?")(compare)
app.command(cls=DocumentedCommand, short_help="Start a project: a private bandit, its tests, a GitHub workflow.")(init)
app.command(
    "list", cls=DocumentedCommand, short_help="List the shipped algorithms, mechanisms, environments and theorems."
)(list_everything)
app.command(cls=DocumentedCommand, short_help="Compile ahead of time, for images and CI.")(warm)
app.add_typer(ledger, name="ledger", short_help="Read the ledger of a guard: what was spent, whether it verifies.")
