"""The command line: `privcheck audit | certify | bounds | claims | simulate | report | init | list`.

Exit status: 0 nothing found, 1 a violation, a leak or a refused certificate, 2 bad input (one line on standard
error), 3 inconclusive, 70 an internal error, 130 (SIGINT) or 143 (SIGTERM) interrupted before there was an answer, 141
nobody reads the output.
"""

from __future__ import annotations

import os
import sys

from privcheck.cli._interruption import answering_signals, keep_status, leave_if_interrupted
from privcheck.cli._process import all_streams_open, quiet_warnings, replacing_characters
from privcheck.cli._statuses import (
    BAD_INPUT,
    INTERRUPTED,
    INTERRUPTIONS,
    annotate_error,
    final_status,
    status_of_error,
)

COMPLETE, COMPLETION = "_PRIVCHECK_COMPLETE", ("--install-completion", "--show-completion")
"""The variable by which shells ask for completions, and the options that concern them."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line in a process of its own, and exit with its status."""
    with all_streams_open(), replacing_characters(), quiet_warnings(), answering_signals(arguments is None):
        status = run(arguments)
        if arguments is None:
            leave_if_interrupted(status)
    if status in INTERRUPTIONS:
        keep_status()
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; what goes wrong is one line on standard error."""
    completion = COMPLETE in os.environ or any(word in COMPLETION for word in (arguments or sys.argv[1:])[:1])
    try:
        from privcheck.cli._application import app

        status = int(app(arguments, "privcheck", standalone_mode=False) or 0)
        if status == INTERRUPTED:  # typer's answer to KeyboardInterrupt
            raise KeyboardInterrupt
        sys.stdout.flush()
        return final_status(status)
    except BaseException as error:  # an uncaught one would exit with 1, which says "violation"
        if completion and isinstance(error, SystemExit):  # the way in which completion ends
            return 2 if error.code else 0
        status = status_of_error(error)
        if status == BAD_INPUT:
            annotate_error(error, sys.argv[1:] if arguments is None else arguments)
        return status
