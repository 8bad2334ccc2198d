"""The command line: `privcheck audit | certify | bounds | simulate | report | list`.

Exit status: 0 nothing found, 1 a violation, a leak or a refused certificate, 2 bad input (one line on standard
error), 3 inconclusive.
"""

from __future__ import annotations

import os
import sys

import typer

from privcheck.cli.audit_command import audit
from privcheck.cli.bounds_command import bounds
from privcheck.cli.certify_command import certify
from privcheck.cli.help_pages import DocumentedCommand, DocumentedGroup
from privcheck.cli.list_command import list_everything
from privcheck.cli.report_command import report
from privcheck.cli.simulate_command import simulate
from privcheck.errors import PrivcheckError

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]

HELP = """
Audit, certify, bound and simulate differentially private bandits.

    privcheck audit my_bandit.py:MyBandit --epsilon 1 --arms 2 --horizon 16
    privcheck certify adap-ucb --epsilon 1
    privcheck bounds --means 0.75,0.625,0.5 --epsilon 1 --horizon 1e7
    privcheck simulate adap-ucb kl-ucb --environment c2 --epsilon 1 --horizon 1e5 --runs 200

`privcheck COMMAND --help` describes a command and its options.

Exit status: 0 nothing found, 1 a violation, a leak or a refused certificate, 2 bad input (one line on standard error),
3 inconclusive.
"""

app = typer.Typer(
    name="privcheck",
    cls=DocumentedGroup,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=DocumentedCommand, short_help="Search for a privacy leak: lower bound on epsilon, verdict, witness.")(
    audit
)
app.command(cls=DocumentedCommand, short_help="Bound epsilon from above, for code that releases through mechanisms.")(
    certify
)
app.command(cls=DocumentedCommand, short_help="Evaluate the papers' bounds on an instance.")(bounds)
app.command(cls=DocumentedCommand, short_help="Simulate shipped algorithms and summarise their regret.")(simulate)
app.command(cls=DocumentedCommand, short_help="Summarise many results in one page, violations first.")(report)
app.command(
    "list", cls=DocumentedCommand, short_help="List the shipped algorithms, mechanisms, environments and theorems."
)(list_everything)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; bad input is reported in one line on standard error."""
    try:
        status = int(app(arguments, standalone_mode=False) or 0)
        sys.stdout.flush()
        return status
    except PrivcheckError as error:
        return _refuse(str(error))
    except _UsageError as error:
        text: str = error.format_message()  # type: ignore[attr-defined]
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.stdout.write(text + "\n")
            return 0
        message = " ".join(text.split()).rstrip(".")
        return _refuse(f"{message}; {_what_there_is(error)}")
    except (typer.Abort, KeyboardInterrupt):
        sys.stderr.write("privcheck: interrupted\n")
        return 130
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        _unread()
        return _refuse(f"output: got {error.strerror or error}, expected a writable output; write it elsewhere")
    except SystemExit as error:  # click and rich exit with 1, which says "violation", when a pipe breaks
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        return _unread()


def _unread() -> int:
    """Discard what is still buffered, and return the exit status of a process killed by a broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _what_there_is(error: Exception) -> str:
    """Return which help to read, or why the option does not exist."""
    context = getattr(error, "ctx", None)
    command = context.info_name if context is not None and context.parent is not None else ""
    if command == "certify" and getattr(error, "option_name", "") == "--delta":
        return "certificates are for pure epsilon-DP, without delta"
    return f"`privcheck {command} --help` lists the options".replace("  ", " ")


def _refuse(message: str) -> int:
    sys.stderr.write(f"privcheck: {message}\n")
    return 2
