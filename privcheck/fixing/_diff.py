"""What a patch changes, as a unified diff that `git apply` takes."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

CONTEXT = 3
"""Unchanged lines around each change."""


def unified(before: str, after: str, name: str) -> str:
    r"""Return the diff of two texts of a file, with the newlines that the texts have.

    Lines end with "\n" alone, as for git: a carriage return before it belongs to the line.

    >>> print(unified("a\nb", "a\nc", "bandit.py"), end="")
    diff --git a/bandit.py b/bandit.py
    --- a/bandit.py
    +++ b/bandit.py
    @@ -1,2 +1,2 @@
     a
    -b
    \ No newline at end of file
    +c
    \ No newline at end of file
    """
    old, new = _lines(before), _lines(after)
    before_name, after_name = _quoted(f"a/{name}"), _quoted(f"b/{name}")
    found = list(difflib.unified_diff(old, new, before_name, after_name, n=CONTEXT, lineterm="\n"))
    if not found:
        return ""
    head = f"diff --git {before_name} {after_name}\n"
    return head + "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)


def _quoted(name: str) -> str:
    r"""Return a name as git writes it: in quotes, if a tab or a newline in it would end it.

    >>> _quoted("a/b c.py"), _quoted("a/b\tc.py")
    ('a/b c.py', '"a/b\\011c.py"')
    """
    if not any(ord(character) < 32 for character in name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\{ord(each):03o}" if ord(each) < 32 else each for each in escaped) + '"'


def split_head(diff: str) -> tuple[str, str]:
    """Return the lines that name the file, and what it changes."""
    lines = diff.split("\n")
    return "".join(f"{line}\n" for line in lines[:3]), "\n".join(lines[3:])


def _lines(text: str) -> list[str]:
    pieces = text.split("\n")
    return [f"{line}\n" for line in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def name_in_diffs(path: Path) -> str:
    """Return what a diff calls a file: its path in its git repository; in none, that from the working directory, where
    `git apply` is then called, or the name of a file that is not below it.
    """
    own = path.resolve()
    try:
        told = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"],
            cwd=own.parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
        return own.relative_to(Path(told.stdout.removesuffix("\n")).resolve()).as_posix()
    except (OSError, subprocess.SubprocessError, ValueError):
        return _from_here(own)


def _from_here(own: Path) -> str:
    try:
        return own.relative_to(Path.cwd().resolve()).as_posix()
    except (OSError, ValueError):  # it is elsewhere, or the working directory was removed
        return own.name
