"""What the exit status of each command is: by its result, or by the error that ended it, which is reported in one line.

`main` in `privcheck/cli/__init__.py` ends the process with it.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from privcheck.cli._described.option_words import PLAY_COMMANDS, in_options
from privcheck.cli._interruption import interrupted_status
from privcheck.errors import PrivcheckError, on_one_line

if TYPE_CHECKING:
    from privcheck.reporting import Baseline, Folder
    from privcheck.results import (
        AuditReport,
        Certificate,
        Fix,
        FixPatch,
        Frontier,
        Simulation,
        StepsReport,
        WatchReport,
    )
    from privcheck.sweeps import Sweep

NOTHING_FOUND, FOUND, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3

INTERNAL_ERROR, UNREAD = 70, 141
"""70 is EX_SOFTWARE of sysexits.h; 141 is what shells report of a process killed by SIGPIPE."""

INTERRUPTED = 130
"""What shells report of a process killed by SIGINT."""

INTERRUPTIONS = (INTERRUPTED, 143)

OF_OUTPUT = {errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EROFS}
"""What the system says of a file or a device that takes nothing more; other errors are those of a network, say."""

NO_ANSWER = -1
"""What a command returns whose report says that it was interrupted before there was an answer."""

OF_VERDICT = {None: NOTHING_FOUND, "consistent": NOTHING_FOUND, "violation": FOUND, "inconclusive": INCONCLUSIVE}
"""By the verdict on a claim, None without one. Another word is a KeyError, an internal error: never "nothing found"."""


def status_of_audit(report: AuditReport) -> int:
    """Return the exit status of `privcheck audit`.

    >>> from privcheck.results._example_results import VIOLATION
    >>> status_of_audit(VIOLATION)
    1
    """
    if interrupted_status() is not None and report.epsilon_lower is None:
        return NO_ANSWER
    return OF_VERDICT[report.verdict]


def status_of_certificate(certificate: Certificate) -> int:
    """Return the exit status of `privcheck certify`."""
    if certificate.is_inconclusive:
        return INCONCLUSIVE
    refused = certificate.budget is not None and not certificate.granted
    return FOUND if certificate.has_findings or refused else NOTHING_FOUND


def status_of_simulation(found: Simulation) -> int:
    """Return the exit status of `privcheck simulate`."""
    kinds = {remark.kind for remark in found.remarks}
    return INTERRUPTED if "interrupted" in kinds else BAD_INPUT if "failed" in kinds else NOTHING_FOUND


def status_of_frontier(found: Frontier) -> int:
    """Return the exit status of `privcheck frontier`, whose audits are short: they refute a claim, or show nothing."""
    return FOUND if FOUND in [OF_VERDICT[point.verdict] for point in found.points] else NOTHING_FOUND


def status_of_sweep(found: Sweep) -> int:
    """Return the exit status of `privcheck sweep`; cells that failed come after a violation, before all else."""
    statuses = {OF_VERDICT[cell["verdict"]] for cell in found.cells}
    if found.count("failed"):
        statuses.add(BAD_INPUT)
    return next((status for status in (FOUND, BAD_INPUT, INCONCLUSIVE) if status in statuses), NOTHING_FOUND)


def status_of_folder(found: Folder) -> int:
    """Return the exit status of `privcheck report`."""
    if found.alarm:
        return FOUND
    return BAD_INPUT if found.unread or found.failed else NOTHING_FOUND


def status_of_comparison(found: Baseline) -> int:
    """Return the exit status of `privcheck compare`."""
    if found.is_fine:
        return NOTHING_FOUND
    return FOUND if found.count("worse") else BAD_INPUT


def status_of_watch(found: WatchReport, *, played: bool) -> int:
    """Return the exit status of `privcheck watch`: an alarm that stands comes first; no night was counted though some
    were to be is inconclusive.

    >>> from privcheck.results._example_results import WATCHED
    >>> status_of_watch(WATCHED, played=True)
    1
    """
    if found.alarm is not None:
        return FOUND
    return INCONCLUSIVE if played and not found.counted else NOTHING_FOUND


OF_FIX = {
    "fixed": NOTHING_FOUND, "nothing to fix": NOTHING_FOUND, "nothing certifies": FOUND, "none learns": INCONCLUSIVE,
}  # fmt: skip
"""By the outcome of a fix."""


def status_of_fix(found: Fix) -> int:
    """Return the exit status of `privcheck fix`."""
    return OF_FIX[found.outcome]


OF_PATCH = {
    "recommended": NOTHING_FOUND, "certified": NOTHING_FOUND, "not recommended": INCONCLUSIVE,
    "not certified": INCONCLUSIVE, "withdrawn": FOUND,
}  # fmt: skip
"""By the standing of the patch that was asked for."""


def status_of_patch(patch: FixPatch) -> int:
    """Return the exit status of `privcheck fix --patch`: a recommended one beside it does not make this one better."""
    return OF_PATCH[patch.standing]


OF_STEPS = {
    "isolated": NOTHING_FOUND, "suspicion": INCONCLUSIVE, "another law": INCONCLUSIVE,
    "nothing to isolate": INCONCLUSIVE, "undecided": INCONCLUSIVE,
}  # fmt: skip
"""By the outcome of a look at steps: a step by itself is never a violation."""


def status_of_steps(found: StepsReport) -> int:
    """Return the exit status of `privcheck steps`.

    >>> from privcheck.results._example_results import STEPS
    >>> status_of_steps(STEPS)
    3
    """
    if interrupted_status() is not None and (found.best is None or found.best.epsilon_lower is None):
        return NO_ANSWER
    return OF_STEPS[found.outcome]


def status_of_claims(wrong: int, unexamined: int = 0) -> int:
    """Return the exit status of `privcheck claims`.

    Parameters
    ----------
    wrong : claims whose printed form fails.
    unexamined : claims that were left when a signal ended the work.
    """
    if unexamined:
        return _told(f"interrupted; {unexamined} more claims were not examined", NO_ANSWER)
    return FOUND if wrong else NOTHING_FOUND


def final_status(status: int) -> int:
    """Return the status that the process ends with, for one that a command returned."""
    return interrupted_status() or INTERRUPTED if status == NO_ANSWER else status


def status_of_error(error: BaseException) -> int:
    """Return the exit status of an exception, after telling it in one line.

    An exception that none of the commands expects is an internal error, never a status that means something else.
    """
    stopped = interrupted_status()
    if stopped is not None and not isinstance(error, PrivcheckError | BrokenPipeError):
        return _told("interrupted", stopped)  # workers that the same signal ended raise errors of their own
    if isinstance(error, PrivcheckError):
        return _told(str(in_options(error)), BAD_INPUT)
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return _told("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return _unread()
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
        return _unread()  # click and rich exit with 1 when a pipe breaks
    if isinstance(error, OSError) and error.filename is None and error.errno in OF_OUTPUT:
        _unread()
        return _told(
            f"output: got {error.strerror or error}, expected a writable output; write it elsewhere", BAD_INPUT
        )
    if isinstance(error, MemoryError):
        got = str(error) or "no memory left"
        return _told(f"memory: got {got}, expected work that fits into memory; ask for less at once", BAD_INPUT)
    if hasattr(error, "format_message"):  # of click: a wrong option or command
        return _usage(error)
    return _told(_internal(error), INTERNAL_ERROR)


def _told(message: str, status: int) -> int:
    sys.stderr.write(f"privcheck: {on_one_line(message)}\n")
    return status


def _unread() -> int:
    """Discard what is still buffered, and return the exit status of a process killed by a broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UNREAD


def _usage(error: BaseException) -> int:
    text: str = error.format_message()  # type: ignore[attr-defined]
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(text + "\n")
        return 0
    message = " ".join(text.split()).rstrip(".")
    if (option := _meant(error)) is not None:
        message = f"No such option: {error.option_name}; did you mean {option}?"  # type: ignore[attr-defined]
        return _told(f"{message} {_what_there_is(error)}", BAD_INPUT)
    return _told(f"{message}; {_what_there_is(error)}", BAD_INPUT)


def _meant(error: BaseException) -> str | None:
    """Return the option that is called otherwise elsewhere, as --zcdp and --eps, or is a plural; None for others."""
    from privcheck.declared import MEANT

    context = getattr(error, "ctx", None)
    if type(error).__name__ != "NoSuchOption" or context is None:
        return None
    name: str = error.option_name  # type: ignore[attr-defined]
    known = {option for parameter in context.command.params for option in parameter.opts}
    option = f"--{MEANT.get(name.lstrip('-').replace('-', '_').lower(), '')}"
    return next((each for each in (option, f"{name}s") if each in known), None)


def annotate_error(error: BaseException, words: list[str]) -> None:
    """Print an error as an annotation, if the command was asked for annotations: a job shows no other line of its log.

    Parameters
    ----------
    error : what ended the command as bad input.
    words : its arguments.
    """
    if "--annotate=github" not in words and ("--annotate", "github") not in itertools.pairwise(words):
        return
    from privcheck.reporting import workflow_commands

    said = str(in_options(error)) if isinstance(error, PrivcheckError) else getattr(error, "format_message", str)()
    sys.stdout.write(workflow_commands(RuntimeError(said or str(error))))
    sys.stdout.flush()


def _what_there_is(error: BaseException) -> str:
    """Return which help to read."""
    context = getattr(error, "ctx", None)
    command = "" if context is None else context.command_path.partition(" ")[2]
    if getattr(error, "option_name", None) in ("--command", "--url"):
        return PLAY_COMMANDS
    if not command:
        return f"`privcheck --help` lists the {'options' if 'option' in type(error).__name__.lower() else 'commands'}"
    return f"`privcheck {command} --help` lists the options"


def _internal(error: BaseException) -> str:
    """Return what to report about an exception that is a fault of privcheck's, and where its traceback is kept."""
    import platform
    import traceback

    from privcheck import __version__

    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    told = f"{type(error).__name__}: {str(error)[:200]}" if str(error) else type(error).__name__
    kept = _kept(error)
    what = f"the command and {kept}" if kept else "the command"
    version = f"privcheck {__version__}, Python {platform.python_version()}"
    return f"internal error: {told}{where}; this is a fault of privcheck ({version}): please report {what}"


def _kept(error: BaseException) -> str:
    """Write the traceback to a temporary file and return its path; "" if that is impossible."""
    import tempfile
    import traceback

    try:
        handle, path = tempfile.mkstemp(prefix="privcheck-", suffix=".txt", text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)))
    except Exception:  # a line about the error is worth more than its traceback
        return ""
    return path
